"""Analysis of two versions of a job: reports, fixes, drawings and outcomes of a restart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from keepstate.acceptances import AcceptancePolicy
from keepstate.comparison import Comparison
from keepstate.report import Fix, Report, StateOutcome
from keepstate.text import Edit, apply_edits

if TYPE_CHECKING:
    from keepstate.cutover.cutover_options import CutoverOptions
    from keepstate.cutover.cutover_plan import CutoverPlan
    from keepstate.plan_view.drawing import Drawing
    from keepstate.quick_fixes.reverts import Revert
    from keepstate.restart_effects import JobRestart

SIDES = ("baseline", "current")
SESSION_TIME_ZONE = "table.local-time-zone"

# What only some callers need is imported by the methods that need it: a check waits for none of it.


@dataclass(frozen=True, eq=False)
class RestartAnalysis:
    """Analysis of a restart of one version from a savepoint of another one, for one engine.

    The versions are compared and judged once, before the analysis is made; every method reads that judgement, and keeps
    its answer.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> analysis = analyse(now, was)
    >>> analysis.report().verdict.value, [query.use.value for query in analysis.restart().queries]
    ('incompatible', ['lost'])
    """

    comparison: Comparison

    def report(self, accepting: AcceptancePolicy | None = None) -> Report:
        """Findings and verdicts of the restart. With ``accepting``, accepted findings are marked; else acceptances are
        not looked at.
        """
        return self._report if accepting is None else self.comparison.report(accepting)

    @cached_property
    def _report(self) -> Report:
        return self.comparison.report()

    def report_with(self, edits: Iterable[Edit]) -> Report:
        """The report of the current text after these edits, against the same baseline.

        Raises:
            ValueError: two edits overlap.
        """
        version = self.comparison.current_version
        return self.comparison.report_of(replace(version, text=apply_edits(version.text, edits)))

    def with_revert(self, report: Report) -> Report:
        """``report``, which this analysis made, with the smallest set of findings to take back."""
        return replace(report, revert_to_be_compatible=self._revert.findings if self._revert is not None else ())

    @cached_property
    def _revert(self) -> Revert | None:
        from keepstate.quick_fixes.reverts import smallest_revert

        return smallest_revert(self.comparison)

    def fixes(self, index: int) -> tuple[Fix, ...]:
        """The fixes of the finding at ``index``, best first; each was analysed and does not make anything worse."""
        from keepstate.quick_fixes.repairs import fixes

        return fixes(self.comparison, self._report, index)

    def file_fixes(self) -> tuple[Fix, ...]:
        """Fixes of the job as a whole, best first."""
        from keepstate.quick_fixes.repairs import file_fixes

        revert = self._revert if len(self._report.findings) > 1 else None
        return file_fixes(self.comparison, self._report, revert)

    def state_outcome(self, index: int) -> StateOutcome | None:
        """The state that the finding at ``index`` is about, part by part; ``None`` for one about no single operator."""
        from keepstate.explain.state_outcome import state_outcome

        return state_outcome(self.comparison, index)

    def drawing(self) -> Drawing:
        """Return the plans of both versions, with their differences and the report's findings."""
        from keepstate.plan_view.drawing_builder import draw_plans

        return draw_plans(self.comparison)

    def plans_text(self, titles: tuple[str, str] = SIDES) -> str:
        """Return the same as text in two columns, the baseline left. ``titles`` are the headings of the sides."""
        from keepstate.plan_view.plain_text import plans_text

        return plans_text(self.drawing(), titles)

    def restart(self) -> JobRestart:
        """Use of the stored state by each query, in terms that can be computed on rows."""
        from keepstate.restart_effects import restart_of

        return restart_of(self.comparison)

    def cutover(self, request: CutoverOptions) -> CutoverPlan:
        """Return the plan that brings the current version into production where a restart loses state."""
        from keepstate.cutover.planning import plan_cutover

        return plan_cutover(self.comparison, request)

    def outlined_cutover(self, request: CutoverOptions) -> CutoverPlan:
        """Return that plan without the edits that keep the state instead, which take most of the time."""
        from keepstate.cutover.planning import outlined_cutover

        return outlined_cutover(self.comparison, request)

    @cached_property
    def session_time_zone(self) -> str | None:
        """The time zone that the current version sets; ``None`` where it sets none."""
        zones = {
            pipeline.settings[SESSION_TIME_ZONE].value
            for pipeline in self.comparison.current.pipelines
            if SESSION_TIME_ZONE in pipeline.settings
        }
        return zones.pop() if len(zones) == 1 else None

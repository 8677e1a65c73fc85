"""The analysis of two versions of a job: everything that is said of a restart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from keepstate.acceptances import Accepting
from keepstate.comparison import Comparison
from keepstate.report import Fix, Report, StateFate
from keepstate.text import Edit, apply_edits

if TYPE_CHECKING:
    from keepstate.fixes.reverts import Revert
    from keepstate.plan_view.values import Drawing
    from keepstate.restarts import JobRestart

SIDES = ("baseline", "current")

# What only some callers need is imported by the methods that need it: a check waits for none of it.


@dataclass(frozen=True, eq=False)
class Analysis:
    """All that can be said of a restart of one version from a savepoint of another one, for one engine.

    The two were compared and judged once, before this was made; every method reads that. Answers are kept.
    """

    comparison: Comparison

    def report(self, accepting: Accepting | None = None) -> Report:
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
        from keepstate.fixes.reverts import smallest_revert

        return smallest_revert(self.comparison)

    def fixes(self, index: int) -> tuple[Fix, ...]:
        """The fixes of the finding at ``index``, best first; each was analysed and does not make anything worse."""
        from keepstate.fixes.repairs import fixes

        return fixes(self.comparison, self._report, index)

    def file_fixes(self) -> tuple[Fix, ...]:
        """Fixes of the job as a whole, best first."""
        from keepstate.fixes.repairs import file_fixes

        revert = self._revert if len(self._report.findings) > 1 else None
        return file_fixes(self.comparison, self._report, revert)

    def state_fate(self, index: int) -> StateFate | None:
        """The state that the finding at ``index`` is about, part by part; ``None`` for one about no single operator."""
        from keepstate.explain.state_outcome import state_fate

        return state_fate(self.comparison, index)

    def drawing(self) -> Drawing:
        """The plans of both versions, with what differs and what the report finds about it."""
        from keepstate.plan_view.plans import draw_plans

        return draw_plans(self.comparison)

    def plans_text(self, titles: tuple[str, str] = SIDES) -> str:
        """The same as text in two columns, the baseline left; ``titles`` are what the sides are called."""
        from keepstate.plan_view.page import plans_text

        return plans_text(self.drawing(), titles)

    def restart(self) -> JobRestart:
        """Use of the stored state by each query, in terms that can be computed on rows."""
        from keepstate.restarts import restart_of

        return restart_of(self.comparison)

"""The analyzer as the server calls it: texts in, reports out.

``keepstate`` (and sqlglot behind it) is imported at the first call, which the server makes in its worker thread, so
that ``initialize`` is answered before. Tests put a stand-in of the same shape in its place.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from keepstate.text import Edit, Span
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.config.job_versions import composed_version, job_version
from keepstate_lsp.runtime.edition import edition
from keepstate_lsp.runtime.time_limit import EDITOR_SECONDS, within

if TYPE_CHECKING:
    from keepstate import Draft, NamePlace, Rename, RestartAnalysis, ScriptNames, Workspace
    from keepstate.plan_view.drawing import Drawing
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import ComposedJob
    from keepstate.report import Acceptance, Finding, Fix, Problem, ReadTable, Refusal, Report, StateHover, StateOutcome


@dataclass(frozen=True)
class Outline:
    """The outline of a text, without a comparison."""

    statements: tuple[Span, ...]
    broken: tuple[Span, ...]
    """The statements that could not be read."""
    problems: tuple[Problem, ...]
    refusals: tuple[Refusal, ...] = ()
    """The statements that the engine refuses; the problems are about others."""


@dataclass(frozen=True)
class CheckRequest:
    """A request: two texts, and the settings of their comparison."""

    current: str
    baseline: str
    engine: str
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the job."""
    baseline_config: JobConfig = EMPTY_CONFIG
    accepted: tuple[Acceptance, ...] = ()
    """Entries of the ledger."""
    workspace: Workspace | None = field(default=None, compare=False, repr=False)
    """The memory of the document: two texts are compared once for all questions."""
    jobs: tuple[ComposedJob, ComposedJob] | None = field(default=None, compare=False, repr=False)
    """The jobs of several files that ``current`` and ``baseline`` are the composed texts of."""


class Analyzer(Protocol):
    """Everything that the server asks about SQL. Not meant for several threads at once."""

    def load(self) -> None:
        """Import what the first check needs."""

    def looks_like_flink(self, text: str) -> bool: ...

    def check(self, comparison: CheckRequest) -> Report: ...

    def workspace(self) -> Workspace | None:
        """The memory of one document, which passes it with every question; ``None`` where nothing is kept."""

    def draft(self) -> Draft | None:
        """The memory of one document for help with its text; ``None`` where there is no such help."""

    def outline(self, text: str, engine: str, config: JobConfig, workspace: Workspace | None) -> Outline: ...

    def fixes(self, comparison: CheckRequest, index: int) -> tuple[Fix, ...]: ...

    def file_fixes(self, comparison: CheckRequest) -> tuple[Fix, ...]: ...

    def with_revert(self, comparison: CheckRequest, report: Report) -> Report:
        """``report`` with the smallest set of findings to take back."""

    def state_hovers(
        self, text: str, config: JobConfig, engine: str, workspace: Workspace | None, at: int | None
    ) -> tuple[StateHover, ...]: ...

    def state_outcome(self, comparison: CheckRequest, index: int) -> StateOutcome | None: ...

    def evidence(self, finding: Finding, engine: str, engine_version: str | None) -> str:
        """The measurement on the engine that confirms a finding, in words; empty without one."""

    def read_tables(
        self, text: str, parameters: Mapping[str, str], workspace: Workspace | None
    ) -> tuple[ReadTable, ...]: ...

    def names_in(self, text: str, workspace: Workspace | None) -> ScriptNames: ...

    def renamed_place(self, text: str, offset: int, workspace: Workspace | None) -> NamePlace:
        """The name at an offset.

        Raises:
            keepstate.RenameRefused: there is none that can be renamed.
        """

    def rename(
        self, text: str, offset: int, new_name: str, engine: str, config: JobConfig, workspace: Workspace | None
    ) -> Rename:
        """The edits of a rename.

        Raises:
            keepstate.RenameRefused: the name cannot be changed so.
        """

    def report_with(self, comparison: CheckRequest, edits: tuple[Edit, ...]) -> Report:
        """The report of the current text after ``edits``."""

    def plan(self, text: str, config: JobConfig, engine: str, workspace: Workspace | None) -> str: ...

    def plans(self, comparison: CheckRequest, titles: tuple[str, str]) -> str:
        """The plans of both sides; ``titles`` are what baseline and current are called."""

    def drawing(self, comparison: CheckRequest) -> Drawing:
        """The plans of both sides as values, with their differences."""

    def drawing_alone(self, text: str, config: JobConfig, engine: str, workspace: Workspace | None) -> Drawing:
        """The plan of a text without a baseline."""

    def rules_edition(self) -> str:
        """A name that differs between two states of the rules."""

    def rule_page(self, rule: str) -> str | None:
        """The page of a rule id in Markdown; ``None`` if there is no such rule."""


P = ParamSpec("P")
T = TypeVar("T")


def _limited(method: Callable[P, T]) -> Callable[P, T]:
    """The method with a limit to its time; it raises ``TookTooLong``."""

    @wraps(method)
    def answer(*arguments: P.args, **keywords: P.kwargs) -> T:
        return within(EDITOR_SECONDS, lambda: method(*arguments, **keywords))

    return answer


class KeepstateAnalyzer:
    """The real one."""

    def load(self) -> None:
        import keepstate

        keepstate.looks_like_flink("")
        keepstate.check(keepstate.JobVersion("SELECT 1"), keepstate.JobVersion("SELECT 2"))

    @_limited
    def looks_like_flink(self, text: str) -> bool:
        import keepstate

        return keepstate.looks_like_flink(text)

    @_limited
    def check(self, comparison: CheckRequest) -> Report:
        import keepstate

        accepting = keepstate.AcceptancePolicy(date.today(), comparison.accepted)
        return _analysis(comparison).report(accepting)

    def workspace(self) -> Workspace:
        import keepstate

        return keepstate.Workspace()

    def draft(self) -> Draft:
        import keepstate

        return keepstate.Draft()

    @_limited
    def outline(self, text: str, engine: str, config: JobConfig, workspace: Workspace | None) -> Outline:
        import keepstate

        memory = workspace if workspace is not None else keepstate.Workspace()
        validated = memory.validated(job_version(text, config, engine), engine)
        script = validated.job.script
        statements = tuple(statement.span for statement in script.statements)
        problems, refusals = validated.unread(), validated.refusals
        places = [*(problem.span for problem in problems), *(refusal.span for refusal in refusals)]
        if None in places:
            return Outline(statements, (Span(0, len(text)),), problems, refusals)
        broken = tuple(span for place in places if place for span in _touched(place, statements))
        return Outline(statements, broken, problems, refusals)

    @_limited
    def fixes(self, comparison: CheckRequest, index: int) -> tuple[Fix, ...]:
        return _analysis(comparison).fixes(index)

    @_limited
    def file_fixes(self, comparison: CheckRequest) -> tuple[Fix, ...]:
        return _analysis(comparison).file_fixes()

    @_limited
    def with_revert(self, comparison: CheckRequest, report: Report) -> Report:
        return _analysis(comparison).with_revert(report)

    @_limited
    def state_hovers(
        self, text: str, config: JobConfig, engine: str, workspace: Workspace | None, at: int | None
    ) -> tuple[StateHover, ...]:
        import keepstate

        # The version of the check, so that its job is not made once more.
        return keepstate.state_hovers(job_version(text, config, engine), engine, workspace, at)

    @_limited
    def state_outcome(self, comparison: CheckRequest, index: int) -> StateOutcome | None:
        return _analysis(comparison).state_outcome(index)

    def evidence(self, finding: Finding, engine: str, engine_version: str | None) -> str:
        import keepstate

        return keepstate.finding_evidence(finding, engine, engine_version)

    @_limited
    def read_tables(
        self, text: str, parameters: Mapping[str, str], workspace: Workspace | None
    ) -> tuple[ReadTable, ...]:
        import keepstate

        return keepstate.read_tables(keepstate.JobVersion(text, parameters), workspace)

    @_limited
    def names_in(self, text: str, workspace: Workspace | None) -> ScriptNames:
        import keepstate

        return keepstate.names_in(text, workspace)

    @_limited
    def renamed_place(self, text: str, offset: int, workspace: Workspace | None) -> NamePlace:
        import keepstate

        return keepstate.renamed_place(text, offset, workspace)

    @_limited
    def rename(
        self, text: str, offset: int, new_name: str, engine: str, config: JobConfig, workspace: Workspace | None
    ) -> Rename:
        import keepstate

        return keepstate.rename(job_version(text, config, engine), offset, new_name, engine, workspace)

    @_limited
    def report_with(self, comparison: CheckRequest, edits: tuple[Edit, ...]) -> Report:
        return _analysis(comparison).report_with(edits)

    @_limited
    def plan(self, text: str, config: JobConfig, engine: str, workspace: Workspace | None) -> str:
        import keepstate

        return keepstate.plan_text(job_version(text, config, engine), engine, workspace)

    @_limited
    def plans(self, comparison: CheckRequest, titles: tuple[str, str]) -> str:
        return _analysis(comparison).plans_text(titles)

    @_limited
    def drawing(self, comparison: CheckRequest) -> Drawing:
        return _analysis(comparison).drawing()

    @_limited
    def drawing_alone(self, text: str, config: JobConfig, engine: str, workspace: Workspace | None) -> Drawing:
        import keepstate

        return keepstate.draw_plan(job_version(text, config, engine), engine, workspace)

    def rules_edition(self) -> str:
        return _rules_edition()

    def rule_page(self, rule: str) -> str | None:
        import keepstate

        # One rule id may be used by several query kinds, each with a page of its own.
        pages = dict.fromkeys(info.page.strip() for info in keepstate.find_rules(rule) if info.id == rule)
        return "\n\n".join(pages) + "\n" if pages else None


@cache
def _rules_edition() -> str:
    import keepstate

    package = Path(keepstate.__file__).parent
    return edition(package / "rules", package / "engines")


def _analysis(comparison: CheckRequest) -> RestartAnalysis | ComposedAnalysis:
    """The analysis of a comparison, made by the first question about it."""
    import keepstate

    if comparison.jobs is not None:
        return _composed_analysis(comparison, *comparison.jobs)
    current = job_version(comparison.current, comparison.config, comparison.engine)
    baseline = job_version(comparison.baseline, comparison.baseline_config, comparison.engine)
    return keepstate.analyse(current, baseline, comparison.engine, comparison.workspace)


def _composed_analysis(comparison: CheckRequest, current: ComposedJob, baseline: ComposedJob) -> ComposedAnalysis:
    import keepstate
    from keepstate.project.composed_analysis import ComposedAnalysis

    engine = comparison.engine
    return ComposedAnalysis(
        composed_version(current, comparison.config, engine),
        composed_version(baseline, comparison.baseline_config, engine),
        engine,
        comparison.workspace or keepstate.Workspace(),
    )


def finding_key(finding: Finding) -> str:
    """A short name of a finding that stays the same while the user types elsewhere.

    >>> from keepstate import JobVersion, check
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> len(finding_key(check(now, was).findings[0]))
    16
    """
    removed_text = finding.baseline.text if finding.baseline is not None else ""
    parts = "\0".join((finding.rule, finding.pipeline or "", finding.change, removed_text))
    return hashlib.blake2s(parts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _touched(place: Span, statements: Sequence[Span]) -> Sequence[Span]:
    """The statements, which stand in text order, that ``place`` touches."""
    first = bisect_left(statements, place.start, key=lambda span: span.end)
    return statements[first : bisect_right(statements, place.end, key=lambda span: span.start)]

"""The smallest set of findings to take back for a job that is compatible: a promise that holds on the text.

Judgements suggest the sets to try. Every promise was tried: the edits of the findings are undone in the text, that text
is analysed like any other, and it is compatible.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from keepstate.comparison import Comparison
from keepstate.diff.reverting import RevertHunk, without_statement
from keepstate.job_version import JobVersion
from keepstate.quick_fixes.companions import with_declarations
from keepstate.report import ENGINE_VERSION, Finding, Report, Verdict
from keepstate.syntax.script import Statement, StatementKind
from keepstate.text import Edit, Span, apply_edits

_SETS_TRIED = 8
"""Sets of findings that are tried on the text, beside all of them."""
_MOST_REMOVED = 8
"""Of larger sets no finding is left out to see whether the others are enough."""
_ADDED = "pipeline-added"
_RUN = (StatementKind.INSERT, StatementKind.QUERY, StatementKind.SET, StatementKind.RESET)
"""Kinds of statements on which no other statement depends by name."""


@dataclass(frozen=True)
class Revert:
    """Findings to revert, by their indices in the report, and the edits for that.

    ``in_text`` is false if more than ``edits`` is needed: a parameter or a version that is set outside of the script.
    """

    findings: tuple[int, ...]
    edits: tuple[Edit, ...]
    in_text: bool
    whole_statements: bool = False


def smallest_revert(comparison: Comparison) -> Revert | None:
    """The smallest set of findings without whose edits the text is compatible; ``None`` if none was found.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> smallest_revert(analyse(now, was).comparison).findings
    (0,)
    """
    report = comparison.report()
    if report.verdict is Verdict.COMPATIBLE or not report.findings:
        return None
    trials = _Trials(comparison, report)
    every = tuple(range(len(report.findings)))
    sets = comparison.reverts()
    for indexes in (*islice((one for one in sets if one != every), _SETS_TRIED), every):
        revert = trials.without(indexes)
        if revert is not None:
            return trials.smaller(revert)
    return None


class _Trials:
    """Undoes the edits of findings in the text, and analyses the result."""

    def __init__(self, comparison: Comparison, report: Report) -> None:
        self._comparison = comparison
        self._current = comparison.current_version
        self._baseline = comparison.baseline_version
        self._report = report
        self._edited = comparison.edited_script

    def without(self, indexes: Sequence[int]) -> Revert | None:
        """The revert of these findings, if that leaves a compatible job."""
        version = self._version(indexes)
        tried: set[tuple[Edit, ...]] = set()
        for edits, whole in self._edits(indexes):
            if edits in tried or (not edits and version == self._current):
                continue
            tried.add(edits)
            if self._is_compatible(edits, version):
                return Revert(tuple(sorted(indexes)), edits, version == self._current, whole)
            more = self._with_declarations(edits, indexes)
            if more is not None and self._is_compatible(more, version):
                return Revert(tuple(sorted(indexes)), more, version == self._current, whole)
        return None

    def _with_declarations(self, edits: tuple[Edit, ...], indexes: Sequence[int]) -> tuple[Edit, ...] | None:
        """``edits`` with the former declarations that they need. Edits of other findings stay as they are: a promise
        names every finding that it takes back.
        """
        more = with_declarations(self._edited, edits)
        kept_edits = frozenset(self._edited.reverting(self._other_hunks(indexes)))
        return None if more is None else tuple(edit for edit in more if edit in edits or edit not in kept_edits)

    def smaller(self, revert: Revert) -> Revert:
        """The same without findings that go away with the others."""
        for index in reversed(revert.findings if len(revert.findings) <= _MOST_REMOVED else ()):
            rest = tuple(other for other in revert.findings if other != index)
            revert = (self.without(rest) if rest else None) or revert
        return revert

    def _is_compatible(self, edits: tuple[Edit, ...], version: JobVersion) -> bool:
        try:
            text = apply_edits(version.text, edits)
        except ValueError:
            # Two edits of one place: these findings cannot be undone in this way.
            return False
        after = self._comparison.report_of(replace(version, text=text))
        readable = len(after.problems) <= len(self._report.problems) and not after.refuses_more_than(self._report)
        return after.verdict is Verdict.COMPATIBLE and readable

    # ---- what undoes findings

    def _edits(self, indexes: Sequence[int]) -> Iterator[tuple[tuple[Edit, ...], bool]]:
        """Yield ways to undo findings in the text, and for each whether it puts whole statements back: with other edits
        of the same names, clause by clause, and by statements.
        """
        findings = [self._report.findings[index] for index in indexes]
        other_findings = self._others(indexes)
        kept_hunks = self._other_hunks(indexes)
        hunks = list(dict.fromkeys(hunk for finding in findings for hunk in self._hunks(finding)))
        statements = tuple(self._statements(findings, hunks))
        if kept_hunks.isdisjoint(hunks):
            for echoes in (*self._edited.echoes(hunks), hunks):
                yield (*self._edited.reverting(hunk for hunk in echoes if hunk not in kept_hunks), *statements), False
        pairs = {pair[1].span: pair for finding in findings if (pair := self._around(finding)) is not None}
        if not any(pair is not None and pair[1].span in pairs for pair in map(self._around, other_findings)):
            whole = (Edit(now.span, was.text) for was, now in pairs.values() if was is not None)
            yield (*whole, *statements), True

    def _others(self, indexes: Sequence[int]) -> list[Finding]:
        """The findings that are not taken back. One at the clause of a chosen finding goes with it."""
        clauses = _Clauses(self._report.findings[index] for index in indexes)
        other_findings = (finding for index, finding in enumerate(self._report.findings) if index not in indexes)
        return [finding for finding in other_findings if not clauses.hold(finding)]

    def _other_hunks(self, indexes: Sequence[int]) -> frozenset[RevertHunk]:
        return frozenset(hunk for finding in self._others(indexes) for hunk in self._hunks(finding))

    def _hunks(self, finding: Finding) -> list[RevertHunk]:
        """The edited pieces that made a finding: they touch its clause, or removed its baseline text. A declaration
        that is new as a whole does nothing but where it is named.
        """
        baseline = finding.baseline.span if finding.baseline is not None else None
        hunks = self._edited.near(finding.current.span if _is_written(finding) else None, baseline)
        pair = self._around(finding)
        return hunks if hunks or pair is None or pair[0] is not None else self._edited.naming(pair[1])

    def _around(self, finding: Finding) -> tuple[Statement | None, Statement] | None:
        """The current statement that a finding is about, with its baseline version if it has one."""
        if _is_written(finding):
            return self._edited.pair_at(finding.current.span)
        return self._edited.pair_of(finding.baseline.span) if finding.baseline is not None else None

    def _statements(self, findings: Iterable[Finding], hunks: Iterable[RevertHunk]) -> Iterator[Edit]:
        """Yield edits that remove the statements added with a finding, and restore those removed with one, with the
        declarations that they need.
        """
        removed_statements: dict[Statement, None] = {}
        come: dict[Statement, None] = {}
        for finding in findings:
            pair = self._around(finding)
            is_new = pair is not None and (pair[0] is None or finding.rule == _ADDED)
            if pair is not None and is_new and pair[1].kind in _RUN:
                come[pair[1]] = None
            if finding.baseline is not None:
                statement = self._edited.gone_at(finding.baseline.span)
                if statement is not None:
                    removed_statements[statement] = None
        yield from (without_statement(self._current.text, statement) for statement in come)
        yield from map(self._edited.putting_back, self._edited.with_declarations(hunks, removed_statements))

    def _version(self, indexes: Sequence[int]) -> JobVersion:
        """The current version with the settings taken back that these findings are about, as far as they are made
        outside of the script.
        """
        version = self._current
        for index in indexes:
            external = self._report.findings[index].external
            if external is None:
                continue
            if external.key == ENGINE_VERSION:
                version = replace(version, engine_version=self._baseline.engine_version)
                continue
            parameters = {key: value for key, value in version.parameters.items() if key != external.current}
            if external.baseline is not None and external.baseline in self._baseline.parameters:
                parameters[external.baseline] = self._baseline.parameters[external.baseline]
            version = replace(version, parameters=parameters)
        return version


def _is_written(finding: Finding) -> bool:
    """Return whether the current clause of a finding is the edited one, and not only the place where the change shows.

    A removed clause has none, and neither has a setting outside of the script.
    """
    return not finding.removed and (finding.external is None or finding.external.current is None)


class _Clauses:
    """The clauses of findings. Another finding whose clause overlaps one of them is taken back with it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        both = list(findings)
        self._current = _merged_spans(finding.current.span for finding in both if _is_written(finding))
        self._baseline = _merged_spans(finding.baseline.span for finding in both if finding.baseline is not None)

    def hold(self, finding: Finding) -> bool:
        if _is_written(finding) and _meets(finding.current.span, self._current):
            return True
        return finding.baseline is not None and _meets(finding.baseline.span, self._baseline)


def _merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that overlap made one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and (span.start < result[-1].end or span == result[-1]):
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


def _meets(span: Span, areas: Sequence[Span]) -> bool:
    """Return whether a span overlaps one of ``areas``, which are in order and do not overlap each other."""
    place = bisect_right(areas, span.start, key=lambda other: other.end)
    near = areas[place : place + 1]
    return any(span.start < other.end and other.start < span.end for other in near) or span in areas[place - 1 : place]

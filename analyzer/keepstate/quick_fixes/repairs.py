"""Edits of the current text that raise the verdict.

A fix is text first and meaning second: candidates come from the token alignment with the baseline, the edited text is
analysed like any other, and only a text that parses and helps is offered, under the verdict that results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from keepstate.comparison import Comparison
from keepstate.diff.reverting import RevertHunk, without_statement
from keepstate.job_version import JobVersion
from keepstate.quick_fixes.companions import sink_column, with_declarations
from keepstate.quick_fixes.list_entries import list_entries, touches_others
from keepstate.quick_fixes.lists import separator
from keepstate.quick_fixes.reverts import Revert
from keepstate.quick_fixes.rewrites import first_steps
from keepstate.quick_fixes.separate_jobs import ADDED, same_query, separate_job
from keepstate.report import Finding, Fix, FixAction, NewFile, Report, Verdict
from keepstate.syntax.script import Script, Statement, StatementKind, parse_script
from keepstate.syntax.spans import span_of
from keepstate.syntax.syntax_nodes import nodes_of
from keepstate.text import Edit, Span, apply_edits

_ACTIONS = {
    "group-keys-reordered": "Restore the order of the group keys",
    "window-keys-moved": "Restore the order of the window fields in GROUP BY",
    "aggregates-reordered": "Restore the order of the aggregates",
    "distinct-aggregates-reordered": "Restore the order of the distinct aggregates",
}
_SETTINGS = (StatementKind.SET, StatementKind.RESET)
_STATEMENT_WORDS = {
    StatementKind.INSERT: "INSERT",
    StatementKind.QUERY: "query",
    StatementKind.SET: "SET",
    StatementKind.RESET: "RESET",
}
_OF_A_QUERY = "query-refused"
_KEEP_BOTH = frozenset({"aggregate-changed", "only-aggregate-changed", "all-aggregates-replaced"})


def fixes(comparison: Comparison, report: Report, index: int) -> tuple[Fix, ...]:
    """The fixes of ``report.findings[index]``, best first; each was analysed and does not make anything worse.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> comparison = analyse(now, was).comparison
    >>> [fix.title for fix in fixes(comparison, comparison.report(), 0)]
    ['Restore `MAX(a)` (compatible)', 'Keep `MAX(a)` beside `SUM(a)` (partly compatible)']
    """
    workshop = _Workshop(comparison, report)
    finding = report.findings[index]
    unique: dict[tuple[str, bool], Fix] = {}
    if finding.external is not None and finding.external.current is not None:
        # What is set outside of the script cannot be mended in it.
        return ()
    candidates = (
        workshop.take_back(finding),
        workshop.keep_both(finding),
        workshop.move_to_own_job(finding),
        workshop.take_statement_back(finding),
        workshop.put_statement_back(finding),
        workshop.put_all_back(finding),
    )
    for candidate in candidates:
        if candidate is not None:
            result = apply_edits(comparison.current_version.text, candidate.edits), bool(candidate.new_files)
            unique.setdefault(result, candidate)
    return tuple(unique.values())


def file_fixes(comparison: Comparison, report: Report, revert: Revert | None) -> tuple[Fix, ...]:
    """Return the fixes for the file as a whole.

    They are the smallest revert (``revert``), if it takes back more than one finding, and the first step of a
    deployment in two, where only the mixture of kinds makes the job undecidable.

    >>> from keepstate import JobVersion, analyse
    >>> from keepstate.quick_fixes.reverts import smallest_revert
    >>> was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b; SELECT c, SUM(a) FROM u GROUP BY c")
    >>> now = JobVersion("SELECT b, MAX(a) FROM t GROUP BY b; SELECT c, MAX(a) FROM u GROUP BY c")
    >>> comparison = analyse(now, was).comparison
    >>> [fix.title for fix in file_fixes(comparison, comparison.report(), smallest_revert(comparison))]
    ['Restore both clauses (compatible)']
    """
    workshop = _Workshop(comparison, report)
    candidates: list[Fix | None] = [workshop.first_step(put_off, findings) for put_off, findings in first_steps(report)]
    if revert is not None and len(revert.findings) >= 2 and revert.in_text:
        candidates.append(_all_back(revert))
    unique: dict[tuple[Edit, ...], Fix] = {}
    for fix in candidates:
        if fix is not None:
            unique.setdefault(fix.edits, fix)
    return tuple(unique.values())


def leading_to(fix: Fix, verdict: Verdict) -> Fix:
    """Return the fix with the title for another verdict, that of a comparison with another baseline.

    >>> from keepstate import JobVersion, fixes
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> leading_to(fixes(now, was, 0)[0], Verdict.UNKNOWN).title
    'Restore `MAX(a)` (unknown)'
    """
    return replace(fix, verdict_after=verdict)


def restoring_from(fix: Fix, baseline: str) -> Fix:
    """Return the fix with a title that names the baseline, where it restores something.

    >>> from keepstate import JobVersion, fixes
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> restoring_from(fixes(now, was, 0)[0], "HEAD").title
    'Restore `MAX(a)` from HEAD (compatible)'
    """
    return replace(fix, action=_restoring(f"{fix.action.words} from {baseline}")) if fix.action.restores else fix


class _Workshop:
    """Makes and tries fixes of one report."""

    def __init__(self, comparison: Comparison, report: Report) -> None:
        self._comparison = comparison
        self._current = comparison.current_version
        self._report = report
        self._edited = comparison.edited_script

    @property
    def script(self) -> Script:
        """The current one."""
        return self._edited.current

    def first_step(self, put_off: str, findings: list[Finding]) -> Fix | None:
        """Everything but ``findings``, to be deployed first."""
        hunks = tuple(dict.fromkeys(hunk for finding in findings for hunk in self._hunks_near(finding)))
        action = _making(f"Deploy in two steps, {put_off} in the second: take it back for now")
        return self._with_echoes(action, "first-step", hunks, None)

    def take_back(self, finding: Finding) -> Fix | None:
        """Put the baseline clause back, with the other places of the same edit if it cannot stand alone."""
        near = self._hunks_near(finding)
        if not near:
            return None
        return self._with_echoes(self._action(finding, near), _kind(finding), near, finding)

    def move_to_own_job(self, finding: Finding) -> Fix | None:
        """Compute the new metrics of a query in another job, where they cost the former state nothing."""
        if finding.rule not in ADDED or finding.removed:
            return None
        neighbours = [
            other
            for other in self._report.findings
            if other.rule in ADDED and other is not finding and same_query(self.script, finding, other)
        ]
        hunks = [hunk for one in (finding, *neighbours) for hunk in self._hunks_near(one)]
        job = separate_job(self._comparison, finding, neighbours) if hunks else None
        if job is None:
            return None
        subject = f"{_short(job.metrics[0])} in a job of its own"
        if len(job.metrics) > 1:
            subject = f"the {len(job.metrics)} new metrics in another job"
        fix = self._with_echoes(_making(f"Compute {subject}, in a new file"), "separate-job", hunks, finding)
        return None if fix is None else replace(fix, new_files=(NewFile(job.suffix, job.text, job.open_point),))

    def take_statement_back(self, finding: Finding) -> Fix | None:
        """Put the baseline's text of the whole statement back."""
        pair = self._edited.pair_at(finding.current.span)
        if pair is None:
            return None
        was, now = pair
        # What came is no other version of something else.
        was = None if finding.rule == "pipeline-added" else was
        if was is None and finding.rule != "pipeline-added" and now.kind not in _SETTINGS:
            return None
        if was is None:
            edits: tuple[Edit, ...] = (without_statement(self._current.text, now),)
            return self._try_fix(_making(f"Remove this {_statement_words(now)}"), "revert", edits, finding)
        edits = (Edit(now.span, was.text),)
        return self._try_fix(_restoring(f"Restore this {_statement_words(now)}"), "revert", edits, finding)

    def put_statement_back(self, finding: Finding) -> Fix | None:
        """Put a statement back that went, where it stood."""
        if finding.baseline is None or not finding.removed:
            return None
        span = finding.baseline.span
        was = next((one for one in self._edited.baseline.statements if one.span == span), None)
        if was is None or self._edited.gone_at(span) is None:
            return None
        edit = self._edited.putting_back(was)
        words = finding.pipeline if was.kind is StatementKind.INSERT and finding.pipeline else _short(was.text)
        return self._try_fix(_restoring(f"Restore {words}"), "restore-removed", (edit,), finding)

    def put_all_back(self, finding: Finding) -> Fix | None:
        """Put the baseline back into a text that lost all of its statements."""
        if self._edited.current.statements:
            return None
        end = len(self._current.text)
        edits = (Edit(Span(end, end), self._edited.baseline.text),)
        return self._try_fix(_restoring("Restore all statements"), "revert", edits, finding)

    def keep_both(self, finding: Finding) -> Fix | None:
        """Keep the former metric as a column beside the changed one."""
        if finding.rule not in _KEEP_BOTH or finding.baseline is None or finding.removed:
            return None
        item = _item_around(self._edited.current, finding.current.span)
        former = _item_around(self._edited.baseline, finding.baseline.span)
        if item is None or former is None:
            return None
        name = _free_name(former.alias or "former", self._current.text)
        addition = f"{item.separator}{finding.baseline.text} AS {name}"
        # At the end of the list: INSERT maps columns by position.
        edits = (Edit(Span(item.list_end, item.list_end), addition),)
        words = f"Keep {_short(finding.baseline.text)} beside {_short(finding.current.text)}"
        fix = self._try_fix(_making(words), "keep-both", edits, finding)
        more = tuple(sink_column(self._edited.current, item.span, name)) if fix is None else ()
        if not more:
            return fix
        return self._try_fix(_making(f"{words}, with a column of the sink"), "keep-both", (*edits, *more), finding)

    def _try_fix(self, action: FixAction, kind: str, edits: tuple[Edit, ...], finding: Finding | None) -> Fix | None:
        """The fix, if its text is valid and no worse than the current one, and ``finding`` is gone or milder. A revert
        that is refused is tried with the declarations that it needs.
        """
        version = self._version_after(edits)
        if version is not None and self._is_refused(version) and kind != "keep-both":
            edits = with_declarations(self._edited, edits) or ()
            version = self._version_after(edits)
        if version is None or self._is_refused(version):
            return None
        after = self._comparison.report_of(version)
        if len(after.problems) > len(self._report.problems) or after.verdict.rank > self._report.verdict.rank:
            return None
        if finding is not None and not _helps(finding, self._report, after, kind):
            return None
        if finding is None and after.verdict.rank >= self._report.verdict.rank:
            return None
        return Fix(action, kind, after.verdict, edits)

    def _with_echoes(
        self, action: FixAction, kind: str, hunks: Sequence[RevertHunk], finding: Finding | None
    ) -> Fix | None:
        """The fix that takes ``hunks`` back, and if these cannot go alone, with those that name the same: a key that
        leaves GROUP BY leaves SELECT too.
        """
        tried = (
            self._try_fix(action, kind, self._edited.reverting(some), finding)
            for some in (hunks, *self._edited.echoes(hunks))
        )
        return next((fix for fix in tried if fix is not None and not self._touches_others(fix, finding)), None)

    def _touches_others(self, fix: Fix, finding: Finding | None) -> bool:
        """Return whether a fix of one finding changes entries of lists that the finding is not about."""
        version = self._version_after(fix.edits)
        if version is None or finding is None:
            return False
        baseline, current = list_entries(self._edited.baseline), list_entries(self._edited.current)
        after = list_entries(parse_script(version.text, self._edited.current.memo))
        if touches_others(baseline, current, after):
            return True
        # What went comes back beside what is there, and what came goes without a successor.
        only_went = finding.removed and any(current[key] - after.get(key, current[key]) for key in current)
        only_came = finding.baseline is None and any(
            after[key] - current.get(key, after[key]) for key in after if not fix.action.restores
        )
        return only_went or only_came

    def _is_refused(self, version: JobVersion) -> bool:
        """Return whether the engine refuses more of a version than of the current one: it is compared only if not."""
        return self._report.lacks_any_of(self._comparison.refusals_of(version))

    def _version_after(self, edits: tuple[Edit, ...]) -> JobVersion | None:
        """The edited version; ``None`` without edits, or if two of them overlap."""
        if not edits:
            return None
        try:
            text = apply_edits(self._current.text, edits)
        except ValueError:
            return None
        return replace(self._current, text=text)

    def _action(self, finding: Finding, near: Sequence[RevertHunk]) -> FixAction:
        if finding.rule in _ACTIONS:
            return _restoring(_ACTIONS[finding.rule])
        if finding.rule == _OF_A_QUERY:
            # The finding is about the whole query, of which a part is taken back.
            edits = self._edited.reverting(near)
            words = " ... ".join(edit.new_text for edit in edits if edit.new_text.strip())
            return _restoring(f"Restore {_short(words)}") if words else _making("Take the change of this query back")
        former = self._former_clause(finding.current.span, near)
        if finding.baseline is None and former != finding.current.text and all(len(one.baseline) for one in near):
            # Words were replaced or went, and none came beside them: COUNT(*) by COUNT(city), ALL behind UNION.
            return _restoring(f"Restore {_short(former)}")
        if finding.baseline is None:
            return _making(f"Remove {_short(finding.current.text)}")
        return _restoring(f"Restore {_short(finding.baseline.text)}")

    def _former_clause(self, span: Span, hunks: Sequence[RevertHunk]) -> str:
        """The text at ``span`` as it was before the hunks within it."""
        edits = self._edited.reverting(hunk for hunk in hunks if span.contains(hunk.current))
        # An edit may take the blank in front of the clause with it.
        own = (edit for edit in edits if span.contains(edit.span))
        shifted_edits = (Edit(edit.span.shift(-span.start), edit.new_text) for edit in own)
        return apply_edits(span.of(self._current.text), shifted_edits)

    def _hunks_near(self, finding: Finding) -> list[RevertHunk]:
        """The hunks that made the finding: they touch its clause, or removed its baseline text."""
        baseline = finding.baseline.span if finding.baseline is not None else None
        return self._edited.near(None if finding.removed else finding.current.span, baseline)


def _all_back(revert: Revert) -> Fix:
    """Several findings taken back at once, as it was tried."""
    number = len(revert.findings)
    words = f"Restore {'both' if number == 2 else f'all {number}'} clauses"
    if revert.whole_statements:
        words = "Restore the former statements"
    return Fix(_restoring(words), "revert-smallest", Verdict.COMPATIBLE, revert.edits)


def _helps(finding: Finding, before: Report, after: Report, kind: str) -> bool:
    """Return whether the finding is gone, or became milder for a fix that keeps the change."""
    same = [other for other in after.findings if other.rule == finding.rule and other.change == finding.change]
    count = sum(other.rule == finding.rule and other.change == finding.change for other in before.findings)
    if kind == "keep-both":
        return after.verdict.rank < before.verdict.rank or (
            after.verdict.rank == before.verdict.rank and len(same) < count
        )
    return len(same) < count and len(after.findings) <= len(before.findings)


@dataclass(frozen=True)
class _Item:
    """A select item of a script, its output name, where its select list ends, and what separates the list's entries."""

    span: Span
    alias: str
    list_end: int
    separator: str


def _item_around(script: Script, span: Span) -> _Item | None:
    """The innermost select item that holds ``span``."""
    best: _Item | None = None
    for statement in script.statements_at(span.start):
        if not statement.span.contains(span) or statement.tree is None:
            continue
        for select in nodes_of(statement.tree):
            if not isinstance(select, exp.Select):
                continue
            for item in select.expressions:
                item_span = span_of(item)
                placed = item_span.shift(statement.span.start) if item_span is not None else None
                if placed is not None and placed.contains(span) and (best is None or len(placed) < len(best.span)):
                    spans = [span for span in map(span_of, select.expressions) if span is not None]
                    end = spans[-1].end + statement.span.start
                    best = _Item(placed, item.alias, end, separator(statement.text, spans))
    return best


def _free_name(name: str, text: str) -> str:
    """``name``, with a suffix where the text already uses it."""
    while re.search(rf"\b{re.escape(name)}\b", text):
        name = f"{name}_before"
    return name


def _restoring(words: str) -> FixAction:
    return FixAction(words, restores=True)


def _making(words: str) -> FixAction:
    """An action that takes words away or writes new ones."""
    return FixAction(words, restores=False)


def _kind(finding: Finding) -> str:
    if finding.rule in _ACTIONS:
        return "restore-order"
    return "restore-removed" if finding.removed else "revert"


def _statement_words(statement: Statement) -> str:
    return _STATEMENT_WORDS.get(statement.kind, "statement")


def _short(text: str) -> str:
    """A piece of SQL in a title, between backticks."""
    line = " ".join(text.split())
    excerpt = line if len(line) <= 40 else f"{line[:37]}..."
    # A quoted name has backticks of its own.
    return excerpt if "`" in excerpt else f"`{excerpt}`"

"""Edits of the current text that raise the verdict.

A fix is text first and meaning second: candidates come from the token alignment with the baseline, the edited text is
analysed like any other, and only what parses and helps is offered, under the verdict that it really leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from keepstate.analysis import JobVersion, check
from keepstate.diff.alignment import align
from keepstate.report import Finding, Fix, Report, Verdict
from keepstate.syntax.script import Script, Statement, StatementKind, parse_script
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, Span, apply_edits

_TITLES = {
    "group-keys-reordered": "Restore the order of the group keys",
    "window-keys-moved": "Restore the order of the window fields in GROUP BY",
    "aggregates-reordered": "Restore the order of the aggregates",
    "distinct-aggregates-reordered": "Restore the order of the distinct aggregates",
}
_KEEP_BOTH = frozenset({"aggregate-changed", "only-aggregate-changed", "all-aggregates-replaced"})


def fixes(
    current: JobVersion, baseline: JobVersion, report: Report, index: int, engine: str = "vvr"
) -> tuple[Fix, ...]:
    """The fixes of ``report.findings[index]``, best first; each was analysed and does not make anything worse."""
    workshop = _Workshop(current, baseline, report, engine)
    finding = report.findings[index]
    found: dict[str, Fix] = {}
    for candidate in (workshop.take_back(finding), workshop.keep_both(finding), workshop.take_statement_back(finding)):
        if candidate is not None:
            found.setdefault(apply_edits(current.text, candidate.edits), candidate)
    return tuple(found.values())


def file_fixes(current: JobVersion, baseline: JobVersion, report: Report, engine: str = "vvr") -> tuple[Fix, ...]:
    """The smallest revert that makes the whole file compatible, if there is more than one finding to take back."""
    if len(report.revert_to_be_compatible) < 2:
        return ()
    workshop = _Workshop(current, baseline, report, engine)
    fix = workshop.take_all_back([report.findings[index] for index in report.revert_to_be_compatible])
    return (fix,) if fix is not None else ()


@dataclass(frozen=True)
class _Hunk:
    """Text of the current version that replaced text of the baseline (document spans)."""

    current: Span
    baseline: Span


class _Workshop:
    """Makes and tries fixes of one report."""

    def __init__(self, current: JobVersion, baseline: JobVersion, report: Report, engine: str) -> None:
        self._current = current
        self._baseline = baseline
        self._report = report
        self._engine = engine
        self._now = parse_script(current.text)
        self._was = parse_script(baseline.text)
        self._pairs = _paired_statements(self._was, self._now)

    def take_back(self, finding: Finding) -> Fix | None:
        """Put the baseline clause back, with the other places of the same edit if it cannot stand alone."""
        near = self._hunks_near(finding)
        if not near:
            return None
        for hunks in (near, _with_echoes(near, self._all_hunks(finding), self._current.text, self._baseline.text)):
            fix = self._tried(self._title(finding), _kind(finding), self._reverting(hunks), finding)
            if fix is not None:
                return fix
        return None

    def take_statement_back(self, finding: Finding) -> Fix | None:
        """Put the baseline's text of the whole statement back."""
        pair = self._pair_at(finding)
        if pair is None:
            return None
        was, now = pair
        if was is None and finding.rule != "pipeline-added":
            return None
        if was is None:
            edits: tuple[Edit, ...] = (_without_statement(self._current.text, now),)
            return self._tried(f"Remove this {_statement_words(now)}", "revert", edits, finding)
        edits = (Edit(now.span, was.text),)
        return self._tried(f"Put the baseline {_statement_words(now)} back", "revert", edits, finding)

    def keep_both(self, finding: Finding) -> Fix | None:
        """Keep the former metric as a column beside the changed one."""
        if finding.rule not in _KEEP_BOTH or finding.baseline is None or finding.removed:
            return None
        item = _item_around(self._now, finding.current.span)
        former = _item_around(self._was, finding.baseline.span)
        if item is None or former is None:
            return None
        name = _free_name(former.alias or "former", self._current.text)
        addition = f", {finding.baseline.text} AS {name}"
        edits = (Edit(Span(item.span.end, item.span.end), addition),)
        title = f"Keep {_short(finding.baseline.text)} beside {_short(finding.current.text)}"
        return self._tried(title, "keep-both", edits, finding)

    def take_all_back(self, findings: list[Finding]) -> Fix | None:
        """Take several findings back at once."""
        hunks: list[_Hunk] = []
        statements: list[tuple[Statement | None, Statement]] = []
        for finding in findings:
            near = self._hunks_near(finding)
            pair = self._pair_at(finding)
            hunks += [hunk for hunk in near if hunk not in hunks]
            if pair is not None and pair not in statements:
                statements.append(pair)
        title = f"Put the {len(findings)} clauses back that cost compatibility"
        fix = self._tried(title, "revert-smallest", self._reverting(hunks), None) if hunks else None
        if fix is not None and fix.verdict_after is Verdict.COMPATIBLE:
            return fix
        edits = tuple(
            Edit(now.span, was.text) if was is not None else _without_statement(self._current.text, now)
            for was, now in statements
        )
        return self._tried("Put the baseline statements back", "revert-smallest", edits, None) or fix

    def _tried(self, title: str, kind: str, edits: tuple[Edit, ...], finding: Finding | None) -> Fix | None:
        """The fix, if its text can be read and is no worse than the current one, and ``finding`` is gone or milder."""
        if not edits:
            return None
        try:
            text = apply_edits(self._current.text, edits)
        except ValueError:
            return None
        edited = JobVersion(text, self._current.parameters, self._current.engine_version)
        after = check(edited, self._baseline, self._engine)
        if len(after.problems) > len(self._report.problems) or after.verdict.rank > self._report.verdict.rank:
            return None
        if finding is not None and not _helps(finding, self._report, after, kind):
            return None
        if finding is None and after.verdict.rank >= self._report.verdict.rank:
            return None
        return Fix(f"{title} ({_leads_to(after.verdict)})", kind, after.verdict, edits)

    def _title(self, finding: Finding) -> str:
        if finding.rule in _TITLES:
            return _TITLES[finding.rule]
        if finding.removed and finding.baseline is not None:
            return f"Put {_short(finding.baseline.text)} back"
        if finding.baseline is None:
            return f"Remove {_short(finding.current.text)}"
        return f"Put the baseline clause {_short(finding.baseline.text)} back"

    # Hunks

    def _pair_at(self, finding: Finding) -> tuple[Statement | None, Statement] | None:
        span = finding.current.span
        for was, now in self._pairs:
            if now.span.contains(span):
                return was, now
        return None

    def _all_hunks(self, finding: Finding) -> list[_Hunk]:
        pair = self._pair_at(finding)
        if pair is None or pair[0] is None:
            return []
        return _document_hunks(pair[0], pair[1])

    def _hunks_near(self, finding: Finding) -> list[_Hunk]:
        """The hunks that made the finding: they touch its clause, or removed its baseline text."""
        baseline = finding.baseline.span if finding.baseline is not None else None
        near: list[_Hunk] = []
        for hunk in self._all_hunks(finding):
            if finding.removed:
                touches = baseline is not None and _overlap(hunk.baseline, baseline)
            else:
                touches = _overlap(hunk.current, finding.current.span) or (
                    baseline is not None and _overlap(hunk.baseline, baseline)
                )
            if touches:
                near.append(hunk)
        return near

    def _reverting(self, hunks: Iterable[_Hunk]) -> tuple[Edit, ...]:
        return tuple(_reverting_edit(hunk, self._current.text, self._baseline.text) for hunk in hunks)


def _reverting_edit(hunk: _Hunk, current: str, baseline: str) -> Edit:
    """Text that was put in goes out with the white space before it; text that went comes back with its own."""
    span, text = hunk.current, hunk.baseline.of(baseline)
    if not text:
        start = span.start
        while start > 0 and current[start - 1].isspace():
            start -= 1
        # At the start of a line the line break stays, so that the rest of the query keeps its shape.
        return Edit(Span(start, span.end), "") if start else Edit(span, "")
    if len(span) == 0:
        start, end = hunk.baseline.start, hunk.baseline.end
        while start > 0 and baseline[start - 1].isspace():
            start -= 1
        if start == hunk.baseline.start and not current[span.end : span.end + 1].isspace():
            while end < len(baseline) and baseline[end].isspace():
                end += 1
        return Edit(span, baseline[start:end])
    return Edit(span, text)


def _document_hunks(was: Statement, now: Statement) -> list[_Hunk]:
    return [
        _Hunk(hunk.current.shift(now.span.start), hunk.baseline.shift(was.span.start))
        for hunk in align(was.parsed, now.parsed).hunks
    ]


def _with_echoes(near: list[_Hunk], hunks: list[_Hunk], current: str, baseline: str) -> list[_Hunk]:
    """``near`` and the hunks that repeat one of its words: a new group key usually stands in SELECT as well."""
    words = {word for hunk in near for word in _words(hunk, current, baseline)}
    return [hunk for hunk in hunks if hunk in near or words & _words(hunk, current, baseline)]


def _words(hunk: _Hunk, current: str, baseline: str) -> set[str]:
    text = f"{hunk.current.of(current)} {hunk.baseline.of(baseline)}"
    return {word.strip("`,()").lower() for word in text.split() if len(word.strip("`,()")) > 1}


def _helps(finding: Finding, before: Report, after: Report, kind: str) -> bool:
    """Whether the finding is gone, or became milder for a fix that keeps the change."""
    same = [other for other in after.findings if other.rule == finding.rule and other.change == finding.change]
    count = sum(other.rule == finding.rule and other.change == finding.change for other in before.findings)
    if kind == "keep-both":
        return after.verdict.rank < before.verdict.rank or (
            after.verdict.rank == before.verdict.rank and len(same) < count
        )
    return len(same) < count and len(after.findings) <= len(before.findings)


def _paired_statements(was: Script, now: Script) -> list[tuple[Statement | None, Statement]]:
    """Each current statement with the baseline one of the same name and kind, taken in order."""
    waiting: dict[tuple[StatementKind, str], list[Statement]] = {}
    for statement in was.statements:
        waiting.setdefault(_identity(statement), []).append(statement)
    pairs: list[tuple[Statement | None, Statement]] = []
    for statement in now.statements:
        rivals = waiting.get(_identity(statement), [])
        same = next((rival for rival in rivals if rival.parsed is statement.parsed), None)
        chosen = same or (rivals[0] if rivals else None)
        if chosen is not None:
            rivals.remove(chosen)
        pairs.append((chosen, statement))
    return pairs


def _identity(statement: Statement) -> tuple[StatementKind, str]:
    tree = statement.tree
    target = tree.this if tree is not None and tree.args.get("this") is not None else None
    name = getattr(target, "name", "") if statement.kind not in (StatementKind.QUERY,) else ""
    if target is not None and hasattr(target, "this") and not name:
        name = getattr(target.this, "name", "")
    return statement.kind, name


@dataclass(frozen=True)
class _Item:
    """A select item of a script and its output name."""

    span: Span
    alias: str


def _item_around(script: Script, span: Span) -> _Item | None:
    """The innermost select item that holds ``span``."""
    best: _Item | None = None
    for statement in script.statements:
        if statement.tree is None or not statement.span.contains(span):
            continue
        for select in statement.tree.find_all(exp.Select):
            for item in select.expressions:
                found = span_of(item)
                placed = found.shift(statement.span.start) if found is not None else None
                if placed is not None and placed.contains(span) and (best is None or len(placed) < len(best.span)):
                    best = _Item(placed, item.alias)
    return best


def _free_name(name: str, text: str) -> str:
    """``name``, with a suffix where the text already uses it."""
    while re.search(rf"\b{re.escape(name)}\b", text):
        name = f"{name}_before"
    return name


def _without_statement(text: str, statement: Statement) -> Edit:
    end = statement.span.end
    while end < len(text) and text[end].isspace():
        end += 1
    end = end + 1 if text[end : end + 1] == ";" else statement.span.end
    while end < len(text) and text[end] in "\r\n":
        end += 1
    return Edit(Span(statement.span.start, end), "")


def _overlap(hunk: Span, span: Span) -> bool:
    if hunk.start == hunk.end:
        return span.start <= hunk.start <= span.end
    return hunk.start < span.end and span.start < hunk.end


def _kind(finding: Finding) -> str:
    if finding.rule in _TITLES:
        return "restore-order"
    return "restore-removed" if finding.removed else "revert"


def _statement_words(statement: Statement) -> str:
    return {StatementKind.INSERT: "INSERT", StatementKind.QUERY: "query"}.get(statement.kind, "statement")


def _leads_to(verdict: Verdict) -> str:
    return {
        Verdict.COMPATIBLE: "compatible",
        Verdict.PARTIAL: "partly compatible",
        Verdict.UNKNOWN: "unknown",
        Verdict.INCOMPATIBLE: "still incompatible",
    }[verdict]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."

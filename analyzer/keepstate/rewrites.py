"""Rewrites that keep both the intention of an edit and the state: candidates, which ``repairs`` tries."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.report import Finding, Report, Verdict
from keepstate.syntax.script import Script, Statement
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, Span

_MIXED = "kinds-of-change-mixed"


@dataclass(frozen=True)
class Rewrite:
    title: str
    kind: str
    edits: tuple[Edit, ...]


def filter_behind_aggregation(script: Script, finding: Finding) -> Rewrite | None:
    """A new filter on window fields from WHERE to HAVING: there it chooses results instead of what is aggregated."""
    if finding.rule != "window-field-filtered" or finding.baseline is not None or finding.removed:
        return None
    for statement in script.statements:
        if statement.tree is None or not statement.span.contains(finding.current.span):
            continue
        for select in statement.tree.find_all(exp.Select):
            where, group = select.args.get("where"), select.args.get("group")
            if where is None or group is None:
                continue
            conditions = _operands(where.this)
            spans = [_placed(node, statement) for node in conditions]
            if finding.current.span in spans:
                index = spans.index(finding.current.span)
                edits = _moved(script.text, statement, select, [span for span in spans if span is not None], index)
                return Rewrite("Filter behind the aggregation, in HAVING", "move-filter", edits) if edits else None
    return None


def first_steps(report: Report) -> list[tuple[str, list[Finding]]]:
    """Ways of deploying in two steps where only the mixture of kinds makes the job undecidable (spec OL-03).

    For each: what is put off, in words, and the findings to take back for the first step.
    """
    mixed = [finding for finding in report.findings if finding.rule == _MIXED]
    if report.verdict is not Verdict.UNKNOWN or not mixed:
        return []
    rest = [finding for finding in report.findings if finding.rule != _MIXED and finding.verdict is not Verdict.UNKNOWN]
    found = [(_listed(mixed), mixed)]
    if rest:
        found.append((_listed(rest), rest))
    if len(mixed) > 1:
        found += [(_listed([finding]), [finding]) for finding in mixed]
    return found


def _listed(findings: list[Finding]) -> str:
    clauses = [" ".join((finding.current.text or finding.change).split()) for finding in findings]
    shown = [text if len(text) <= 30 else f"{text[:27]}..." for text in clauses]
    return shown[0] if len(shown) == 1 else f"{shown[0]} and {len(shown) - 1} more"


def _moved(text: str, statement: Statement, select: exp.Select, spans: list[Span], index: int) -> tuple[Edit, ...]:
    where, having = _placed(select.args["where"], statement), select.args.get("having")
    group = _placed(select.args["group"], statement)
    if where is None or group is None:
        return ()
    condition = spans[index].of(text)
    if len(spans) == 1:
        start = where.start
        while start > 0 and text[start - 1].isspace():
            start -= 1
        gone = Span(start, where.end)
    elif index == 0:
        gone = Span(spans[0].start, spans[1].start)
    else:
        gone = Span(spans[index - 1].end, spans[index].end)
    if having is not None:
        end = _placed(having, statement)
        if end is None:
            return ()
        return Edit(gone, ""), Edit(Span(end.end, end.end), f" AND {condition}")
    return Edit(gone, ""), Edit(Span(group.end, group.end), f"\nHAVING {condition}")


def _operands(node: exp.Expression) -> list[exp.Expression]:
    if isinstance(node, exp.And):
        return [*_operands(node.this), *_operands(node.expression)]
    return [node]


def _placed(node: exp.Expression, statement: Statement) -> Span | None:
    span = span_of(node)
    return None if span is None else span.shift(statement.span.start)

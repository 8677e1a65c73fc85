"""The plan of a document as values for a client that draws it: operators of both versions, and where their state goes.

All texts are plain: what they become on a page is up to the client, and no text of a script is markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keepstate.plan_view.drawing import (
    Drawing,
    DrawnNode,
    DrawnOperator,
    DrawnPipeline,
    DrawnProperty,
    DrawnRule,
    NodeIds,
)
from keepstate.plan_view.drawn_outcomes import DrawnOutcome, fates
from keepstate.text import Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import VERDICT_WORDS, capital
from keepstate_lsp.features.arrows import with_arrows

Json = dict[str, Any]
PlaceOf = Callable[[Span], Json | None]
"""A span of one side as the client has it; ``None`` for one in another file."""

_UNREAD = "Not drawn: "


def drawn_plan(drawing: Drawing, analysis: Analysis, current: PlaceOf, baseline: PlaceOf) -> Json:
    """The whole drawing.

    >>> from keepstate.plan_view.drawing import Drawing
    >>> job = analysis("SELECT a FROM t", "SELECT a FROM t")
    >>> page = drawn_plan(Drawing("flink", False, ()), job, lambda span: None, lambda span: None)
    >>> page["name"], page["baseline"], page["pipelines"]
    ('job.sql', None, [])
    """
    against = analysis.against if drawing.compared else None
    words = None if drawing.verdict is None else capital(VERDICT_WORDS[drawing.verdict])
    outcomes = fates(drawing)
    messages = {placed.finding.rule: placed.finding.message for placed in analysis.findings}
    problems = (*drawing.problems, *drawing.baseline_problems)
    return {
        "uri": analysis.document.uri,
        "name": analysis.document.name,
        "baseline": None if against is None else against.baseline.words,
        "baselineUri": None if against is None else against.uri,
        "engine": drawing.engine,
        "verdict": drawing.verdict and drawing.verdict.value,
        "words": words,
        "findings": _findings(drawing.rules, messages),
        "problems": list(dict.fromkeys(f"{_UNREAD}{each.message}" for each in problems)),
        "pipelines": [_pipeline(one, outcomes, messages, current, baseline) for one in drawing.pipelines],
    }


def _pipeline(
    pipeline: DrawnPipeline,
    outcomes: Mapping[NodeIds, DrawnOutcome],
    messages: Mapping[str, str],
    current: PlaceOf,
    baseline: PlaceOf,
) -> Json:
    nodes = list(pipeline.nodes())
    numbers = {node.ids: number for number, node in enumerate(nodes)}
    return {
        "name": pipeline.name,
        "verdict": pipeline.verdict and pipeline.verdict.value,
        "words": pipeline.verdict and VERDICT_WORDS[pipeline.verdict],
        "mark": pipeline.mark.word,
        "findings": _findings(pipeline.rules, messages),
        "roots": [numbers[root.ids] for root in pipeline.forest],
        "nodes": [
            {
                **_node(node, outcomes.get(node.ids)),
                "findings": _findings(node.rules, messages),
                "inputs": [numbers[child.ids] for child in node.inputs],
                "place": _place(node.current, current),
                "baselinePlace": _place(node.baseline, baseline),
            }
            for node in nodes
        ],
    }


def _node(node: DrawnNode, fate: DrawnOutcome | None) -> Json:
    sides = (node.baseline, node.current)
    return {
        "baseline": None if node.baseline is None else node.baseline.title.text,
        "current": None if node.current is None else node.current.title.text,
        "mark": node.mark.word,
        "isStateful": any(side is not None and side.state for side in sides),
        "fate": None if fate is None else {"kind": fate.name.lower(), "words": fate.value},
        "rows": list(_rows(*sides)),
    }


def _rows(was: DrawnOperator | None, now: DrawnOperator | None) -> Iterator[Json]:
    """The properties of both sides by name, those of the operator before those of its state."""
    before, after = ({} if side is None else _entries(side) for side in (was, now))
    for name in dict.fromkeys((*after, *before)):
        texts = [None if side is None else _text(side) for side in (before.get(name), after.get(name))]
        yield {"name": name, "baseline": texts[0], "current": texts[1]}


def _entries(operator: DrawnOperator) -> dict[str, DrawnProperty]:
    return {entry.name: entry for entry in (*operator.facts, *operator.state)}


def _text(entry: DrawnProperty) -> str:
    return f"{entry.form.text}: {entry.text}" if entry.form is not None else entry.text


def _findings(rules: tuple[DrawnRule, ...], messages: Mapping[str, str]) -> list[Json]:
    return [
        {"rule": rule.id, "verdict": rule.verdict.value, "message": with_arrows(messages.get(rule.id, rule.id))}
        for rule in rules
    ]


def _place(operator: DrawnOperator | None, place_of: PlaceOf) -> Json | None:
    return None if operator is None or operator.span is None else place_of(operator.span)

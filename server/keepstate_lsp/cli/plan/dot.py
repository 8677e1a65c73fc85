"""Drawings of plans as Graphviz: one graph, or a cluster for each side with dashed lines between counterparts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from keepstate.plan_view.drawing import (
    Drawing,
    DrawnNode,
    DrawnOperator,
    DrawnPipeline,
    DrawnPlan,
    DrawnProperty,
    DrawnRule,
    Mark,
)

_FILLS = {Mark.CHANGED: "#ffe08a", Mark.ADDED: "#b7e4b7", Mark.REMOVED: "#f4b8b4"}
_STATEFUL = "#e3ecf7"
_LINE = 64
"""Characters of a line in a box."""


def plan_graph(drawing: Drawing, current: str, baseline: str = "") -> str:
    """The graph; ``current`` and ``baseline`` are what the sides are called."""
    return "\n".join((*_graph(drawing, current, baseline), ""))


def _graph(drawing: Drawing, current: str, baseline: str) -> Iterator[str]:
    yield "digraph plan {"
    yield "  rankdir=BT;"
    yield '  node [shape=box, fontname="Helvetica", fontsize=11];'
    if not drawing.compared:
        for number, pipeline in enumerate(drawing.pipelines):
            yield from _plan(pipeline, pipeline.current, f"pc{number}", "  ")
    else:
        yield f'  label="{_escaped(_title(drawing))}";'
        for side, name in (("baseline", baseline), ("current", current)):
            yield f"  subgraph cluster_{side} {{"
            yield f'    label="{_escaped(f"{side}: {name}")}";'
            for number, pipeline in enumerate(drawing.pipelines):
                plan = pipeline.baseline if side == "baseline" else pipeline.current
                yield from _plan(pipeline, plan, f"p{side[0]}{number}", "    ")
            yield "  }"
        for pipeline in drawing.pipelines:
            yield from _counterparts(pipeline)
    yield "}"


def _title(drawing: Drawing) -> str:
    words = ["the plans are the same" if drawing.same else "the plans differ"]
    if drawing.verdict is not None:
        words.insert(0, drawing.verdict.value)
    return ": ".join((*words, *(f"{rule.id} ({rule.verdict.value})" for rule in drawing.rules)))


def _plan(pipeline: DrawnPipeline, plan: DrawnPlan | None, name: str, indent: str) -> Iterator[str]:
    """The boxes of one side of a pipeline, and an oval for where its rows go."""
    if plan is None:
        return
    pairs = [(operator, node) for node in pipeline.nodes() for operator in (node.baseline, node.current)]
    operators = {operator.id: (operator, node) for operator, node in pairs if operator is not None}
    yield from _boxes(plan.root, operators, indent)
    words = [plan.name]
    if plan is (pipeline.current or pipeline.baseline) and pipeline.verdict is not None:
        words = [f"{plan.name}: {pipeline.verdict.value}", *map(_rule, pipeline.rules)]
    label = _label([*words, *_entry(plan.output)])
    yield f'{indent}{name} [label="{label}", shape=oval{_fill(plan.output.mark)}];'
    yield f"{indent}{plan.root} -> {name};"


def _boxes(id_: str, operators: dict[str, tuple[DrawnOperator, DrawnNode]], indent: str) -> Iterator[str]:
    operator, node = operators[id_]
    lines = [operator.title.text, *map(_rule, node.rules)]
    for entry in (*operator.facts, *operator.state):
        lines += _entry(entry)
    fill = _fill(node.mark) or (f', style=filled, fillcolor="{_STATEFUL}"' if operator.state else "")
    yield f'{indent}{operator.id} [label="{_label(lines)}"{fill}];'
    for child in operator.inputs:
        yield from _boxes(child, operators, indent)
        yield f"{indent}{child} -> {operator.id};"


def _counterparts(pipeline: DrawnPipeline) -> Iterator[str]:
    for node in pipeline.nodes():
        if node.baseline is not None and node.current is not None:
            colour = ', color="#b8860b", penwidth=2' if node.mark is Mark.CHANGED else ', color="#999999"'
            yield f"  {node.baseline.id} -> {node.current.id} [style=dashed, dir=none, constraint=false{colour}];"


def _fill(mark: Mark) -> str:
    return f', style=filled, fillcolor="{_FILLS[mark]}"' if mark in _FILLS else ""


def _entry(entry: DrawnProperty) -> list[str]:
    """An entry; where some of its items differ and others do not, with their signs."""
    mixed = len({item.mark for item in entry.items}) > 1
    text = ", ".join(f"{item.mark.value.strip() if mixed else ''}{item.text}" for item in entry.items)
    form = f" ({entry.form.text})" if entry.form is not None else ""
    return textwrap.wrap(f"{entry.name}{form}: {text}", _LINE, subsequent_indent="    ", break_long_words=False)


def _rule(rule: DrawnRule) -> str:
    return f"! {rule.id}: {rule.verdict.value}"


def _label(lines: list[str]) -> str:
    return "".join(f"{_escaped(line)}\\l" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')

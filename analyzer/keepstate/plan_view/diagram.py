"""Drawings as Mermaid, which merge requests and Markdown pages show: one box for an operator and its counterpart.

A box says what the operator is, what differs in it, and what it keeps. Its border has the colour of the worst finding
about it. No text of a script becomes markup: signs are written as numbers, all but ASCII letters, digits and a few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from keepstate.plan_view.drawing import Drawing, DrawnNode, DrawnOperator, DrawnPipeline, DrawnProperty, DrawnRule, Mark
from keepstate.report import Verdict

MOST_BOXES = 120
"""Boxes of a diagram that can be read."""
LONGEST = 50_000
"""Characters of a diagram: Mermaid draws no longer one."""
_LONGEST_LINE = 56
"""Characters of a line in a box."""
_MOST_LINES = 6
"""Lines of a box about what differs."""
_WHERE = ("groupBy", "partitionBy", "on", "where", "window", "table")
"""Facts that tell an operator from its neighbours, the first one that it has."""
_ABOUT_STATE = frozenset({"state", "until", "migration", "unknown", "restart"})
"""Entries of a state that are sentences about it."""
_STYLES = {
    Verdict.INCOMPATIBLE: "stroke:#cf222e,stroke-width:3px",
    Verdict.UNKNOWN: "stroke:#8250df,stroke-width:3px",
    Verdict.PARTIAL: "stroke:#bf8700,stroke-width:3px",
}
"""Borders only: the colours of boxes and letters are those of the page, be it light or dark."""
_REMOVED = "stroke-dasharray:5 4"
_TO_NUMBER = re.compile(r"[^\w .,:'()=+-]", re.ASCII)


def plan_diagram(drawing: Drawing) -> str:
    """Return the plans as a Mermaid flowchart, from the sources at the top to the sinks at the bottom.

    Of two versions, the pipelines that differ are drawn. The text is empty for none, for more than ``MOST_BOXES``, and
    past ``LONGEST``.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.plan_view.drawing_builder import draw_plan
    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("INSERT INTO s SELECT a FROM t"), {})
    >>> plan_diagram(draw_plan(job, "vvr")).splitlines()[0]
    'flowchart TB'
    """
    pipelines = [one for one in drawing.pipelines if not drawing.compared or one.mark is not Mark.SAME or one.rules]
    boxes = sum(1 for pipeline in pipelines for _ in pipeline.nodes()) + len(pipelines)
    if not pipelines or boxes > MOST_BOXES:
        return ""
    text = "\n".join(_flowchart(pipelines, drawing.compared)) + "\n"
    return text if len(text) <= LONGEST else ""


def _flowchart(pipelines: list[DrawnPipeline], compared: bool) -> Iterator[str]:
    yield "flowchart TB"
    for name, style in (*((verdict.value, style) for verdict, style in _STYLES.items()), ("removed", _REMOVED)):
        yield f"  classDef {name} {style}"
    for number, pipeline in enumerate(pipelines):
        nodes = {node.ids: node for node in pipeline.nodes()}
        names = {ids: f"p{number}n{place}" for place, ids in enumerate(nodes)}
        sink = f"p{number}"
        yield f'  {sink}(["{_label(_sink(pipeline, compared))}"]){_class(pipeline.verdict, pipeline.mark)}'
        for ids, node in nodes.items():
            yield f'  {names[ids]}["{_label(_lines(node, compared))}"]{_class(_worst(node.rules), node.mark)}'
        for root in pipeline.forest:
            yield f"  {names[root.ids]} --> {sink}"
        for ids, node in nodes.items():
            for child in node.inputs:
                yield f"  {names[child.ids]} --> {names[ids]}"


def _sink(pipeline: DrawnPipeline, compared: bool) -> Iterator[str]:
    yield pipeline.name
    if compared:
        yield pipeline.verdict.value if pipeline.verdict is not None else pipeline.mark.word
    yield from map(_rule, pipeline.rules)


def _lines(node: DrawnNode, compared: bool) -> Iterator[str]:
    """The lines of a box: the operator, its place or its differences, its state, its findings."""
    operator = node.current or node.baseline
    assert operator is not None
    yield operator.title.text
    condition = next((fact for name in _WHERE for fact in operator.facts if fact.name == name), None)
    differences = list(_differences(node.baseline, node.current))
    if condition is not None and not any(line.startswith(f"{condition.name}:") for line in differences):
        yield f"{condition.name}: {condition.text}"
    yield from differences[:_MOST_LINES]
    if len(differences) > _MOST_LINES:
        yield f"and {len(differences) - _MOST_LINES} more differences"
    yield from (f"state: {entry.text}" for entry in operator.state if entry.name == "state")
    if compared and node.baseline is None:
        yield "added: it starts empty" if operator.state else "added"
    elif compared and node.current is None:
        yield "removed: its state is dropped" if operator.state else "removed"
    yield from map(_rule, node.rules)


def _differences(was: DrawnOperator | None, now: DrawnOperator | None) -> Iterator[str]:
    """The properties that differ, as ``size: 5 min → 10 min`` or ``stores: - quantity``."""
    if was is None or now is None:
        return
    sides = [
        {entry.name: entry for entry in (*side.facts, *side.state) if entry.name not in _ABOUT_STATE}
        for side in (was, now)
    ]
    for name in dict.fromkeys((*sides[0], *sides[1])):
        former, entry = sides[0].get(name), sides[1].get(name)
        came, went = _items(entry, Mark.ADDED), _items(former, Mark.REMOVED)
        if came or went:
            yield f"{name}: {', '.join((*(f'- {text}' for text in went), *(f'+ {text}' for text in came)))}"
        texts = [", ".join(_items(side, Mark.CHANGED)) for side in (former, entry)]
        # The window of a key has the same words as before, whatever its size.
        if texts[0] != texts[1]:
            yield f"{name}: {' → '.join(text or 'none' for text in texts)}"


def _items(entry: DrawnProperty | None, mark: Mark) -> list[str]:
    return [item.text for item in entry.items if item.mark is mark] if entry is not None else []


def _worst(rules: Iterable[DrawnRule]) -> Verdict | None:
    verdicts = [rule.verdict for rule in rules]
    return Verdict.worst(verdicts) if verdicts else None


def _rule(rule: DrawnRule) -> str:
    return f"{rule.verdict.value}: {rule.id}"


def _class(verdict: Verdict | None, mark: Mark) -> str:
    if verdict in _STYLES:
        return f":::{verdict.value}"
    return ":::removed" if mark is Mark.REMOVED else ""


def _label(lines: Iterable[str]) -> str:
    return "<br/>".join(
        _safe(line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…") for line in lines
    )


def _safe(text: str) -> str:
    return _TO_NUMBER.sub(lambda match: f"#{ord(match[0])};", " ".join(text.split()))

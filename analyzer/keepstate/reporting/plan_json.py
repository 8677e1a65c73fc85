"""Drawings of plans as JSON: a tree for each side and, where two were compared, what belongs together and what differs.

Ids name operators: ``b1`` is one of the baseline, ``c1`` one of the current version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

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
from keepstate.reporting.file_json import FORMAT_VERSION, Json, read_problems
from keepstate.text import LineIndex

_ABOUT_STATE = frozenset({"state", "key", "until", "migration", "unknown", "restart"})
"""Entries about a state that are nothing it keeps."""
_UNNAMED = frozenset({"keeps", "stores"})
"""Entries of a state whose parts have no names."""


class NamedText(Protocol):
    """A text with the name that it has in a document."""

    @property
    def name(self) -> str: ...

    @property
    def lines(self) -> LineIndex: ...


def plan_document(drawing: Drawing, tool_version: str, current: NamedText, baseline: NamedText | None = None) -> Json:
    """The whole document. ``tool_version`` is that of Keepstate.

    >>> from types import SimpleNamespace
    >>> from keepstate import JobVersion, analyse
    >>> was, now = (f"SELECT b, {each}(a) FROM t GROUP BY b" for each in ("SUM", "MAX"))
    >>> texts = {"new.sql": now, "old.sql": was}
    >>> sides = [SimpleNamespace(name=name, lines=LineIndex(text)) for name, text in texts.items()]
    >>> document = plan_document(analyse(JobVersion(now), JobVersion(was)).drawing(), "1.0", *sides)
    >>> document["verdict"], document["same"], document["baseline"]["name"]
    ('incompatible', False, 'old.sql')
    """
    head: Json = {
        "version": FORMAT_VERSION,
        "tool": {"name": "keepstate", "version": tool_version},
        "engine": drawing.engine,
    }
    problems = read_problems(current.name, current.lines, drawing.problems)
    if baseline is None:
        return {**head, "pipelines": list(_plans(drawing, "current")), "problems": problems}
    baseline_problems = read_problems(baseline.name, baseline.lines, drawing.baseline_problems, "baseline")
    return {
        **head,
        "verdict": drawing.verdict and drawing.verdict.value,
        "same": drawing.same,
        "findings": _rules(drawing.rules),
        "baseline": {"name": baseline.name, "pipelines": list(_plans(drawing, "baseline"))},
        "current": {"name": current.name, "pipelines": list(_plans(drawing, "current"))},
        "pipelines": [_comparison(pipeline) for pipeline in drawing.pipelines],
        "problems": problems + baseline_problems,
    }


def _plans(drawing: Drawing, side: str) -> Iterator[Json]:
    for pipeline in drawing.pipelines:
        plan: DrawnPlan | None = getattr(pipeline, side)
        if plan is not None:
            operators = {
                operator.id: operator
                for node in pipeline.nodes()
                for operator in (node.baseline, node.current)
                if operator is not None
            }
            yield {"name": plan.name, "output": _texts(plan.output), "root": _tree(operators[plan.root], operators)}


def _tree(operator: DrawnOperator, operators: dict[str, DrawnOperator]) -> Json:
    return {
        "id": operator.id,
        "operator": operator.title.text,
        "facts": {fact.name: _texts(fact) for fact in operator.facts},
        "state": _state({entry.name: entry for entry in operator.state}),
        "inputs": [_tree(operators[id_], operators) for id_ in operator.inputs],
    }


def _state(entries: dict[str, DrawnProperty]) -> Json | None:
    """The state of an operator. ``migratable`` answers for the parts of ``keyed_by`` and ``keeps``, one by one;
    ``states`` are the states by their names, for an engine whose format is known.
    """
    if "state" not in entries:
        return None
    keys = entries["key"].items if "key" in entries else ()
    entries_of_state = [entry for name, entry in entries.items() if name not in _ABOUT_STATE]
    items = [item for entry in entries_of_state for item in entry.items]
    return {
        "title": entries["state"].text,
        "keyed_by": [item.text for item in keys],
        "keeps": [item.text for item in items],
        "states": [_property_json(entry) for entry in entries_of_state if entry.name not in _UNNAMED],
        "until": entries["until"].text,
        "migratable": {
            "keyed_by": [item.migratable for item in keys],
            "keeps": [item.migratable for item in items],
            "words": entries["migration"].text if "migration" in entries else None,
        },
        "not_certain": entries["unknown"].text if "unknown" in entries else None,
    }


def _property_json(entry: DrawnProperty) -> Json:
    return {"name": entry.name, "form": entry.form and entry.form.text, "fields": _texts(entry)}


def _comparison(pipeline: DrawnPipeline) -> Json:
    return {
        "name": pipeline.name,
        "verdict": pipeline.verdict and pipeline.verdict.value,
        "baseline": pipeline.baseline and pipeline.baseline.root,
        "current": pipeline.current and pipeline.current.root,
        "same": pipeline.mark is Mark.SAME,
        "findings": _rules(pipeline.rules),
        "matches": [
            {
                "baseline": node.baseline.id,
                "current": node.current.id,
                "same": node.mark is Mark.SAME,
                "findings": _rules(node.rules),
            }
            for node in pipeline.nodes()
            if node.baseline is not None and node.current is not None
        ],
        "differences": [*_output_differences(pipeline), *_differences(pipeline)],
    }


def _output_differences(pipeline: DrawnPipeline) -> Iterator[Json]:
    was, now = pipeline.baseline, pipeline.current
    if was is not None and now is not None and was.output != now.output:
        yield _difference(Mark.CHANGED, None, None, "output", was.output.text, now.output.text)


def _differences(pipeline: DrawnPipeline) -> Iterator[Json]:
    for node in pipeline.nodes():
        if node.mark is Mark.SAME:
            continue
        was, now = node.baseline, node.current
        if was is None or now is None:
            texts = [one.title.text if one is not None else None for one in (was, now)]
            yield {**_difference(node.mark, was, now, "operator", *texts), "findings": _rules(node.rules)}
            continue
        if was.title != now.title:
            yield _difference(Mark.CHANGED, was, now, "operator", was.title.text, now.title.text)
        yield from _entry_differences(node, was, now)


def _entry_differences(node: DrawnNode, was: DrawnOperator, now: DrawnOperator) -> Iterator[Json]:
    for part, baseline_entries, current_entries in (("facts", was.facts, now.facts), ("state", was.state, now.state)):
        before = {entry.name: entry for entry in baseline_entries}
        after = {entry.name: entry for entry in current_entries}
        for name in dict.fromkeys((*after, *before)):
            one, other = before.get(name), after.get(name)
            marks = {entry.mark for entry in (one, other) if entry is not None}
            if marks == {Mark.SAME}:
                continue
            mark = marks.pop() if len(marks) == 1 else Mark.CHANGED
            texts = [_whole(entry) if entry is not None else None for entry in (one, other)]
            yield _difference(mark, was, now, f"{part}.{name}", *texts)


def _difference(
    mark: Mark,
    was: DrawnOperator | None,
    now: DrawnOperator | None,
    part: str,
    baseline_text: str | None,
    current_text: str | None,
) -> Json:
    return {
        "kind": mark.word,
        "baseline": was and was.id,
        "current": now and now.id,
        "part": part,
        "baseline_text": baseline_text,
        "current_text": current_text,
    }


def _whole(entry: DrawnProperty) -> str:
    return f"{entry.form.text}: {entry.text}" if entry.form is not None else entry.text


def _texts(entry: DrawnProperty) -> list[str]:
    return [item.text for item in entry.items]


def _rules(rules: tuple[DrawnRule, ...]) -> list[Json]:
    return [{"rule": rule.id, "verdict": rule.verdict.value} for rule in rules]

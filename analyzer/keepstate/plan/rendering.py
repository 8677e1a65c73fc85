"""Plans and state layouts for people and programs: a text tree, JSON, Graphviz."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from keepstate.plan.job import Job
from keepstate.plan.layouts import layout_of
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    TemporalSort,
    Unsupported,
    Window,
    WindowTableFunction,
)
from keepstate.syntax.script import parse_script

if TYPE_CHECKING:
    from keepstate.analysis import JobVersion

FORMATS = ("text", "json", "dot")


def plan_text(version: JobVersion, style: str = "text") -> str:
    """The plan of every pipeline with the state of its operators.

    Raises:
        ValueError: ``style`` is none of ``FORMATS``.
    """
    job = Job.of(parse_script(version.text), version.parameters, version.engine_version)
    if style == "text":
        return "\n\n".join("\n".join((pipeline.name, *_tree(pipeline.plan.root, ""))) for pipeline in job.pipelines)
    if style == "json":
        pipelines = [{"name": pipeline.name, "root": _json(pipeline.plan.root)} for pipeline in job.pipelines]
        return json.dumps({"pipelines": pipelines}, indent=2, ensure_ascii=False)
    if style == "dot":
        return _dot(job)
    raise ValueError(f"unknown plan format {style!r}: use {', '.join(FORMATS)}")


def _tree(operator: Operator, indent: str, last: bool = True) -> Iterator[str]:
    branch, rest = ("`- ", "   ") if last else ("+- ", "|  ")
    yield f"{indent}{branch}{operator.title}{_inline(operator)}"
    inner = indent + rest
    layout = layout_of(operator)
    if layout is not None:
        bar = "|  " if operator.inputs else "   "
        yield f"{inner}{bar}state: {layout.title}"
        if layout.keyed_by:
            yield f"{inner}{bar}  key: {', '.join(layout.keyed_by)}"
        for part in layout.keeps:
            yield f"{inner}{bar}  - {part}"
        yield f"{inner}{bar}  until {layout.until}"
    for index, child in enumerate(operator.inputs):
        yield from _tree(child, inner, index == len(operator.inputs) - 1)


def _inline(operator: Operator) -> str:
    details = facts(operator)
    return f"({', '.join(f'{name}={value}' for name, value in details.items())})" if details else ""


def facts(operator: Operator) -> dict[str, str]:
    """What an operator does, as names and values."""
    match operator:
        case TableSourceScan():
            return {"table": operator.table}
        case Calc():
            return {"where": " AND ".join(map(str, operator.conditions))}
        case WindowTableFunction():
            return _window_facts(operator.window)
        case Aggregate():
            window: Window | None = getattr(operator, "window", None)
            return {
                "groupBy": f"[{', '.join(map(str, operator.keys))}]",
                **({"grouping": "; ".join(operator.grouping)} if operator.grouping else {}),
                **(_window_facts(window) if window is not None else {}),
                "aggregates": f"[{', '.join(map(str, operator.aggregates))}]",
            }
        case Rank():
            end = operator.range.end if operator.range is not None else None
            start = operator.range.start if operator.range is not None else 1
            return {
                "function": operator.function,
                "partitionBy": f"[{', '.join(map(str, operator.partition))}]",
                "orderBy": f"[{', '.join(map(str, operator.order))}]",
                "range": f"{start}..{end if end is not None else ''}",
            }
        case OverAggregate():
            return {"calls": f"[{', '.join(map(str, operator.calls))}]"}
        case Join():
            return {"kind": operator.kind, "on": " AND ".join(map(str, operator.conditions))}
        case Correlate():
            return {"function": str(operator.function)}
        case TemporalSort():
            return {"orderBy": f"[{', '.join(map(str, operator.order))}]"}
        case Limit():
            return {"limit": operator.limit, **({"offset": operator.offset} if operator.offset else {})}
        case Unsupported():
            return {"construct": operator.construct}
    return {}


def _window_facts(window: Window) -> dict[str, str]:
    lengths = {
        name: str(value)
        for name in ("size", "slide", "step", "gap", "offset")
        if (value := getattr(window, name)) is not None
    }
    return {"window": window.kind.value, "time": str(window.time), **lengths}


def _json(operator: Operator) -> dict[str, object]:
    layout = layout_of(operator)
    node: dict[str, object] = {"operator": operator.title, **facts(operator)}
    if layout is not None:
        node["state"] = {
            "title": layout.title,
            "keyed_by": list(layout.keyed_by),
            "keeps": list(layout.keeps),
            "until": layout.until,
        }
    node["inputs"] = [_json(child) for child in operator.inputs]
    return node


def _dot(job: Job) -> str:
    lines = ["digraph plan {", "  rankdir=BT;", '  node [shape=box, fontname="Helvetica"];']
    count = 0

    def add(operator: Operator) -> str:
        nonlocal count
        name = f"n{count}"
        count += 1
        layout = layout_of(operator)
        text = [operator.title, *(f"{key}: {value}" for key, value in facts(operator).items())]
        if layout is not None:
            text += [f"state: {layout.title}", *(f"- {part}" for part in layout.keeps)]
        style = ', style=filled, fillcolor="#fff3d6"' if layout is not None else ""
        label = "\\l".join(_escaped(line) for line in text)
        lines.append(f'  {name} [label="{label}\\l"{style}];')
        for child in operator.inputs:
            lines.append(f"  {add(child)} -> {name};")
        return name

    for index, pipeline in enumerate(job.pipelines):
        lines.append(f'  p{index} [label="{_escaped(pipeline.name)}", shape=oval];')
        lines.append(f"  {add(pipeline.plan.root)} -> p{index};")
    return "\n".join((*lines, "}"))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')

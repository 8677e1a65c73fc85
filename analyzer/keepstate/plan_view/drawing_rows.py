"""The text of a drawing, as rows: matching lines of both sides stand in one row.

The caller turns rows into text, by the width and the colours of its page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from keepstate.plan_view.drawing import (
    DrawnItem,
    DrawnNode,
    DrawnOperator,
    DrawnPipeline,
    DrawnProperty,
    DrawnRule,
    Mark,
    NodeIds,
)

_LAST, _OTHER, _BAR, _GAP = "`- ", "+- ", "|  ", "   "
_LABELS = {
    "state": "state: ",
    "until": "  until ",
    "migration": "  ",
    "unknown": "  not certain: ",
    "restart": "  at a restart: ",
}
"""Labels of parts of a state that are shown under another name; all others begin with their names."""


@dataclass(frozen=True)
class DrawnLine:
    """``prefix`` are the branches of the tree before a line, ``hanging`` those before its continuation."""

    prefix: str
    hanging: str
    label: str = ""
    items: tuple[DrawnItem, ...] = ()
    rule: DrawnRule | None = None

    @property
    def text(self) -> str:
        rule_text = f"{self.rule.id}: {self.rule.verdict.value}" if self.rule is not None else ""
        return self.prefix + self.label + rule_text + ", ".join(item.text for item in self.items)


@dataclass(frozen=True)
class DrawnRow:
    baseline: DrawnLine | None
    current: DrawnLine | None
    mark: Mark


def side_by_side(pipeline: DrawnPipeline) -> tuple[DrawnRow, ...]:
    """The rows of a pipeline, with the branches of each side's own tree.

    >>> from keepstate import JobVersion, analyse
    >>> from keepstate.plan_view.drawing_builder import draw_plans
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> (pipeline,) = draw_plans(analyse(now, was).comparison).pipelines
    >>> [row.mark.name for row in side_by_side(pipeline)][:3]
    ['CHANGED', 'CHANGED', 'SAME']
    """
    baseline_branches = _branches(pipeline.forest, lambda node: node.baseline is not None)
    current_branches = _branches(pipeline.forest, lambda node: node.current is not None)
    rows = tuple(_rows(pipeline, baseline_branches, current_branches))
    sides = zip(_with_bars([row.baseline for row in rows]), _with_bars([row.current for row in rows]), strict=True)
    return tuple(DrawnRow(*lines, row.mark) for lines, row in zip(sides, rows, strict=True))


def unified(pipeline: DrawnPipeline) -> tuple[DrawnRow, ...]:
    """The rows of a pipeline, with the branches of one tree that holds the operators of both sides.

    >>> from keepstate import JobVersion, analyse
    >>> from keepstate.plan_view.drawing_builder import draw_plans
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> (pipeline,) = draw_plans(analyse(now, was).comparison).pipelines
    >>> unified(pipeline)[0].current.text
    '|  output: b, SUM(a)'
    """
    branches = _branches(pipeline.forest, lambda node: True)
    return tuple(_rows(pipeline, branches, branches))


@dataclass(frozen=True)
class _Branch:
    """Prefixes of an operator's first line, and of its other lines."""

    head: str
    rest: str


_Branches = Mapping[NodeIds, _Branch]


def _branches(forest: Sequence[DrawnNode], is_shown: Callable[[DrawnNode], bool]) -> _Branches:
    """The branches of the tree that is left of ``forest`` when all nodes that are not ``is_shown`` are taken out."""
    branches: dict[NodeIds, _Branch] = {}

    def place(nodes: Sequence[DrawnNode], indent: str) -> None:
        for index, node in enumerate(nodes):
            last = index == len(nodes) - 1
            below = _topmost(node.inputs, is_shown)
            inner = indent + (_GAP if last else _BAR)
            branches[node.ids] = _Branch(indent + (_LAST if last else _OTHER), inner + (_BAR if below else _GAP))
            place(below, inner)

    place(_topmost(forest, is_shown), "")
    return branches


def _topmost(nodes: Sequence[DrawnNode], is_shown: Callable[[DrawnNode], bool]) -> list[DrawnNode]:
    """The topmost nodes that are shown."""
    return [
        shown_node for node in nodes for shown_node in ([node] if is_shown(node) else _topmost(node.inputs, is_shown))
    ]


def _rows(pipeline: DrawnPipeline, baseline_branches: _Branches, current_branches: _Branches) -> Iterator[DrawnRow]:
    was, now = pipeline.baseline, pipeline.current
    root = _Branch("", _BAR)
    for rule in pipeline.rules:
        yield _rule_row(rule, root if was is not None and now is None else None, root if now is not None else None)
    outputs = [plan.output if plan is not None else None for plan in (was, now)]
    if any(output is not None and output.items for output in outputs):
        yield _entry_row(outputs[0], outputs[1], ("output: ",) * 2, root, root)
    for node in pipeline.nodes():
        yield from _node_rows(node, baseline_branches.get(node.ids, root), current_branches.get(node.ids, root))


def _node_rows(node: DrawnNode, baseline_branch: _Branch, current_branch: _Branch) -> Iterator[DrawnRow]:
    was, now = node.baseline, node.current
    yield DrawnRow(
        _title(was, baseline_branch) if was is not None else None,
        _title(now, current_branch) if now is not None else None,
        node.mark,
    )
    for rule in node.rules:
        yield _rule_row(rule, baseline_branch if now is None else None, current_branch if now is not None else None)
    for baseline, current in _pairs(was, now, lambda operator: () if _is_short(operator) else operator.facts):
        yield _entry_row(baseline, current, (f"{_name(baseline, current)}: ",) * 2, baseline_branch, current_branch)
    for baseline, current in _pairs(was, now, lambda operator: operator.state):
        name = _name(baseline, current)
        if not any(entry is not None and entry.one_by_one for entry in (baseline, current)):
            yield _entry_row(
                baseline, current, (_label(baseline, name), _label(current, name)), baseline_branch, current_branch
            )
            continue
        # One line for each part: they are what comes and goes.
        for one, other in _aligned(baseline, current):
            yield _entry_row(
                DrawnProperty(name, (one,)) if one is not None else None,
                DrawnProperty(name, (other,)) if other is not None else None,
                (_label(None, name),) * 2,
                baseline_branch,
                current_branch,
            )


def _label(entry: DrawnProperty | None, name: str) -> str:
    """Return the text before the items of a part of a state."""
    if entry is None or entry.form is None:
        return _LABELS.get(name, f"  {name}: ")
    return f"  {name} ({entry.form.text}): " if entry.items else f"  {name}: {entry.form.text}"


def _title(operator: DrawnOperator, branch: _Branch) -> DrawnLine:
    if _is_short(operator):
        return DrawnLine(branch.head, branch.rest, f"{operator.title.text}: ", operator.facts[0].items)
    return DrawnLine(branch.head, branch.rest, "", (operator.title,))


def _is_short(operator: DrawnOperator) -> bool:
    """Return whether an operator takes one line: a source with its name."""
    return not operator.inputs and not operator.state and len(operator.facts) == 1


def _name(baseline: DrawnProperty | None, current: DrawnProperty | None) -> str:
    entry = current or baseline
    assert entry is not None
    return entry.name


def _pairs(
    was: DrawnOperator | None, now: DrawnOperator | None, entries: Callable[[DrawnOperator], tuple[DrawnProperty, ...]]
) -> list[tuple[DrawnProperty | None, DrawnProperty | None]]:
    baseline_entries = {entry.name: entry for entry in entries(was)} if was is not None else {}
    current_entries = {entry.name: entry for entry in entries(now)} if now is not None else {}
    return [
        (baseline_entries.get(name), current_entries.get(name))
        for name in dict.fromkeys((*current_entries, *baseline_entries))
    ]


def _aligned(
    baseline: DrawnProperty | None, current: DrawnProperty | None
) -> Iterator[tuple[DrawnItem | None, DrawnItem | None]]:
    """The parts of both sides, those that correspond together."""
    baseline_items = list(baseline.items) if baseline is not None else []
    current_items = list(current.items) if current is not None else []
    while baseline_items or current_items:
        was, now = baseline_items[0] if baseline_items else None, current_items[0] if current_items else None
        if was is not None and now is not None and was.mark is now.mark:
            yield baseline_items.pop(0), current_items.pop(0)
        elif was is not None and (now is None or was.mark is not Mark.SAME):
            yield baseline_items.pop(0), None
        else:
            yield None, current_items.pop(0)


def _hanging(branch: _Branch, label: str) -> str:
    """Return the indentation for the continuation of a line: a bit more than that of its label."""
    return branch.rest + " " * (len(label) - len(label.lstrip())) + _GAP


def _entry_row(
    baseline: DrawnProperty | None,
    current: DrawnProperty | None,
    labels: tuple[str, str],
    baseline_branch: _Branch,
    current_branch: _Branch,
) -> DrawnRow:
    marks = {entry.mark for entry in (baseline, current) if entry is not None}
    was, now = (
        DrawnLine(branch.rest, _hanging(branch, label), label, entry.items) if entry is not None else None
        for entry, label, branch in zip((baseline, current), labels, (baseline_branch, current_branch), strict=True)
    )
    return DrawnRow(was, now, marks.pop() if len(marks) == 1 else Mark.CHANGED)


def _rule_row(rule: DrawnRule, baseline_branch: _Branch | None, current_branch: _Branch | None) -> DrawnRow:
    """A finding, at the current side unless it is about something that stands in the baseline alone."""
    lines = [
        DrawnLine(side.rest, side.rest + _GAP, "", (), rule) if side is not None else None
        for side in (baseline_branch, current_branch)
    ]
    return DrawnRow(lines[0], lines[1], Mark.SAME)


def _with_bars(lines: Sequence[DrawnLine | None]) -> list[DrawnLine | None]:
    """``lines`` with the branches that go on through the gaps drawn in them."""
    result = list(lines)
    following: DrawnLine | None = None
    below: list[DrawnLine | None] = [None] * len(result)
    for index in range(len(result) - 1, -1, -1):
        following = lines[index] or following
        below[index] = following
    above: DrawnLine | None = None
    for index, line in enumerate(lines):
        above = line or above
        next_ = below[index]
        if line is None and above is not None and next_ is not None:
            bars = _common_bars(above.hanging, next_.prefix)
            result[index] = DrawnLine(bars, bars) if bars else None
    return result


def _common_bars(above: str, below: str) -> str:
    pairs = zip(above, below, strict=False)
    return "".join("|" if one == "|" and other in "|+`" else " " for one, other in pairs).rstrip()

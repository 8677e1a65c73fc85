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
        said = f"{self.rule.id}: {self.rule.verdict.value}" if self.rule is not None else ""
        return self.prefix + self.label + said + ", ".join(item.text for item in self.items)


@dataclass(frozen=True)
class DrawnRow:
    baseline: DrawnLine | None
    current: DrawnLine | None
    mark: Mark


def side_by_side(pipeline: DrawnPipeline) -> tuple[DrawnRow, ...]:
    """The rows of a pipeline, with the branches of each side's own tree."""
    ours = _branches(pipeline.forest, lambda node: node.baseline is not None)
    theirs = _branches(pipeline.forest, lambda node: node.current is not None)
    rows = tuple(_rows(pipeline, ours, theirs))
    sides = zip(_with_bars([row.baseline for row in rows]), _with_bars([row.current for row in rows]), strict=True)
    return tuple(DrawnRow(*lines, row.mark) for lines, row in zip(sides, rows, strict=True))


def unified(pipeline: DrawnPipeline) -> tuple[DrawnRow, ...]:
    """The rows of a pipeline, with the branches of one tree that holds the operators of both sides."""
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
    found: dict[NodeIds, _Branch] = {}

    def place(nodes: Sequence[DrawnNode], indent: str) -> None:
        for index, node in enumerate(nodes):
            last = index == len(nodes) - 1
            below = _shown(node.inputs, is_shown)
            inner = indent + (_GAP if last else _BAR)
            found[node.ids] = _Branch(indent + (_LAST if last else _OTHER), inner + (_BAR if below else _GAP))
            place(below, inner)

    place(_shown(forest, is_shown), "")
    return found


def _shown(nodes: Sequence[DrawnNode], is_shown: Callable[[DrawnNode], bool]) -> list[DrawnNode]:
    """The topmost nodes that are shown."""
    return [found for node in nodes for found in ([node] if is_shown(node) else _shown(node.inputs, is_shown))]


def _rows(pipeline: DrawnPipeline, ours: _Branches, theirs: _Branches) -> Iterator[DrawnRow]:
    was, now = pipeline.baseline, pipeline.current
    root = _Branch("", _BAR)
    for rule in pipeline.rules:
        yield _rule_row(rule, root if was is not None and now is None else None, root if now is not None else None)
    outputs = [plan.output if plan is not None else None for plan in (was, now)]
    if any(output is not None and output.items for output in outputs):
        yield _entry_row(outputs[0], outputs[1], ("output: ",) * 2, root, root)
    for node in pipeline.nodes():
        yield from _node_rows(node, ours.get(node.ids, root), theirs.get(node.ids, root))


def _node_rows(node: DrawnNode, ours: _Branch, theirs: _Branch) -> Iterator[DrawnRow]:
    was, now = node.baseline, node.current
    yield DrawnRow(
        _title(was, ours) if was is not None else None,
        _title(now, theirs) if now is not None else None,
        node.mark,
    )
    for rule in node.rules:
        yield _rule_row(rule, ours if now is None else None, theirs if now is not None else None)
    for baseline, current in _pairs(was, now, lambda operator: () if _is_short(operator) else operator.facts):
        yield _entry_row(baseline, current, (f"{_name(baseline, current)}: ",) * 2, ours, theirs)
    for baseline, current in _pairs(was, now, lambda operator: operator.state):
        name = _name(baseline, current)
        if not any(entry is not None and entry.one_by_one for entry in (baseline, current)):
            yield _entry_row(baseline, current, (_label(baseline, name), _label(current, name)), ours, theirs)
            continue
        # One line for each part: they are what comes and goes.
        for one, other in _aligned(baseline, current):
            yield _entry_row(
                DrawnProperty(name, (one,)) if one is not None else None,
                DrawnProperty(name, (other,)) if other is not None else None,
                (_label(None, name),) * 2,
                ours,
                theirs,
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
    ours = {entry.name: entry for entry in entries(was)} if was is not None else {}
    theirs = {entry.name: entry for entry in entries(now)} if now is not None else {}
    return [(ours.get(name), theirs.get(name)) for name in dict.fromkeys((*theirs, *ours))]


def _aligned(
    baseline: DrawnProperty | None, current: DrawnProperty | None
) -> Iterator[tuple[DrawnItem | None, DrawnItem | None]]:
    """The parts of both sides, those that correspond together."""
    ours = list(baseline.items) if baseline is not None else []
    theirs = list(current.items) if current is not None else []
    while ours or theirs:
        was, now = ours[0] if ours else None, theirs[0] if theirs else None
        if was is not None and now is not None and was.mark is now.mark:
            yield ours.pop(0), theirs.pop(0)
        elif was is not None and (now is None or was.mark is not Mark.SAME):
            yield ours.pop(0), None
        else:
            yield None, theirs.pop(0)


def _hanging(branch: _Branch, label: str) -> str:
    """Return the indentation for the continuation of a line: a bit more than that of its label."""
    return branch.rest + " " * (len(label) - len(label.lstrip())) + _GAP


def _entry_row(
    baseline: DrawnProperty | None,
    current: DrawnProperty | None,
    labels: tuple[str, str],
    ours: _Branch,
    theirs: _Branch,
) -> DrawnRow:
    marks = {entry.mark for entry in (baseline, current) if entry is not None}
    was, now = (
        DrawnLine(branch.rest, _hanging(branch, label), label, entry.items) if entry is not None else None
        for entry, label, branch in zip((baseline, current), labels, (ours, theirs), strict=True)
    )
    return DrawnRow(was, now, marks.pop() if len(marks) == 1 else Mark.CHANGED)


def _rule_row(rule: DrawnRule, ours: _Branch | None, theirs: _Branch | None) -> DrawnRow:
    """A finding, at the current side unless it is about something that stands in the baseline alone."""
    lines = [
        DrawnLine(side.rest, side.rest + _GAP, "", (), rule) if side is not None else None for side in (ours, theirs)
    ]
    return DrawnRow(lines[0], lines[1], Mark.SAME)


def _with_bars(lines: Sequence[DrawnLine | None]) -> list[DrawnLine | None]:
    """``lines`` with the branches that go on through the gaps drawn in them."""
    found = list(lines)
    following: DrawnLine | None = None
    below: list[DrawnLine | None] = [None] * len(found)
    for index in range(len(found) - 1, -1, -1):
        following = lines[index] or following
        below[index] = following
    above: DrawnLine | None = None
    for index, line in enumerate(lines):
        above = line or above
        next_ = below[index]
        if line is None and above is not None and next_ is not None:
            bars = _common_bars(above.hanging, next_.prefix)
            found[index] = DrawnLine(bars, bars) if bars else None
    return found


def _common_bars(above: str, below: str) -> str:
    pairs = zip(above, below, strict=False)
    return "".join("|" if one == "|" and other in "|+`" else " " for one, other in pairs).rstrip()

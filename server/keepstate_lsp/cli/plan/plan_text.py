"""Drawings of plans as text: one tree, two side by side, or two in one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from keepstate.plan_view.drawing import Drawing, DrawnPipeline, DrawnRule, Mark
from keepstate.plan_view.drawing_rows import DrawnLine, DrawnRow, side_by_side, unified
from keepstate_lsp.cli.formats.excerpt import Symbols
from keepstate_lsp.cli.formats.text import VERDICT_STYLES
from keepstate_lsp.cli.terminal.cells import cell_len

_STYLES = {Mark.SAME: "", Mark.CHANGED: "yellow", Mark.ADDED: "green", Mark.REMOVED: "red"}
_ROOM_FOR_TWO = 100
"""Columns that two trees beside each other need to be read."""
_WIDEST_SIDE = 90
"""Columns of each of two trees where lines may be of any length."""
_WIDEST_LINE = 100_000
_GUTTER = " {}  "
_LEAST_ROOM = 16
"""For the words of a line, however deep its tree is."""


class PlanRenderer:
    """Writes drawings as text of ``width`` columns (``None``: as wide as needed), with ANSI colours if asked for."""

    def __init__(
        self, width: int | None, color: bool = False, encoding: str = "utf-8", layout: str | None = None
    ) -> None:
        self._width = width
        self._symbols = Symbols.for_encoding(encoding)
        roomy = width is None or width >= _ROOM_FOR_TWO
        self._in_columns = layout == "side-by-side" or (layout is None and roomy)
        self._console = Console(
            file=io.StringIO(),
            width=width or _WIDEST_LINE,
            force_terminal=color,
            color_system="standard" if color else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    def page(self, drawing: Drawing, current: str, baseline: str = "") -> str:
        """The drawing; ``current`` and ``baseline`` are what the sides are called."""
        lines = self._two(drawing, current, baseline) if drawing.compared else self._one(drawing, current)
        with self._console.capture() as capture:
            for line in lines:
                line.rstrip()
                self._console.print(line, soft_wrap=True)
        return capture.get()

    # --------------------------------------------------------------------------------------------------- one side

    def _one(self, drawing: Drawing, current: str) -> Iterator[Text]:
        if not drawing.pipelines:
            yield Text(f"There is no query in {self._plain(current)}.")
        for number, pipeline in enumerate(drawing.pipelines):
            if number:
                yield Text()
            yield Text(self._plain(pipeline.name), "bold")
            for row in unified(pipeline):
                if row.current is not None:
                    yield from self._lines(row.current, Mark.SAME, self._width)

    # --------------------------------------------------------------------------------------------------- two sides

    def _two(self, drawing: Drawing, current: str, baseline: str) -> Iterator[Text]:
        if not drawing.pipelines:
            yield Text(f"There is no query in {self._plain(baseline)} nor in {self._plain(current)}.")
            return
        differing = [pipeline for pipeline in drawing.pipelines if pipeline.mark is not Mark.SAME]
        rows = [self._rows(pipeline) if pipeline.mark is not Mark.SAME else () for pipeline in drawing.pipelines]
        titles = (f"baseline: {self._plain(baseline)}", f"current: {self._plain(current)}")
        widths = self._widths([row for plan_rows in rows for row in plan_rows], titles)
        if differing:
            yield from self._heading(titles, widths)
            yield Text()
        for pipeline, plan_rows in zip(drawing.pipelines, rows, strict=True):
            yield from self._head(pipeline)
            if pipeline.mark is Mark.SAME:
                continue
            for row in plan_rows:
                yield from self._beside(row, widths) if self._in_columns else self._below(row)
            yield Text()
        yield from self._summary(drawing, differing)

    def _rows(self, pipeline: DrawnPipeline) -> tuple[DrawnRow, ...]:
        return side_by_side(pipeline) if self._in_columns else unified(pipeline)

    def _widths(self, rows: Iterable[DrawnRow], titles: tuple[str, str]) -> tuple[int, int]:
        """The columns of both sides: no more than they need."""
        longest = [cell_len(title) for title in titles]
        for row in rows:
            for side, line in enumerate((row.baseline, row.current)):
                if line is not None:
                    longest[side] = max(longest[side], len(line.prefix) + cell_len(self._content(line, row.mark).plain))
        if self._width is None:
            return min(longest[0], _WIDEST_SIDE), min(longest[1], _WIDEST_SIDE)
        room = self._width - len(_GUTTER.format(" "))
        half = room // 2
        if longest[0] <= half:
            return longest[0], room - longest[0]
        return (room - longest[1], longest[1]) if longest[1] <= half else (half, room - half)

    def _heading(self, titles: tuple[str, str], widths: tuple[int, int]) -> Iterator[Text]:
        if not self._in_columns:
            yield Text(f"- {titles[0]}", "bold")
            yield Text(f"+ {titles[1]}", "bold")
            return
        sides = [self._wrapped(Text(title, "bold"), width) for title, width in zip(titles, widths, strict=True)]
        yield from self._columns(sides[0], sides[1], Mark.SAME, widths)

    def _head(self, pipeline: DrawnPipeline) -> Iterator[Text]:
        """The name of a pipeline and what becomes of its state."""
        head = Text(self._plain(pipeline.name), "bold")
        if pipeline.verdict is not None:
            head.append(": ", "not bold").append(pipeline.verdict.value, VERDICT_STYLES[pipeline.verdict])
        where = {
            Mark.SAME: ", the same plan on both sides",
            Mark.ADDED: ", in the current version only",
            Mark.REMOVED: ", in the baseline only",
            Mark.CHANGED: "",
        }
        head.append(where[pipeline.mark], "not bold")
        yield from self._wrapped(head, self._width)
        if pipeline.mark is Mark.SAME:
            for rule in dict.fromkeys((*pipeline.rules, *(rule for node in pipeline.nodes() for rule in node.rules))):
                yield Text("  ") + self._rule(rule)

    def _summary(self, drawing: Drawing, differing: list[DrawnPipeline]) -> Iterator[Text]:
        if drawing.rules:
            yield Text("The job as a whole:", "bold")
            for rule in drawing.rules:
                yield Text("  ") + self._rule(rule)
        if not differing:
            sentence = "The plans are the same on both sides."
        else:
            count = len(drawing.pipelines)
            sentence = f"{len(differing)} of {count} {'pipeline differs' if count == 1 else 'pipelines differ'}"
            sentence += "; ~ is changed, + in the current version only, - in the baseline only."
        summary = Text()
        if drawing.verdict is not None:
            summary.append(drawing.verdict.value.capitalize(), f"bold {VERDICT_STYLES[drawing.verdict]}").append(": ")
        yield from self._wrapped(summary.append(sentence), self._width)

    def _beside(self, row: DrawnRow, widths: tuple[int, int]) -> Iterator[Text]:
        sides = [
            list(self._lines(line, row.mark, width)) if line is not None else []
            for line, width in zip((row.baseline, row.current), widths, strict=True)
        ]
        height = max(map(len, sides))
        for line, side in zip((row.baseline, row.current), sides, strict=True):
            # The branches of the tree go on beside what the other side continues.
            bars = Text(line.hanging.rstrip() if line is not None else "", "dim")
            side += [bars] * (height - len(side))
        yield from self._columns(sides[0], sides[1], row.mark, widths)

    def _columns(
        self, baseline_lines: Iterable[Text], current_lines: Iterable[Text], mark: Mark, widths: tuple[int, int]
    ) -> Iterator[Text]:
        sign = mark
        for was, now in zip_longest(baseline_lines, current_lines):
            line = was.copy() if was is not None else Text()
            line.pad_right(max(widths[0] - cell_len(line.plain), 0))
            line.append(_GUTTER.format(sign.value), f"bold {_STYLES[sign]}")
            yield line.append_text(now if now is not None else Text())
            sign = Mark.SAME

    def _below(self, row: DrawnRow) -> Iterator[Text]:
        """A row as one line, or as two where the sides differ."""
        sides = [(row.baseline, Mark.REMOVED), (row.current, Mark.ADDED)]
        if row.baseline is not None and row.current is not None:
            alike = row.baseline.text == row.current.text
            if alike or row.mark is Mark.SAME:
                sides = [(row.current, row.mark)]
        width = None if self._width is None else self._width - 2
        for line, mark in sides:
            if line is None:
                continue
            sign = mark if line.rule is None else Mark.SAME
            for text in self._lines(line, mark, width):
                yield Text.assemble((sign.value, f"bold {_STYLES[sign]}"), " ") + text
                sign = Mark.SAME

    # --------------------------------------------------------------------------------------------------- lines

    def _lines(self, line: DrawnLine, mark: Mark, width: int | None) -> Iterator[Text]:
        """A line of a tree, continued below its own words."""
        content = self._content(line, mark)
        room = None
        if width is not None and len(line.prefix) + cell_len(content.plain) > width:
            room = max(width - len(line.hanging), _LEAST_ROOM)
        prefix = line.prefix
        for text in self._wrapped(content, room):
            yield Text.assemble((prefix, "dim"), text)
            prefix = line.hanging

    def _content(self, line: DrawnLine, mark: Mark) -> Text:
        if line.rule is not None:
            return self._rule(line.rule)
        content = Text(self._plain(line.label), _STYLES[mark])
        # Where only some items differ, each of these has a mark of its own, in colour or not.
        mixed = len({item.mark for item in line.items}) > 1
        for number, item in enumerate(line.items):
            sign = item.mark.value.strip() if mixed else ""
            content.append(", " if number else "", "none")
            content.append(sign + self._plain(item.text), _STYLES[item.mark] or ("" if line.label else "bold"))
        return content

    def _rule(self, rule: DrawnRule) -> Text:
        return Text.assemble((f"! {rule.id}: {rule.verdict.value}", VERDICT_STYLES[rule.verdict]))

    def _wrapped(self, text: Text, width: int | None) -> list[Text]:
        if width is None:
            return [text]
        lines = list(text.wrap(self._console, width))
        for line in lines:
            line.rstrip()
        return lines

    def _plain(self, text: str) -> str:
        return self._symbols.plain(text)

"""Draws the pictures of docs/how-flink-state-works.md; with --check, says whether they are fresh."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from pathlib import Path

IMAGES = Path(__file__).resolve().parents[1] / "images"
STYLE = """\
text { font: 14px sans-serif; fill: #24292f }
.code { font-family: monospace; font-size: 13px }
.title { font-weight: bold }
.small { font-size: 12px; fill: #57606a }
.page { fill: #ffffff; stroke: #d0d7de }
.plain { fill: #f6f8fa; stroke: #8c959f }
.state { fill: #d7f0ee; stroke: #00796b }
.wrong { fill: #ffe3e0; stroke: #b3261e }
.none { fill: none; stroke: #8c959f; stroke-dasharray: 5 4 }
line { stroke: #57606a; stroke-width: 1.5; marker-end: url(#head) }
.lost { stroke: #b3261e; stroke-dasharray: 5 4 }
"""
HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" fill="#57606a"/></marker></defs>'
)


class Drawing:
    """An SVG in the making: boxes with words, words, arrows. It has a ground of its own, for dark pages."""

    def __init__(self, label: str, width: int, height: int) -> None:
        frame = f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>'
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            f"<title>{escape(label)}</title><style>{STYLE}</style>{HEAD}{frame}",
        ]

    def box(self, x: int, y: int, width: int, words: str, kind: str = "plain", height: int = 34) -> None:
        self._parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>')
        self.words(x + width // 2, y + height // 2 + 5, words, "code", "middle")

    def words(self, x: int, y: int, words: str, kind: str = "", anchor: str = "start") -> None:
        self._parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')

    def arrow(self, start: tuple[int, int], end: tuple[int, int], kind: str = "kept") -> None:
        (x, y), (to_x, to_y) = start, end
        self._parts.append(f'<line class="{kind}" x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"/>')

    def text(self) -> str:
        return "\n".join([*self._parts, "</svg>", ""])


def operators() -> Drawing:
    drawing = Drawing("A savepoint finds operators by their ids", 760, 262)
    for x, title in ((20, "running job"), (290, "savepoint"), (560, "changed job")):
        drawing.words(x, 30, title, "title")
    rows = (
        ("source", "position", "id 7a1f", True),
        ("filter", "", "", True),
        ("aggregation", "sums", "id c03e", False),
    )
    for index, (name, state, identity, found) in enumerate(rows):
        y = 50 + index * 62
        middle = y + 17
        drawing.box(20, y, 180, name, "state" if state else "plain")
        drawing.box(560, y, 180, name, "state" if state and found else "wrong" if state else "plain")
        if index < 2:
            drawing.arrow((110, y + 34), (110, y + 62))
            drawing.arrow((650, y + 34), (650, y + 62))
        if state:
            drawing.box(290, y, 180, f"{identity}: {state}", "state")
            drawing.arrow((200, middle), (290, middle))
            drawing.arrow((470, middle), (560, middle), "kept" if found else "lost")
    drawing.words(560, 228, "now id 91d4: nothing fits,", "small")
    drawing.words(560, 245, "and the job does not start", "small")
    drawing.words(20, 228, "The filter stores nothing.", "small")
    return drawing


def keys() -> Drawing:
    drawing = Drawing("State is stored for each key", 760, 214)
    drawing.words(20, 30, "GROUP BY city", "code title")
    drawing.words(400, 30, "GROUP BY city, category", "code title")
    for index, (city, count) in enumerate((("Bergen", "12"), ("Oslo", "40"))):
        y = 48 + index * 44
        drawing.box(20, y, 120, city, "state")
        drawing.box(140, y, 90, count, "state")
    rows = (("Bergen, books", "?"), ("Bergen, food", "?"), ("Oslo, books", "?"))
    for index, (key, count) in enumerate(rows):
        y = 48 + index * 44
        drawing.box(400, y, 180, key, "wrong")
        drawing.box(580, y, 90, count, "none")
    drawing.arrow((240, 88), (390, 88), "lost")
    drawing.words(20, 200, "Nothing in the savepoint says how many of the 12 orders of Bergen were books.", "small")
    return drawing


def windows() -> Drawing:
    drawing = Drawing("A window is stored by its end, without its size", 760, 210)
    drawing.words(20, 30, "10 minutes", "title")
    for index, end in enumerate(("10:10", "10:20", "10:30")):
        drawing.box(150 + index * 190, 46, 190, f"until {end}", "state" if index == 1 else "plain")
    drawing.words(440, 40, "open: sum 800, stored under 10:20", "small", "middle")
    drawing.words(20, 134, "15 minutes", "title")
    for index, end in enumerate(("10:15", "10:30")):
        drawing.box(150 + index * 285, 116, 285, f"until {end}", "wrong" if index == 1 else "plain")
    drawing.arrow((435, 80), (560, 116), "lost")
    drawing.words(
        20,
        180,
        "The stored end, 10:20, belongs to no window of 15 minutes. Flink does not notice: the sum comes",
        "small",
    )
    drawing.words(20, 197, "out under a window that it was not counted for.", "small")
    return drawing


def accumulators() -> Drawing:
    drawing = Drawing("Accumulators are stored by place", 760, 246)
    rows = (
        ("SUM(net), SUM(tax)", ("900.00", "171.00"), "the savepoint", "state"),
        ("SUM(tax), SUM(net)", ("900.00", "171.00"), "same types: starts, and the sums are swapped", "wrong"),
        ("SUM(net), SUM(tax), MAX(net)", ("900.00", "171.00", "?"), "one field more: does not start", "wrong"),
    )
    for index, (select, values, words, kind) in enumerate(rows):
        y = 24 + index * 74
        drawing.words(20, y + 22, select, "code")
        for place, value in enumerate(values):
            drawing.box(280 + place * 110, y, 110, value, "none" if value == "?" else kind)
        drawing.words(280, y + 52, words, "small")
    return drawing


def ranks() -> Drawing:
    drawing = Drawing("A ranking stores the rows of its range", 760, 200)
    drawing.words(20, 30, "place <= 3", "code title")
    drawing.words(400, 30, "place <= 5", "code title")
    for place in range(5):
        x = 20 + place * 66
        drawing.box(x, 46, 60, str(place + 1), "state" if place < 3 else "none")
        drawing.box(x + 380, 46, 60, str(place + 1) if place < 3 else "?", "state" if place < 3 else "wrong")
    drawing.arrow((354, 63), (394, 63))
    drawing.words(
        20, 116, "Rows that were fourth and fifth before the savepoint were thrown away when they came.", "small"
    )
    drawing.words(
        20, 138, "After the restart, later rows take the free places: the list looks complete, and is wrong.", "small"
    )
    drawing.words(20, 172, "stored", "small")
    drawing.box(70, 156, 40, "", "state", 22)
    drawing.words(140, 172, "never stored", "small")
    drawing.box(230, 156, 40, "", "none", 22)
    return drawing


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "state-operators.svg": operators,
    "state-keys.svg": keys,
    "state-windows.svg": windows,
    "state-accumulators.svg": accumulators,
    "state-ranks.svg": ranks,
}


def main(arguments: list[str]) -> int:
    stale = []
    for name, made in DRAWINGS.items():
        file, text = IMAGES / name, made().text()
        if "--check" not in arguments:
            file.write_text(text, "utf-8")
        elif not file.is_file() or file.read_text("utf-8") != text:
            stale.append(name)
    if stale:
        print(f"{', '.join(stale)} not fresh: run make docs", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The pictures of an audit's page, as SVG that stands in HTML and needs nothing else."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keepstate_lsp.cli.commands.audit.words import GRADES, MonthRow
from keepstate_lsp.cli.visible import one_line, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {
    "incompatible": "#c8423b",
    "unknown": "#8d6ab8",
    "partial": "#e0a526",
    "compatible": "#4f9d69",
    "not_compared": "#a3a8ae",
}
_INK, _FAINT = "#2b3138", "#d9dde2"
_WIDTH = 9.2
"""Inches, at 72 points each."""
_STYLE: Any = {
    # Text stays text: it can be searched and copied, takes little room, and has the font of the page.
    "svg.fonttype": "none",
    "svg.hashsalt": "keepstate",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # A name with dollar signs is no formula.
    "text.parse_math": False,
}


def months_chart(rows: Sequence[MonthRow]) -> str:
    """Changes by month, stacked by verdict, with what loses state at the bottom."""

    def draw(axes: Axes) -> None:
        positions = range(len(rows))
        base = [0] * len(rows)
        for grade in GRADES:
            heights = [getattr(row, grade) for row in rows]
            axes.bar(positions, heights, 0.82, bottom=base, color=COLORS[grade], label=grade.replace("_", " "))
            base = [low + high for low, high in zip(base, heights, strict=True)]
        step = max(1, -(-len(rows) // 12))
        axes.set_xticks(list(positions)[::step], [row.month for row in rows][::step])
        axes.set_xlim(-0.7, len(rows) - 0.3)
        axes.set_ylabel("changes")
        _light_grid(axes, "y")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(GRADES), frameon=False, handlelength=1)

    return _svg(draw, 3.3, "Changes by month and verdict")


def bars_chart(title: str, bars: Sequence[tuple[str, int, str]]) -> str:
    """Horizontal bars, the longest first: what, how many, and the grade whose colour it has."""

    def draw(axes: Axes) -> None:
        positions = range(len(bars))
        most = max(number for _, number, _ in bars)
        axes.barh(positions, [number for _, number, _ in bars], 0.72, color=[COLORS[grade] for _, _, grade in bars])
        axes.set_yticks(list(positions), [shortened(one_line(what), 56) for what, _, _ in bars])
        for position, (_, number, _) in enumerate(bars):
            axes.text(number + most * 0.008, position, f"{number:,}", va="center", size=9)
        axes.invert_yaxis()
        axes.set_xlim(0, most * 1.1)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        _light_grid(axes, "x")

    return _svg(draw, 0.7 + 0.29 * len(bars), title)


def _light_grid(axes: Axes, axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    direction = axes.yaxis if axis == "y" else axes.xaxis
    direction.set_major_locator(MaxNLocator(6, integer=True))
    direction.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid(axis=axis, color=_FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


def _svg(draw: Any, height: float, title: str) -> str:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure: Figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        out = io.StringIO()
        # Without a date equal numbers make equal pages.
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Title": title})
    text = out.getvalue()
    svg = text[text.index("<svg") :]
    # As wide as the page, whatever that is.
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", svg, count=1)
    return svg.replace("<svg ", '<svg role="img" ', 1)

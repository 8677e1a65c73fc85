"""The pictures of an audit's page, as SVG that stands in HTML and needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from keepstate_lsp.cli.commands.audit.audit_sentences import GRADES, MonthRow
from keepstate_lsp.cli.terminal.pictures import VERDICT_COLORS, light_grid, svg
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 9.2


def months_chart(rows: Sequence[MonthRow]) -> str:
    """Changes by month, stacked by verdict, with what loses state at the bottom."""

    def draw(axes: Axes) -> None:
        positions = range(len(rows))
        base = [0] * len(rows)
        for grade in GRADES:
            heights = [getattr(row, grade) for row in rows]
            axes.bar(positions, heights, 0.82, bottom=base, color=VERDICT_COLORS[grade], label=grade.replace("_", " "))
            base = [low + high for low, high in zip(base, heights, strict=True)]
        step = max(1, -(-len(rows) // 12))
        axes.set_xticks(list(positions)[::step], [row.month for row in rows][::step])
        axes.set_xlim(-0.7, len(rows) - 0.3)
        axes.set_ylabel("changes")
        light_grid(axes, "y")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(GRADES), frameon=False, handlelength=1)

    return _svg(draw, 3.3, "Changes by month and verdict")


def bars_chart(title: str, bars: Sequence[tuple[str, int, str]]) -> str:
    """Horizontal bars, the longest first: label, count, and the grade that decides the colour."""

    def draw(axes: Axes) -> None:
        positions = range(len(bars))
        most = max(number for _, number, _ in bars)
        axes.barh(
            positions, [number for _, number, _ in bars], 0.72, color=[VERDICT_COLORS[grade] for _, _, grade in bars]
        )
        axes.set_yticks(list(positions), [shortened(one_line(text), 56) for text, _, _ in bars])
        for position, (_, number, _) in enumerate(bars):
            axes.text(number + most * 0.008, position, f"{number:,}", va="center", size=9)
        axes.invert_yaxis()
        axes.set_xlim(0, most * 1.1)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        light_grid(axes, "x")

    return _svg(draw, 0.7 + 0.29 * len(bars), title)


def _svg(draw: Callable[[Axes], None], height: float, title: str) -> str:
    return svg(lambda figure: draw(figure.add_subplot()), _WIDTH, height, title)

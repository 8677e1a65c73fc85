"""Pictures by matplotlib: as SVG that stands in a page and follows its colours, and as PNG."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, FAINT, PAPER = "#2b3138", "#667079", "#d9dde2", "#ffffff"
VERDICT_COLORS: Mapping[str, str] = {
    "incompatible": "#c8423b",
    "unknown": "#8d6ab8",
    "partial": "#e0a526",
    "compatible": "#4f9d69",
    "not_compared": "#a3a8ae",
}
_VARIABLES = {INK: "--ink", SOFT: "--soft", FAINT: "--faint", PAPER: "--paper"}
"""Colours of pictures that a page may define otherwise, for readers in the dark."""
_STYLE: Any = {
    # Text stays text: it can be searched and copied, takes little room, and has the font of the page.
    "svg.fonttype": "none",
    "svg.hashsalt": "keepstate",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # A name with dollar signs is no formula.
    "text.parse_math": False,
}
_TAG = re.compile(r"<[^<>]*>")
_COLOR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_USED_ID = re.compile(r'(?:url\(|href=")#([^")]+)')

Draw = Callable[["Figure"], None]


def svg(draw: Draw, width: float, height: float, title: str, variables: Mapping[str, str] | None = None) -> str:
    """A picture for HTML, as wide as its place there. ``width`` and ``height`` are inches, at 72 points each.

    Its colours are those that the page gives to CSS variables: ``--ink`` and so on, and ``variables``, which are names
    by colours.
    """
    with _figure(width, height) as figure:
        draw(figure)
        out = io.StringIO()
        # Without a date equal numbers make equal pages.
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _inline(out.getvalue(), title, {**_VARIABLES, **(variables or {})})


def png(draw: Draw, width: float, height: float, dots: int) -> bytes:
    """A picture of ``dots`` pixels to the inch."""
    with _figure(width, height) as figure:
        draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=dots, facecolor=PAPER, metadata={"Software": None})
    return out.getvalue()


def light_grid(axes: Axes, axis: Literal["x", "y"]) -> None:
    """Lines at a few whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    direction = axes.yaxis if axis == "y" else axes.xaxis
    direction.set_major_locator(MaxNLocator(6, integer=True))
    direction.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    grid_lines(axes, axis)


def grid_lines(axes: Axes, axis: Literal["x", "y"]) -> None:
    axes.grid(axis=axis, color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # A sign that the font lacks is a box in a PNG; in SVG it has the font of the viewer.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield Figure(figsize=(width, height), layout="constrained")


def _inline(document: str, title: str, variables: Mapping[str, str]) -> str:
    """The ``<svg>`` of a document, without what only a file of its own needs."""
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", document[document.index("<svg") :], count=1, flags=re.DOTALL)
    used_ids = set(_USED_ID.findall(text))

    def tag(match: re.Match[str]) -> str:
        tag_text = _COLOR.sub(color, match[0])
        # Several pictures of a page would have the same ids.
        return re.sub(r' id="([^"]*)"', lambda id_: id_[0] if id_[1] in used_ids else "", tag_text)

    def color(match: re.Match[str]) -> str:
        name = variables.get(match[2])
        return f"{match[1]}: var({name}, {match[2]})" if name is not None else match[0]

    text = _TAG.sub(tag, text)
    for _ in ("width", "height"):
        text = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", text, count=1)
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)

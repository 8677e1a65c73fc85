"""The timeline of a cutover as a picture: the running job, the new one, and the boundary between their results."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from keepstate.cutover.cutover_plan import Approach
from keepstate.cutover.times import sql_time
from keepstate_lsp.cli.commands.cutover.markdown_parts import one_line
from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan

_WIDTH, _HEIGHT = 720, 190
_LEFT, _RIGHT = 20, 700
_BOUNDARY, _STOP, _START = 360, 420, 250
_STYLE = (
    "text{font:13px sans-serif;fill:#444}.job{rx:4}.old{fill:#8aa4c8}.new{fill:#6fae7d}"
    ".hidden{fill:#6fae7d;opacity:.35}"
    ".line{stroke:#b3423a;stroke-width:2;stroke-dasharray:5 4}.axis{stroke:#888}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}}"
)


def timeline(cutover: NamedPlan) -> str:
    """The picture, as SVG. It reads from left to right in event time."""
    title = escape(one_line(f"Cutover of {cutover.file}"))
    parts = "\n".join(_parts(cutover))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n{parts}\n</svg>\n"
    )


def _parts(cutover: NamedPlan) -> Iterator[str]:
    plan = cutover.plan
    yield f'<line class="axis" x1="{_LEFT}" y1="150" x2="{_RIGHT}" y2="150"/>'
    yield _text(_RIGHT, 170, "event time", "end")
    if plan.approach is Approach.BOUNDARY and plan.boundary is not None:
        yield _bar("old", _LEFT, _BOUNDARY, 40) + _text(_LEFT + 8, 59, "running job: its results stay")
        yield _bar("hidden", _START, _BOUNDARY, 90) + _text(_START, 84, "read again, not written")
        yield _bar("new", _BOUNDARY, _RIGHT, 90) + _text(_BOUNDARY + 8, 109, "new job: its results")
        yield f'<line class="line" x1="{_BOUNDARY}" y1="20" x2="{_BOUNDARY}" y2="156"/>'
        yield _text(_BOUNDARY, 14, sql_time(plan.boundary), "middle")
        yield f'<line class="axis" x1="{_BOUNDARY}" y1="49" x2="{_STOP}" y2="49"/>' + _text(_STOP + 6, 54, "stop")
    else:
        computed = plan.approach is Approach.BOOTSTRAP and plan.boundary is not None
        words = "state computed from former rows" if computed else "new job: reads all rows again"
        yield _bar("old", _LEFT, _STOP, 40) + _text(_LEFT + 8, 59, "running job")
        yield _bar("hidden", _LEFT, _STOP, 90) + _text(_LEFT + 8, 109, words)
        yield _bar("new", _STOP, _RIGHT, 90) + _text(_STOP + 8, 109, "new job")
        yield f'<line class="line" x1="{_STOP}" y1="20" x2="{_STOP}" y2="156"/>'
        yield _text(_STOP, 14, "readers change over", "middle")


def _bar(kind: str, left: int, right: int, top: int) -> str:
    return f'<rect class="job {kind}" x="{left}" y="{top}" width="{right - left}" height="28"/>'


def _text(x: int, y: int, words: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'

"""A rule page, which is Markdown, laid out for a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

_CODE = re.compile(r"^```[^\S\n]*[^\n]*\n(?P<code>.*?)^```[^\S\n]*$\n?", re.MULTILINE | re.DOTALL)


def page_for_terminal(page: str, width: int) -> str:
    """``page`` with ANSI colours."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        theme=Theme({"markdown.code": "cyan", "markdown.h2": "bold"}),
        _environ={},
    )
    with console.capture() as capture:
        for piece in _pieces(page):
            # Code keeps its lines: markers stand below what they mark.
            console.print(piece, soft_wrap=isinstance(piece, Text))
    return capture.get()


def _pieces(page: str) -> Iterator[RenderableType]:
    end = 0
    for block in _CODE.finditer(page):
        if page[end : block.start()].strip():
            yield Markdown(page[end : block.start()])
        end = block.end()
        text = Text()
        for line in block["code"].splitlines():
            is_marker = line.lstrip().startswith("--") and "^" in line
            text.append(f"    {line}\n", "bold yellow" if is_marker else "cyan")
        yield text
    if page[end:].strip():
        yield Markdown(page[end:])

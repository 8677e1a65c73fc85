"""Text with columns and colours, laid out by rich."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType


def rendered(parts: Iterable[RenderableType], width: int, color: bool) -> str:
    """``parts`` one below the other, with ANSI colours if they are wanted."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        _environ={},
    )
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"

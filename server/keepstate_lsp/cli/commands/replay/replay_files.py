"""The files that a replay leaves: all of them, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keepstate_lsp.cli.commands.replay.replay_document import Replay, replay_document
from keepstate_lsp.cli.formats.json import pretty
from keepstate_lsp.cli.terminal.atomic_output import drafted

PAGE, SWEEP_PAGE = "report.html", "sweep.html"


@dataclass(frozen=True)
class ReplayFolder:
    """``draft`` is where Spark writes; ``None`` if nothing is to be written."""

    draft: Path | None

    def write(self, replay: Replay) -> None:
        if self.draft is None:
            return
        (self.draft / "summary.json").write_bytes(pretty(replay_document(replay)))
        if not can_draw():
            return
        from keepstate_lsp.cli.commands.replay.picture import replay_picture
        from keepstate_lsp.cli.commands.replay.replay_page import replay_page

        (self.draft / PAGE).write_bytes(replay_page(replay).encode())
        (self.draft / "report.png").write_bytes(replay_picture(replay))

    def write_sweep(self, document: dict[str, Any], page: Callable[[], str]) -> None:
        if self.draft is None:
            return
        (self.draft / "sweep.json").write_bytes(pretty(document))
        if can_draw():
            (self.draft / SWEEP_PAGE).write_bytes(page().encode())


def can_draw() -> bool:
    """Return whether matplotlib is installed, which draws page and picture."""
    return find_spec("matplotlib") is not None


@contextmanager
def replay_folder(folder: Path | None) -> Iterator[ReplayFolder]:
    """A folder for output; its files appear in ``folder`` at the end, if nothing fails."""
    if folder is None:
        yield ReplayFolder(None)
        return
    with drafted(folder) as draft:
        yield ReplayFolder(draft)

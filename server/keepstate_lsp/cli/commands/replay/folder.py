"""The files that a replay leaves: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.cli.commands.replay.document import Replay, replay_document
from keepstate_lsp.cli.drafts import drafted
from keepstate_lsp.cli.render_json import pretty


@dataclass(frozen=True)
class ReplayFolder:
    """``draft`` is where Spark writes; ``None`` if nothing is to be written."""

    draft: Path | None

    def write(self, replay: Replay) -> None:
        if self.draft is None:
            return
        (self.draft / "summary.json").write_bytes(pretty(replay_document(replay)))


@contextmanager
def replay_folder(folder: Path | None) -> Iterator[ReplayFolder]:
    """What is written appears in ``folder`` at the end, if nothing fails."""
    if folder is None:
        yield ReplayFolder(None)
        return
    with drafted(folder) as draft:
        yield ReplayFolder(draft)

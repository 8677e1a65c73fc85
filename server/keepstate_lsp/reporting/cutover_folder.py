"""The folder of a cutover plan: its files, and how a plan takes the place of a former one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from keepstate_lsp.files.atomic_files import write_whole

PAGE, DOCUMENT, TIMELINE = "PLAN.md", "plan.json", "timeline.svg"


class FolderRefused(Exception):
    """Error of a folder that takes no plan. ``hint`` is a sentence about what helps."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint


def require_room(folder: Path) -> None:
    """Check that a folder may take a plan: it is new or empty, or holds a former plan.

    Raises:
        FolderRefused: it holds other things.
    """
    try:
        is_taken = folder.exists() and any(folder.iterdir()) and not (folder / DOCUMENT).is_file()
    except OSError as error:
        raise _unwritable(folder, error) from error
    if is_taken:
        raise FolderRefused(f"{folder} holds other files, and no plan.", "Name a folder that is empty or new.")


def write_plan(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a plan into a folder, which is made; a former plan there gives way.

    Raises:
        FolderRefused: the folder holds other things, or cannot be written.
    """
    # Here, since a server starts without the parser, which plans import.
    from keepstate.cutover.plans import BOOTSTRAP, CLEAN, NEW, SHADOW

    require_room(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # A former plan may have had several states, each with a script of its own.
        states = {path.name for path in folder.glob(f"{Path(BOOTSTRAP).stem}-*.sql")}
        left = ({NEW, CLEAN, SHADOW, BOOTSTRAP, TIMELINE} | states) - set(files)
        for name, content in files.items():
            write_whole(folder / name, content)
        for name in left:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> FolderRefused:
    return FolderRefused(f"{folder} cannot be written: {error.strerror}.")

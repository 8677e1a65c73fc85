"""The folder of a cutover plan: its files, and how a plan takes the place of a former one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.files.atomic_files import draft_of, drafts_of, write_whole
from keepstate_lsp.files.plan_folders import DOCUMENT, PAGE, SCRIPT, TIMELINE

TOOL = "keepstate"


class FolderRefused(Exception):
    """Error of a folder that takes no plan. ``hint`` is a sentence about what helps."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint


@dataclass(frozen=True)
class FormerPlan:
    """The plan that a folder holds: the name of its job, and the names of its files."""

    file: str
    files: frozenset[str]


def former_plan(folder: Path) -> FormerPlan | None:
    """The plan in a folder; ``None`` where ``plan.json`` is missing or of another program.

    Raises:
        OSError: it cannot be read.
    """
    path = folder / DOCUMENT
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text("utf-8"))
        is_ours, file, scripts = document["tool"]["name"] == TOOL, document["file"], document["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not is_ours or not isinstance(file, str) or not isinstance(scripts, list):
        return None
    # A document from elsewhere may name any file, which is not removed.
    names = {name for name in scripts if isinstance(name, str) and SCRIPT.fullmatch(name)}
    # Only a plan with steps has a timeline, and its scripts are these steps.
    return FormerPlan(file, frozenset({PAGE, DOCUMENT, *names, *((TIMELINE,) if names else ())}))


def require_room(folder: Path) -> FormerPlan | None:
    """Check that a folder may take a plan, and return the former plan in it: it is new or empty, or holds one.

    >>> require_room(Path("/no-such-folder/plan")) is None
    True

    Raises:
        FolderRefused: it holds other things, or is a link.
    """
    try:
        if folder.is_symlink():
            raise FolderRefused(f"{folder} is a link, through which no plan is written.", "Name the folder itself.")
        former = former_plan(folder)
        # A process that was killed leaves its draft, which is no file of a person.
        names_left = set() if not folder.exists() else {*folder.iterdir()} - {*drafts_of(folder / DOCUMENT)}
    except OSError as error:
        raise _unwritable(folder, error) from error
    if names_left and former is None:
        raise FolderRefused(f"{folder} holds other files, and no plan.", "Name a folder that is empty or new.")
    return former


def write_plan(folder: Path, files: Mapping[str, bytes]) -> None:
    r"""Write the files of a plan into a folder, which is made; a former plan there gives way.

    All files are written into a draft before the first one moves to its place, so a full disk leaves the former plan.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_plan(Path(folder, "plan"), {"README.md": b"# Cutover\n"})
    ...     sorted(path.name for path in Path(folder, "plan").iterdir())
    ['README.md']

    Raises:
        FolderRefused: the folder holds other things, is a link, or cannot be written.
    """
    former = require_room(folder)
    owned = former.files if former is not None else frozenset()
    for name in sorted(set(files) - owned):
        if (folder / name).is_symlink() or (folder / name).exists():
            raise FolderRefused(f"{folder} holds {name}, which is of no plan.", "Move it, or name another folder.")
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = draft_of(folder / DOCUMENT)
        try:
            draft.mkdir()
            for name, content in files.items():
                write_whole(draft / name, content)
            _swap(folder, draft, list(files), [name for name in sorted(owned) if (folder / name).is_file()])
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            if is_new:
                # Only where nothing came into it.
                with suppress(OSError):
                    folder.rmdir()
    except OSError as error:
        raise _unwritable(folder, error) from error


def _swap(folder: Path, draft: Path, names: list[str], former: list[str]) -> None:
    """Move the files of a draft into a folder, and the former ones out of it; or leave them all where they are."""
    aside = draft / "former"
    aside.mkdir()
    moves: list[tuple[Path, Path]] = []
    pairs = [(folder / name, aside / name) for name in former] + [(draft / name, folder / name) for name in names]
    try:
        for source, target in pairs:
            source.rename(target)
            moves.append((source, target))
    except BaseException:
        for source, target in reversed(moves):
            target.rename(source)
        raise


def _unwritable(folder: Path, error: OSError) -> FolderRefused:
    return FolderRefused(f"{folder} cannot be written: {error.strerror}.")

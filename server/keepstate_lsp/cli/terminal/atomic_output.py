"""Folders of results that appear when they are complete.

Results are made in a draft beside the folder, which its process holds locked. Each then takes the place of what has its
name in the folder; what was there waits in the draft until all are in place. So a run that fails puts it back, and a
draft that no process holds is one of a process that was killed: the next run puts back what is missing, and removes it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.files.atomic_files import draft_of, drafts_of
from keepstate_lsp.files.lock import LockError, locked

_MADE, _FORMER = "made", "former"
"""The parts of a draft: the new results, and the ones that they have replaced."""


class _NotPutBack(CommandError):
    """The replaced results are in the draft, and could not be put back."""


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """A folder to write to; what is in it at the end goes to ``folder``, in the place of what has the same name there.
    Nothing does if the block fails. Raises ``CommandError`` for a folder that cannot be written.
    """
    # The current folder has a name by its whole path only.
    place = Path(os.path.abspath(folder))
    if not place.name:
        raise CommandError(f"{folder} cannot be written: it is no folder for results.")
    draft = draft_of(place)
    holding, kept = None, False
    try:
        with _errors_in_words(folder):
            place.parent.mkdir(parents=True, exist_ok=True)
            with locked(place):
                _tidy(place)
                for part in (_MADE, _FORMER):
                    (draft / part).mkdir(parents=True)
                holding = _held(draft)
        yield draft / _MADE
        with _errors_in_words(folder), locked(place):
            _put_in_place(draft, place)
    except _NotPutBack:
        kept = True
        raise
    finally:
        if holding is not None:
            os.close(holding)
        if not kept:
            shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _errors_in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except LockError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error


def _put_in_place(draft: Path, folder: Path) -> None:
    """Let the new results take their places.

    Raises:
        OSError: one cannot. What was there is there again.
        _NotPutBack: nor could that be put back; the sentence says where it is.
    """
    folder.mkdir(exist_ok=True)
    names: list[str] = []
    try:
        for name in sorted(os.listdir(draft / _MADE)):
            names.append(name)
            _set_aside(folder / name, draft / _FORMER / name)
            (draft / _MADE / name).replace(folder / name)
    except BaseException as error:
        try:
            for name in names:
                _put_back(draft, folder, name)
        except OSError as second:
            hint = f"What was there before is in {draft / _FORMER}."
            raise _NotPutBack(f"{folder} cannot be written: {second.strerror}. {hint}") from error
        with suppress(OSError):
            folder.rmdir()
        raise


def _set_aside(present: Path, former: Path) -> None:
    """Keep what is to be replaced. A file gets a second name, so that there is no moment without the first one."""
    if not os.path.lexists(present):
        return
    if present.is_file() and not present.is_symlink():
        # Some file systems know no second names.
        with suppress(OSError):
            os.link(present, former)
            return
    present.rename(former)


def _put_back(draft: Path, folder: Path, name: str) -> None:
    former, new, present = draft / _FORMER / name, draft / _MADE / name, folder / name
    if os.path.lexists(present) and not os.path.lexists(new):
        present.rename(new)
    if not os.path.lexists(former):
        return
    if os.path.lexists(present) and os.path.samefile(former, present):
        # Two names of one file: to rename one into the other does nothing.
        former.unlink()
    else:
        former.replace(present)


def _tidy(folder: Path) -> None:
    """Remove drafts of processes that are gone; what is missing because of them is put back."""
    # A folder that can be written may be one that cannot be listed.
    with suppress(OSError):
        for draft in drafts_of(folder):
            lock = _held(draft)
            if lock is None:
                continue
            try:
                for name in os.listdir(draft / _FORMER) if (draft / _FORMER).is_dir() else ():
                    if not os.path.lexists(folder / name):
                        folder.mkdir(exist_ok=True)
                        (draft / _FORMER / name).rename(folder / name)
                shutil.rmtree(draft, ignore_errors=True)
            finally:
                os.close(lock)


if sys.platform == "win32":

    def _held(draft: Path) -> int | None:
        """``None``: Windows locks no folders, so nothing tells which draft is at work."""
        return None

else:
    import fcntl

    def _held(draft: Path) -> int | None:
        """A descriptor that holds the draft until it is closed; ``None`` if another process holds it."""
        descriptor = os.open(draft, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

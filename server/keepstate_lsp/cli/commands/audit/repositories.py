"""The repositories of an audit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from keepstate_lsp.cli.errors import CommandError, UsageError
from keepstate_lsp.cli.run.pairs import input_lines

_DEEPEST = 4
"""Folders below one that is named in which repositories are looked for: host, organisation, group, repository."""


def audited(paths: Iterable[str], list_file: str | None) -> dict[str, str]:
    """The absolute folders of all repositories, by their names: what was written, with what lies below that.

    Raises:
        UsageError: none is named.
        CommandError: a folder is none, holds no repository, or cannot be looked into.
    """
    names = list(paths)
    if list_file is not None:
        lines = (os.fsdecode(line).strip() for line in input_lines(list_file))
        names += [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise UsageError("Name the repositories to audit, or a folder of them.")
    folders: dict[str, str] = {}
    for name in names:
        if not name.strip():
            raise UsageError("The name of a repository is empty; write . for the current folder.")
        name = os.path.normpath(name)
        if not os.path.isdir(name):
            raise CommandError(f"There is no folder {name}.")
        # Where one stands has no name of its own.
        below = list(_below("" if name == "." else name, name))
        if not below:
            raise CommandError(f"There is no git repository in {name}.")
        for repository in below:
            folder = os.path.abspath(repository)
            folders[repository or os.path.basename(folder)] = folder
    return dict(sorted(folders.items()))


def _below(name: str, folder: str, depth: int = 0) -> Iterator[str]:
    if _is_repository(folder):
        yield name
        return
    if depth == _DEEPEST:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise _unseen(folder, error) from error
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and not (entry.name.startswith(".") and entry.name != ".git"):
            yield from _below(os.path.join(name, entry.name), entry.path, depth + 1)


def _is_repository(folder: str) -> bool:
    """Return whether a folder looks like a repository. git reports a broken one."""
    if _mode(os.path.join(folder, ".git")) is not None:
        return True
    head, objects = (_mode(os.path.join(folder, name)) for name in ("HEAD", "objects"))
    return head is not None and objects is not None and not stat.S_ISDIR(head) and stat.S_ISDIR(objects)


def _mode(path: str) -> int | None:
    """The mode of a file or link; ``None`` if there is none.

    Raises:
        CommandError: the system does not say. A repository that is not seen would not be missed.
    """
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unseen(path, error) from error


def _unseen(path: str, error: OSError) -> CommandError:
    return CommandError(f"{path} cannot be looked at: {error.strerror}.", "Name the repositories to audit one by one.")

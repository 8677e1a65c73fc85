"""The repositories of an audit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from keepstate_lsp.cli.errors import CommandError, UsageError
from keepstate_lsp.cli.run.pairs import input_lines

_DEEPEST = 4
"""Folders below one that is named in which repositories are looked for: host, organisation, group, repository."""


def audited(named: Iterable[str], list_file: str | None) -> dict[str, str]:
    """The absolute folders of all repositories, by their names: what was written, with what lies below that.

    Raises:
        UsageError: none is named.
        CommandError: a folder is none, or holds no repository.
    """
    names = list(named)
    if list_file is not None:
        lines = (os.fsdecode(line).strip() for line in input_lines(list_file))
        names += [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise UsageError("Name the repositories to audit, or a folder of them.")
    found: dict[str, str] = {}
    for name in names:
        name = os.path.normpath(name)
        if not os.path.isdir(name):
            raise CommandError(f"There is no folder {name}.")
        # Where one stands has no name of its own.
        below = list(_below("" if name == "." else name, name))
        if not below:
            raise CommandError(f"There is no git repository in {name}.")
        for repository in below:
            folder = os.path.abspath(repository)
            found[repository or os.path.basename(folder)] = folder
    return dict(sorted(found.items()))


def _below(name: str, folder: str, depth: int = 0) -> Iterator[str]:
    if _is_repository(folder):
        yield name
        return
    if depth == _DEEPEST:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and not (entry.name.startswith(".") and entry.name != ".git"):
            yield from _below(os.path.join(name, entry.name), entry.path, depth + 1)


def _is_repository(folder: str) -> bool:
    """Return whether a folder looks like a repository. git reports a broken one."""
    if os.path.lexists(os.path.join(folder, ".git")):
        return True
    return os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects"))

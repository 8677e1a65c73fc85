"""Paths as the hosts of repositories want them: relative to the repository, whatever folder a run started in."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TypeGuard, final
from urllib.parse import quote

from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.cli.source_text import is_stream


@final
class RepositoryPaths:
    """Turns the paths of reports, which are relative to the working directory, into those of a repository."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @staticmethod
    def of_working_directory(reader: BaselineReader) -> RepositoryPaths:
        """Places relative to the repository around the working directory; without one, to that directory."""
        repository = reader.repository(Path.cwd(), HEAD)
        return RepositoryPaths(Path.cwd() if isinstance(repository, NoBaseline) else repository.folders.work_tree)

    def relative(self, display_path: str) -> str | None:
        """The path relative to the repository, with ``/``; ``None`` for what lies outside of it."""
        path = Path(os.path.abspath(display_path))
        for candidate, root in ((path, self._root), (path.parent.resolve() / path.name, self._root.resolve())):
            try:
                return candidate.relative_to(root).as_posix()
            except ValueError:
                continue
        return None

    def name(self, display_path: str) -> str:
        """The path for people: a path outside keeps its own name."""
        return self.relative(display_path) or display_path

    def uri(self, display_path: str) -> tuple[str, bool]:
        """The URI of a file, and whether it is relative to the repository."""
        relative = self.relative(display_path)
        if relative is not None:
            return uri_path(relative), True
        return Path(os.path.abspath(display_path)).as_uri(), False


def uri_path(path: str) -> str:
    """A relative path as a URI reference, whatever bytes its name has."""
    # A colon in the first segment would be taken for a scheme.
    return quote(os.fsencode(path), safe="/!$&'()*+,;=@~")


def is_file(path: str | None) -> TypeGuard[str]:
    """Return whether a report can point into ``path``: a pair of texts and a stream are no files."""
    return path is not None and not is_stream(path)


def display_path_of(path: Path) -> str:
    """``path`` relative to the working directory where it lies below that, or in the same repository, with ``/``."""
    name, cwd = str(path), os.getcwd()
    if name == cwd:
        return "."
    within = name.removeprefix(cwd.removesuffix(os.sep) + os.sep)
    root = _repository_of(cwd) if within == name else None
    if root is not None and name.startswith(root + os.sep):
        within = os.path.relpath(name, cwd)
    return within.replace(os.sep, "/")


@lru_cache(maxsize=64)
def _repository_of(folder: str) -> str | None:
    """The repository that a folder is below the root of; ``None`` if there is none around it."""
    above = Path(folder).parents
    return next((str(each) for each in above if (each / ".git").exists()), None)

"""Which files a run is about.

Files that are named, also by a glob, are taken as they are. Of folders and repositories only Flink SQL is taken: files
with a name of their own for it, and ``.sql`` files whose text shows Flink constructs. What git ignores is only taken
when named in full.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.documents import FLINK_SUFFIXES

_SQL_SUFFIX = ".sql"
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class JobFile:
    """A file to compare; it may be gone from the disk."""

    path: Path
    """Absolute."""
    named: bool
    """A person named it, or a glob that matches it: it is compared whatever it looks like."""

    @property
    def shown(self) -> str:
        """As reports name it."""
        return shown_path(self.path)


def shown_path(path: Path) -> str:
    """``path`` relative to the working directory where it lies below that, with ``/``."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def may_be_job(path: str) -> bool:
    """Whether the name alone leaves it possible that this is Flink SQL."""
    return path.lower().endswith((_SQL_SUFFIX, *FLINK_SUFFIXES))


def is_job(path: str, texts: Iterable[str]) -> bool:
    """Whether a file of this name with one of these texts is Flink SQL."""
    if path.lower().endswith(FLINK_SUFFIXES):
        return True
    import keepstate

    return any(keepstate.looks_like_flink(text) for text in texts)


def is_glob(pattern: str) -> bool:
    return _GLOB.search(pattern) is not None


def split_glob(pattern: Path) -> tuple[Path, str]:
    """The folder that a glob begins in, and the rest of it with ``/``."""
    parts = pattern.parts
    first = next(index for index, part in enumerate(parts) if is_glob(part))
    return Path(*parts[:first]), "/".join(parts[first:])


def glob_test(pattern: str) -> Callable[[str], bool]:
    """Whether a path with ``/`` matches; ``**`` stands for any number of folders, ``*`` stays inside of one name."""
    parts = []
    for part in re.findall(r"\*\*/?|\*|\?|\[[^\]]+\]|[^*?\[]+|\[", pattern):
        if part.startswith("**"):
            parts.append("(?:[^/]+/)*" if part.endswith("/") else ".*")
        elif part in ("*", "?"):
            parts.append("[^/]" + ("*" if part == "*" else ""))
        elif part.startswith("[") and len(part) > 1:
            parts.append("[" + re.escape(part[1:-1]).replace("\\-", "-").replace("!", "^", 1) + "]")
        else:
            parts.append(re.escape(part))
    expression = re.compile("".join(parts), re.DOTALL)
    return lambda path: expression.fullmatch(path) is not None


class RepositoryFiles:
    """The files of one repository that matter to a run: those of the target, and those of the baseline commit."""

    def __init__(self, repository: Repository, commit: Commit | None, target: Target) -> None:
        self._repository = repository
        self._commit = commit
        self._target = target

    def in_folder(self, folder: Path) -> list[JobFile]:
        """The files below ``folder`` that may be jobs, deleted ones too."""
        return [JobFile(path, False) for relative, path in self._below(folder) if may_be_job(relative)]

    def matching(self, folder: Path, glob: str) -> list[JobFile]:
        """The files whose path relative to ``folder`` matches ``glob``, deleted ones too."""
        matches = glob_test(glob)
        return [JobFile(path, True) for relative, path in self._below(folder) if matches(relative)]

    def changed(self) -> list[JobFile]:
        """The files that may be jobs and differ from the baseline."""
        assert self._commit is not None
        root = self._repository.folders.work_tree
        return [
            JobFile(root / path, False) for path in self._repository.changed(self._commit, self._target, may_be_job)
        ]

    def _below(self, folder: Path) -> list[tuple[str, Path]]:
        root = self._repository.folders.work_tree
        within = self._repository.relative(folder.resolve())
        prefix = "" if within in (None, ".") else f"{within}/"
        return [(path[len(prefix) :], root / path) for path in self._all if path.startswith(prefix)]

    @cached_property
    def _all(self) -> list[str]:
        here = self._repository.present() if self._target is WORK_TREE else self._repository.files(self._target)
        there = self._repository.files(self._commit.id) if self._commit is not None else []
        return sorted({*here, *there})

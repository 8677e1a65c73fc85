"""The files of jobs of repositories as they are on disk, and as they were in commits.

Threads that may wait for disks and git read them; the worker looks at what was read, and waits for nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.decoding import decode
from keepstate_lsp.baselines.links import file_on_disk
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import WORK_TREE
from keepstate_lsp.jobs.declared_words import DeclaredWords, words_behind_create
from keepstate_lsp.jobs.listing import FileStamp
from keepstate_lsp.jobs.named_files import NamedFiles, configurations_in, tells_jobs
from keepstate_lsp.jobs.projects import MOST_FILES

_MOST_COMMITS = 4
_MOST_REPOSITORIES = 8


@dataclass(frozen=True, eq=False)
class RevisionFiles:
    """The files of one revision that hold SQL or types, and its configurations."""

    names: NamedFiles
    texts: Mapping[str, str] = field(repr=False)
    """By path; with those of the configuration files."""
    stamps: Mapping[str, FileStamp] = field(default_factory=dict, repr=False)
    """Of files on disk."""
    words: DeclaredWords = field(default_factory=lambda: DeclaredWords({}), repr=False)

    @staticmethod
    def of(names: NamedFiles, texts: Mapping[str, str], stamps: Mapping[str, FileStamp]) -> RevisionFiles:
        """The files with an index of the words that they may declare."""
        paths = names.paths if len(names.paths) <= MOST_FILES else sorted(names.referenced_paths)
        words = ((path, words_behind_create(texts.get(path, ""))) for path in paths)
        return RevisionFiles(names, texts, stamps, DeclaredWords.of(words))


@dataclass(frozen=True)
class WorkTreeChange:
    """Files of the work tree at ``root`` that differ from those read before, with the words that they may declare."""

    root: Path
    paths: frozenset[str]
    words: frozenset[str]


class RepositoryFiles:
    """The files that were read. May be used from any thread."""

    def __init__(self, baselines: BaselineReader) -> None:
        self._baselines = baselines
        self._lock = threading.RLock()
        self._current: OrderedDict[Path, tuple[Repository, RevisionFiles]] = OrderedDict()
        self._stored: OrderedDict[tuple[Path, str], RevisionFiles] = OrderedDict()

    # --------------------------------------------------------------------------------------- without waiting

    def current(self, root: Path) -> RevisionFiles | None:
        """The files of a work tree as they were read last."""
        with self._lock:
            entry = self._current.get(root)
            return None if entry is None else entry[1]

    def at_commit(self, root: Path, commit: str) -> RevisionFiles | None:
        """The files of a commit, if they were read."""
        with self._lock:
            return self._stored.get((root, commit))

    def stored_commits(self, root: Path) -> tuple[str, ...]:
        """The commits of which the files were read."""
        with self._lock:
            return tuple(commit for each, commit in self._stored if each == root)

    # --------------------------------------------------------------------------------------------- reading

    def load(self, repository: Repository, commit: str | None) -> None:
        """Read the files of a work tree, and those of a commit, if they were not read yet.

        Raises:
            GitFailure: git cannot list or read them.
        """
        root = repository.folders.work_tree
        current = self.current(root)
        if current is None:
            current = _on_disk(repository, None)
            with self._lock:
                self._current[root] = repository, current
                while len(self._current) > _MOST_REPOSITORIES:
                    self._current.popitem(last=False)
        if commit is not None and self.at_commit(root, commit) is None:
            revision = self._in_commit(repository, commit, current)
            with self._lock:
                self._stored[root, commit] = revision
                while len(self._stored) > _MOST_COMMITS:
                    self._stored.popitem(last=False)

    def refresh(self) -> list[WorkTreeChange]:
        """Read again what changed on disk.

        Raises:
            GitFailure: git cannot list the files.
        """
        with self._lock:
            entries = dict(self._current)
        moves = []
        for root, (repository, before) in entries.items():
            now = _on_disk(repository, before)
            every = {*before.texts, *now.texts}
            paths = {path for path in every if before.texts.get(path) != now.texts.get(path)}
            with self._lock:
                self._current[root] = repository, now
            if paths:
                texts = [side.texts.get(path, "") for side in (before, now) for path in paths]
                words = frozenset[str]().union(*map(words_behind_create, texts))
                moves.append(WorkTreeChange(root, frozenset(paths), words))
        return moves

    def differ(self, paths: Iterable[tuple[Path, str]]) -> bool:
        """Return whether one of these files, each by root and path, differs from what was read."""
        for root, path in paths:
            files = self.current(root)
            if files is not None and files.stamps.get(path) != _stamp(root, path):
                return True
        return False

    def _in_commit(self, repository: Repository, commit: str, current: RevisionFiles) -> RevisionFiles:
        root = repository.folders.work_tree
        with repository.lock:
            blobs = repository.blobs(commit)

        def text_of(path: str) -> str | None:
            # Most files are on disk as they were, and need no git.
            if path in current.texts and file_on_disk(root, path).holds(blobs[path]):
                return current.texts[path]
            with repository.lock:
                blob = repository.find(commit, path)
                text = None if blob is None else self._baselines.text(repository, blob)
            return text if isinstance(text, str) else None

        texts = {path: text_of(path) for path in blobs if tells_jobs(path)}
        names = NamedFiles.of(blobs, configurations_in(root, texts.items()), root)
        texts.update((path, text_of(path)) for path in _read_of(names) if path in blobs)
        return RevisionFiles.of(names, {path: text for path, text in texts.items() if text is not None}, {})


def _read_of(names: NamedFiles) -> Iterator[str]:
    """The files of a revision that are read."""
    if len(names.paths) <= MOST_FILES:
        yield from names.paths
    else:
        yield from sorted(path for path in names.referenced_paths if file_of(path) == path)
    yield from sorted(names.others)


def _on_disk(repository: Repository, before: RevisionFiles | None) -> RevisionFiles:
    """The files of a work tree; those with the stamps of ``before`` are not read again."""
    root = repository.folders.work_tree
    with repository.lock:
        files = repository.files(WORK_TREE)
    stamps: dict[str, FileStamp] = {}
    texts: dict[str, str] = {}

    def read(paths: Iterable[str]) -> None:
        for path in paths:
            stamp = _stamp(root, path)
            if stamp is not None:
                stamps[path] = stamp
            if before is not None and stamp is not None and before.stamps.get(path) == stamp:
                if path in before.texts:
                    texts[path] = before.texts[path]
                continue
            data = file_on_disk(root, path).content
            text = None if data is None else decode(data)
            if isinstance(text, str):
                texts[path] = text

    read(path for path in files if tells_jobs(path))
    names = NamedFiles.of(files, configurations_in(root, texts.items()), root)
    read(_read_of(names))
    if before is not None and (names.paths, names.schemas, texts, stamps) == (
        before.names.paths,
        before.names.schemas,
        before.texts,
        before.stamps,
    ):
        return before
    return RevisionFiles.of(names, texts, stamps)


def _stamp(root: Path, path: str) -> FileStamp | None:
    try:
        status = (root / path).stat()
    except OSError:
        return None
    return FileStamp(status.st_mtime_ns, status.st_size)

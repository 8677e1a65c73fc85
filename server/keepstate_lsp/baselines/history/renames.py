"""Following a renamed file back to the name that it has at the baseline.

git is asked first (``-M``), between the commit and the index or another commit: that finds what was committed or
staged. A file that was moved by hand and is not staged yet is unknown to git, so it is compared with the files that
have vanished from the work tree, by git's own measure: half of the text must be the same.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from pathlib import PurePosixPath
from typing import TypeVar

from keepstate_lsp.baselines.decoding import LARGEST_FILE, decode
from keepstate_lsp.baselines.git.conversation import GitFailure
from keepstate_lsp.baselines.git.objects import LINK, SUBMODULE, Objects
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target

K = TypeVar("K")
V = TypeVar("V")

_ENOUGH_ALIKE = 0.5
MOST_CANDIDATES = 1_000
"""Files that were moved at once without telling git; comparing with one more costs a tenth of a millisecond."""
_REMEMBERED = 64


class Renames:
    """The renames of one repository, read once per commit and state of the index."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._known: OrderedDict[tuple[object, ...], dict[str, str]] = OrderedDict()
        self._moved: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._weights: OrderedDict[str, Counter[int]] = OrderedDict()

    def source(
        self,
        commit: str,
        path: str,
        target: Target,
        text: str,
        folders: GitFolders,
        is_gone: Callable[[str], bool],
    ) -> str | None:
        """The path that ``path`` has at ``commit``, where nothing is called ``path``; ``None`` for a new file.
        ``is_gone``: whether a file is gone from the work tree.

        Raises:
            GitFailure: git cannot say, or too many files are gone to be compared.
        """
        renamed = self._by_git(commit, target, folders)
        if path in renamed:
            return renamed[path]
        if target is not WORK_TREE:
            return None
        if (moved := self._moved.get((commit, path))) and is_gone(moved):
            # Found once, it stays: the answer must not flip while the text is being typed.
            return moved
        found = self._by_likeness(commit, path, text, set(renamed.values()), is_gone)
        if found is not None:
            _remember(self._moved, (commit, path), found)
        return found

    def _by_git(self, commit: str, target: Target, folders: GitFolders) -> dict[str, str]:
        key: tuple[object, ...] = (commit, target)
        options = ("-r", "-M", "--diff-filter=R", "--name-status")
        if isinstance(target, str):
            arguments = ("diff-tree", *options, commit, target)
        else:
            # The work tree too is seen through the index: git would run its clean filters over files of the work tree.
            arguments = ("diff-index", *options, "--cached", commit)
            try:
                index = (folders.git / "index").stat()
                key = (commit, INDEX, index.st_mtime_ns, index.st_size, index.st_ino)
            except OSError:
                key = (commit, INDEX)
        if key not in self._known:
            fields = self._objects.git.changes(*arguments)
            _remember(self._known, key, dict(zip(fields[2::3], fields[1::3], strict=True)))
        return self._known[key]

    def _by_likeness(
        self, commit: str, path: str, text: str, taken: set[str], is_gone: Callable[[str], bool]
    ) -> str | None:
        suffix = PurePosixPath(path).suffix
        candidates: dict[str, str] = {}
        for name, entry in self._objects.files(commit).items():
            is_alike = PurePosixPath(name).suffix == suffix and entry.mode not in (LINK, SUBMODULE)
            if is_alike and name not in taken and is_gone(name):
                candidates.setdefault(entry.id, name)
        likest = self.likest(path, text, candidates)
        return None if likest is None else candidates[likest]

    def likest(self, path: str, text: str, blobs: Collection[str]) -> str | None:
        """The blob, given by its hash, that holds at least half of ``text``, which is that of ``path``.

        Raises:
            Damaged: one of them cannot be read.
            GitFailure: git cannot say, or there are too many of them.
        """
        if len(blobs) > MOST_CANDIDATES:
            raise GitFailure(
                f"{len(blobs):,} files are gone, too many to find out which of them {path} was: stage the renames"
            )
        own = _weights(text)
        best, best_likeness = None, 0.0
        for blob in blobs:
            likeness = _likeness(own, self._weights_of(blob))
            if likeness > best_likeness:
                best, best_likeness = blob, likeness
        return best if best_likeness >= _ENOUGH_ALIKE else None

    def _weights_of(self, blob: str) -> Counter[int]:
        known = self._weights.get(blob)
        if known is None:
            stored = self._objects.blob(blob)
            content = decode(self._objects.data(stored)) if stored.size <= LARGEST_FILE else None
            known = _weights(content if isinstance(content, str) else "")
            _remember(self._weights, blob, known, MOST_CANDIDATES)
        return known


def _weights(text: str) -> Counter[int]:
    """The number of characters of ``text`` in each distinct line, by the hash of the line."""
    weights: Counter[int] = Counter()
    for line in text.split("\n"):
        if stripped := line.strip():
            weights[hash(stripped)] += len(stripped)
    return weights


def _likeness(one: Counter[int], other: Counter[int]) -> float:
    smaller, larger = sorted((one.total(), other.total()))
    if smaller < _ENOUGH_ALIKE * larger or not larger:
        # Whatever they have in common is not enough.
        return 0.0
    return (one & other).total() / larger


def _remember(memory: OrderedDict[K, V], key: K, value: V, most: int = _REMEMBERED) -> None:
    memory[key] = value
    while len(memory) > most:
        memory.popitem(last=False)

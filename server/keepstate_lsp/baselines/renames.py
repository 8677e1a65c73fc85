"""Following a renamed file back to the name that it has at the baseline.

git is asked first (``-M``), between the commit and the index or another commit: that finds what was committed or
staged. A file that was moved by hand and is not staged yet is unknown to git, so it is compared with the files that
have vanished from the work tree, by git's own measure: half of the text must be the same.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from keepstate_lsp.baselines.decoding import decode
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.process import GitProcess
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target

K = TypeVar("K")
V = TypeVar("V")

_ENOUGH_ALIKE = 0.5
_MOST_CANDIDATES = 200
_REMEMBERED = 64


class Renames:
    """The renames of one repository, asked for once per commit and state of the index."""

    def __init__(self, process: GitProcess) -> None:
        self._process = process
        self._known: OrderedDict[tuple[object, ...], dict[str, str]] = OrderedDict()
        self._moved: OrderedDict[tuple[str, str], str] = OrderedDict()

    def source(self, commit: str, path: str, target: Target, text: str, folders: GitFolders) -> str | None:
        """The path that ``path`` has at ``commit``, where nothing is called ``path``; ``None`` for a new file."""
        renamed = self._by_git(commit, target, folders)
        if path in renamed:
            return renamed[path]
        if target is not WORK_TREE:
            return None
        if (moved := self._moved.get((commit, path))) and not (folders.work_tree / moved).exists():
            # Found once, it stays: the answer must not flip while the text is being typed.
            return moved
        found = self._by_likeness(commit, path, text, folders.work_tree, set(renamed.values()))
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
            fields = self._process.changes(*arguments)
            _remember(self._known, key, dict(zip(fields[2::3], fields[1::3], strict=True)))
        return self._known[key]

    def _by_likeness(self, commit: str, path: str, text: str, work_tree: Path, taken: set[str]) -> str | None:
        names = self._process.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")[:-1]
        suffix = PurePosixPath(path).suffix
        candidates = [name for name in names if PurePosixPath(name).suffix == suffix and name not in taken]
        vanished = (name for name in candidates if not (work_tree / name).exists())
        objects = {f"{commit}:{name}": name for name in vanished}
        likest = self.likest(text, objects)
        return None if likest is None else objects[likest]

    def likest(self, text: str, objects: Iterable[str]) -> str | None:
        """Which of some blobs, each named in any way that git knows, holds at least half of ``text``."""
        own = _weights(text)
        best, best_likeness = None, 0.0
        for name in islice(objects, _MOST_CANDIDATES):
            stored = self._process.find(name)
            if stored is None or stored.type != "blob" or stored.size > 4 * len(text.encode("utf-8", "replace")) + 64:
                continue
            content = decode(self._process.content(stored))
            if isinstance(content, str) and (likeness := _likeness(own, _weights(content))) > best_likeness:
                best, best_likeness = name, likeness
        return best if best_likeness >= _ENOUGH_ALIKE else None


def _weights(text: str) -> Counter[str]:
    """How many characters of ``text`` each distinct line accounts for."""
    weights: Counter[str] = Counter()
    for line in text.split("\n"):
        if stripped := line.strip():
            weights[stripped] += len(stripped)
    return weights


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    largest = max(one.total(), other.total())
    return (one & other).total() / largest if largest else 0.0


def _remember(memory: OrderedDict[K, V], key: K, value: V) -> None:
    memory[key] = value
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)

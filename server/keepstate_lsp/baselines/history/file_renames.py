"""Following a renamed file back to the name that it has at the baseline.

git is asked first (``-M``), between the commit and the index or another commit: that finds what was committed or
staged. A file that was moved by hand and is not staged yet is unknown to git, so it is compared with the files that
have vanished from the work tree, by git's own measure: half of the text must be the same.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TypeVar

from keepstate_lsp.baselines.decoding import LARGEST_FILE, decode
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.objects import LINK, SUBMODULE, Objects, TreeEntry
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.history.successors import FileSimilarity, Succession
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.baselines.work_tree_files import regular_content

K = TypeVar("K")
V = TypeVar("V")

_ENOUGH_ALIKE = 0.5
MOST_CANDIDATES = 1_000
"""Files that were moved at once without telling git; comparing with one more costs a tenth of a millisecond."""
_MOST_PAIRS = 100_000
"""New files times files that are gone, which are compared with each other."""
_CERTAIN = 2.0
_REMEMBERED = 64
_FEW_SUCCESSIONS = 4


class FileRenames:
    """The renames of one repository, read once per commit and state of the index."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._known: OrderedDict[tuple[object, ...], dict[str, str]] = OrderedDict()
        self._moved: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._weights: OrderedDict[str, Counter[int]] = OrderedDict()
        self._successions: OrderedDict[tuple[object, ...], Succession] = OrderedDict()

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
        if target is not WORK_TREE:
            return renamed.get(path)
        # What git knows is in the index. The work tree may have gone on from there.
        settled = {new: old for new, old in renamed.items() if not is_gone(new)}
        settled |= {
            new: old
            for (at, new), old in self._moved.items()
            # Found once, it stays: the answer must not flip while the text is being typed.
            if at == commit and new not in settled and old not in settled.values() and not is_gone(new) and is_gone(old)
        }
        if path in settled and self._is_like(text, commit, settled[path]):
            return settled[path]
        source = self._by_likeness(commit, path, text, settled, folders, is_gone)
        if source is not None:
            _remember(self._moved, (commit, path), source)
        else:
            self._moved.pop((commit, path), None)
        return source

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
        self,
        commit: str,
        path: str,
        text: str,
        settled: Mapping[str, str],
        folders: GitFolders,
        is_gone: Callable[[str], bool],
    ) -> str | None:
        """The file that is gone and is most like ``text``, unless it is more like another new file.

        Raises:
            GitFailure: it is as much like another one; or there are too many of them.
        """
        suffix = PurePosixPath(path).suffix
        files = self._objects.files(commit)
        paths: dict[str, list[str]] = {}
        for name, entry in files.items():
            is_alike = PurePosixPath(name).suffix == suffix and entry.mode not in (LINK, SUBMODULE)
            if is_alike and is_gone(name):
                paths.setdefault(entry.id, []).append(name)
        if self.likest(path, text, paths) is None:
            # What git has found may be less alike by this measure.
            return settled.get(path) if path in settled and not self._heirs(commit, path, settled, folders) else None
        texts = self._new_texts(files, suffix, folders)
        texts[path] = text
        if len(texts) * len(paths) > _MOST_PAIRS:
            raise GitFailure(
                f"{len(paths):,} files are gone and {len(texts):,} are new, too many to find out which of them {path} "
                "was: stage the renames"
            )
        key = (commit, tuple(sorted((name, hash(new)) for name, new in texts.items())), tuple(sorted(settled.items())))
        if key not in self._successions:
            pairs = self._pairs(texts, paths, {new: files[old].id for new, old in settled.items() if old in files})
            _remember(self._successions, key, Succession.of(pairs, paths), _FEW_SUCCESSIONS)
        succession = self._successions[key]
        if path in succession.rivals:
            names = " or ".join(succession.rivals[path])
            rivals = sorted(new for new, old in succession.rivals.items() if old == succession.rivals[path])
            raise GitFailure(f"{', '.join(rivals)} are equally like {names}, which is gone: stage the rename")
        return succession.sources.get(path)

    def _heirs(self, commit: str, path: str, settled: Mapping[str, str], folders: GitFolders) -> list[str]:
        """Other new files that are like the file which ``path`` was renamed from."""
        files = self._objects.files(commit)
        texts = self._new_texts(files, PurePosixPath(path).suffix, folders)
        return [new for new, text in texts.items() if new not in settled and self._is_like(text, commit, settled[path])]

    def _pairs(
        self, texts: Mapping[str, str], paths: Mapping[str, list[str]], settled: Mapping[str, str]
    ) -> Iterator[FileSimilarity]:
        """The likeness of each pair of new files and of those that are gone; ``settled`` are the blobs of some."""
        for new, text in texts.items():
            own = _weights(text)
            for blob in paths:
                value = _likeness(own, self._weights_of(blob))
                if settled.get(new) == blob:
                    # What was staged holds unless the file has another text by now, and something else has its text.
                    yield FileSimilarity(new, blob, _CERTAIN if value >= _ENOUGH_ALIKE else 0.0)
                elif value >= _ENOUGH_ALIKE and new not in settled:
                    yield FileSimilarity(new, blob, value)

    def _new_texts(self, files: Mapping[str, TreeEntry], suffix: str, folders: GitFolders) -> dict[str, str]:
        """The texts of files of the work tree that a commit does not have, by path."""
        listed = self._objects.git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]
        texts: dict[str, str] = {}
        for name in dict.fromkeys(listed):
            if name in files or PurePosixPath(name).suffix != suffix:
                continue
            content = regular_content(folders.work_tree / name)
            decoded = None if content is None else decode(content)
            if isinstance(decoded, str):
                texts[name] = decoded
        return texts

    def _is_like(self, text: str, commit: str, former: str) -> bool:
        entry = self._objects.files(commit).get(former)
        return entry is not None and _likeness(_weights(text), self._weights_of(entry.id)) >= _ENOUGH_ALIKE

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
        weights = self._weights.get(blob)
        if weights is None:
            git_object = self._objects.blob(blob)
            content = decode(self._objects.data(git_object)) if git_object.size <= LARGEST_FILE else None
            weights = _weights(content if isinstance(content, str) else "")
            _remember(self._weights, blob, weights, MOST_CANDIDATES)
        return weights


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
        # Even with all common lines the likeness would be too small.
        return 0.0
    return (one & other).total() / larger


def _remember(memory: OrderedDict[K, V], key: K, value: V, most: int = _REMEMBERED) -> None:
    memory[key] = value
    while len(memory) > most:
        memory.popitem(last=False)

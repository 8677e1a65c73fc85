"""The objects of one repository: commits, trees and blobs, each held against its hash when it is read.

git itself does not check most objects. Here every object on the way to a baseline is read as bytes and hashed, so that
a damaged object is an error and never a baseline. A revision, or a file in a commit, counts as missing only after every
object that could name it was read.

Questions go through two persistent ``git cat-file`` processes, which answer in well under a millisecond.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from keepstate_lsp.baselines.git.conversation import Child
from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure
from keepstate_lsp.baselines.git.hashes import object_hash
from keepstate_lsp.baselines.git.process import GitProcess, text_of

T = TypeVar("T")

FULL_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
FOLDER, SUBMODULE, LINK = "40000", "160000", "120000"
"""Modes of entries in trees; all others are files."""
_REMEMBERED_TREES = 1024
_REMEMBERED_COMMITS = 256
_REMEMBERED_LISTINGS = 2
_ONE_BY_ONE = 16
"""Up to so many trees are read through the persistent process."""
MOST_FILES = 2_000_000
"""In one commit: with trees that hold each other several times, a small repository can have more than any disk."""
_DEEPEST = 4_096
_NO_REPLACEMENT = {"GIT_NO_REPLACE_OBJECTS": "1"}


@dataclass(frozen=True, slots=True)
class ObjectHeader:
    """An object of the repository: its hash, its type (``blob``, ``tree``, ``commit``, ``tag``), its size in bytes."""

    id: str
    type: str
    size: int


class TreeEntry(NamedTuple):
    """The entry of one name in a tree. There is one for each file of a commit."""

    mode: str
    id: str

    @property
    def type(self) -> str:
        return {FOLDER: "tree", SUBMODULE: "commit"}.get(self.mode, "blob")


class Objects:
    """Reads objects with ``git``. Close it to end the processes behind it; they start again when needed."""

    def __init__(self, git: GitProcess) -> None:
        self.git = git
        self._pipes: dict[str, Child] = {}
        self._trees: OrderedDict[str, Mapping[str, TreeEntry]] = OrderedDict()
        self._known_trees_of: OrderedDict[str, str] = OrderedDict()
        """Commits that were read, with their trees."""
        self._listings: OrderedDict[str, Mapping[str, TreeEntry]] = OrderedDict()

    # ------------------------------------------------------------------------------------------------- files

    def entry(self, commit: str, path: str) -> TreeEntry | None:
        """The entry of a commit, given by its hash, at ``path``; ``None``: there is none. For a file of a submodule,
        the entry of the submodule.

        Raises:
            Damaged: something on the way cannot be read.
            GitFailure: git cannot say.
        """
        node = TreeEntry(FOLDER, self.tree_of(commit))
        for name in path.split("/"):
            if node.mode == SUBMODULE:
                return node
            if node.mode != FOLDER:
                return None
            inside = self.tree(node.id).get(name)
            if inside is None:
                return None
            node = inside
        return node

    def submodule_around(self, commit: str, path: str) -> str | None:
        """The path of the submodule that holds ``path`` in a commit, or is there."""
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            name = "/".join(parts[:length])
            entry = self.entry(commit, name)
            if entry is None or entry.mode == SUBMODULE:
                return None if entry is None else name
        return None

    def files(self, commit: str) -> Mapping[str, TreeEntry]:
        """All entries of a commit, given by its hash, except folders, by path.

        Raises:
            Damaged: a tree cannot be read.
            GitFailure: git cannot say, or there are more files than is sensible.
        """
        tree = self.tree_of(commit)
        listing = self._listings.get(tree)
        if listing is None:
            listing = self.files_of_tree(tree)
            _remember(self._listings, tree, listing, _REMEMBERED_LISTINGS)
        return listing

    def files_of_tree(self, tree: str) -> dict[str, TreeEntry]:
        """All entries of a tree except folders, by path."""
        entries: dict[str, TreeEntry] = {}
        level = [("", tree)]
        depth = 0
        while level:
            depth += 1
            if depth > _DEEPEST:
                raise GitFailure(f"the tree {tree} has folders in more than {_DEEPEST:,} levels")
            trees = self._level({identity for _, identity in level})
            below: list[tuple[str, str]] = []
            for prefix, identity in level:
                for name, entry in trees[identity].items():
                    if entry.mode == FOLDER:
                        below.append((f"{prefix}{name}/", entry.id))
                    else:
                        entries[prefix + name] = entry
                if len(entries) + len(below) > MOST_FILES:
                    raise GitFailure(f"the tree {tree} holds more than {MOST_FILES:,} files")
            level = below
        return entries

    def tree(self, identity: str) -> Mapping[str, TreeEntry]:
        """The entries of a tree by name.

        Raises:
            Damaged: it cannot be read.
        """
        entries = self._trees.get(identity)
        if entries is None:
            entries = _entries(self._read(identity, "tree"), len(identity) // 2)
            _remember(self._trees, identity, entries, _REMEMBERED_TREES)
        return entries

    def _level(self, identities: set[str]) -> dict[str, Mapping[str, TreeEntry]]:
        if len(identities) <= _ONE_BY_ONE:
            return {identity: self.tree(identity) for identity in identities}
        contents = self.contents(identities, "tree")
        for identity in identities - contents.keys():
            # Says what is wrong with it.
            self._read(identity, "tree")
        return {identity: _entries(data, len(identity) // 2) for identity, data in contents.items()}

    def tree_of(self, identity: str) -> str:
        """The tree of a commit, which was read."""
        tree = self._known_trees_of.get(identity)
        return self._read_commit(identity, self._read(identity, "commit")) if tree is None else tree

    def commit(self, name: str) -> str | None:
        """The hash of the commit that ``name`` (``HEAD``, ``v1``) stands for, which was read; ``None``: git finds none,
        or cannot read it. It takes the process that reads objects, and no other.

        Raises:
            Damaged: it is not what its hash says, or names no tree.
            GitFailure: git cannot say.
        """
        pair = self.resolve(f"{name}^{{commit}}")
        if pair is None:
            return None
        git_object, data = pair
        if git_object.id not in self._known_trees_of:
            self._read_commit(git_object.id, data)
        return git_object.id

    def resolve(self, name: str) -> tuple[ObjectHeader, bytes] | None:
        """The object that a name of a commit or a tag stands for, with its bytes; ``None``: git finds none, or cannot
        read it. ``header`` is for names of anything, however large.

        Raises:
            Damaged: it is not what its hash says.
            GitFailure: git cannot say.
        """
        if "\n" in name:
            # No name in git has one, and questions end with it.
            return None

        def ask(pipe: Child) -> tuple[ObjectHeader, bytes] | None:
            git_object = _header_of(_answer(pipe, name))
            # A line break follows each content.
            return None if git_object is None else (git_object, pipe.exactly(git_object.size + 1)[:-1])

        answer = self._persistently("--batch", ask)
        return None if answer is None else (answer[0], _verified(answer[1], answer[0].type, answer[0].id))

    def _read_commit(self, identity: str, data: bytes) -> str:
        tree = data.split(b"\n", 1)[0].decode("ascii", "replace").removeprefix("tree ")
        if FULL_HASH.fullmatch(tree) is None:
            raise DamagedObject(f"the commit {identity} names no tree")
        _remember(self._known_trees_of, identity, tree, _REMEMBERED_COMMITS)
        return tree

    # ------------------------------------------------------------------------------------------------- contents

    def blob(self, identity: str) -> ObjectHeader:
        """A blob by its hash.

        Raises:
            Damaged: it is missing.
        """
        git_object = self.header(identity)
        if git_object is None:
            raise DamagedObject(f"the object {identity} is missing")
        return git_object

    def find_blob(self, identity: str) -> ObjectHeader | None:
        """The blob of a hash; ``None``: the repository does not have it."""
        return self.header(identity) if FULL_HASH.fullmatch(identity) else None

    def data(self, git_object: ObjectHeader) -> bytes:
        """The bytes of an object.

        Raises:
            Damaged: it cannot be read.
        """
        return self._read(git_object.id, git_object.type)

    def contents(self, identities: Iterable[str], kind: str = "blob", largest: int | None = None) -> dict[str, bytes]:
        """The bytes of many objects of one kind by their hashes, from two processes. What is missing, of another kind,
        or larger than ``largest``, is left out.

        Raises:
            Damaged: one of them is not what its hash says.
            GitFailure: git cannot say.
        """
        request = "".join(f"{one}\n" for one in dict.fromkeys(identities) if FULL_HASH.fullmatch(one)).encode()
        headers = self._batch("--batch-check", request).decode("ascii", "replace").splitlines()
        fitting = [
            fields[0]
            for fields in (header.split(" ") for header in headers)
            if len(fields) == 3 and fields[1] == kind and (largest is None or int(fields[2]) <= largest)
        ]
        if not fitting:
            return {}
        data = self._batch("--batch", "".join(f"{one}\n" for one in fitting).encode())
        contents_by_id: dict[str, bytes] = {}
        start = 0
        while start < len(data):
            end = data.index(b"\n", start)
            identity, _, size = data[start:end].decode("ascii", "replace").split(" ")
            start = end + 1 + int(size)
            contents_by_id[identity] = _verified(data[end + 1 : start], kind, identity)
            # A line break follows each content.
            start += 1
        return contents_by_id

    def reap(self) -> None:
        """Take leave of persistent processes that ended; the next question starts new ones."""
        if not self.git.lock.acquire(blocking=False):
            # It is being talked to.
            return
        try:
            if any(not pipe.runs for pipe in self._pipes.values()):
                self.close()
        finally:
            self.git.lock.release()

    def close(self) -> None:
        """End the persistent processes."""
        with self.git.lock:
            for pipe in self._pipes.values():
                pipe.close()
            self._pipes.clear()

    def _batch(self, mode: str, stdin: bytes) -> bytes:
        return self.git.run_bytes("cat-file", mode, stdin=stdin, environment=_NO_REPLACEMENT)

    def _read(self, identity: str, kind: str) -> bytes:
        def ask(pipe: Child) -> bytes:
            header = _answer(pipe, identity)
            fields = header.split(" ")
            if len(fields) != 3:
                raise DamagedObject(f"the {kind} {identity} is missing")
            size = int(fields[2])
            # A line break follows each content.
            data = pipe.exactly(size + 1)[:-1]
            if fields[1] != kind:
                raise DamagedObject(f"the object {identity} is a {fields[1]}, and no {kind}")
            return data

        return _verified(self._persistently("--batch", ask), kind, identity)

    def header(self, name: str) -> ObjectHeader | None:
        """The object that a name (``HEAD^{commit}``) stands for, unread; ``None``: git finds none, or cannot read it.

        Raises:
            GitFailure: git cannot say.
        """
        if "\n" in name:
            # No name in git has one, and questions end with it.
            return None

        def ask(pipe: Child) -> ObjectHeader | None:
            return _header_of(_answer(pipe, name))

        return self._persistently("--batch-check", ask)

    def _persistently(self, mode: str, ask: Callable[[Child], T]) -> T:
        """An answer of the persistent process for ``mode``, or of a fresh one if that was killed meanwhile."""
        self.git.patience.begin()
        with self.git.lock:
            for last in (False, True):
                pipe = self._pipes.get(mode)
                if pipe is None:
                    pipe = self.git.start("cat-file", mode, answers=True, environment=_NO_REPLACEMENT)
                    self._pipes[mode] = pipe
                try:
                    with self.git.patience.bounded(pipe):
                        return ask(pipe)
                except DamagedObject:
                    raise
                except (OSError, ValueError) as error:
                    message = pipe.error_output()
                    self._forget(mode)
                    if last:
                        raise DamagedObject(f"git cannot read it: {message or error}") from error
                except BaseException:
                    # In the middle of an answer.
                    self._forget(mode)
                    raise
        raise AssertionError("unreachable")

    def _forget(self, mode: str) -> None:
        pipe = self._pipes.pop(mode)
        pipe.end()
        pipe.close()


def _answer(pipe: Child, question: str) -> str:
    pipe.ask(question.encode("utf-8", "surrogateescape") + b"\n")
    return text_of(pipe.line())


def _header_of(header: str) -> ObjectHeader | None:
    """The object that git describes; ``None`` where it says that there is none."""
    fields = header.split(" ")
    if len(fields) != 3 or FULL_HASH.fullmatch(fields[0]) is None or not fields[2].isdecimal():
        return None
    return ObjectHeader(fields[0], fields[1], int(fields[2]))


def _verified(data: bytes, kind: str, identity: str) -> bytes:
    if object_hash(data, kind, identity) != identity:
        raise DamagedObject(f"the {kind} {identity} is damaged: its content is not the one that this hash stands for")
    return data


def _entries(data: bytes, width: int) -> dict[str, TreeEntry]:
    """The entries of a tree: ``MODE NAME``, a NUL, a hash of ``width`` bytes, for each."""
    entries: dict[str, TreeEntry] = {}
    modes: dict[bytes, str] = {}
    start, size = 0, len(data)
    while start < size:
        space = data.index(b" ", start)
        end = data.index(b"\0", space)
        mode = data[start:space]
        if mode not in modes:
            modes[mode] = mode.decode("ascii", "replace").lstrip("0")
        start = end + 1 + width
        entries[data[space + 1 : end].decode("utf-8", "surrogateescape")] = TreeEntry(
            modes[mode], data[end + 1 : start].hex()
        )
    return entries


def _remember(memory: OrderedDict[str, T], key: str, value: T, most: int) -> None:
    memory[key] = value
    while len(memory) > most:
        memory.popitem(last=False)

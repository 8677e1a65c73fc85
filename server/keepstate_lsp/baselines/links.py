"""Files of commits and of the index, through symbolic links. A link is followed within the tree that holds it: no file
outside of the repository, and none of another state of it, is ever read for one.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure
from keepstate_lsp.baselines.git.hashes import holds
from keepstate_lsp.baselines.git.index import Listing
from keepstate_lsp.baselines.git.objects import FOLDER, LINK, SUBMODULE, ObjectHeader, Objects, TreeEntry
from keepstate_lsp.baselines.target import Target
from keepstate_lsp.baselines.work_tree_files import regular_content

_MOST_LINKS = 40
"""On the way to one file, as in Linux."""


class BrokenLink(GitFailure):
    """A symbolic link leads to no file of its own tree. The message is a sentence without its full stop."""


class StoredFiles:
    """The files of a commit or of the index of one repository."""

    def __init__(self, objects: Objects, staged: Callable[[], Listing], root: Path) -> None:
        self._objects = objects
        self._staged = staged
        self._root = root

    def find(self, target: Target, path: str) -> ObjectHeader | None:
        """The object at ``path``; ``None``: there is none, or only a submodule.

        Raises:
            BrokenLink: a link on the way leads to no file.
            Damaged: it cannot be read, or cannot be looked for.
        """
        # macOS hands out decomposed names, while most commits hold composed ones.
        spellings = dict.fromkeys((path, *(unicodedata.normalize(form, path) for form in ("NFC", "NFD"))))
        for name in spellings:
            entry = self._entry(target, name)
            if entry is None or entry.mode == LINK:
                entry = self._entry(target, self.led_to(target, name))
            if entry is not None and entry.mode != SUBMODULE:
                return self._blob(entry)
        return None

    def blobs(self, target: Target) -> Mapping[str, str]:
        """The hashes of all files by path; that of a link is the one of the file it leads to, and its own if it leads
        to none. Submodules are no files.
        """
        entries = self._entries(target)
        by_path = {path: entry.id for path, entry in entries.items() if entry.mode != SUBMODULE}
        for path in self.links(target):
            try:
                behind = entries.get(self.led_to(target, path))
            except BrokenLink:
                continue
            if behind is not None and behind.mode != SUBMODULE:
                by_path[path] = behind.id
        return by_path

    def links(self, target: Target) -> frozenset[str]:
        """The paths that are symbolic links."""
        return frozenset(path for path, entry in self._entries(target).items() if entry.mode == LINK)

    def led_to(self, target: Target, path: str) -> str:
        """``path`` with all links on its way followed; there need not be a file.

        Raises:
            BrokenLink: a link leads out of the repository, to nothing, or round in a circle.
        """
        parts: list[str] = []
        rest = path.split("/")[::-1]
        followed = 0
        first, of_first = "", len(rest)
        """The link that is being followed, and how many names come behind those of its text."""
        while rest:
            name = rest.pop()
            if len(rest) < of_first:
                first, of_first = "", len(rest) + 1
            if name in ("", "."):
                continue
            if name == "..":
                if not parts:
                    raise BrokenLink(f"{inline(first)} is a symbolic link that leads out of the repository")
                parts.pop()
                continue
            parts.append(name)
            place = "/".join(parts)
            entry = self._entry(target, place) or self._folder(target, place)
            if entry is None and first:
                raise BrokenLink(f"{inline(first)} is a symbolic link to {inline(place)}, which is not there")
            if entry is None or entry.mode != LINK:
                continue
            followed += 1
            if not first:
                first, of_first = place, len(rest)
            if followed > _MOST_LINKS:
                raise BrokenLink(f"{inline(first)} is a symbolic link that leads round in a circle")
            parts.pop()
            text = self._objects.data(self._blob(entry)).decode("utf-8", "surrogateescape")
            if os.path.isabs(text):
                inside = self._inside(text)
                if inside is None:
                    raise BrokenLink(f"{inline(first)} is a symbolic link that leads out of the repository")
                parts, text = [], inside
            rest += text.split("/")[::-1]
        return "/".join(parts)

    def _inside(self, text: str) -> str | None:
        """The path inside of the repository of an absolute path; ``None``: it is outside."""
        path = Path(os.path.normpath(text))
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else None

    def _entries(self, target: Target) -> Mapping[str, TreeEntry]:
        return self._objects.files(target) if isinstance(target, str) else self._staged().entries

    def _entry(self, target: Target, path: str) -> TreeEntry | None:
        if isinstance(target, str):
            return self._objects.entry(target, path)
        listing = self._staged()
        if path in listing.unmerged:
            raise GitFailure(f"a merge left several versions of {path} in the index")
        return listing.entries.get(path)

    def _folder(self, target: Target, path: str) -> TreeEntry | None:
        """The entry for a folder of the index, which has entries of files alone."""
        return TreeEntry(FOLDER, "") if not isinstance(target, str) and path in self._staged().folders else None

    def _blob(self, entry: TreeEntry) -> ObjectHeader:
        git_object = self._objects.blob(entry.id)
        if git_object.type != entry.type:
            raise DamagedObject(f"the object {entry.id} is a {git_object.type} and no {entry.type}")
        return git_object


def own_path(root: Path, path: Path) -> str | None:
    """The path of a job inside of the work tree at ``root``, with no link in it followed; ``None``: it is outside. A
    link from outside is followed to where it enters.

    >>> root = Path("/repository")
    >>> own_path(root, root / "jobs" / "a.sql"), own_path(root, Path("/elsewhere/a.sql"))
    ('jobs/a.sql', None)
    """
    roots = (root, root.resolve())
    for folder in (path, *path.parents)[::-1]:
        for place in (folder, folder.resolve()):
            for one in roots:
                if place.is_relative_to(one):
                    return (place.relative_to(one) / path.relative_to(folder)).as_posix()
    return None


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file of a work tree as it was read."""

    content: bytes | None
    """Its bytes, links followed; of a link to nothing those that git stores of it. ``None``: there is none that can be
    read, or a link leads out of the work tree.
    """
    is_link: bool

    def holds(self, blob: str) -> bool:
        """Return whether it has the content of ``blob``, perhaps with other line ends."""
        return self.content is not None and holds(self.content, blob)


def file_on_disk(root: Path, path: str) -> DiskFile:
    """Read the file at ``path`` of the work tree at ``root``.

    >>> with repository({"a.sql": "SELECT 1"}) as folder:
    ...     file_on_disk(folder, "a.sql"), file_on_disk(folder, "b.sql").content
    (DiskFile(content=b'SELECT 1', is_link=False), None)
    """
    file = os.path.join(root, path)
    # Most files are no links, and one call to the system less.
    content = regular_content(file, through_link=False)
    if content is not None or not os.path.islink(file):
        return DiskFile(content, is_link=False)
    return DiskFile(_content_behind(file, root), is_link=True)


def _content_behind(link: str, root: Path) -> bytes | None:
    try:
        if not os.path.exists(link):
            return os.fsencode(os.readlink(link))
    except OSError:
        # Gone, or replaced, meanwhile.
        return None
    is_inside = Path(os.path.realpath(link)).is_relative_to(os.path.realpath(root))
    return regular_content(link) if is_inside else None


def broken_on_disk(path: Path) -> Path | None:
    """The symbolic link on the way to ``path`` that leads to nothing; ``None``: each leads somewhere."""
    for place in (path, *path.parents):
        try:
            if place.is_symlink() and not place.exists():
                return place
            if place.exists():
                return None
        except OSError:
            # A circle of links, before Python 3.13.
            return place
    return None

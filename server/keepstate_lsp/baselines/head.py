"""Noticing that a revision moved, by looking at a handful of files and without running git.

A commit, a checkout, a reset, a fetch or a new tag rewrites one of: ``HEAD`` (in the git folder of the work tree),
the loose ref it names, ``packed-refs``, the list of tables of the reftable format. Their contents and time stamps
make a fingerprint; an equal fingerprint means that nothing moved.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.deployments import ref_of
from keepstate_lsp.baselines.spec import BaselineSpec, SpecKind

_NAME = re.compile(r"[^~^:@\s]+|@(?=$|[~^{])")
_LARGEST_LINK = 64 * 1024
GIT = ".git"


@dataclass(frozen=True, slots=True)
class GitFolders:
    """The folders of git for one work tree."""

    work_tree: Path
    git: Path
    """Of this work tree alone: HEAD, the index."""
    common: Path
    """Shared by all work trees: objects, refs. The same folder unless this is a linked work tree."""


@dataclass(frozen=True, slots=True)
class WatchedPath:
    """A glob below a folder, in the form that ``workspace/didChangeWatchedFiles`` takes."""

    folder: Path
    glob: str


class RevisionStates:
    """Fingerprints of revisions at one moment: files of one work tree share one look."""

    def __init__(self) -> None:
        self._real_folders: dict[Path, Path] = {}
        self._work_trees: dict[Path, GitFolders | None] = {}
        self._fingerprints: dict[tuple[GitFolders | None, BaselineSpec], str] = {}

    def of(self, path: Path, spec: BaselineSpec) -> str:
        """A text that changes when the commit of ``spec`` may have changed for the file ``path``; runs no git."""
        is_link = ".." in path.parts or os.name == "nt" or path.is_symlink()
        folders = self._folders(path.resolve().parent if is_link else self._real(path.parent))
        key = folders, spec
        if key not in self._fingerprints:
            self._fingerprints[key] = fingerprint(folders, spec)
        return self._fingerprints[key]

    @property
    def folders(self) -> frozenset[str]:
        """The folders whose entries the fingerprints follow from."""
        return frozenset(map(str, {*self._real_folders, *self._work_trees}))

    @property
    def revisions(self) -> frozenset[tuple[GitFolders | None, BaselineSpec]]:
        """The revisions whose fingerprints were made."""
        return frozenset(self._fingerprints)

    def _real(self, folder: Path) -> Path:
        """A folder without links, found from its parent."""
        if folder not in self._real_folders:
            above = folder.parent
            own = folder if above == folder else self._real(above) / folder.name
            self._real_folders[folder] = own.resolve() if own.is_symlink() else own
        return self._real_folders[folder]

    def _folders(self, path: Path) -> GitFolders | None:
        """The git folders around a folder: its own, or those around its parent."""
        if path not in self._work_trees:
            own = _git_folders_in(path)
            above = path.parent
            self._work_trees[path] = own if own is not None or above == path else self._folders(above)
        return self._work_trees[path]


def find_git_folders(path: Path) -> GitFolders | None:
    """The git folders of the nearest work tree around ``path``, found by looking at files alone (``None``: none).

    >>> find_git_folders(Path("/no-such-folder")) is None
    True
    """
    every = (_git_folders_in(folder) for folder in (path, *path.parents))
    return next((folders for folders in every if folders is not None), None)


def _git_folders_in(folder: Path) -> GitFolders | None:
    """The git folders of the work tree whose root is ``folder``; ``None`` if it is none."""
    entry = folder / GIT
    try:
        # Most folders have none, and a look has many folders: one call for each.
        mode = os.stat(entry).st_mode
        if stat.S_ISDIR(mode):
            git = entry
        elif stat.S_ISREG(mode):
            git = _gitfile_target(entry)
        else:
            return None
    except (OSError, ValueError):
        return None
    return GitFolders(folder, git, _common_folder(git))


def fingerprint(folders: GitFolders | None, spec: BaselineSpec) -> str:
    """A text that changes whenever the commit that ``spec`` names may have changed.

    It may change without need (a fetch that brought nothing relevant), never the other way round.

    >>> fingerprint(None, BaselineSpec.parse("HEAD"))
    'no repository'
    """
    if spec.kind.is_on_disk:
        return _stamp(Path(spec.value))
    if folders is None:
        return "no repository"
    head = _content(folders.git / "HEAD")
    parts = [
        head,
        _stamp(folders.common / "packed-refs"),
        _stamp(folders.common / "reftable" / "tables.list"),
        _stamp(folders.common / "shallow"),
    ]
    if head.startswith("ref:"):
        parts.append(_ref(folders, head[len("ref:") :].strip()))
    parts += _ref_parts(folders, spec)
    return "\n".join(parts)


def watched_paths(folders: GitFolders | None, spec: BaselineSpec) -> tuple[WatchedPath, ...]:
    """Paths that a client should watch: ``fingerprint`` may change with them."""
    if spec.kind.is_on_disk:
        path = Path(spec.value)
        return (WatchedPath(path.parent, _literal(path.name)),)
    if folders is None:
        return ()
    own = "{HEAD,FETCH_HEAD,ORIG_HEAD}"
    shared = "{packed-refs,shallow,refs/**,reftable/tables.list}"
    return WatchedPath(folders.git, own), WatchedPath(folders.common, shared)


def _ref_parts(folders: GitFolders, spec: BaselineSpec) -> list[str]:
    refs = folders.common / "refs"
    if spec.kind is SpecKind.TAG:
        return _folder_stamps(refs / "tags")
    if spec.kind is SpecKind.DEPLOYED:
        return [_ref(folders, ref_of(spec.value))]
    match = _NAME.match(spec.value)
    name = match[0] if match else ""
    parts = [_stamp(folders.git / "FETCH_HEAD")] if name == "FETCH_HEAD" else []
    if "@{" in spec.value:
        # The configuration (upstream) or a reflog decides what this names: any ref may be meant.
        parts += [_stamp(folders.git / "logs" / "HEAD"), *_folder_stamps(refs)]
    if name not in ("HEAD", "@", ""):
        places = ("", "tags/", "heads/", "remotes/")
        parts += [_ref(folders, f"refs/{place}{name}") for place in places]
        parts += [_ref(folders, f"refs/remotes/{name}/HEAD"), _ref(folders, name)]
    return parts


def _ref(folders: GitFolders, name: str) -> str:
    content = _content(folders.common / name)
    for _ in range(5):
        if not content.startswith("ref:"):
            break
        content = _content(folders.common / content[len("ref:") :].strip())
    return content


def _folder_stamps(folder: Path) -> list[str]:
    # A ref is written by renaming a lock file over it, which stamps its folder.
    try:
        below = sorted(entry for entry in folder.rglob("*") if entry.is_dir())
    except OSError:
        below = []
    return [_stamp(entry) for entry in (folder, *below)]


def _gitfile_target(gitfile: Path) -> Path:
    text = _content(gitfile)
    target = Path(text[len("gitdir:") :].strip()) if text.startswith("gitdir:") else gitfile
    return target if target.is_absolute() else gitfile.parent / target


def _common_folder(git: Path) -> Path:
    text = _content(git / "commondir")
    if text.startswith("missing"):
        return git
    common = Path(text.strip())
    return common if common.is_absolute() else git / common


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_LINK).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return "missing"


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return "missing"
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def _literal(name: str) -> str:
    # LSP globs know no escape except a character class.
    return re.sub(r"([*?{\[])", r"[\1]", name)

"""One work tree and what Keepstate asks of it."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from keepstate_lsp.baselines.baseline import NoBaseline, Reason, shown
from keepstate_lsp.baselines.deployments import Deployment, Deployments
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.process import GitFailure, GitProcess, Stored
from keepstate_lsp.baselines.renames import Renames
from keepstate_lsp.baselines.spec import BaselineSpec, SpecKind
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target

_HASH = re.compile(r"[0-9a-f]{7,64}")
_SHORT = 7


@dataclass(frozen=True, slots=True)
class Commit:
    """A resolved baseline: the full hash, and words for people such as ``merge base with origin/main (a1b2c3d)``."""

    id: str
    name: str

    @property
    def short(self) -> str:
        return self.id[:_SHORT]

    def words(self, path: str | None = None) -> str:
        """``HEAD (a1b2c3d)``; ``path`` is given when the file has another one there."""
        there = "" if path is None else f"there {shown(path)}"
        if self.id.startswith(self.name):
            return f"{self.short} ({there})" if there else self.short
        return f"{self.name} ({', '.join(filter(None, (self.short, there)))})"


class Repository:
    """A work tree of git. All paths that go in and out are relative to its root, with ``/``."""

    def __init__(self, folders: GitFolders) -> None:
        self.folders = folders
        self.process = GitProcess(folders.work_tree, folders.git)
        self.deployments = Deployments(self.process)
        self._renames = Renames(self.process)

    @staticmethod
    def around(folder: Path, spec: BaselineSpec) -> Repository | NoBaseline:
        """The repository whose work tree holds ``folder``, as git itself sees it, or why there is none."""
        process = GitProcess(folder)
        try:
            output = process.run("rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
        except GitFailure as failure:
            return _no_repository(failure, folder, spec)
        git, common, work_tree = output.removesuffix("\n").split("\n", 2)
        # The common folder is relative to where git was asked, unless it is absolute.
        return Repository(GitFolders(Path(work_tree), Path(git), Path(os.path.normpath(folder / common))))

    @property
    def shallow(self) -> bool:
        """Whether the history was cut off when it was cloned."""
        return (self.folders.common / "shallow").exists()

    @property
    def partial(self) -> bool:
        """Whether objects may be missing because they were filtered out when it was cloned."""
        return any((self.folders.common / "objects" / "pack").glob("*.promisor"))

    def close(self) -> None:
        self.process.close()

    def relative(self, path: Path) -> str | None:
        """The path inside of the repository of an absolute path without symbolic links; ``None``: outside."""
        try:
            relative = path.relative_to(self.folders.work_tree)
        except ValueError:
            try:
                relative = path.relative_to(self.folders.work_tree.resolve())
            except ValueError:
                return None
        return relative.as_posix()

    # ------------------------------------------------------------------------------------------------- commits

    def commit(self, spec: BaselineSpec) -> Commit | NoBaseline:
        """The commit that ``spec`` (not a file) names now.

        Raises:
            GitFailure: git cannot say.
        """
        if spec.kind is SpecKind.REVISION:
            return self._revision(spec, spec.value)
        if spec.kind is SpecKind.MERGE_BASE:
            return self._merge_base(spec)
        return self._newest_tag(spec)

    def _revision(self, spec: BaselineSpec, name: str) -> Commit | NoBaseline:
        stored = self.process.find(f"{name}^{{commit}}")
        if stored is not None:
            return Commit(stored.id, "HEAD" if name == "@" else name)
        if name in ("HEAD", "@"):
            branch = self._unborn_branch()
            if branch is not None:
                return NoBaseline(
                    spec, Reason.UNBORN_HEAD, f"The repository has no commit yet on its branch {branch}.", "git commit"
                )
        if self.shallow:
            return NoBaseline(
                spec,
                Reason.SHALLOW_CLONE,
                f"The revision {name!r} is not in this clone, which is shallow: its history was cut off.",
                "git fetch --unshallow --tags",
            )
        return NoBaseline(
            spec,
            Reason.MISSING_REVISION,
            f"The repository has no revision {name!r}.",
            f"git fetch {name.replace('/', ' ', 1)}" if self._is_remote_branch(name) else "git fetch --all --tags",
        )

    def _is_remote_branch(self, name: str) -> bool:
        remote, slash, _ = name.partition("/")
        return bool(slash) and (self.folders.common / "refs" / "remotes" / remote).is_dir()

    def _unborn_branch(self) -> str | None:
        try:
            return self.process.run("symbolic-ref", "--quiet", "--short", "HEAD").strip()
        except GitFailure:
            return None

    def _merge_base(self, spec: BaselineSpec) -> Commit | NoBaseline:
        ref = self._revision(spec, spec.value)
        head = self._revision(spec, "HEAD")
        if isinstance(ref, NoBaseline):
            return ref
        if isinstance(head, NoBaseline):
            return head
        try:
            found = self.process.run("merge-base", ref.id, head.id).split()
        except GitFailure as failure:
            if failure.status != 1:
                raise
            found = []
        if found:
            return Commit(found[0], f"merge base with {spec.value}")
        if self.shallow:
            return NoBaseline(
                spec,
                Reason.SHALLOW_CLONE,
                f"HEAD and {spec.value!r} have no common commit in this clone, which is shallow: "
                "its history was cut off.",
                "git fetch --unshallow",
            )
        return NoBaseline(spec, Reason.NO_MERGE_BASE, f"HEAD and {spec.value!r} have no commit in common.")

    def _newest_tag(self, spec: BaselineSpec) -> Commit | NoBaseline:
        head = self._revision(spec, "HEAD")
        if isinstance(head, NoBaseline):
            return head
        tags = self.process.run(
            "for-each-ref",
            f"--merged={head.id}",
            # Newest first; the version order decides between tags made in the same second.
            "--sort=-version:refname",
            "--sort=-creatordate",
            "--count=1",
            "--format=%(refname:short)",
            f"refs/tags/{spec.value}",
        ).splitlines()
        if tags:
            tag = self._revision(spec, f"refs/tags/{tags[0]}")
            return tag if isinstance(tag, NoBaseline) else Commit(tag.id, f"tag {tags[0]}")
        if self.shallow:
            return NoBaseline(
                spec,
                Reason.SHALLOW_CLONE,
                f"No tag that matches {spec.value!r} is reachable in this clone, which is shallow: "
                "its history was cut off.",
                "git fetch --unshallow --tags",
            )
        return NoBaseline(
            spec, Reason.NO_TAG, f"No tag that matches {spec.value!r} is reachable from HEAD.", "git fetch --tags"
        )

    def newest_tags(self, count: int) -> list[str]:
        """Tags that HEAD holds, the newest first."""
        head = self.process.find("HEAD^{commit}")
        if head is None:
            return []
        return self.process.run(
            "for-each-ref",
            f"--merged={head.id}",
            "--sort=-creatordate",
            f"--count={count}",
            "--format=%(refname:short)",
            "refs/tags",
        ).splitlines()

    def default_branch(self) -> str | None:
        """The remote-tracking branch that a change is meant for, such as ``origin/main``; ``None``: no remote."""
        remotes = self.process.run("remote").split()
        if not remotes:
            return None
        remote = "origin" if "origin" in remotes else remotes[0]
        try:
            return self.process.run("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD").strip()
        except GitFailure:
            # A clone made by a CI system has no such symbolic ref.
            names = ("main", "master")
            known = [name for name in names if self.process.find(f"refs/remotes/{remote}/{name}") is not None]
            return f"{remote}/{known[0] if known else names[0]}"

    # ------------------------------------------------------------------------------------------------- files

    def find(self, target: Target, path: str) -> Stored | None:
        """The object at ``path`` in a commit or in the index."""
        prefix = ":0:" if target is INDEX else f"{target}:"
        # macOS hands out decomposed names, while most commits hold composed ones.
        spellings = dict.fromkeys((path, *(unicodedata.normalize(form, path) for form in ("NFC", "NFD"))))
        return next((found for name in spellings if (found := self.process.find(prefix + name))), None)

    def files(self, target: Target, folders: Iterable[str] = ()) -> list[str]:
        """All files of a commit or of the index, below ``folders`` (empty: all)."""
        below = [folder for folder in folders if folder != "."]
        if target is INDEX:
            return self.process.run("ls-files", "-z", "--", *below).split("\0")[:-1]
        names = self.process.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", str(target), "--", *below)
        return names.split("\0")[:-1]

    def present(self, wanted: Callable[[str], bool] | None = None) -> list[str]:
        """The ``wanted`` files of the work tree that are tracked, or neither tracked nor ignored."""
        listed = self.process.run("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]
        return [
            path
            for path in dict.fromkeys(listed)
            if (wanted is None or wanted(path)) and (self.folders.work_tree / path).is_file()
        ]

    def changed(self, commit: Commit, target: Target, wanted: Callable[[str], bool]) -> dict[str, str]:
        """Files with a ``wanted`` path that differ from ``commit``: A added, M modified, D deleted.

        In the work tree untracked files count unless they are ignored, and line ends do not count.
        """
        if target is WORK_TREE:
            return self._changed_in_work_tree(commit, wanted)
        options = ("-r", "--name-status", "--no-renames")
        if isinstance(target, str):
            fields = self.process.changes("diff-tree", *options, commit.id, target)
        else:
            fields = self.process.changes("diff-index", *options, "--cached", commit.id)
        changed = dict(zip(fields[1::2], fields[::2], strict=True))
        return {path: letter if letter in "AD" else "M" for path, letter in changed.items() if wanted(path)}

    def _changed_in_work_tree(self, commit: Commit, wanted: Callable[[str], bool]) -> dict[str, str]:
        # Not by diff-index: it would run the filters that the repository configures over files with a new time stamp.
        entries = self.process.run("ls-tree", "-r", "-z", "--full-tree", commit.id).split("\0")[:-1]
        stored = {
            path: attributes.rpartition(" ")[2]
            for attributes, _, path in (entry.partition("\t") for entry in entries)
            if wanted(path) and not attributes.startswith("160000 ")
        }
        changed = {}
        for path in sorted({*stored, *self.present(wanted)}):
            file = self.folders.work_tree / path
            if not file.is_file():
                if path in stored:
                    changed[path] = "D"
            elif path not in stored:
                changed[path] = "A"
            elif not _holds(file, stored[path]):
                changed[path] = "M"
        return changed

    def followed(self, commit: Commit, path: str, target: Target, text: str) -> str | None:
        """The path at ``commit`` of a file that was renamed since, or ``None``."""
        return self._renames.source(commit.id, path, target, text, self.folders)

    def deployment(self, environment: str, path: str, target: Target, text: str) -> Deployment | None:
        """What is deployed of a file, under its path or under the one that it had when it was marked.

        Raises:
            DeploymentError: the record cannot be read.
        """
        found = self.deployments.find(environment, path)
        if found is not None:
            return found
        for other in self.deployments.all(environment).values():
            gone = not (self.folders.work_tree / other.path).exists()
            known = other.commit is not None and self.process.find(f"{other.commit}^{{commit}}") is not None
            if (
                gone
                and known
                and self._renames.source(str(other.commit), path, target, text, self.folders) == other.path
            ):
                return other
        return None

    def obstacle(self, commit: Commit, path: str, spec: BaselineSpec) -> NoBaseline | None:
        """Why ``find`` answered ``None``, other than that ``commit`` has no such file."""
        parents = [parent.as_posix() for parent in PurePosixPath(path).parents][:-1]
        listing = self.process.run("ls-tree", "-z", "--full-tree", commit.id, "--", path, *parents).split("\0")[:-1]
        for entry in listing:
            mode_type_hash, _, name = entry.partition("\t")
            if mode_type_hash.startswith("160000 "):
                return NoBaseline(
                    spec,
                    Reason.SUBMODULE,
                    f"{shown(path)} is in the submodule {shown(name)}, which is not checked out.",
                    f"git submodule update --init {name}",
                )
            if name == path:
                return git_failed(GitFailure(1, "", f"object {mode_type_hash.split()[-1]} is missing"), spec, self)
        return None


def _holds(file: Path, blob: str) -> bool:
    """Whether ``file`` has the content of ``blob``, be it with other line ends."""
    algorithm = hashlib.sha1 if len(blob) == 40 else hashlib.sha256
    try:
        data = file.read_bytes()
    except OSError:
        return False
    return any(
        algorithm(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == blob
        for content in dict.fromkeys((data, data.replace(b"\r\n", b"\n")))
    )


def _no_repository(failure: GitFailure, folder: Path, spec: BaselineSpec) -> NoBaseline:
    if "dubious ownership" in failure.message:
        match = re.search(r"git config --global --add safe\.directory .+", failure.message)
        mend = match[0] if match else f"git config --global --add safe.directory {folder}"
        return NoBaseline(
            spec,
            Reason.DUBIOUS_OWNERSHIP,
            f"The repository around {shown(folder)} belongs to somebody else, so git refuses it (dubious ownership).",
            mend,
        )
    if "not a git repository" in failure.message:
        return NoBaseline(spec, Reason.NO_REPOSITORY, f"{folder} is not in a git repository.")
    if "bare repository" in failure.message or "must be run in a work tree" in failure.message:
        return NoBaseline(
            spec,
            Reason.BARE_REPOSITORY,
            f"{shown(folder)} is in a git repository without a work tree (a bare repository).",
        )
    return git_failed(failure, spec)


def git_failed(failure: GitFailure, spec: BaselineSpec, repository: Repository | None = None) -> NoBaseline:
    """The answer when git itself failed, or is not there."""
    if failure.status is None:
        return NoBaseline(
            spec,
            Reason.GIT_MISSING,
            "git was not found, and without it there is no baseline: install git and see that it is on the PATH.",
        )
    if repository is not None and repository.partial:
        return NoBaseline(
            spec,
            Reason.UNREADABLE,
            f"This is a partial clone, and what {spec} needs was never fetched (Keepstate does not use the network).",
            "git fetch --refetch --no-filter",
        )
    return NoBaseline(
        spec, Reason.UNREADABLE, f"git cannot read the baseline {spec}: {shown(failure.message)}.", "git fsck"
    )

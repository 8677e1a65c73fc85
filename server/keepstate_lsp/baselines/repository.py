"""One work tree and what Keepstate asks of it."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.baseline import NoBaseline, Reason, inline
from keepstate_lsp.baselines.deployments import Deployment, Deployments
from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure
from keepstate_lsp.baselines.git.index import Index, Listing
from keepstate_lsp.baselines.git.objects import SUBMODULE, ObjectHeader, Objects
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.baselines.git.revisions import Revisions
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.history.file_renames import FileRenames
from keepstate_lsp.baselines.links import BrokenLink, DiskFile, StoredFiles, file_on_disk
from keepstate_lsp.baselines.obstacles import missing_revision, no_merge_base, no_repository, no_tag, passed_over
from keepstate_lsp.baselines.spec import BaselineSpec, SpecKind
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.baselines.work_tree_files import is_same_file

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
        note = "" if path is None else f"there {inline(path)}"
        if self.id.startswith(self.name):
            return f"{self.short} ({note})" if note else self.short
        return f"{self.name} ({', '.join(filter(None, (self.short, note)))})"


class Repository:
    """A work tree of git. All paths that go in and out are relative to its root, with ``/``."""

    def __init__(self, folders: GitFolders, patience: Patience) -> None:
        self.folders = folders
        self.lock = threading.RLock()
        """Held by conversations that must not be mixed with others."""
        self.git = GitProcess(folders.work_tree, folders.git, patience=patience)
        self.objects = Objects(self.git)
        self.revisions = Revisions(self.objects)
        self.deployments = Deployments(self.objects)
        self._index = Index(self.git, folders.git)
        self._stored_files = StoredFiles(self.objects, self.staged, folders.work_tree)
        self._renames = FileRenames(self.objects)
        self._cut = 0

    @classmethod
    def around(
        cls, folder: Path, spec: BaselineSpec, located: GitFolders | None, patience: Patience
    ) -> Repository | NoBaseline:
        """The repository whose work tree holds ``folder``, as git itself sees it, or why there is none. ``located`` is
        where its files seem to be.
        """
        try:
            git, common, work_tree = GitProcess(folder, patience=patience).paths(
                3, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"
            )
        except GitFailure as failure:
            return no_repository(failure, folder, spec, located)
        # The common folder is relative to where git was asked, unless it is absolute.
        folders = GitFolders(Path(work_tree), Path(git), Path(os.path.normpath(folder / common)))
        if located is not None and not is_same_file(located.git, folders.git):
            return passed_over(located, folders.work_tree, spec)
        return cls(folders, patience)

    @property
    def shallow(self) -> bool:
        """Return whether the history was cut off when it was cloned."""
        return (self.folders.common / "shallow").exists()

    @property
    def partial(self) -> bool:
        """Return whether objects may be missing because they were filtered out when it was cloned."""
        return any((self.folders.common / "objects" / "pack").glob("*.promisor"))

    def close(self) -> None:
        self.objects.close()

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

    def commit(self, spec: BaselineSpec, target: Target = WORK_TREE) -> Commit | NoBaseline:
        """The commit that ``spec`` (not a file) names now. A merge base and a reachable tag are those of ``target``, if
        that is a commit, and of HEAD for what is about to be committed on top of it.

        Raises:
            GitFailure: git cannot say.
        """
        self._forget_where_history_ended()
        tip = target if isinstance(target, str) else "HEAD"
        if spec.kind is SpecKind.REVISION:
            return self._revision(spec, spec.value)
        if spec.kind is SpecKind.MERGE_BASE:
            return self._merge_base(spec, tip)
        return self._newest_tag(spec, tip)

    def _forget_where_history_ended(self) -> None:
        # A git process reads the shallow boundary once, and would not see commits that were fetched since.
        try:
            boundary = (self.folders.common / "shallow").stat().st_mtime_ns
        except OSError:
            boundary = 0
        if boundary != self._cut:
            self._cut = boundary
            self.objects.close()

    def _revision(self, spec: BaselineSpec, name: str) -> Commit | NoBaseline:
        commit_id = self.revisions.commit(name)
        if commit_id is not None:
            return Commit(commit_id, "HEAD" if name == "@" else name)
        if name in ("HEAD", "@"):
            branch = self.revisions.unborn_branch()
            if branch is not None:
                return NoBaseline(
                    spec, Reason.UNBORN_HEAD, f"The repository has no commit yet on its branch {branch}.", "git commit"
                )
        return missing_revision(spec, name, self.remotes(), self.shallow, self.revisions)

    def remotes(self) -> list[str]:
        """The names of the remotes, ``origin`` first."""
        return sorted(self.git.run("remote").split(), key=lambda name: name != "origin")

    def _merge_base(self, spec: BaselineSpec, tip: str) -> Commit | NoBaseline:
        ref = self._revision(spec, spec.value)
        head = self._revision(spec, tip)
        if isinstance(ref, NoBaseline):
            return ref
        if isinstance(head, NoBaseline):
            # An unborn branch beside others has nothing in common with them.
            return no_merge_base(spec, tip, self.shallow) if head.new else head
        commit_id = self.revisions.merge_base(ref.id, head.id)
        if commit_id is not None:
            return Commit(commit_id, f"merge base with {spec.value}")
        return no_merge_base(spec, tip, self.shallow)

    def _newest_tag(self, spec: BaselineSpec, tip: str) -> Commit | NoBaseline:
        head = self._revision(spec, tip)
        if isinstance(head, NoBaseline):
            return no_tag(spec, tip, self.shallow) if head.new and self._has_tags(spec.value) else head
        tags = self.git.run(
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
        return no_tag(spec, tip, self.shallow)

    def _has_tags(self, glob: str) -> bool:
        return bool(self.git.run("for-each-ref", "--count=1", "--format=%(refname)", f"refs/tags/{glob}"))

    def newest_tags(self, count: int) -> list[str]:
        """Tags that HEAD holds, the newest first."""
        head = self.revisions.commit("HEAD")
        if head is None:
            return []
        return self.git.run(
            "for-each-ref",
            f"--merged={head}",
            "--sort=-creatordate",
            f"--count={count}",
            "--format=%(refname:short)",
            "refs/tags",
        ).splitlines()

    def default_branch(self) -> str | None:
        """The remote-tracking branch that a change is meant for, such as ``origin/main``; ``None``: no remote."""
        remotes = self.remotes()
        if not remotes:
            return None
        remote = remotes[0]
        branch = self.revisions.symbolic(f"refs/remotes/{remote}/HEAD")
        if branch is not None:
            return branch
        # A clone made by a CI system has no such symbolic ref.
        names = (name for name in ("main", "master") if self.revisions.commit(f"refs/remotes/{remote}/{name}"))
        return f"{remote}/{next(names, 'main')}"

    # ------------------------------------------------------------------------------------------------- files

    def find(self, target: Target, path: str) -> ObjectHeader | None:
        """The object at ``path`` in a commit or in the index, as ``StoredFiles.find`` answers, links followed."""
        return self._stored_files.find(target, path)

    def staged(self) -> Listing:
        """The index, for what is about to be committed.

        Raises:
            Damaged: it cannot be read, or is missing where there is something to be staged.
            GitFailure: git cannot say.
        """
        if not self._index.exists:
            head = self.revisions.commit("HEAD")
            if head is not None and self.objects.files(head):
                raise DamagedObject("the index is missing")
        return self._index.listing()

    def left_out(self) -> frozenset[str]:
        """Files that need not be in the work tree (of a sparse checkout, or set to ``assume-unchanged``): git uses
        their entries in the index. Raises ``GitFailure`` if git cannot say.
        """
        return self._index.listing().left_out

    def is_left_out(self, path: str) -> bool:
        """Return whether the current text of a file is that of the index, because the file is left out of the work
        tree. Raises ``GitFailure`` if git cannot say.
        """
        is_absent = not os.path.lexists(os.path.join(self.folders.work_tree, path))
        return is_absent and self._index.may_hold(path) and path in self.left_out()

    def files(self, target: Target) -> list[str]:
        """All files of the work tree (those it leaves out, too), of a commit, or of the index.

        Raises:
            GitFailure: git cannot say.
        """
        if target is WORK_TREE:
            present, absent = self._work_tree_files()
            return [*present, *self._left_out_of(absent)]
        unmerged = self.staged().unmerged if target is INDEX else frozenset()
        return [*self.blobs(target), *sorted(unmerged)]

    def blobs(self, target: Target) -> Mapping[str, str]:
        """The hashes of all files of a commit or of the index by path; submodules are no files.

        Raises:
            GitFailure: git cannot say.
        """
        return self._stored_files.blobs(target)

    def links(self, target: Target) -> frozenset[str]:
        """The files of a commit or of the index that are symbolic links."""
        return self._stored_files.links(target)

    def led_to(self, target: Target, path: str) -> str | None:
        """``path`` with its links followed within ``target``; ``None``: out of the work tree.

        Raises:
            BrokenLink: in a commit or in the index, it leads to no file there.
        """
        if target is not WORK_TREE:
            return self._stored_files.led_to(target, path)
        return self.relative(Path(os.path.realpath(self.folders.work_tree / path)))

    def submodules(self, target: Target) -> dict[str, str]:
        """The commits of all submodules by path, in a commit or in the index; for the work tree those in the index.
        Raises ``GitFailure`` if git cannot say.
        """
        entries = self.objects.files(target) if isinstance(target, str) else self.staged().entries
        return {path: entry.id for path, entry in entries.items() if entry.mode == SUBMODULE}

    def is_at(self, folder: Path) -> bool:
        """Return whether ``folder`` is the root of the work tree."""
        return is_same_file(self.folders.work_tree, folder)

    def present(self, accepts: Callable[[str], bool] | None = None) -> list[str]:
        """The files of the work tree that ``accepts`` takes, tracked, or neither tracked nor ignored."""
        return self._work_tree_files(accepts)[0]

    def within(self) -> list[str]:
        """The folders of the work tree that are other repositories, neither submodules nor ignored."""
        return [path.rstrip("/") for path in self._listing() if path.endswith("/")]

    def _listing(self) -> list[str]:
        """The paths that are tracked, or neither tracked nor ignored; those of other repositories end with a slash."""
        listed = self.git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return list(dict.fromkeys(listed.split("\0")[:-1]))

    def _work_tree_files(self, accepts: Callable[[str], bool] | None = None) -> tuple[list[str], list[str]]:
        """The files of the work tree, and the tracked ones that are not there."""
        present: list[str] = []
        absent: list[str] = []
        for path in self._listing():
            if accepts is None or accepts(path):
                (present if self._is_file(path) else absent).append(path)
        return present, absent

    def _left_out_of(self, absent: Collection[str]) -> list[str]:
        """The absent paths that are left out of the work tree, and not deleted."""
        # Asked only where a file is absent: it takes another listing of all files.
        return sorted(self.left_out().intersection(absent)) if absent else []

    def changed_files(self, commit: Commit, target: Target, accepts: Callable[[str], bool]) -> dict[str, str]:
        """Files that ``accepts`` takes and that differ from ``commit``: A added, M modified, D deleted.

        In the work tree untracked files count unless they are ignored, and line ends do not count.
        """
        if target is WORK_TREE:
            return self._changed_in_work_tree(commit, accepts)
        old_blobs, current = self.blobs(commit.id), self.blobs(target)
        unmerged = self.staged().unmerged if target is INDEX else frozenset()
        status_by_path = {}
        for path in sorted({*old_blobs, *current, *unmerged}):
            if not accepts(path):
                continue
            if path in unmerged:
                status_by_path[path] = "M"
            elif path not in current:
                status_by_path[path] = "D"
            elif old_blobs.get(path) != current[path]:
                status_by_path[path] = "M" if path in old_blobs else "A"
        return status_by_path

    def _changed_in_work_tree(self, commit: Commit, accepts: Callable[[str], bool]) -> dict[str, str]:
        # Not by diff-index: it would run the filters that the repository configures over files with a new time stamp.
        old_blobs = {path: blob for path, blob in self.blobs(commit.id).items() if accepts(path)}
        self._index.verify()
        listed, absent = self._work_tree_files(accepts)
        present = frozenset(listed)
        left_out = {path: self._index.listing().entries[path].id for path in self._left_out_of(absent)}
        status_by_path = {}
        for path in sorted({*old_blobs, *present, *left_out}):
            if path in left_out:
                if old_blobs.get(path) != left_out[path]:
                    status_by_path[path] = "M" if path in old_blobs else "A"
            elif path not in present:
                # Here but ignored, and in the commit all the same: it was not deleted.
                if not self.on_disk(path).holds(old_blobs[path]):
                    status_by_path[path] = "M" if self._is_file(path) else "D"
            elif path not in old_blobs:
                status_by_path[path] = "A"
            elif not self.on_disk(path).holds(old_blobs[path]):
                status_by_path[path] = "M"
        return status_by_path

    def _is_file(self, path: str) -> bool:
        return os.path.isfile(os.path.join(self.folders.work_tree, path))

    def on_disk(self, path: str) -> DiskFile:
        """The file at ``path`` of the work tree."""
        return file_on_disk(self.folders.work_tree, path)

    def followed(self, commit: Commit, path: str, target: Target, text: str) -> str | None:
        """The path at ``commit`` of a file that was renamed since, or ``None``."""
        return self._renames.source(commit.id, path, target, text, self.folders, self._is_gone)

    def _is_gone(self, path: str) -> bool:
        return not self.exists(path, WORK_TREE)

    def deployment(
        self, environment: str, path: str, target: Target, text: str, name: str | None = None
    ) -> Deployment | None:
        """The deployment of a job: under its name or its path, or under its path at the time of the mark.

        Raises:
            DeploymentError: the record cannot be read.
        """
        records = () if name is None else self.deployed(environment).values()
        namesakes = (each for each in records if each.name == name)
        latest = max(namesakes, key=lambda each: each.marked_at, default=None) or self._recorded(environment, path)
        if latest is not None:
            return latest
        recorded: dict[str, Deployment] = {}
        for other in self.stale_deployments(environment, target):
            if other.commit is None or self.revisions.commit(other.commit) is None:
                recorded[other.blob] = other
            elif (
                # A file that existed beside the job is not its former name.
                self.find(other.commit, path) is None
                and self._renames.source(other.commit, path, target, text, self.folders, self._is_gone) == other.path
            ):
                return other
        # Of a commit that is not here, or never was one, the text is recorded.
        likest = self._renames.likest(path, text, recorded)
        return None if likest is None else recorded[likest]

    def stale_deployments(self, environment: str, target: Target) -> list[Deployment]:
        """The deployments of files that do not exist any more, under that name at least.

        Raises:
            DeploymentError: a record cannot be read.
        """
        return [one for one in self.deployed(environment).values() if not self.exists(one.file, target)]

    def deployed(self, environment: str) -> Mapping[str, Deployment]:
        """All deployments in an environment, by path.

        Raises:
            DeploymentError: a record cannot be read.
        """
        return self.deployments.all(environment)

    def is_recorded(self, environment: str, path: str) -> bool:
        return self._recorded(environment, path) is not None

    def _recorded(self, environment: str, path: str) -> Deployment | None:
        return self.deployments.find(environment, path)

    def exists(self, path: str, target: Target) -> bool:
        """Return whether ``path`` exists in the current version."""
        if target is WORK_TREE:
            return os.path.lexists(os.path.join(self.folders.work_tree, path)) or path in self.left_out()
        try:
            return self.find(target, path) is not None
        except BrokenLink:
            return True

    def obstacle(self, commit: Commit, path: str, spec: BaselineSpec) -> NoBaseline | None:
        """The reason why ``find`` answered ``None``, other than that ``commit`` has no such file.

        Raises:
            GitFailure: git cannot say.
        """
        name = self.objects.submodule_around(commit.id, path)
        if name is None:
            return None
        return NoBaseline(
            spec,
            Reason.SUBMODULE,
            f"{inline(path)} is in the submodule {inline(name)}, which is not checked out.",
            f"git submodule update --init {name}",
        )

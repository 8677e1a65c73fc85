"""One work tree and what Keepstate asks of it."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from keepstate_lsp.baselines.baseline import NoBaseline, Reason, shown
from keepstate_lsp.baselines.deployments import Deployment, Deployments
from keepstate_lsp.baselines.files import regular_content
from keepstate_lsp.baselines.hashes import holds
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.obstacles import git_failed, missing_revision, no_merge_base, no_repository, no_tag
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
        self._cut = 0

    @classmethod
    def around(cls, folder: Path, spec: BaselineSpec) -> Repository | NoBaseline:
        """The repository whose work tree holds ``folder``, as git itself sees it, or why there is none."""
        process = GitProcess(folder)
        try:
            output = process.run("rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
        except GitFailure as failure:
            return no_repository(failure, folder, spec)
        git, common, work_tree = output.removesuffix("\n").split("\n", 2)
        # The common folder is relative to where git was asked, unless it is absolute.
        return cls(GitFolders(Path(work_tree), Path(git), Path(os.path.normpath(folder / common))))

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
        # A git process reads where a shallow clone was cut off once, and would not see what was fetched since.
        try:
            cut = (self.folders.common / "shallow").stat().st_mtime_ns
        except OSError:
            cut = 0
        if cut != self._cut:
            self._cut = cut
            self.process.close()

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
        return missing_revision(spec, name, self.remotes(), self.shallow)

    def remotes(self) -> list[str]:
        """The names of the repositories that this one was told of, ``origin`` first."""
        return sorted(self.process.run("remote").split(), key=lambda name: name != "origin")

    def _unborn_branch(self) -> str | None:
        try:
            return self.process.run("symbolic-ref", "--quiet", "--short", "HEAD").strip()
        except GitFailure:
            return None

    def _merge_base(self, spec: BaselineSpec, tip: str) -> Commit | NoBaseline:
        ref = self._revision(spec, spec.value)
        head = self._revision(spec, tip)
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
        return no_merge_base(spec, tip, self.shallow)

    def _newest_tag(self, spec: BaselineSpec, tip: str) -> Commit | NoBaseline:
        head = self._revision(spec, tip)
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
        return no_tag(spec, tip, self.shallow)

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
        remotes = self.remotes()
        if not remotes:
            return None
        remote = remotes[0]
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

    def blobs(self, target: Target) -> Mapping[str, str]:
        """The hashes of all files of a commit or of the index by path; submodules are no files."""
        if target is INDEX:
            listing, column = self.process.run("ls-files", "--stage", "-z"), 1
        else:
            listing, column = self.process.run("ls-tree", "-r", "-z", "--full-tree", str(target)), 2
        entries = (entry.partition("\t") for entry in listing.split("\0")[:-1])
        return {
            path: attributes.split(" ")[column]
            for attributes, _, path in entries
            if not attributes.startswith("160000 ")
        }

    def present(self, wanted: Callable[[str], bool] | None = None) -> list[str]:
        """The ``wanted`` files of the work tree that are tracked, or neither tracked nor ignored."""
        listed = self.process.run("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]
        return [path for path in dict.fromkeys(listed) if (wanted is None or wanted(path)) and self._is_file(path)]

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
        stored = {path: blob for path, blob in self.blobs(commit.id).items() if wanted(path)}
        present = frozenset(self.present(wanted))
        changed = {}
        for path in sorted({*stored, *present}):
            if path not in present:
                # Here but ignored, and in the commit all the same: it was not deleted.
                if not self._holds(path, stored[path]):
                    changed[path] = "M" if self._is_file(path) else "D"
            elif path not in stored:
                changed[path] = "A"
            elif not self._holds(path, stored[path]):
                changed[path] = "M"
        return changed

    def _is_file(self, path: str) -> bool:
        return os.path.isfile(os.path.join(self.folders.work_tree, path))

    def _holds(self, path: str, blob: str) -> bool:
        """Whether a file of the work tree has the content of ``blob``, be it with other line ends."""
        data = regular_content(os.path.join(self.folders.work_tree, path))
        return data is not None and holds(data, blob)

    def followed(self, commit: Commit, path: str, target: Target, text: str) -> str | None:
        """The path at ``commit`` of a file that was renamed since, or ``None``."""
        return self._renames.source(commit.id, path, target, text, self.folders)

    def deployment(self, environment: str, path: str, target: Target, text: str) -> Deployment | None:
        """What is deployed of a file, under its path or under the one that it had when it was marked.

        Raises:
            DeploymentError: the record cannot be read.
        """
        found = self._recorded(environment, path)
        if found is not None:
            return found
        recorded: dict[str, Deployment] = {}
        for other in self.gone(environment, target):
            if other.commit is None or self.process.find(f"{other.commit}^{{commit}}") is None:
                recorded[other.blob] = other
            elif (
                # What stood beside it is not what it became.
                self.find(other.commit, path) is None
                and self._renames.source(other.commit, path, target, text, self.folders) == other.path
            ):
                return other
        # Of a commit that is not here, or never was one, the text is recorded.
        likest = self._renames.likest(text, recorded)
        return None if likest is None else recorded[likest]

    def gone(self, environment: str, target: Target) -> list[Deployment]:
        """What is deployed of files that are not there any more, under that name at least.

        Raises:
            DeploymentError: a record cannot be read.
        """
        return [one for one in self.deployed(environment).values() if not self._exists(one.path, target)]

    def deployed(self, environment: str) -> Mapping[str, Deployment]:
        """All that is deployed in an environment, by path.

        Raises:
            DeploymentError: a record cannot be read.
        """
        return self.deployments.all(environment)

    def _recorded(self, environment: str, path: str) -> Deployment | None:
        return self.deployments.find(environment, path)

    def _exists(self, path: str, target: Target) -> bool:
        if target is WORK_TREE:
            return os.path.lexists(os.path.join(self.folders.work_tree, path))
        return self.find(target, path) is not None

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

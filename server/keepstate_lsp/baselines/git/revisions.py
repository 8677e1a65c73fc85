"""The commits that revisions stand for.

That there is no such revision, or no commit yet, is only said when nothing of that name exists. A ref that is broken,
or that names what cannot be read, is damage: it is never taken for one that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from keepstate_lsp.baselines.git.failures import Ambiguous, DamagedObject, GitFailure
from keepstate_lsp.baselines.git.objects import FULL_HASH, Objects
from keepstate_lsp.near_names import near_names

_PLACES = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
"""Prefixes under which git looks for a ref by a short name."""
_SHARED = ("refs/tags/", "refs/heads/", "refs/remotes/")
"""Prefixes that share short names: of a name of several commits git takes the first in silence."""
_RENAMED = (("master", "main"), ("main", "master"))
"""Names of the default branch: a repository has one, and habits have the other."""
_MOST_REFS = 5000
"""Refs among which a similar name is looked for; comparing names takes microseconds for each."""
_ANCESTORS = re.compile(r"(?:~\d*|\^)+")
_NO_REVISION = re.compile("is ambiguous|but the object dereferences to")
"""Messages of git about names that stand for no single commit, though nothing is damaged."""
_REFTABLE = "refs/heads/.invalid"
"""Content of HEAD in a repository whose refs are kept in the reftable format."""


class Revisions:
    """Answers from one repository."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._git = objects.git

    def commit(self, name: str) -> str | None:
        """The hash of the commit that ``name`` (``HEAD``, ``v1``, ``main~2``) stands for; ``None``: the repository has
        no such revision.

        Raises:
            Damaged: it has one that cannot be read, or names no commit.
            Ambiguous: a tag and a branch of this name are two commits.
            GitFailure: git cannot say.
        """
        commit_id = self._objects.commit(name)
        if commit_id is None:
            self._unless_there(name)
            return None
        self._unless_ambiguous(name)
        self._verify_tags(name)
        return commit_id

    def near(self, name: str) -> list[str]:
        """Revisions that resemble ``name``, which does not exist: branches, remote branches and tags, with the rest of
        ``name``, such as ``~2``. Of a branch of a known remote, only other branches of this remote.

        Raises:
            GitFailure: git cannot say.
        """
        base = _base(name)
        if not base or FULL_HASH.fullmatch(base.lower()) or name.startswith("-"):
            return []
        refs = self._short_names()
        remote = base.partition("/")[0]
        if "/" in base and remote in self._git.run("remote").split():
            refs = [ref for ref in refs if ref.startswith(f"{remote}/")]
        renamed = [f"{base[: -len(old)]}{new}" for old, new in _RENAMED if base == old or base.endswith(f"/{old}")]
        near = [ref for ref in renamed if ref in refs]
        near = near or [ref for ref in refs if ref.endswith(f"/{base}")][:1]
        return [f"{ref}{name[len(base) :]}" for ref in near or _near_refs(base, [*refs, "HEAD"])]

    def base_of(self, name: str) -> tuple[str, int | None] | None:
        """The revision that ``name`` begins at, where that exists, as ``HEAD`` of ``HEAD~5``, with the number of its
        commits along first parents if ``name`` counts ancestors.

        Raises:
            GitFailure: git cannot say.
        """
        base = _base(name)
        if base in ("", name) or base.startswith("-") or self._objects.header(f"{base}^{{commit}}") is None:
            return None
        if _ANCESTORS.fullmatch(name[len(base) :]) is None:
            return base, None
        return base, int(self._git.run("rev-list", "--count", "--first-parent", base, "--"))

    def fetches_all(self, remote: str) -> bool:
        """Return whether a plain fetch brings all branches of a remote, and not only the one that was cloned."""
        try:
            return "refs/heads/*" in self._git.run("config", "--get-all", f"remote.{remote}.fetch")
        except GitFailure as failure:
            if type(failure) is not GitFailure:
                raise
            return False

    def _short_names(self) -> list[str]:
        """The short names of branches, remote branches and tags."""
        try:
            refs = self._git.run("for-each-ref", f"--count={_MOST_REFS}", "--format=%(refname)", *_SHARED).splitlines()
        except GitFailure as failure:
            if type(failure) is not GitFailure:
                raise
            # A broken ref is no reason against the sentence that the names are for.
            return []
        return [ref.split("/", 2)[2] for ref in refs if not ref.endswith("/HEAD")]

    def unborn_branch(self) -> str | None:
        """The branch that HEAD names, if that branch has no commit yet; else ``None``.

        Raises:
            Damaged: the branch has one that cannot be read, or had one and lost it.
            GitFailure: git cannot say.
        """
        ref = self._ref_of_head()
        return None if ref is None or self.commit("HEAD") is not None else ref.removeprefix("refs/heads/")

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Return whether one commit, given by its hash, is an ancestor of another one, or the same.

        Raises:
            GitFailure: git cannot say.
        """
        try:
            self._git.run("merge-base", "--is-ancestor", commit, of)
        except GitFailure as failure:
            if _is_no(failure):
                return False
            raise
        return True

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, if there is one.

        Raises:
            GitFailure: git cannot say.
        """
        try:
            commits = self._git.run("merge-base", one, other).split()
        except GitFailure as failure:
            if _is_no(failure):
                return None
            raise
        self._objects.tree_of(commits[0])
        return commits[0]

    def symbolic(self, ref: str) -> str | None:
        """The short name of the target of a symbolic ref; ``None`` for any other ref."""
        try:
            return self._git.run("symbolic-ref", "--quiet", "--short", ref).strip()
        except GitFailure as failure:
            if type(failure) is not GitFailure:
                raise
            return None

    def _unless_ambiguous(self, name: str) -> None:
        """Raises ``Ambiguous`` if several refs with this short name lead to different commits."""
        base = _base(name)
        if base in ("", "HEAD") or base.startswith("refs/") or FULL_HASH.fullmatch(base.lower()):
            return
        refs = [(f"{place}{base}", self._objects.header(f"{place}{base}^{{commit}}")) for place in _SHARED]
        commits = {ref: commit_id.id for ref, commit_id in refs if commit_id is not None}
        if len(set(commits.values())) > 1:
            several = " and ".join(f"{ref} ({commit[:7]})" for ref, commit in commits.items())
            raise Ambiguous(f"{base} stands for {several}: name one of them in full")

    def _verify_tags(self, name: str) -> None:
        """Read the tags between a name and its commit."""
        tag = self._objects.resolve(name)
        while tag is not None and tag[0].type == "tag":
            target = tag[1].split(b"\n", 1)[0].decode("ascii", "replace")
            tag = self._objects.resolve(target.removeprefix("object "))

    def _unless_there(self, name: str) -> None:
        """Raises ``DamagedObject`` if there is a revision of this name, for which git found no commit."""
        if name.startswith("-"):
            return
        try:
            identity = self._git.run("rev-parse", "--verify", name).strip()
        except GitFailure as failure:
            if type(failure) is not GitFailure or failure.status <= 0:
                raise
            if "error:" in failure.message and not _NO_REVISION.search(failure.message):
                raise DamagedObject(f"the revision {name!r} cannot be read ({failure.message})") from failure
            self._unless_broken(name)
            return
        git_object = self._objects.header(identity)
        if git_object is None and FULL_HASH.fullmatch(name.lower()):
            # A hash stands for itself, whether there is such an object or not.
            return
        if git_object is None:
            raise DamagedObject(f"the commit {identity}, which {name} names, is missing")
        if git_object.type in ("commit", "tag"):
            # Reading it says what is wrong with it.
            self._objects.data(git_object)
            raise DamagedObject(
                f"the {git_object.type} {identity}, which {name} names, leads to no commit that can be read"
            )
        raise DamagedObject(f"{name} names {identity}, which is a {git_object.type} and no commit")

    def _unless_broken(self, name: str) -> None:
        """Raises ``DamagedObject`` if there is a ref of this name whose content is no hash.

        git takes such a ref for none at all where it is asked for by name, and mentions it where it lists.
        """
        base = _base(name)
        head = self._ref_of_head() if base in ("HEAD", "") else None
        refs = [head] if head is not None else [f"{place}{base}" for place in _PLACES if base]
        refs = [ref for ref in refs if ref.startswith("refs/")]
        if not refs:
            return
        ref_names: list[str] = []
        try:
            ref_names = self._git.run("for-each-ref", "--format=%(refname)", *refs).splitlines()
        except GitFailure as failure:
            if "ignoring broken ref" not in failure.message:
                raise
            broken = next((ref for ref in refs if _mentions(failure.message, ref)), None)
            if broken is not None:
                raise DamagedObject(f"the ref {broken}, which {name} names, is broken") from failure
        if head is not None and head not in ref_names:
            self._unless_lost(head)

    def _unless_lost(self, ref: str) -> None:
        """Raises ``DamagedObject`` if a ref that does not exist has a log: git removes both together. ``ref`` is where
        HEAD leads to in the end; it may name another one, which leads on.
        """
        target = ""
        with suppress(FileNotFoundError):
            target = self._path("HEAD").read_text("utf-8", "surrogateescape").removeprefix("ref:").strip()
        for name in dict.fromkeys((ref, target)):
            size = 0
            if name.startswith("refs/"):
                with suppress(FileNotFoundError, NotADirectoryError):
                    size = self._path(f"logs/{name}").stat().st_size
            if size > 0:
                raise DamagedObject(
                    f"the ref {name}, which HEAD names, is gone, though its log says that it had commits"
                )

    def _path(self, name: str) -> Path:
        """A file of the repository that belongs to this work tree."""
        return self._git.folder / self._git.run("rev-parse", "--git-path", name).removesuffix("\n")

    def _ref_of_head(self) -> str | None:
        """The ref that HEAD names; ``None``: HEAD names a commit itself.

        Raises:
            Damaged: HEAD names a ref that is broken.
        """
        try:
            ref = self._git.run("symbolic-ref", "HEAD").strip()
        except GitFailure as failure:
            if "not a symbolic ref" in failure.message:
                return None
            if "No such ref" in failure.message:
                raise DamagedObject("the ref that HEAD names is broken") from failure
            raise
        if ref == _REFTABLE:
            raise DamagedObject("its refs are kept in the reftable format, which this git does not read")
        return ref


def _base(name: str) -> str:
    """The name of the ref in a revision such as ``main~2``."""
    return re.split(r"[~^@:\s]", name, maxsplit=1)[0]


def _near_refs(wrong: str, refs: Sequence[str]) -> list[str]:
    """The ref that resembles ``wrong`` most. Of refs in one folder, such as ``origin/``, only the rest is compared: a
    long common beginning would make all of them alike.
    """
    folder = wrong
    while folder := folder[:-1].rpartition("/")[0]:
        folder += "/"
        inside = [ref[len(folder) :] for ref in refs if ref.startswith(folder)]
        if inside:
            return [f"{folder}{ref}" for ref in near_names(wrong[len(folder) :], inside)]
    return near_names(wrong, refs)


def _is_no(failure: GitFailure) -> bool:
    """Return whether the failure is git's answer "no", rather than an error."""
    return type(failure) is GitFailure and failure.status == 1 and "error:" not in failure.message


def _mentions(message: str, ref: str) -> bool:
    return re.search(rf"ignoring broken ref {re.escape(ref)}(?![^;\s])", message) is not None

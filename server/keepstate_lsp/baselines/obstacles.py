"""Reasons for a missing baseline, in words, with the command that helps: objects that a clone lacks, refusals of git.

Clones that were made for one build hold little: one commit, one branch. Each command fetches everything that was
missing, so that a stopped build needs this command only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from keepstate_lsp.baselines.baseline import NoBaseline, Reason, inline
from keepstate_lsp.baselines.git.failures import Ambiguous, GitFailure, GitMissing, GitStalled, GitStrange
from keepstate_lsp.baselines.git.patience import VARIABLE
from keepstate_lsp.baselines.git.revisions import Revisions
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.links import BrokenLink
from keepstate_lsp.baselines.spec import BaselineSpec
from keepstate_lsp.near_names import did_you_mean, near_names

_ANCESTOR = re.compile(r"(?:HEAD|@)(?:~(\d*)|(\^+))")
_MISSING = re.compile(r"missing|unable to read|[Cc]ould not read|could not fetch|promisor|not a tree|bad object")
_FORMS = {"merge-base": "REF", "tag": "GLOB", "file": "PATH", "plan": "PATH"}
"""The kinds of baselines, each with what stands behind its colon."""
_LIKELY = 0.75
_CUT_OFF = "which is shallow: its history was cut off."


def missing_revision(
    spec: BaselineSpec, name: str, remotes: Sequence[str], shallow: bool, revisions: Revisions
) -> NoBaseline:
    """The clone does not hold the revision ``name``. A fetch is advised only where it may help.

    Raises:
        GitFailure: git cannot say what there is instead.
    """
    remote, branch = _remote_branch(name, remotes)
    fetched = f"{remote} {branch}:refs/remotes/{remote}/{branch}"
    if shallow:
        deeper = f"git fetch --unshallow {fetched}" if branch else _deepening(name)
        return NoBaseline(spec, Reason.SHALLOW_CLONE, f"The revision {name!r} is not in this clone, {_CUT_OFF}", deeper)
    sentence = f"The repository has no revision {name!r}."
    if not branch or revisions.fetches_all(remote):
        if base := revisions.base_of(name):
            start, commits = base
            size = "" if commits is None else f" {start} has {commits:,} commit{'' if commits == 1 else 's'}."
            return NoBaseline(spec, Reason.MISSING_REVISION, f"{sentence}{size}")
        near = revisions.near(name) or near_names(name, ["deployed"], likeness=_LIKELY)
        if suggestion := did_you_mean(near) or _kind(name):
            return NoBaseline(spec, Reason.MISSING_REVISION, f"There is no revision {inline(name)}.{suggestion}")
    mend = f"git fetch {fetched}" if branch else "git fetch --all --tags" if remotes else None
    return NoBaseline(spec, Reason.MISSING_REVISION, sentence, mend)


def _kind(name: str) -> str:
    """The sentence about a kind of baseline that stands for a revision, with a blank before it."""
    return f" The kind of baseline is written {name}:{_FORMS[name]}." if name in _FORMS else ""


def _remote_branch(name: str, remotes: Sequence[str]) -> tuple[str, str]:
    """The remote and the branch of a name; without branch if it is none of a remote."""
    remote, _, branch = name.removeprefix("refs/remotes/").partition("/")
    return (remote, branch) if remote in remotes else ("", "")


def no_merge_base(spec: BaselineSpec, tip: str, shallow: bool) -> NoBaseline:
    """``tip`` and the ref of ``spec`` are both there, and no commit that both of them hold."""
    subject = f"{_short(tip)} and {spec.value!r} have no"
    if shallow:
        sentence = f"{subject} common commit in this clone, {_CUT_OFF}"
        return NoBaseline(spec, Reason.SHALLOW_CLONE, sentence, "git fetch --unshallow")
    return NoBaseline(spec, Reason.NO_MERGE_BASE, f"{subject} commit in common.")


def no_tag(spec: BaselineSpec, tip: str, shallow: bool) -> NoBaseline:
    """No tag of the kind that ``spec`` means is reachable from ``tip``."""
    subject = f"No tag that matches {spec.value!r} is reachable"
    if shallow:
        sentence = f"{subject} in this clone, {_CUT_OFF}"
        return NoBaseline(spec, Reason.SHALLOW_CLONE, sentence, "git fetch --unshallow --tags")
    return NoBaseline(spec, Reason.NO_TAG, f"{subject} from {_short(tip)}.", "git fetch --tags")


def _deepening(name: str) -> str:
    ancestor = _ANCESTOR.fullmatch(name)
    if ancestor is None:
        return "git fetch --unshallow --tags"
    generations = len(ancestor[2]) if ancestor[2] else int(ancestor[1] or 1)
    return f"git fetch --deepen={generations}"


def _short(tip: str) -> str:
    return tip if tip == "HEAD" else tip[:7]


def no_repository(
    failure: GitFailure, folder: Path, spec: BaselineSpec, located: GitFolders | None = None
) -> NoBaseline:
    """There is no repository with a work tree around ``folder``, or git does not want to look into it. ``located`` is
    where one seems to be.

    >>> from keepstate_lsp.baselines.spec import HEAD
    >>> no_repository(GitFailure("fatal: not a git repository"), Path("jobs"), HEAD).sentence
    'jobs is not in a git repository.'
    """
    if isinstance(failure, GitStrange):
        return git_failed(failure, spec)
    if "dubious ownership" in failure.message:
        match = re.search(r"git config --global --add safe\.directory .+", failure.message)
        mend = match[0] if match else f"git config --global --add safe.directory {folder}"
        return NoBaseline(
            spec,
            Reason.DUBIOUS_OWNERSHIP,
            f"The repository around {inline(folder)} belongs to another user, so git refuses it (dubious ownership).",
            mend,
        )
    if "not a git repository" in failure.message:
        if located is not None:
            return _no_repository_there(located, spec)
        return NoBaseline(spec, Reason.NO_REPOSITORY, f"{folder} is not in a git repository.")
    if "bare repository" in failure.message or "must be run in a work tree" in failure.message:
        return NoBaseline(
            spec,
            Reason.BARE_REPOSITORY,
            f"{inline(folder)} is in a git repository without a work tree (a bare repository).",
            "git worktree add ../work-tree",
        )
    if "extension" in failure.message:
        return NoBaseline(
            spec,
            Reason.UNREADABLE,
            f"The repository around {inline(folder)} is of a format that this git does not know: "
            f"{inline(failure.message)}.",
            "install a newer git",
        )
    return git_failed(failure, spec)


def passed_over(located: GitFolders, other: Path, spec: BaselineSpec) -> NoBaseline:
    """git takes the repository in ``other``, since the one that files belong to is none that it can read. What is new
    there need not be new.
    """
    return NoBaseline(
        spec,
        Reason.UNREADABLE,
        f"{inline(located.work_tree / '.git')} is no repository that git can read, and the one in {inline(other)} is "
        "not that of these files.",
        "git fsck",
    )


def _no_repository_there(located: GitFolders, spec: BaselineSpec) -> NoBaseline:
    entry = located.work_tree / ".git"
    if entry.is_file() and not located.git.exists():
        return NoBaseline(
            spec,
            Reason.UNREADABLE,
            f"{inline(entry)} points to {inline(located.git)}, which does not exist.",
            "git worktree repair",
        )
    return NoBaseline(spec, Reason.UNREADABLE, f"{inline(entry)} is no repository that git can read.", "git fsck")


def git_failed(failure: GitFailure, spec: BaselineSpec, *, partial: bool = False) -> NoBaseline:
    """The answer when git itself failed, or is not installed. ``partial``: the clone may lack objects.

    >>> git_failed(GitFailure("bad object"), BaselineSpec.parse("HEAD~3")).reason
    <Reason.UNREADABLE: 'unreadable'>
    """
    if isinstance(failure, GitMissing):
        return NoBaseline(spec, Reason.GIT_MISSING, failure.sentence)
    if isinstance(failure, GitStalled):
        sentence = f"{inline(failure.message)} ({VARIABLE} sets how long it may take)."
        return NoBaseline(spec, Reason.GIT_STALLED, sentence)
    if isinstance(failure, GitStrange):
        sentence = f"git cannot be asked: {inline(failure.message)}."
        return NoBaseline(spec, Reason.UNREADABLE, sentence, "see that the first git on the PATH is git")
    if isinstance(failure, Ambiguous):
        return NoBaseline(spec, Reason.MISSING_REVISION, f"{inline(failure.message)}.")
    if isinstance(failure, BrokenLink):
        return NoBaseline(spec, Reason.BROKEN_LINK, f"{failure.message}.")
    if partial and _MISSING.search(failure.message):
        return NoBaseline(
            spec,
            Reason.UNREADABLE,
            f"This is a partial clone, and what {spec} needs was never fetched (Keepstate does not use the network).",
            "git fetch --refetch --no-filter",
        )
    return NoBaseline(
        spec, Reason.UNREADABLE, f"git cannot read the baseline {spec}: {inline(failure.message)}.", "git fsck"
    )

"""Runs that compare a commit with itself: nothing differs, and a gate would be green for what it never saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from keepstate_lsp.baselines import BaselineSpec
from keepstate_lsp.cli.ci.pushes import BEFORE
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.run.run_files import JobFile
from keepstate_lsp.cli.run.run_settings import RunSettings

_LIKE_ITSELF = (FileStatus.UNCHANGED, FileStatus.NEW)
_WHAT_ELSE = (
    "Name another one with --against (what is deployed, a tag, HEAD~1 where each push is one commit), or set "
    f"{BEFORE} to the commit before the push."
)
_NEW_BRANCH = (
    "The branch is new with this push, so nothing was there to compare with; the next push has this one. If jobs run "
    "already, name what runs with --against (deployed, a tag)."
)


def compared_with_itself(
    pairs: Sequence[tuple[JobFile, FileResult]], run_settings: RunSettings
) -> Iterator[RunProblem | Notice]:
    """The baselines of ``pairs`` that are the commit of this build, as far as nothing differs from them; without any
    file, the one of the working directory. A person who names one commit twice gets a notice.
    """
    groups: dict[BaselineSpec, list[tuple[Path, FileResult]]] = {}
    for job, comparison in pairs:
        groups.setdefault(run_settings.spec(job.folder, job.path), []).append((job.folder, comparison))
    if not groups:
        groups[run_settings.spec(Path.cwd())] = []
    what_else = _NEW_BRANCH if run_settings.is_new_branch else _WHAT_ELSE
    for spec, entries in groups.items():
        folder = entries[0][0] if entries else Path.cwd()
        differs = any(one.status not in _LIKE_ITSELF for _, one in entries)
        same = None if differs else run_settings.same_commit(folder, spec)
        if same is not None:
            sentence = f"The baseline {spec} and the current version are one commit, {same}: nothing was compared."
            yield RunProblem(None, f"{sentence} {what_else}") if run_settings.is_build else Notice(None, sentence)
        elif not differs and run_settings.is_comparison_with_itself(folder, spec):
            yield RunProblem(None, f"The baseline {spec} is the commit of this build itself. {what_else}")
        new_since = run_settings.new_since(folder)
        touched = any(one.new_findings is not None and one.new_findings.touches_file for _, one in entries)
        if new_since is not None and not touched and run_settings.is_comparison_with_itself(folder, new_since):
            sentence = f"What the change adds cannot be told: {new_since} is the commit of this build itself."
            yield RunProblem(None, f"{sentence} {what_else}")

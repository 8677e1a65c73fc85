"""Builds that compare a commit with itself: nothing differs, and a gate would be green for what it never saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from keepstate_lsp.baselines import BaselineSpec
from keepstate_lsp.cli.ci.pushes import BEFORE
from keepstate_lsp.cli.result.file_comparison import FileComparison, FileStatus, RunProblem
from keepstate_lsp.cli.run.job_files import JobFile
from keepstate_lsp.cli.run.run_settings import Conditions

_LIKE_ITSELF = (FileStatus.UNCHANGED, FileStatus.NEW)
_WHAT_ELSE = (
    "Name another one with --against (what is deployed, a tag, HEAD~1 where each push is one commit), or set "
    f"{BEFORE} to the commit before the push."
)


def compared_with_itself(
    found: Sequence[tuple[JobFile, FileComparison]], conditions: Conditions
) -> Iterator[RunProblem]:
    """The baselines of ``found`` that are the commit of this build, as far as nothing differs from them; without any
    file, the one of the working directory.
    """
    groups: dict[BaselineSpec, list[tuple[Path, FileComparison]]] = {}
    for job, comparison in found:
        groups.setdefault(conditions.spec(job.folder, job.path), []).append((job.folder, comparison))
    if not groups:
        groups[conditions.spec(Path.cwd())] = []
    for spec, entries in groups.items():
        folder = entries[0][0] if entries else Path.cwd()
        differs = any(one.status not in _LIKE_ITSELF for _, one in entries)
        if not differs and conditions.is_comparison_with_itself(folder, spec):
            yield RunProblem(None, f"The baseline {spec} is the commit of this build itself. {_WHAT_ELSE}")
        blame = conditions.blame(folder)
        touched = any(one.blame is not None and one.blame.changed for _, one in entries)
        if blame is not None and not touched and conditions.is_comparison_with_itself(folder, blame):
            sentence = f"What the change adds cannot be told: {blame} is the commit of this build itself."
            yield RunProblem(None, f"{sentence} {_WHAT_ELSE}")

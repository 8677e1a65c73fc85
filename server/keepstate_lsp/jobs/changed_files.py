"""The files of a job on both sides of a commit, and which of them the commit touched."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate_lsp.baselines.git.log import FileState
from keepstate_lsp.jobs.past.past_projects import PastJob


@dataclass(frozen=True)
class ChangedFile:
    """A file of a job in one commit. A blob is ``None`` on a side where the file is no part of the job."""

    path: str
    blob: str | None
    former_blob: str | None
    role: str
    """``script``, ``context``, ``assumed``, or ``ambiguous``: it declares a name that others declare differently."""

    @property
    def touched(self) -> bool:
        return self.blob != self.former_blob


def own_file(before: FileState | None, after: FileState | None) -> ChangedFile:
    """The file of a job of one file in a commit, which has it on one side at least."""
    existing = after or before
    assert existing is not None
    blob, former = (None if state is None else state.blob for state in (after, before))
    return ChangedFile(existing.path, blob, former, "script")


def files_between(was: PastJob, now: PastJob) -> tuple[ChangedFile, ...]:
    """The files of a job on either side of a commit, those that it has now first."""
    former, blobs = _blobs(was), _blobs(now)
    if was.file.path in former and was.file.path not in blobs and now.file.path not in former:
        former[now.file.path] = former.pop(was.file.path)
    return tuple(
        ChangedFile(path, blobs[path][0] if path in blobs else None, former[path][0] if path in former else None, role)
        for path, (_, role) in {**blobs, **{path: each for path, each in former.items() if path not in blobs}}.items()
    )


def _blobs(job: PastJob) -> dict[str, tuple[str, str]]:
    """The blob and the role of each file."""
    if job.parts is None:
        return {job.file.path: (job.file.blob, "script")}
    return {part.path: (part.blob, part.role) for part in job.parts.files}

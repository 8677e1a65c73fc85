"""The versions of a job that a request is about, composed of their files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from keepstate.hosts.requests import BadRequest, HostRequest, RequestedVersion
from keepstate.job_version import JobVersion, job_unit
from keepstate.project.composed_analysis import ComposedAnalysis, ComposedVersion
from keepstate.project.composed_text import ComposedLines, FileRole
from keepstate.project.composition import ComposedJob, agreed
from keepstate.project.files_with_roles import composed_of
from keepstate.project.memory import ProjectMemory
from keepstate.project.source_files import SourceFile
from keepstate.text import LineIndex, Position, Span
from keepstate.workspace import Workspace


@dataclass(frozen=True)
class LocatedVersion:
    """One version, with places in its files."""

    job: ComposedJob
    version: JobVersion

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the files."""
        return LineIndex(self.job.text) if self.job.is_plain else ComposedLines(self.job.composed)

    @property
    def name(self) -> str:
        """The path of the job."""
        return self.job.path

    def file_of(self, span: Span) -> str:
        """The path of the file of a place."""
        place = self.job.composed.place(span)
        return self.job.path if place is None else place.path

    def offset(self, path: str, position: Position) -> int | None:
        """The offset of a position in a file; ``None`` for a part of a file that the job does not read."""
        text = next((file.text for file, _ in self.job.composed.files if file.path == path), None)
        return None if text is None else self.job.composed.offset(path, LineIndex(text).offset(position))


class VersionComposer:
    """Makes the versions of requests, with a memory of the files that were read and of what was compared."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self._files = ProjectMemory()

    def one(self, request: HostRequest) -> LocatedVersion:
        """The current version alone."""
        return self._composed(request, request.current, self._job(request.current))

    def two(self, request: HostRequest) -> tuple[LocatedVersion, LocatedVersion]:
        """The current version and its baseline.

        Raises:
            BadRequest: the request has no baseline.
        """
        now, was = agreed(self._job(request.current), self._job(request.against))
        return self._composed(request, request.current, now), self._composed(request, request.against, was)

    def analysis(self, request: HostRequest, current: LocatedVersion, baseline: LocatedVersion) -> ComposedAnalysis:
        """The analysis of both."""
        now, was = (ComposedVersion(one.job, one.version) for one in (current, baseline))
        return ComposedAnalysis(now, was, request.engine, self.workspace)

    def _job(self, side: RequestedVersion) -> ComposedJob:
        self._files.keep_recent(_MOST_FILES)
        script = [(SourceFile(path, side.files[path]), FileRole.SCRIPT) for path in side.job]
        context = [
            (SourceFile(path, text), FileRole.CONTEXT) for path, text in side.files.items() if path not in side.job
        ]
        return composed_of([*script, *context], self._files)

    def _composed(self, request: HostRequest, side: RequestedVersion, job: ComposedJob) -> LocatedVersion:
        unit = job_unit(request.engine, side.jobs)
        return LocatedVersion(job, JobVersion(job.text, side.parameters, side.engine_version, unit))


_MOST_FILES = 64


def known_index(request: HostRequest, count: int) -> int:
    """The index of the finding that a question is about, of ``count``.

    Raises:
        BadRequest: there is no such finding.
    """
    if request.finding is None or request.finding >= count:
        raise BadRequest(f'"finding" is {request.finding}, and the report has {count}.')
    return request.finding

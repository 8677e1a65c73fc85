"""Results of one analysis that the next one reuses, held by their owner."""

from __future__ import annotations

from collections.abc import Hashable

from keepstate.analysis import RestartAnalysis
from keepstate.comparison import Comparison
from keepstate.job_version import JobVersion
from keepstate.plan.job import Job
from keepstate.syntax.memo import Memo, recent
from keepstate.syntax.script import Script, parse_script
from keepstate.validated_job import ValidatedJob

_JOBS = 8
"""Number of jobs that are kept: versions of the baseline, of the current text, and of its former state."""
_ANALYSES = 4
_LEFT_OVER = 256
"""Statements of texts that are gone that may gather before they are let go of."""


class Workspace:
    """The memory of an open document, or of a run: pass it to every call about the same job.

    An analysis is made once per current version, baseline version and engine, and a version that differs little from
    one before costs little. The owner lets go of all of it by letting go of the workspace. Not for several threads.
    With ``below``, the statements of that memo are not read again.

    >>> from keepstate.job_version import JobVersion
    >>> workspace = Workspace()
    >>> workspace.job(JobVersion("SELECT 1")) is workspace.job(JobVersion("SELECT 1"))
    True
    """

    def __init__(self, below: Memo | None = None) -> None:
        self._memo = Memo(below)
        self._jobs: dict[tuple[str, Hashable], Job] = {}
        self._validated: dict[Hashable, ValidatedJob] = {}
        self._analyses: dict[Hashable, RestartAnalysis] = {}

    def script(self, text: str) -> Script:
        """The parsed text."""
        script = next((job.script for job in self._jobs.values() if job.script.text == text), None)
        return script if script is not None else parse_script(text, self._memo)

    def job(self, version: JobVersion) -> Job:
        """The job that a version is."""
        job = recent(self._jobs, (version.text, version.surroundings), _JOBS, lambda: self._job_of(version))
        scripts = [job.script for job in self._jobs.values()]
        if self._memo.size > 2 * sum(len(script.statements) for script in scripts) + _LEFT_OVER:
            self._memo.keep(statement.parsed for script in scripts for statement in script.statements)
        return job

    def validated(self, version: JobVersion, engine: str) -> ValidatedJob:
        """The job that a version is, with the statements that the engine refuses."""
        job = self.job(version)
        return recent(self._validated, (version.key, engine), _JOBS, lambda: ValidatedJob.of(version, job, engine))

    def analysis(self, current: JobVersion, baseline: JobVersion, engine: str) -> RestartAnalysis:
        """The analysis of two versions for an engine.

        Raises:
            KeyError: there is no profile for ``engine``.
        """

        def made() -> RestartAnalysis:
            was, now = self.validated(baseline, engine), self.validated(current, engine)
            former = next(reversed(self._analyses.values()), None)
            same = None if former is None else former.comparison.moved_to(now, was)
            return RestartAnalysis(same or Comparison.of(now, was))

        return recent(self._analyses, (current.key, baseline.key, engine), _ANALYSES, made)

    def _job_of(self, version: JobVersion) -> Job:
        """The job, made of a former one if a text between its statements is all that differs, one query, or one
        declaration that no reader feels.
        """
        script = parse_script(version.text, self._memo)
        former_jobs = [
            former for (_, surroundings), former in self._jobs.items() if surroundings == version.surroundings
        ]
        for patched in (Job.moved_to, Job.after_query_edit, Job.after_silent_edit):
            for former in reversed(former_jobs):
                if (job := patched(former, script)) is not None:
                    return job
        return Job.of(script, version.parameters, version.engine_version, version.jobs)

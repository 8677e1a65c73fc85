"""Results of one analysis that the next one reuses, held by their owner."""

from __future__ import annotations

from collections.abc import Hashable
from operator import itemgetter

from keepstate.analysis import RestartAnalysis
from keepstate.comparison import Comparison
from keepstate.job_version import JobVersion, job_of
from keepstate.plan.job import Job
from keepstate.syntax.memo import Memo, recent
from keepstate.syntax.script import Script, parse_script
from keepstate.validated_job import ComparedJobs, ValidatedJob

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
        self._analyses: dict[tuple[Hashable, Hashable, str], RestartAnalysis] = {}

    def script(self, text: str) -> Script:
        """The parsed text."""
        script = next((job.script for job in self._jobs.values() if job.script.text == text), None)
        return script if script is not None else parse_script(text, self._memo)

    def job(self, version: JobVersion) -> Job:
        """The job that a version is."""
        job = recent(self._jobs, version.key, _JOBS, lambda: self._job_of(version))
        scripts = [job.script for job in self._jobs.values()]
        # The scripts are versions of one text, which have nearly all statements in common.
        if self._memo.size > 2 * max(len(script.statements) for script in scripts) + _LEFT_OVER:
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
            like = self._former_comparison(baseline, engine)
            if like is None:
                return RestartAnalysis(Comparison.of(now, was))
            is_near = like.current_version.surroundings == current.surroundings
            jobs = ComparedJobs.of(now, was, (like.current,) if is_near else ())
            return RestartAnalysis(like.moved_to(now, was, jobs) or Comparison.of(now, was, like, jobs))

        return recent(self._analyses, (current.key, baseline.key, engine), _ANALYSES, made)

    def _former_comparison(self, baseline: JobVersion, engine: str) -> Comparison | None:
        """The last comparison, with the same baseline if there is one: jobs of several files have two."""
        last = list(reversed(self._analyses.items()))
        alike = [analysis for (_, was, own), analysis in last if own == engine and was == baseline.key]
        analyses = (*alike, *map(itemgetter(1), last))
        return analyses[0].comparison if analyses else None

    def _job_of(self, version: JobVersion) -> Job:
        """The job, made of a former one if it hardly differs."""
        former = [
            job for (_, surroundings), job in reversed(self._jobs.items()) if surroundings == version.surroundings
        ]
        return job_of(version, self._memo, former)

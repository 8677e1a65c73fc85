"""Texts of jobs with their configuration, as the analyzer takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keepstate_lsp.config.file import JobConfig

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate.project.composed_analysis import ComposedVersion
    from keepstate.project.composition import ComposedJob


def job_version(text: str, config: JobConfig, engine: str) -> JobVersion:
    """The version of a job that an engine runs under ``config``.

    >>> job_version("SELECT 1", JobConfig(), "flink").text
    'SELECT 1'
    """
    import keepstate

    unit = keepstate.job_unit(engine, config.jobs)
    return keepstate.JobVersion(text, config.parameters, config.engine_version, unit, config.functions)


def composed_version(job: ComposedJob, config: JobConfig, engine: str) -> ComposedVersion:
    """The same of a job that may have several files.

    >>> from keepstate.project.composition import ComposedJob
    >>> from keepstate_lsp.config.file import EMPTY_CONFIG
    >>> composed_version(ComposedJob.plain("SELECT a FROM t"), EMPTY_CONFIG, "flink").version.text
    'SELECT a FROM t'
    """
    from keepstate.project.composed_analysis import ComposedVersion

    return ComposedVersion(job, job_version(job.text, config, engine))

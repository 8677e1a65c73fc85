"""Jobs that a command names by one file, composed of their other files, today and at a baseline."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.target import WORK_TREE
from keepstate_lsp.cli.errors import CommandError, UsageError
from keepstate_lsp.cli.result.sides import JobText
from keepstate_lsp.cli.run.former_jobs import FormerJobs
from keepstate_lsp.cli.run.run_files import JobFile
from keepstate_lsp.cli.run.run_projects import RunProjects
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.source_text import is_stream, source_path, source_text
from keepstate_lsp.config.composition_entries import Composition
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_config import JobConfigReader
from keepstate_lsp.jobs.projects import CompositionError


class NamedJobs:
    """The jobs of one command. A stream is a job of one text. ``reader`` is a steady one."""

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader) -> None:
        self._settings = RunSettings(argparse.Namespace(**{"against": None, **vars(arguments)}), reader)
        self._configs = JobConfigReader(reader, arguments.config, steady=True)
        self._projects = RunProjects(reader, self._settings)
        self._formers = FormerJobs(reader, self._settings, self._projects)

    def current(self, name: str) -> JobText:
        """The job in a file of the work tree, or the one that the file is a part of; a job with a script by its name.

        Raises:
            CommandError: the file has no text, or the job cannot be composed.
        """
        path = source_path(name)
        if is_stream(name):
            return JobText(name, source_text(name), self._configs.current(path))
        job = self._job(name, path)
        config = self._configs.current(job.path, several=job.several)
        return self._from_work_tree(name if job.path == path else str(job.path), job, config)

    def with_text(self, name: str, text: str) -> JobText:
        """The job in a file of the work tree with this text; that of a stream is all that there is of it.

        Raises:
            CommandError: it cannot be composed.
        """
        path = source_path(name)
        config = self._configs.current(path)
        if is_stream(name):
            return JobText(name, text, config)
        return self._composed(name, JobFile(path, True), text, config)

    def other(self, name: str, current: JobText) -> JobText:
        """Another file of the work tree, to be compared with ``current``."""
        if is_stream(name):
            return JobText(name, source_text(name), current.config)
        path = source_path(name)
        config = self._configs.of_other_file(path, current.config)
        return self._from_work_tree(name, JobFile(path, True), replace(config, composition=_without_script(config)))

    def baseline(self, current: JobText) -> JobText | NoBaseline:
        """The job of ``current`` at the baseline that the command line or the configuration names.

        Raises:
            CommandError: the job cannot be composed there.
        """
        path = source_path(current.name)
        several = current.config.composition
        job = JobFile(path, True, several=several) if several.script else JobFile(path, True)
        spec = self.spec(current)
        baseline = self._formers.read(job, spec, WORK_TREE, None)
        if isinstance(baseline, NoBaseline):
            return baseline
        config = self._configs.baseline(path, baseline, current.config)
        try:
            sides = self._projects.compose(job, current.own, WORK_TREE, baseline, current.config, config)
        except (CompositionError, GitFailure) as error:
            raise CommandError(f"{current.name} in {_words(baseline)} cannot be composed: {error}") from error
        return JobText(baseline.words, sides.baseline.text, config, None if sides.baseline.is_plain else sides.baseline)

    def spec(self, current: JobText) -> BaselineSpec:
        """The baseline of ``current`` that the command line or the configuration names."""
        path = source_path(current.name)
        return self._settings.spec(path.parent, path)

    def _from_work_tree(self, name: str, job: JobFile, config: JobConfig) -> JobText:
        return self._composed(name, job, source_text(str(job.path)), config)

    def _composed(self, name: str, job: JobFile, text: str, config: JobConfig) -> JobText:
        try:
            composed = self._projects.composed_now(job, text, config)
        except (CompositionError, GitFailure) as error:
            raise CommandError(f"{name} cannot be composed: {error}") from error
        return JobText(name, composed.text, config, None if composed.is_plain else composed, text)

    def _job(self, name: str, path: Path) -> JobFile:
        if not path.exists():
            full_path = self._last_file_of(name)
            if full_path is not None:
                path = full_path
        jobs = self._projects.with_scripts([JobFile(path, True)])
        own = [job for job in jobs if job.path == path]
        if len(own or jobs) > 1:
            names = ", ".join(job.several.name or job.display_path for job in jobs)
            raise UsageError(f"{name} is a part of several jobs: {names}. Name one of them.")
        return (own or jobs)[0]

    def _last_file_of(self, name: str) -> Path | None:
        """The last file of the job with a script that has this name."""
        configuration = self._settings.configuration(Path.cwd())
        for several in () if configuration is None else configuration.scripts:
            if configuration is not None and several.name == name:
                return self._projects.last_of(configuration, several)
        return None


def _without_script(config: JobConfig) -> Composition:
    return replace(config.composition, script=(), name=None)


def _words(baseline: Baseline) -> str:
    return inline(baseline.words)

"""The former selves of jobs of several files, by the configuration of their baselines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from keepstate.reporting.file_status import GONE
from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason, SpecKind
from keepstate_lsp.baselines.baseline import UNKNOWN_JOB, KnownJob, inline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.baselines.work_tree_files import is_same_file
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.result.new_findings import BaselineOrigin, BranchPoint, NewFindings
from keepstate_lsp.cli.run.run_files import JobFile
from keepstate_lsp.cli.run.run_projects import RunProjects
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.config.file import EMPTY_CONFIG, ConfigurationError, JobConfig
from keepstate_lsp.jobs.former_scripts import former_last, with_pointer_of
from keepstate_lsp.jobs.projects import CompositionError


class FormerJobs:
    """The baselines of the jobs of one run. ``reader`` is a steady one."""

    def __init__(self, reader: BaselineReader, settings: RunSettings, projects: RunProjects) -> None:
        self._reader = reader
        self._settings = settings
        self._projects = projects
        self.problems: list[RunProblem] = []
        """Reasons why what a change began with is unknown."""

    def read(self, job: JobFile, spec: BaselineSpec, target: Target, current: str | None) -> Baseline | NoBaseline:
        """The baseline of the last file of a job. ``current`` is its text in ``target``."""
        if spec.kind is SpecKind.FILE and target is WORK_TREE and is_same_file(job.path, Path(spec.value)):
            sentence = f"{inline(spec.text.partition(':')[2])} is the file that it would be compared with."
            return NoBaseline(spec, Reason.ITSELF, sentence)
        try:
            known_baseline = self._known_job(job, spec)
        except GitFailure as failure:
            return git_failed(failure, spec)
        return self._reader.read(job.path, spec, target=target, current=current, known_job=known_baseline)

    def start(
        self, job: JobFile, new_since: BaselineSpec, target: Target, text: str, current: JobConfig
    ) -> BranchPoint:
        """The job at the start of the change, of its files there. ``current`` is its configuration today."""
        baseline = self.read(job, new_since, target, text)
        if isinstance(baseline, Baseline):
            try:
                config = self._settings.config_before(job.path, target, baseline, job.several)
                composed = self._projects.composed_then(job, text, baseline, config, current)
                return BranchPoint(BaselineOrigin.of(baseline), composed.text, config)
            except (ConfigurationError, CompositionError) as error:
                return BranchPoint(BaselineOrigin.of(baseline), None, EMPTY_CONFIG, str(error))
            except GitFailure as failure:
                return BranchPoint(
                    BaselineOrigin.of(baseline), None, EMPTY_CONFIG, git_failed(failure, new_since).sentence
                )
        origin = BaselineOrigin(new_since.text, new_since.text)
        if baseline.new:
            return BranchPoint(origin, None, EMPTY_CONFIG)
        self._add(baseline)
        return BranchPoint(origin, None, EMPTY_CONFIG, baseline.sentence)

    def require_starts(self, folders: Iterable[Path]) -> None:
        """Add a problem if the commit with which the change to these folders began is not there, even if no file needs
        it.
        """
        for folder in folders:
            self._require_start(folder)

    def _require_start(self, folder: Path) -> None:
        spec = self._settings.new_since(folder)
        if spec is None or spec.kind is SpecKind.DEPLOYED:
            return
        repository = self._reader.repository(folder, spec)
        if isinstance(repository, NoBaseline):
            return
        try:
            target = self._settings.target(repository)
            commit = target if isinstance(target, NoBaseline) else repository.commit(spec, target)
        except GitFailure as failure:
            commit = git_failed(failure, spec)
        if isinstance(commit, NoBaseline) and not commit.new:
            self._add(commit)

    def _add(self, obstacle: NoBaseline) -> None:
        problem = RunProblem(None, f"What the change adds cannot be told: {obstacle.sentence}", obstacle.mend)
        if problem not in self.problems:
            self.problems.append(problem)

    def _known_job(self, job: JobFile, spec: BaselineSpec) -> KnownJob:
        configuration = self._settings.configuration(job.folder) if job.several.script else None
        if configuration is None or spec.kind.is_on_disk:
            return UNKNOWN_JOB
        repository, target = self._projects.place_of(job)
        if repository is None or target is None or spec.kind is SpecKind.DEPLOYED:
            path = None if repository is None or job.pointer is None else repository.relative(job.path)
            return KnownJob(job.several.name, entry=None if path is None else with_pointer_of(job.several, path))
        commit = repository.commit(spec, target)
        if isinstance(commit, NoBaseline):
            return KnownJob(job.several.name)
        names = self._projects.project(repository, commit.id).names
        return KnownJob(job.several.name, former_last(job.several, configuration, names))


def without_rename_sources(entries: list[tuple[JobFile, FileResult]]) -> list[FileResult]:
    """All comparisons but those of deleted files that live on under another name."""
    followed = {
        origin.path
        for _, comparison in entries
        if comparison.status is not FileStatus.DELETED
        for origin in (
            comparison.origin,
            comparison.new_findings.origin if comparison.new_findings is not None else None,
        )
        if origin is not None
    }
    return [
        comparison
        for _, comparison in entries
        if comparison.status is not FileStatus.DELETED
        or comparison.origin is None
        or comparison.origin.path not in followed
    ]


def unmarked(spec: BaselineSpec) -> str:
    """A note on a baseline that stands in for a record that there is not."""
    return f", as it is not recorded as deployed in {spec.value}"


def deleted(job: JobFile, settings: JobSettings, origin: BaselineOrigin, former: BranchPoint | None) -> FileResult:
    """The result of a deleted file; ``former`` is what the change began with."""
    new_findings = None
    if former is not None:
        new_findings = NewFindings(former.origin, touches_file=former.text is not None, doubt=former.doubt)
    return FileResult(job.display_path, FileStatus.DELETED, settings, origin, GONE, new_findings=new_findings)

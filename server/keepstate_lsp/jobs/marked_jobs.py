"""Jobs to be recorded as deployed: the job that a file stands for, and the files that it is composed of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.deployments import DeployedFile, DeploymentError
from keepstate_lsp.baselines.git.log import FileState
from keepstate_lsp.baselines.target import WORK_TREE
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import EMPTY_CONFIG, Configuration, JobConfig
from keepstate_lsp.jobs.job_parts import JobParts, parts_of
from keepstate_lsp.jobs.named_files import folder_of
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.past.past_projects import PastProjects
from keepstate_lsp.jobs.past.touched_jobs import script_jobs
from keepstate_lsp.jobs.projects import Project


@dataclass(frozen=True)
class MarkedJob:
    """A job by the path of its file, with the pointer to its value if it has one; ``several`` is its table if it has
    several files, of which this is the last.
    """

    path: str
    several: Composition = NO_COMPOSITION


class JobsAtCommit:
    """The jobs of one commit, given by its hash."""

    def __init__(self, projects: PastProjects, configs: PastJobConfigs, commit: str) -> None:
        self._projects = projects
        self._configs = configs
        self._commit = commit
        self._snapshot = projects.snapshot(commit)

    def jobs_with(self, path: str) -> list[MarkedJob]:
        """The jobs that a file is a part of, or the one that it is."""
        scripts = script_jobs(self._snapshot, self._configs, self._commit)
        jobs = [
            MarkedJob(each.entries[-1], each.composition) for each in scripts if path in (*each.paths, *each.entries)
        ]
        return jobs or [MarkedJob(path)]

    def composed(self, job: MarkedJob, blob: str) -> tuple[JobConfig, tuple[DeployedFile, ...]]:
        """The configuration and the files of a job whose own file has the text ``blob``.

        Raises:
            CompositionError: a file of the job cannot be read.
            UnreadablePart: its own file cannot be read.
        """
        path = file_of(job.path)
        config = self._configs.at(path, self._commit, several=job.several)
        return config, _files(path, blob, self._projects.job(self._snapshot, FileState(path, blob), config).parts)


class JobsHere:
    """The jobs of a work tree. ``blob_of`` stores the text of a path, and answers with its blob."""

    def __init__(self, root: Path, text_of: Callable[[str], str], blob_of: Callable[[str], str]) -> None:
        from keepstate.project.memory import ProjectMemory

        self._root = root
        self._text_of = text_of
        self._blob_of = blob_of
        with BaselineReader(steady=True) as reader:
            repository = reader.repository(root, HEAD)
            if isinstance(repository, NoBaseline):
                raise DeploymentError(repository.sentence, repository.mend)
            self._project = Project.of(reader, repository, WORK_TREE, ProjectMemory())
            # Read while there is a reader: a sparse checkout left files to the index.
            for path in self._project.paths:
                self._project.text(path)

    def jobs_with(self, path: str) -> list[MarkedJob]:
        """The jobs that a file is a part of, or the one that it is."""
        configuration = Configuration.around((self._root / path).parent)
        jobs = []
        for several in () if configuration is None else configuration.scripts:
            paths = self._project.script_paths(several, folder_of(JobConfig(source=configuration), self._root))
            if path in (*paths, *map(file_of, paths)):
                jobs.append(MarkedJob(paths[-1], several))
        return jobs or [MarkedJob(path)]

    def all(self) -> list[tuple[MarkedJob, str]]:
        """The jobs of the work tree that run a query, each with the SQL of its last file. A context is none of them."""
        job_paths = (path for path in self._project.paths if self._project.is_job(path))
        pointers = (path for path in self._project.names.pointers if self._project.is_job(file_of(path)))
        jobs = dict.fromkeys(job for path in (*job_paths, *pointers) for job in self.jobs_with(path))
        return [(job, self._project.text(job.path) or "") for job in jobs]

    def composed(
        self, job: MarkedJob, blob: str, text: str | None = None
    ) -> tuple[JobConfig, tuple[DeployedFile, ...]]:
        """The configuration and the files of a job whose own file has the text ``blob``: the one of the work tree, or
        ``text``, which is a whole script where the job has several files.

        Raises:
            CompositionError: a file of the job cannot be read.
        """
        own = file_of(job.path)
        configuration = Configuration.around((self._root / own).parent)
        config = EMPTY_CONFIG
        if configuration is not None:
            config = configuration.job_config(self._root / own, job.several)
        if text is not None and job.several.script:
            return config, _files(own, blob, None)
        folder = folder_of(config, self._root)
        text = self._text_of(own) if text is None else text
        composed = self._project.compose(own, text, config.composition, folder)
        paths = {file.file_path for file, _ in composed.composed.files}
        paths |= {each.file.file_path for each in composed.doubtful}
        blobs = {path: blob if path == own else self._blob_of(path) for path in sorted(paths)}
        context = self._project.names.context_paths(config.composition, folder)
        return config, _files(own, blob, parts_of(composed, blobs, context))


def _files(path: str, blob: str, parts: JobParts | None) -> tuple[DeployedFile, ...]:
    """The files to record; a job without others is its own file."""
    if parts is None:
        return (DeployedFile(path, blob, "script"),)
    return tuple(DeployedFile(part.path, part.blob, part.reading) for part in parts.files)

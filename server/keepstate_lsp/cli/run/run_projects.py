"""The projects of a run: which jobs a changed declaration reaches, and what each job is composed of on both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of, is_host
from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline, SpecKind
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import RunProblem
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.run.omitted_files import left_out_values, matches_nothing, runs_plainly
from keepstate_lsp.cli.run.run_files import ComposedSides, JobFile, NewValueError, root_of, with_same_line_ends
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import Configuration, ConfigurationError, JobConfig
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.jobs.declaration_readers import changed_names, changed_sessions
from keepstate_lsp.jobs.named_files import folder_of, tells_jobs
from keepstate_lsp.jobs.projects import (
    MOST_FILES,
    CompositionError,
    Project,
    Readers,
    ValueMissingError,
    sql_source,
    with_composition_of,
)

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate.project.file_declarations import FileDeclarations
    from keepstate.project.memory import ProjectMemory

_WITHOUT_COMMIT = (SpecKind.FILE, SpecKind.PLAN, SpecKind.DEPLOYED)
_NO_READERS = Readers(frozenset(), frozenset())


class RunProjects:
    """The projects of one run. ``reader`` is a steady one, so a project is read once. ``edited`` are texts that take
    the place of those of files on disk.
    """

    def __init__(self, reader: BaselineReader, settings: RunSettings, edited: Mapping[Path, str] | None = None) -> None:
        self._reader = reader
        self._edited = edited or {}
        self._settings = settings
        self.memory: ProjectMemory | None = None
        """The files that were read; ``None`` before the first one."""
        self._projects: dict[tuple[Path, Target], Project] = {}
        self._changed: dict[tuple[Path, Target, str], tuple[str, ...]] = {}
        self._readers: dict[tuple[Path, Target, str], Readers] = {}
        self._anew: dict[tuple[Path, Target, str], bool] = {}

    def with_scripts(self, files: Iterable[JobFile]) -> list[JobFile]:
        """The files with the jobs of several files in the place of their parts."""
        jobs: dict[tuple[Path, Composition], JobFile] = {}
        for job in files:
            scripts = self._scripts_with(job)
            if not scripts and is_host(job.path.name) and not job.is_named:
                # Its configuration is not that of the work tree.
                continue
            for own in scripts or (job,):
                jobs[own.path, own.several] = own
        return list(jobs.values())

    def _scripts_with(self, job: JobFile) -> list[JobFile]:
        """The jobs with a script that a file is a part of."""
        configuration = self._settings.configuration(job.folder)
        if configuration is None or not configuration.scripts:
            return []
        repository = self._repository(job.folder)
        if repository is None or not configuration.folder.is_relative_to(repository.folders.work_tree):
            return []
        target = self._settings.target(repository)
        if isinstance(target, NoBaseline):
            return []
        project, former = self.project(repository, target), self._former_project(repository, job, target)
        path, folder = repository.relative(job.path), folder_of(JobConfig(source=configuration), root_of(repository))
        scripts = []
        for several in configuration.scripts:
            paths = project.script_paths(several, folder)
            parts = (*paths, *(() if former is None else former.script_paths(several, folder)))
            if paths and path in [file_of(part) for part in parts]:
                last = repository.folders.work_tree / file_of(paths[-1])
                scripts.append(JobFile(last, True, job.may_differ, True, several))
        return scripts

    def _former_project(self, repository: Repository, job: JobFile, target: Target) -> Project | None:
        """The project of the baseline of a file that is gone: it may have been a part of a script."""
        if repository.relative(job.path) in self.project(repository, target).paths:
            return None
        return self._project_of_spec(repository, self._settings.spec(job.folder))

    def readers_of_changes(self, folders: Iterable[Path], named_jobs: Sequence[JobFile] | None = None) -> list[JobFile]:
        """The files around ``folders`` that read a changed declaration: any, or one of ``named_jobs`` and readers."""
        jobs: dict[Path, JobFile] = {job.path: job for job in named_jobs or ()}
        count = len(jobs)
        sizes: dict[tuple[Repository, BaselineSpec], int] = {}
        within: dict[Repository, set[str | None]] = {}
        for folder in folders:
            spec = self._settings.spec(folder)
            repository = self._repository(folder)
            # Most folders are in one repository and have one baseline: then the answer is the same.
            if repository is None or sizes.get((repository, spec)) == len(jobs):
                continue
            sizes[repository, spec] = len(jobs)
            paths = None if named_jobs is None else within.setdefault(repository, set())
            if paths is not None:
                paths.update(map(repository.relative, jobs))
            reader_paths = sorted(self._affected_readers(repository, spec, None, paths).paths)
            # A file without a construct of Flink SQL was a job by a declaration that is gone.
            former = self._project_of_spec(repository, spec) if reader_paths else None
            for path in reader_paths:
                if self._is_job_of(repository, path) or (former is not None and former.is_job(path)):
                    job = JobFile(repository.folders.work_tree / path, True, False, True)
                    jobs.setdefault(job.path, job)
        return list(islice(jobs.values(), count, None))

    def _project_of_spec(self, repository: Repository, spec: BaselineSpec) -> Project | None:
        target = self._settings.target(repository)
        if spec.kind in _WITHOUT_COMMIT or isinstance(target, NoBaseline):
            return None
        commit = repository.commit(spec, target)
        return None if isinstance(commit, NoBaseline) else self.project(repository, commit.id)

    def readers_of(self, job: JobFile) -> list[Path] | None:
        """The jobs that feel the statements of a file; ``None`` for a file that runs a query, or that no job feels."""
        repository, target = self.place_of(job)
        path = None if repository is None else repository.relative(job.path)
        if repository is None or target is None or path is None:
            return None
        project = self.project(repository, target)
        text = project.text(path) if path in project.paths else None
        contents = None if text is None or runs_plainly(text) else project.read(path)
        if contents is None or contents.runs:
            return None
        names = [each.says for each in (*contents.declarations, *contents.catalogs)]
        reader_paths = project.readers(names, {path} if contents.parameters else ()).paths
        jobs = [repository.folders.work_tree / path for path in sorted(reader_paths) if project.is_job(path)]
        return jobs if jobs or contents.declarations else None

    def declared_only(self, job: JobFile, commit: str) -> bool:
        """Return whether a file of a commit declared something and ran nothing."""
        contents = self._read(job, commit)
        return contents is not None and bool(contents.declarations) and not contents.runs

    def _read(self, job: JobFile, commit: str | None = None) -> FileDeclarations | None:
        """A file of a commit, or of the current side; ``None`` for one that is no SQL there."""
        repository, commit_here = self.place_of(job)
        path = None if repository is None else repository.relative(job.path)
        if repository is None or path is None or (target := commit or commit_here) is None:
            return None
        project = self.project(repository, target)
        return project.read(path) if path in project.paths else None

    @property
    def notices(self) -> list[Notice]:
        """Notices about files that were not searched."""
        if not any(project.is_too_large for project in self._projects.values()):
            return []
        sentence = f"There are more than {MOST_FILES:,} SQL files, so declarations are looked for in contexts alone."
        return [Notice(None, sentence, "Name the files with declarations in `context` of keepstate.toml.")]

    def left_out_values(self, folder: Path) -> list[Notice]:
        """Notices about files of another kind that changed, and hold Flink SQL that no configuration names."""
        (repository, target), spec = self._place(folder), self._settings.spec(folder)
        if repository is None or target is None or spec.kind in _WITHOUT_COMMIT:
            return []
        # What git cannot say now it could not say of the jobs either, which have the failure.
        with suppress(GitFailure):
            commit = repository.commit(spec, target)
            if not isinstance(commit, NoBaseline):
                return list(left_out_values(self.project(repository, target), repository, commit, target))
        return []

    def unmatched_entries(self, configuration: Configuration) -> Iterator[RunProblem]:
        """The entries of ``context`` and ``script`` that no file matches: their declarations would be missing."""
        repository, target = self._place(configuration.folder)
        if repository is None or target is None:
            return
        project = self.project(repository, target)
        folder = folder_of(JobConfig(source=configuration), repository.folders.work_tree)
        for composition in (table.composition for table in configuration.jobs):
            for key, globs in (("context", composition.context or ()), ("script", composition.script)):
                for glob in globs:
                    is_schema = key == "context" and project.type_paths(Composition((glob,)), folder)
                    if not is_schema and not project.script_paths(Composition(script=(glob,)), folder):
                        sentence = matches_nothing(key, glob, folder, repository.files(target))
                        yield RunProblem(display_path_of(configuration.path), sentence)

    def is_job(self, job: JobFile, baseline: Baseline | NoBaseline) -> bool:
        """Return whether a file that shows no Flink SQL is a job of its project today, or was one in the baseline."""
        repository = self._repository(job.folder)
        path = None if repository is None else repository.relative(job.path)
        if repository is None or path is None:
            return False
        if self._is_job_of(repository, path):
            return True
        if isinstance(baseline, NoBaseline) or baseline.commit is None:
            return False
        return self.project(repository, baseline.commit).is_job(baseline.path)

    def place_of(self, job: JobFile) -> tuple[Repository | None, Target | None]:
        """The repository of a job, and where its current text is."""
        return self._place(job.folder)

    def _place(self, folder: Path) -> tuple[Repository | None, Target | None]:
        repository = self._repository(folder)
        target = None if repository is None else self._settings.target(repository)
        return repository, None if isinstance(target, NoBaseline) else target

    def only_declares(self, job: JobFile) -> bool:
        """Return whether a file declares what jobs may read, and is no job itself."""
        contents = self._read(job)
        return contents is not None and contents.only_declares

    def _is_job_of(self, repository: Repository, path: str) -> bool:
        target = self._settings.target(repository)
        return not isinstance(target, NoBaseline) and self.project(repository, target).is_job(path)

    def reads_a_change(self, job: JobFile, spec: BaselineSpec, commit: str | None) -> bool:
        """Return whether a job may read a changed declaration of another file. A deployed job has files of its own."""
        repository = self._repository(job.folder)
        if repository is None:
            return False
        if job.several is not NO_COMPOSITION or spec.kind is SpecKind.DEPLOYED:
            return True
        if commit is not None and self._is_composed_anew(repository, commit):
            return True
        paths = self._affected_readers(repository, spec, commit, None).paths
        return bool(paths) and repository.relative(job.path) in paths

    def _is_composed_anew(self, repository: Repository, commit: str) -> bool:
        """Return whether a configuration file differs from that of a commit, so that a job may have other files."""
        target = self._settings.target(repository)
        if isinstance(target, NoBaseline):
            return False
        key = (repository.folders.work_tree, target, commit)
        if key not in self._anew:
            self._anew[key] = bool(repository.changed_files(Commit(commit, commit), target, tells_jobs))
        return self._anew[key]

    def _affected_readers(
        self, repository: Repository, spec: BaselineSpec, commit: str | None, within: Collection[str | None] | None
    ) -> Readers:
        """The files that feel a change of a declaration since a commit, or since that of ``spec``; of the declarations
        ``within`` some files, or of all.
        """
        target = self._settings.target(repository)
        if isinstance(target, NoBaseline) or spec.kind.is_on_disk:
            return _NO_READERS
        if commit is None:
            if spec.kind is SpecKind.DEPLOYED:
                return _NO_READERS
            start = repository.commit(spec, target)
            if isinstance(start, NoBaseline):
                return _NO_READERS
            commit = start.id
        key = (repository.folders.work_tree, target, commit)
        if key not in self._changed:
            other_paths = self.project(repository, target).others
            accepts: Callable[[str], bool] = lambda path: may_be_job(path) or path in other_paths  # noqa: E731
            self._changed[key] = tuple(repository.changed_files(Commit(commit, commit), target, accepts))
        paths = [path for path in self._changed[key] if within is None or path in within]
        if not paths:
            return _NO_READERS
        if within is not None:
            return self._readers_of(repository, target, commit, paths)
        if key not in self._readers:
            self._readers[key] = self._readers_of(repository, target, commit, paths)
        return self._readers[key]

    def _readers_of(self, repository: Repository, target: Target, commit: str, paths: Collection[str]) -> Readers:
        now, was = self.project(repository, target), self.project(repository, commit)
        return now.readers(
            changed_names(now.read_parts, was.read_parts, paths),
            changed_sessions(now.read_parts, was.read_parts, paths),
        )

    def compose(
        self, job: JobFile, text: str | None, target: Target, baseline: Baseline, current: JobConfig, former: JobConfig
    ) -> ComposedSides:
        """The job on both sides, each of the files and by the configuration of its own revision. ``text`` is that of
        the file in ``target``, ``None`` for a file that is gone.

        Raises:
            CompositionError: a part of the job cannot be read, or is not there; ``NewValueError``, if the baseline has
                no such job in its file.
            GitFailure: git cannot say.
        """
        from keepstate.project.composition import ComposedJob

        now = self._composed(job.path, text, target, current)
        repository = self._repository(job.folder)
        if baseline.deployment is not None and repository is not None:
            return self._since_deployed(job, text, now, repository, target, baseline, current)
        if baseline.commit is None or repository is None:
            pointer = "" if job.pointer is None else f"#{job.pointer.partition('#')[2]}"
            was = ComposedJob((sql_source(baseline.path + pointer, with_same_line_ends(baseline.text, text or "")),))
            if now.is_plain:
                return ComposedSides(now, was)
            # Nothing tells what else there was: the declarations of today count for both sides.
            return ComposedSides(now, replace(now, script=(*now.script[:-1], *was.script)), root_of(repository))
        is_without = job.pointer is not None and not former.composition.script
        if is_without:
            # The revision has no such job: the present configuration tells what belonged together.
            former = replace(former, source=current.source, composition=current.composition)
        try:
            was = self.composed_then(job, text, baseline, former, current)
        except ValueMissingError as error:
            if not is_without:
                raise
            raise NewValueError(f"In {baseline.words}, {error}", now.script[-1].text) from error
        except GitFailure:
            if baseline.deployment is None or not now.is_plain or now.ambiguous:
                raise
            # The record has the text of the job, and the job reads no other file.
            was = ComposedJob.plain(with_same_line_ends(baseline.text, text or ""), baseline.path)
        return ComposedSides(now, was, root_of(repository))

    def composed_now(self, job: JobFile, text: str, config: JobConfig) -> ComposedJob:
        """The job in the work tree, where its file has this text.

        Raises:
            CompositionError: a part of the job cannot be read, or is not there.
            GitFailure: git cannot say.
        """
        return self._composed(job.path, text, WORK_TREE, config)

    def last_of(self, configuration: Configuration, several: Composition) -> Path | None:
        """The last file of a job of several files in the work tree."""
        repository = self._repository(configuration.folder)
        if repository is None:
            return None
        root = repository.folders.work_tree
        folder = folder_of(JobConfig(source=configuration), root)
        paths = self.project(repository, WORK_TREE).script_paths(several, folder)
        return root / paths[-1] if paths else None

    def composed_then(
        self, job: JobFile, text: str | None, baseline: Baseline, config: JobConfig, current: JobConfig
    ) -> ComposedJob:
        """The job at the commit of a baseline, by its configuration there; ``current`` is that of today, and ``text``
        the current text.

        Raises:
            CompositionError: a part of the job cannot be read, or is not there.
            GitFailure: git cannot say.
        """
        from keepstate.project.composition import ComposedJob

        repository = self._repository(job.folder)
        if repository is None or baseline.commit is None:
            return ComposedJob.plain(with_same_line_ends(baseline.text, text), baseline.path)
        path = repository.folders.work_tree / baseline.path
        return self._composed(path, baseline.text, baseline.commit, with_composition_of(config, current), like=text)

    def _since_deployed(
        self,
        job: JobFile,
        text: str | None,
        now: ComposedJob,
        repository: Repository,
        target: Target,
        baseline: Baseline,
        current: JobConfig,
    ) -> ComposedSides:
        """The job and its deployed version: of the recorded files, or of the files of the commit that an older record
        names, by the configuration of today.
        """
        deployment, root = baseline.deployment, repository.folders.work_tree
        assert deployment is not None, "the baseline is a deployed version"
        if deployment.files is not None:
            from keepstate_lsp.jobs.deployed import recorded_job, recorded_texts

            texts = recorded_texts(self._reader, repository, deployment.files)
            return ComposedSides(now, recorded_job(texts, text, self._shared_memory), root)
        path = root / baseline.path
        if deployment.commit is not None and repository.revisions.commit(deployment.commit) is not None:
            was = self._composed(path, baseline.text, deployment.commit, current, like=text)
            return ComposedSides(now, was, root)
        was = self._composed(path, baseline.text, target, current, like=text)
        from keepstate_lsp.jobs.deployed import refuse_unrecorded

        refuse_unrecorded(baseline.path, now, was)
        return ComposedSides(now, was, root)

    def pointer_problems(self, configuration: Configuration) -> Iterator[RunProblem]:
        """The pointers of a configuration that name no SQL."""
        repository, target = self._place(configuration.folder)
        if repository is None or target is None:
            return
        folder = folder_of(JobConfig(source=configuration), repository.folders.work_tree)
        project = self.project(repository, target)
        for entry in dict.fromkeys(entry for table in configuration.jobs for entry in table.composition.pointers):
            try:
                project.source(f"{folder}/{entry}" if folder else entry)
            except CompositionError as error:
                yield RunProblem(display_path_of(configuration.path), str(error))

    def _composed(
        self, path: Path, text: str | None, target: Target, config: JobConfig, like: str | None = None
    ) -> ComposedJob:
        from keepstate.project.composition import ComposedJob

        repository = self._repository(path.parent)
        relative = None if repository is None else repository.relative(path)
        if repository is None or relative is None:
            return ComposedJob.plain(with_same_line_ends(text or "", like or text or ""), path.as_posix())
        project = self.project(repository, target)
        folder = folder_of(config, repository.folders.work_tree)
        return project.compose(relative, text, config.composition, folder, like)

    def project(self, repository: Repository, target: Target) -> Project:
        """The project of a revision.

        Raises:
            GitFailure: git cannot list its files.
        """
        key = (repository.folders.work_tree, target)
        if key not in self._projects:
            texts = self._edited.items() if target is WORK_TREE else ()
            buffers = {path: text for file, text in texts if (path := repository.relative(file)) is not None}
            self._projects[key] = Project.of(self._reader, repository, target, self._shared_memory, buffers)
        return self._projects[key]

    @property
    def _shared_memory(self) -> ProjectMemory:
        if self.memory is None:
            from keepstate.project.memory import ProjectMemory

            self.memory = ProjectMemory()
        return self.memory

    def _repository(self, folder: Path) -> Repository | None:
        try:
            repository = self._reader.repository(folder, self._settings.spec(folder))
        except (GitFailure, ConfigurationError):
            return None
        return None if isinstance(repository, NoBaseline) else repository

"""The selection of the files of ``keepstate check``: named, configured, or changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from keepstate_lsp.baselines import BaselineReader, BaselineSpec, NoBaseline, Reason, SpecKind
from keepstate_lsp.baselines.deployments import DeploymentError
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import Target
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import RunProblem
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.run.run_files import ANY_FILE, JobFile, RunFiles
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.config.file import Configuration
from keepstate_lsp.config.job_names import glob_test, is_glob, split_glob
from keepstate_lsp.jobs.listing import has_file
from keepstate_lsp.near_names import did_you_mean, near_names


class Selection:
    """Finds files; ``problems`` has the reasons why some were not found."""

    def __init__(self, paths: Sequence[str], run_settings: RunSettings, reader: BaselineReader) -> None:
        self._paths = paths
        self._run_settings = run_settings
        self._reader = reader
        self._listings: dict[Path, RunFiles] = {}
        self._baselines: dict[str, None] = {}
        self.problems: list[RunProblem] = []

    @property
    def baselines(self) -> tuple[str, ...]:
        """The baselines of the files that were searched in a repository, in words."""
        return tuple(self._baselines)

    @property
    def looked_at(self) -> int:
        """The number of files of these repositories that may be jobs by their name."""
        return sum(len(files.candidates()) for files in self._listings.values())

    @property
    def follows_readers(self) -> bool:
        """Return whether jobs count that read a changed declaration, though they did not change themselves: unless the
        configuration lists the jobs.
        """
        configuration = self._run_settings.configuration(Path.cwd())
        return bool(self._paths) or configuration is None or configuration.files is None

    def files(self) -> list[JobFile]:
        """Each file once, by path."""
        try:
            jobs = {job.path: job for job in self._select()}
        except GitFailure as failure:
            self.problems.append(self._unlisted(failure))
            return []
        return sorted(jobs.values(), key=lambda job: job.path.as_posix())

    @staticmethod
    def _unlisted(failure: GitFailure) -> RunProblem:
        return RunProblem(None, f"git cannot list the files: {failure.message}.", "keepstate doctor")

    def _select(self) -> list[JobFile]:
        if self._paths:
            return [job for path in self._paths for job in self._at(path)]
        cwd = Path.cwd()
        configuration = self._run_settings.configuration(cwd)
        if configuration is None or configuration.files is None:
            return self._changed_jobs(cwd)
        return [job for glob in configuration.files for job in self._declared(configuration, glob)]

    def _declared(self, configuration: Configuration, glob: str) -> list[JobFile]:
        before = len(self.problems)
        jobs = self._matching(configuration.folder / glob, declared=True)
        if not jobs and len(self.problems) == before:
            self.problems.append(self._matches_nothing(configuration, glob, "files"))
        return jobs

    def repositories_within(self) -> list[Notice]:
        """The other repositories inside of those whose files were listed."""
        try:
            return [notice for files in self._listings.values() for notice in files.repositories_within(self._reader)]
        except GitFailure as failure:
            self.problems.append(self._unlisted(failure))
            return []

    def plans_left_out(self) -> list[Notice]:
        """The plans of cutovers in the repositories whose files were listed."""
        notices: list[Notice] = []
        for files in self._listings.values():
            # Files that git cannot list are a problem of the run already.
            with suppress(GitFailure):
                notices += files.plans_left_out()
        return notices

    def unmatched_tables(self, configuration: Configuration) -> Iterator[RunProblem]:
        """The entries of ``[[job]]`` tables that no file matches: their settings would hold for no job."""
        for glob in dict.fromkeys(glob for table in configuration.jobs for glob in table.files):
            path = configuration.folder / glob
            if not is_glob(glob) and os.path.lexists(path):
                continue
            before = len(self.problems)
            files = self._files_of(configuration.folder)
            # Without a repository, the files on the disk are listed.
            del self.problems[before:]
            if files is not None and files.matching(configuration.folder, glob):
                continue
            # A file that git ignores is in no listing, and may be a job that is named in full all the same.
            if not is_glob(glob) or not has_file(configuration.folder, glob_test(glob)):
                yield self._matches_nothing(configuration, glob, "[[job]] files")

    def _matches_nothing(self, configuration: Configuration, glob: str, key: str) -> RunProblem:
        """The problem of an entry that no file matches, with a similar file."""
        before = len(self.problems)
        files = self._files_of(configuration.folder)
        del self.problems[before:]
        candidates = [] if files is None else [_relative(path, configuration.folder) for path in files.candidates()]
        suggestion = did_you_mean(near_names(glob, candidates))
        return RunProblem(display_path_of(configuration.path), f"No file matches {key} = {glob}.{suggestion}")

    def _at(self, text: str) -> list[JobFile]:
        path = Path(os.path.abspath(text))
        before = len(self.problems)
        if path.is_dir() or self._is_left_out(path):
            files = self._files_of(path)
            jobs = [] if files is None else files.in_folder(path)
            self._add_submodules(files, path)
        elif is_glob(text) and not path.exists():
            jobs = self._matching(path)
        else:
            return [JobFile(path, True)]
        if not jobs and len(self.problems) == before:
            self.problems.append(RunProblem(text, "No Flink SQL file is there."))
        return jobs

    def _is_left_out(self, folder: Path) -> bool:
        """Return whether a sparse checkout left a whole folder out of the work tree."""
        if os.path.lexists(folder):
            return False
        repository = self._reader.repository(folder, self._run_settings.spec(folder))
        relative = None if isinstance(repository, NoBaseline) else repository.relative(folder)
        if isinstance(repository, NoBaseline) or relative is None:
            return False
        return any(path.startswith(f"{relative}/") for path in repository.left_out())

    def _matching(self, glob: Path, *, declared: bool = False) -> list[JobFile]:
        if not is_glob(str(glob)):
            return [JobFile(glob, True, declared=declared)]
        folder, pattern = split_glob(glob)
        files = self._files_of(folder)
        self._add_submodules(files, folder, pattern)
        return [] if files is None else files.matching(folder, pattern, declared=declared)

    def _add_submodules(self, files: RunFiles | None, folder: Path, glob: str = ANY_FILE) -> None:
        """Add the submodules with changed files that ``glob`` matches below ``folder``, each once."""
        if files is not None:
            problems = files.changed_submodules(self._reader, folder, glob)
            self.problems += [one for one in problems if one not in self.problems]

    def _changed_jobs(self, folder: Path) -> list[JobFile]:
        files = self._files_of(folder, needs_commit=True)
        if files is None:
            return []
        self.problems += files.changed_submodules(self._reader)
        return files.changed_jobs()

    def _files_of(self, folder: Path, needs_commit: bool = False) -> RunFiles | None:
        """The files of the repository around ``folder``; when git cannot list them, ``problems`` gets the reason."""
        spec = self._run_settings.spec(folder)
        repository = self._reader.repository(folder, spec)
        obstacle: NoBaseline | None = None
        if isinstance(repository, NoBaseline):
            obstacle = repository
        elif repository.folders.work_tree in self._listings:
            return self._listings[repository.folders.work_tree]
        else:
            try:
                target = self._run_settings.target(repository)
                is_named = spec.kind.is_on_disk or spec.kind is SpecKind.DEPLOYED
                commit = None if is_named or isinstance(target, NoBaseline) else repository.commit(spec, target)
                if isinstance(target, NoBaseline):
                    obstacle = target
                elif spec.kind is SpecKind.DEPLOYED:
                    self._baselines[f"what is deployed in {spec.value}"] = None
                    files = self._deployed(repository, spec, self._run_settings.new_since(folder), target)
                    self._listings[repository.folders.work_tree] = files
                    return files
                elif needs_commit and commit is None:
                    raise UsageError(f"The baseline {spec} is that of one file: name the file to compare with it.")
                elif needs_commit and isinstance(commit, NoBaseline):
                    self._baselines[str(spec)] = None
                    if commit.new:
                        # Before the first commit all files are new.
                        files = RunFiles(repository, self._run_settings.has_script_in, None, target)
                        self._listings[repository.folders.work_tree] = files
                        return files
                    obstacle = commit
                else:
                    if isinstance(commit, Commit):
                        self._baselines[commit.words()] = None
                    files = RunFiles(
                        repository,
                        self._run_settings.has_script_in,
                        commit if isinstance(commit, Commit) else None,
                        target,
                    )
                    self._listings[repository.folders.work_tree] = files
                    return files
            except DeploymentError as error:
                obstacle = NoBaseline(spec, Reason.UNREADABLE, str(error))
            except GitFailure as failure:
                obstacle = git_failed(failure, spec, partial=repository.partial)
        self.problems.append(RunProblem(display_path_of(folder), obstacle.sentence, obstacle.mend))
        return None

    def _deployed(
        self, repository: Repository, spec: BaselineSpec, new_since: BaselineSpec | None, target: Target
    ) -> RunFiles:
        """The deployed files, and the files that the change touches if its start is known."""
        deployed = frozenset(each.file for each in repository.deployed(spec.value).values())
        if new_since is None:
            return RunFiles(repository, self._run_settings.has_script_in, None, target, deployed)
        commit = repository.commit(new_since, target)
        if isinstance(commit, Commit):
            return RunFiles(repository, self._run_settings.has_script_in, commit, target, deployed)
        self.problems.append(RunProblem(None, f"What the change adds cannot be told: {commit.sentence}", commit.mend))
        return RunFiles(repository, self._run_settings.has_script_in, None, target, deployed)


def _relative(path: Path, folder: Path) -> str:
    """``path`` as an entry of the configuration in ``folder`` would name it."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)

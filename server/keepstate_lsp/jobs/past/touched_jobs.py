"""The jobs that a commit touched: by their own file, by another file that they are made of, or by a configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import final

from keepstate.embedded.pointers import file_of, is_host
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import FileChange, FileState, LoggedCommit
from keepstate_lsp.baselines.history.file_history import History, PastChange
from keepstate_lsp.baselines.history.lineage import LineageWalk, WalkedCommit
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition, table_of
from keepstate_lsp.config.file import ConfigurationError, JobConfig
from keepstate_lsp.jobs.named_files import folder_of
from keepstate_lsp.jobs.past.commit_files import CommitFiles
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.past.past_projects import PastProjects


@dataclass(frozen=True)
class TouchedJob:
    """A job that a commit may have changed. ``line`` is its name, ``several`` its table if it has several files."""

    line: str
    change: PastChange
    several: Composition = NO_COMPOSITION
    is_indirect: bool = False
    """A file that is not its own was touched, or its composition."""
    former: Composition = NO_COMPOSITION
    """Its table in front of the commit."""


@dataclass(frozen=True)
class CommitJob:
    """A job of several files, or of values, at one commit: its table, the configuration file with it, and its files."""

    composition: Composition
    configuration: str
    entries: tuple[str, ...]
    """The files of the script, and the pointers to values."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, without pointers."""
        return tuple(dict.fromkeys(map(file_of, self.entries)))

    @property
    def last(self) -> str:
        """The file that the job is known by."""
        return file_of(self.entries[-1])


@dataclass(frozen=True)
class FormerScript:
    """A job of several files in front of a commit: the file that it is known by, and its table."""

    file: FileState | None
    composition: Composition


def former_script(
    script: CommitJob,
    scripts: Iterable[CommitJob],
    former_scripts: Iterable[CommitJob],
    before: CommitFiles,
    changes: Iterable[FileChange],
) -> FormerScript:
    """The job that ``script`` was in front of a commit with these ``changes``. ``scripts`` are all jobs behind it."""
    compositions = [each.composition for each in scripts if each.configuration == script.configuration]
    former_by_composition = {
        each.composition: each for each in former_scripts if each.configuration == script.configuration
    }
    folder = folder_above(script.configuration)
    was = _renamed(script.last, changes) or before.state(script.last)
    last = None if was is None else was.path.removeprefix(folder)
    table = table_of(script.composition, compositions, former_by_composition, last)
    if table is not None:
        return FormerScript(before.state(former_by_composition[table].last), table)
    if script.configuration not in before.configurations:
        # The present configuration tells which files belonged together.
        paths = before.script_paths(script.composition, folder.rstrip("/"))
        was = next((state for path in reversed(paths) if (state := before.state(path)) is not None), was)
    return FormerScript(was, script.composition)


def _renamed(path: str, changes: Iterable[FileChange]) -> FileState | None:
    """The file in front of changes that is at ``path`` behind them."""
    return next((change.before for change in changes if change.after is not None and change.after.path == path), None)


def folder_above(path: str) -> str:
    """The folder of a file with a slash behind it; empty for the root."""
    return path[: path.rfind("/") + 1]


def script_jobs(snapshot: CommitFiles, configs: PastJobConfigs, commit: str) -> tuple[CommitJob, ...]:
    """The jobs of several files at a commit, by the configuration files that can be read."""
    jobs = []
    for state in snapshot.configurations.values():
        try:
            configuration = configs.of(state, commit)
        except (ConfigurationError, GitFailure):
            # The jobs below it report the fault.
            continue
        for several in () if configuration is None else configuration.scripts:
            paths = snapshot.script_paths(several, folder_of(JobConfig(source=configuration), configs.root))
            if paths and all(snapshot.state(path) is not None for path in paths):
                jobs.append(CommitJob(several, state.path, paths))
    return tuple(jobs)


@final
class TouchedJobs:
    """Finds them in one walk, whose ``wanted`` files may be jobs."""

    def __init__(
        self, history: History, projects: PastProjects, configs: PastJobConfigs, accepts: Callable[[str], bool]
    ) -> None:
        self._history = history
        self._projects = projects
        self._configs = configs
        self._wanted = accepts

    def of(
        self, walked: WalkedCommit, walk: LineageWalk, before: CommitFiles, after: CommitFiles
    ) -> Iterator[TouchedJob]:
        """The jobs between two snapshots, those whose own file was touched first. A file that is a part of another job
        is none.
        """
        commit = walked.commit
        cut_off = self._history.is_cut_off(commit.id)
        parent = commit.parents[0] if commit.parents and not cut_off else None
        scripts = script_jobs(after, self._configs, commit.id)
        former_scripts = () if parent is None else script_jobs(before, self._configs, parent)
        parts = {path for script in scripts for path in script.paths}
        former_parts = {path for script in former_scripts for path in script.paths}
        own = {line.change.path for line in walked.changes}
        values = {path: state for path in parts if is_host(path) and (state := after.state(path)) is not None}
        if not values and all(is_host(path) for file in walked.touched for path in _paths(file)):
            # No configuration names a value of these files.
            return
        felt = set() if parent is None else self._projects.readers(before, after, walked.touched, values)
        for line in walked.changes:
            past = line.change
            is_part = past.path in (parts if past.after is not None else former_parts)
            if not is_part:
                yield TouchedJob(line.line, past, is_indirect=past.path in felt)
        if parent is None:
            yield from self._new_scripts(walked, walk, scripts, cut_off)
            return
        touched = {state.path for file in walked.touched for state in (file.before, file.after) if state is not None}
        yield from self._scripts(commit, walk, before, after, scripts, former_scripts, touched | felt, walked.touched)
        below = self._reconfigured(walked, after) if walked.telling else set()
        for path in sorted((felt | below) - own - parts):
            state = after.files.get(path) or self._history.state_at(commit.id, path)
            if state is not None and self._wanted(path):
                yield TouchedJob(walk.line_of(path), PastChange(commit, path, state, state), is_indirect=path in felt)

    def _new_scripts(
        self, walked: WalkedCommit, walk: LineageWalk, scripts: Iterable[CommitJob], cut_off: bool
    ) -> Iterator[TouchedJob]:
        come = {file.after.path: file.after for file in walked.touched if file.after is not None}
        for script in scripts:
            path = script.last
            if path in come:
                change = PastChange(walked.commit, path, None, come[path], cut_off)
                yield TouchedJob(_line(script, walk), change, script.composition, is_indirect=True)

    def _scripts(
        self,
        commit: LoggedCommit,
        walk: LineageWalk,
        before: CommitFiles,
        after: CommitFiles,
        scripts: tuple[CommitJob, ...],
        former_scripts: tuple[CommitJob, ...],
        touched: set[str],
        changes: Sequence[FileChange],
    ) -> Iterator[TouchedJob]:
        """The jobs of several files whose files or tables were touched."""
        lasting: set[tuple[str, Composition]] = set()
        for script in scripts:
            path = script.last
            if script in former_scripts and touched.isdisjoint(script.paths) and script.configuration not in touched:
                continue
            former = former_script(script, scripts, former_scripts, before, changes)
            lasting.add((script.configuration, former.composition))
            change = PastChange(commit, path, former.file, after.state(path))
            yield TouchedJob(
                _line(script, walk), change, script.composition, is_indirect=True, former=former.composition
            )
        for each in former_scripts:
            path = each.last
            if after.state(path) is None and (each.configuration, each.composition) not in lasting:
                change = PastChange(commit, path, before.state(path), None)
                yield TouchedJob(_line(each, walk), change, each.composition, is_indirect=True, former=each.composition)

    def _reconfigured(self, walked: WalkedCommit, after: CommitFiles) -> set[str]:
        """The files below configuration files that the commit touched."""
        folders = {
            PurePosixPath(state.path).parent
            for file in walked.telling
            if self._tells_jobs(file.before) or self._tells_jobs(file.after)
            for state in (file.before, file.after)
            if state is not None
        }
        if not folders:
            return set()
        paths = {*after.files, *(state.path for state in self._history.files(walked.commit.id))}
        return {path for path in paths if self._wanted(path) and folders.intersection(PurePosixPath(path).parents)}

    def _tells_jobs(self, file: FileState | None) -> bool:
        """Return whether a file may configure jobs: most ``pyproject.toml`` do not mention Keepstate."""
        if file is None:
            return False
        try:
            text = self._history.text(file)
        except GitFailure:
            return True
        return isinstance(text, NotText) or file.path.endswith("keepstate.toml") or "keepstate" in text


def _line(script: CommitJob, walk: LineageWalk) -> str:
    last = script.entries[-1]
    return script.composition.name or (walk.line_of(last) if file_of(last) == last else last)


def _paths(file: FileChange) -> list[str]:
    return [state.path for state in (file.before, file.after) if state is not None]

"""The SQL files and configuration files of one commit, with the names that each file may declare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from keepstate.embedded.pointers import file_of, is_host
from keepstate_lsp.baselines.git.log import FileChange, FileState
from keepstate_lsp.config.composition_entries import Composition
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.jobs.named_files import tells_jobs

NamesOf = Callable[[FileState], Iterable[str]]
"""The names that a file may declare."""


def is_of_projects(path: str) -> bool:
    """Return whether a path may be that of a file of a project: SQL, a configuration, or a file with SQL as values."""
    return may_be_job(path) or tells_jobs(path) or is_host(path)


@dataclass(frozen=True)
class CommitFiles:
    """The files of one commit. A snapshot shares what it can with that of the commit before."""

    files: Mapping[str, FileState] = field(default_factory=dict)
    """Files of SQL by path."""
    configurations: Mapping[str, FileState] = field(default_factory=dict)
    hosts: Mapping[str, FileState] = field(default_factory=dict)
    """Files of other kinds, of which a configuration may name values."""
    declaring: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The paths of the files that may declare a name, by its last word in upper case."""
    _scripts: dict[tuple[tuple[str, ...], str], tuple[str, ...]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(states: Iterable[FileState], names_of: NamesOf) -> CommitFiles:
        """The snapshot of a commit with these files."""
        return CommitFiles().after((FileChange(None, state) for state in states), names_of)

    def after(self, changes: Iterable[FileChange], names_of: NamesOf) -> CommitFiles:
        """The snapshot behind these changes."""
        config_changes = [change for change in changes if any(is_of_projects(each.path) for each in _states(change))]
        if not config_changes:
            return self
        files, configurations, declaring = dict(self.files), dict(self.configurations), dict(self.declaring)
        hosts = dict(self.hosts)
        # Taken away first: two files may have exchanged their names.
        for change in config_changes:
            former_state = change.before
            if former_state is not None and files.pop(former_state.path, None) is not None:
                for name in names_of(former_state):
                    paths = tuple(path for path in declaring.get(name, ()) if path != former_state.path)
                    declaring[name] = paths
                    if not paths:
                        del declaring[name]
            elif former_state is not None:
                configurations.pop(former_state.path, None)
                hosts.pop(former_state.path, None)
        for change in config_changes:
            come = change.after
            if come is not None and tells_jobs(come.path):
                configurations[come.path] = come
            elif come is not None and is_host(come.path):
                hosts[come.path] = come
            elif come is not None and may_be_job(come.path):
                files[come.path] = come
                for name in names_of(come):
                    declaring[name] = (*declaring.get(name, ()), come.path)
        return CommitFiles(files, configurations, hosts, declaring)

    def state(self, path: str) -> FileState | None:
        """The file at a path, or the one that a pointer leads into."""
        name = file_of(path)
        return self.files.get(name) or self.hosts.get(name)

    def before(self, changes: Iterable[FileChange], names_of: NamesOf) -> CommitFiles:
        """The snapshot in front of these changes."""
        return self.after((FileChange(change.after, change.before) for change in changes), names_of)

    def script_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The files of a script; ``folder`` is that of its configuration."""
        key = (composition.script, folder)
        if key not in self._scripts:
            prefix = f"{folder}/" if folder else ""
            below = [path[len(prefix) :] for path in self.files if path.startswith(prefix)]
            self._scripts[key] = tuple(prefix + path for path in composition.script_files(below))
        return self._scripts[key]


def _states(change: FileChange) -> list[FileState]:
    return [state for state in (change.before, change.after) if state is not None]

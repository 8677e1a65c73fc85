"""``keepstate check --watch``: the check again after each change, until Ctrl-C.

Stamps of files tell twice a second whether anything may have changed; contents tell whether it has. So a touched file,
a fetch or a refreshed index starts no check.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NoReturn, final

from keepstate.embedded.avro_tables import SCHEMA_SUFFIX
from keepstate_lsp.baselines import HEAD, BaselineReader, BaselineSpec, NoBaseline, SpecKind
from keepstate_lsp.baselines.deployments import DeploymentError
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.head import find_git_folders, fingerprint
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import INDEX
from keepstate_lsp.baselines.work_tree_files import regular_content
from keepstate_lsp.cli.arguments import report_outputs
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFileError
from keepstate_lsp.config.file import ConfigurationError
from keepstate_lsp.jobs.listing import job_files
from keepstate_lsp.jobs.named_files import tells_jobs

_PAUSE = 0.5
"""Seconds between two looks at the stamps."""
_SETTLED = 0.1
"""Seconds without a change after which an editor, or git, is done with its files."""
_MOST_FOLDERS = 5_000
"""Folders in which new files are noticed at once."""
_FOREIGN = frozenset({".git", "node_modules", "__pycache__", "site-packages", "venv", ".venv"})
_MOST_NAMED = 3


def watch(arguments: argparse.Namespace, check: Callable[[argparse.Namespace], int]) -> NoReturn:
    """Check, and again after each change.

    Raises:
        UsageError: the first check finds the options wrong.
        KeyboardInterrupt: the command is ended.
    """
    watched = WatchedFiles(arguments)
    check(arguments)
    _say(arguments, "each change is checked again, until Ctrl-C")
    while True:
        names = watched.changes()
        if names:
            more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
            _say(arguments, f"{', '.join(names[:_MOST_NAMED])}{more} changed")
            _check_again(arguments, check)
        time.sleep(_PAUSE)


def _check_again(arguments: argparse.Namespace, check: Callable[[argparse.Namespace], int]) -> None:
    try:
        check(arguments)
    except CommandError as error:
        # The configuration may name an engine or a baseline that does not exist until the next keystroke.
        tell(error.sentence)
    except GitFailure as failure:
        tell(failure.sentence)
    except (ConfigurationError, AcceptanceFileError) as error:
        tell(str(error))


def _say(arguments: argparse.Namespace, words: str) -> None:
    """Write a line with the time, where it does not disturb the report."""
    line = f"[{time.strftime('%H:%M:%S')}] {words}"
    if arguments.quiet:
        return
    if ("text", None) not in report_outputs(arguments):
        tell(line)
        return
    with Output(None, arguments.color) as output:
        output.write_text(f"{line}\n")


@final
class WatchedFiles:
    """The files, commits and index that a check reads, as they were at the last look."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._contents: dict[Path, tuple[str, str]] = {}
        """The stamp and the hash of each file."""
        self._stamps: list[str] = []
        self._places: list[Path] = []
        """The files and folders to look at."""
        self._state: dict[str, str] = {}
        self._look()

    def changes(self) -> list[str]:
        """Return the names of what changed since the last call."""
        if self._stamped() == self._stamps:
            return []
        self._settle()
        former = self._state
        # A change from here on gives other stamps at the next call.
        self._look()
        names = {*former, *self._state}
        return sorted(name for name in names if former.get(name) != self._state.get(name))

    def _settle(self) -> None:
        """Wait until nothing changes, and keep the stamps."""
        while (stamps := self._stamped()) != self._stamps:
            self._stamps = stamps
            time.sleep(_SETTLED)

    def _look(self) -> None:
        """Read what is watched."""
        contents: dict[str, str] = {}
        with BaselineReader(steady=True) as reader:
            repositories: dict[Path, Repository] = {}
            files = [Path(os.path.abspath(path)) for path in self._arguments.paths]
            folders = {Path.cwd(), *(path if path.is_dir() else path.parent for path in files)}
            for folder in folders:
                repository = reader.repository(folder, HEAD)
                if not isinstance(repository, NoBaseline):
                    repositories[repository.folders.work_tree] = repository
            if self._arguments.config is not None:
                files.append(Path(os.path.abspath(self._arguments.config)))
            files += [folder / name for folder in folders for name in ("keepstate.toml", FILE_NAME)]
            for root, repository in repositories.items():
                files += _files_of(root, repository, reader)
            spec = self._spec(reader)
            if spec.kind.is_on_disk:
                files.append(Path(spec.value))
            for root, repository in repositories.items():
                where = "" if len(repositories) == 1 else f" of {display_path_of(root)}"
                contents |= {f"{name}{where}": state for name, state in _git_state(repository, spec).items()}
        for file in dict.fromkeys(files):
            content = self._content(file)
            if content is not None:
                contents[display_path_of(file)] = content
        self._state = contents
        places = [place for root in repositories for place in islice(_folders(root), _MOST_FOLDERS)]
        watched_places = list(dict.fromkeys((*files, *places)))
        if watched_places != self._places:
            # What changed in a new place before it had a stamp is found by another look.
            self._places, self._stamps = watched_places, []

    def _spec(self, reader: BaselineReader) -> BaselineSpec:
        """The baseline of the files here; HEAD while the configuration is wrong."""
        try:
            return RunSettings(self._arguments, reader).spec(Path.cwd())
        except (CommandError, ConfigurationError, GitFailure):
            return HEAD

    def _content(self, file: Path) -> str | None:
        """The hash of a file; ``None`` for one that is not there."""
        stamp = _stamp(file)
        entry = self._contents.get(file)
        if entry is not None and entry[0] == stamp:
            return entry[1]
        data = regular_content(file)
        if data is None:
            self._contents.pop(file, None)
            return None
        digest = hashlib.sha256(data).hexdigest()
        self._contents[file] = stamp, digest
        return digest

    def _stamped(self) -> list[str]:
        """The stamps of all places, and of git's files."""
        stamps = [_stamp(place) for place in self._places]
        folders_of_paths = (Path(os.path.abspath(path)).parent for path in self._arguments.paths)
        for folder in dict.fromkeys((Path.cwd(), *folders_of_paths)):
            folders = find_git_folders(folder)
            if folders is not None:
                stamps += [fingerprint(folders, HEAD), _stamp(folders.git / "index")]
                # Any ref may be the baseline.
                stamps += [_stamp(entry) for entry in _folders(folders.common / "refs")]
        return stamps


def _files_of(root: Path, repository: Repository, reader: BaselineReader) -> list[Path]:
    """The files of a repository that a check may read: jobs, declarations, schemas, configurations and ledgers."""
    files = list(job_files([root], reader))
    # The check that follows names what git cannot list.
    with suppress(GitFailure):
        files += [root / path for path in repository.present(_is_read_besides)]
    return files


def _is_read_besides(path: str) -> bool:
    return tells_jobs(path) or path.endswith(SCHEMA_SUFFIX) or path.rpartition("/")[2] == FILE_NAME


def _git_state(repository: Repository, spec: BaselineSpec) -> dict[str, str]:
    """HEAD, the baseline and the index of a repository."""
    state: dict[str, str] = {}
    try:
        state["HEAD"] = str(repository.commit(HEAD))
        state["the index"] = hashlib.sha256(repr(sorted(repository.blobs(INDEX).items())).encode()).hexdigest()
        if spec.kind is SpecKind.DEPLOYED:
            # A record that cannot be read is named by the check that follows.
            with suppress(DeploymentError):
                records = repository.deployed(spec.value).items()
                state[str(spec)] = repr(sorted((path, each.blob) for path, each in records))
        elif spec != HEAD and not spec.kind.is_on_disk:
            state[str(spec)] = str(repository.commit(spec))
    except GitFailure as failure:
        state["git"] = failure.message
    return state


def _folders(root: Path) -> Iterator[Path]:
    """The folders of a work tree, in which a new file changes the stamp."""
    for parent, folders, _ in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _FOREIGN)
        yield Path(parent)


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return "missing"
    return f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_size} {status.st_ino}"

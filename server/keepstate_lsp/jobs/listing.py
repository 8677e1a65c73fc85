"""The files of a workspace that may be jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.config.file import Configuration, ConfigurationError
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.files.plan_folders import is_of_plan, plan_scripts
from keepstate_lsp.jobs.named_files import tells_jobs

MOST_FILES = 20_000
"""A workspace with more SQL files than this is checked in part: more findings would not be read."""
_MOST_FOLDERS = 50_000
_FOREIGN = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
"""Folders that hold other people's files."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A stamp of a file on disk: it changes with the file."""

    modified: int
    """Nanoseconds."""
    size: int


def job_files(folders: Iterable[Path], reader: BaselineReader) -> dict[Path, FileStamp]:
    """The files below ``folders`` whose names leave it possible that they are jobs, with their stamps.

    In a repository what git ignores is left out; elsewhere hidden folders and folders of installed packages are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, BaselineReader() as reader:
    ...     _ = Path(folder, "a.sql").write_text("SELECT 1")
    ...     _ = Path(folder, "notes.txt").write_text("none")
    ...     [(path.name, stamp.size) for path, stamp in job_files([Path(folder)], reader).items()]
    [('a.sql', 8)]
    """
    stamps: dict[Path, FileStamp] = {}
    for folder in folders:
        for path in islice(_candidates(folder, reader), MOST_FILES - len(stamps)):
            try:
                status = path.stat()
            except OSError:
                continue
            stamps[path] = FileStamp(status.st_mtime_ns, status.st_size)
    return dict(sorted(stamps.items()))


def has_file(folder: Path, accepts: Callable[[str], bool]) -> bool:
    """Return whether a file below ``folder`` has a path, relative to it and with ``/``, that is wanted. ``True`` if
    there are too many folders to search.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.sql").write_text("SELECT 1")
    ...     [has_file(Path(folder), lambda path, end=end: path.endswith(end)) for end in (".sql", ".yaml")]
    [True, False]
    """
    for number, (parent, _, files) in enumerate(os.walk(folder)):
        if number >= _MOST_FOLDERS:
            return True
        within = Path(parent).relative_to(folder).as_posix()
        prefix = "" if within == "." else f"{within}/"
        if any(accepts(prefix + name) for name in files):
            return True
    return False


def _candidates(folder: Path, reader: BaselineReader) -> Iterator[Path]:
    repository = reader.repository(folder, HEAD)
    if not isinstance(repository, NoBaseline):
        within = repository.relative(folder.resolve())
        prefix = "" if within in (None, ".") else f"{within}/"
        try:
            listed = repository.present(lambda path: may_be_job(path) or tells_jobs(path) or is_of_plan(path))
        except GitFailure:
            listed = None
        if listed is not None and within is not None:
            # Under the name by which the client knows the folder, which may be a symbolic link.
            plan_paths = plan_scripts(listed)
            inside = [
                folder / path[len(prefix) :]
                for path in listed
                if path.startswith(prefix) and path not in plan_paths and not is_of_plan(path)
            ]
            yield from (path for path in inside if not tells_jobs(path.name))
            yield from dict.fromkeys(host for path in inside if tells_jobs(path.name) for host in _hosts(path))
            return
    yield from _walked(folder)


def _hosts(path: Path) -> Iterator[Path]:
    """The files of other kinds with values that a configuration names; none of a wrong one, which jobs report."""
    with suppress(ConfigurationError):
        for table in Configuration.at(path).jobs:
            for pointer in table.composition.pointers:
                yield path.parent / file_of(pointer)


def _walked(folder: Path) -> Iterator[Path]:
    for number, (parent, folders, files) in enumerate(os.walk(folder)):
        if number >= _MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _FOREIGN)
        plan_paths = plan_scripts(files)
        yield from (Path(parent) / name for name in sorted(files) if may_be_job(name) and name not in plan_paths)

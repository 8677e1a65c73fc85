"""The former selves of jobs of several files, by the names of the files of another revision."""

from __future__ import annotations

from dataclasses import replace

from keepstate.embedded.pointers import FilePointer, file_of
from keepstate_lsp.config.composition_entries import Composition, table_of
from keepstate_lsp.config.file import Configuration, JobConfig
from keepstate_lsp.jobs.named_files import NamedFiles, folder_of


def former_last(job: Composition, configuration: Configuration, names: NamedFiles) -> str | None:
    """The last file of a job in the revision with these names, if its table there is found without a look at files that
    were renamed. ``configuration`` is that of the job today.

    >>> from pathlib import Path
    >>> report = Composition(script=("ddl.sql", "jobs/a.sql"), name="revenue")
    >>> today = Configuration(Path("/repository/keepstate.toml"))
    >>> former_last(report, today, NamedFiles(("ddl.sql", "jobs/a.sql"), root=Path("/repository")))
    'jobs/a.sql'
    """
    past, table = _configuration(configuration, names), job
    if past is None:
        # The present configuration tells which files belonged together.
        past = configuration
    else:
        job_table = table_of(job, configuration.scripts, past.scripts, None)
        if job_table is None:
            return None
        table = job_table
    paths = names.script_paths(table, folder_of(JobConfig(source=past), names.root))
    return file_of(paths[-1]) if paths else None


def with_pointer_of(job: Composition, path: str) -> str:
    """The path of the last file of a job with the pointer to its value, if it has one.

    >>> with_pointer_of(Composition(script=("init.sql", "a.yaml#/sql")), "k8s/a.yaml")
    'k8s/a.yaml#/sql'
    """
    pointer = FilePointer.parse(job.script[-1]) if job.script else None
    return path if pointer is None else str(replace(pointer, file=path))


def _configuration(configuration: Configuration, names: NamedFiles) -> Configuration | None:
    """The configuration of a revision in the file, or else in the folder, of one of another revision."""
    same = [each for each in names.configurations if each.folder == configuration.folder]
    return next((each for each in same if each.path == configuration.path), same[0] if same else None)

"""The tables of jobs of a configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepstate.embedded.pointers import file_of
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.job_names import glob_test
from keepstate_lsp.files.toml_places import TomlPath

UNITS = ("script", "each-insert")
"""Parts of a script that are one job."""


@dataclass(frozen=True)
class JobTable:
    """A ``[[job]]`` table: settings of the jobs whose path relative to the file matches one of ``files``, or of the one
    job that its ``script`` makes.
    """

    files: tuple[str, ...]
    baseline: str | None
    engine_version: str | None
    parameters: Mapping[str, str]
    jobs: str | None
    places: Mapping[str, TomlPath]
    """Paths in the file of each parameter, of the engine version, and of ``context`` and ``script``."""
    composition: Composition = NO_COMPOSITION

    def is_about(self, path: str, job: Composition = NO_COMPOSITION) -> bool:
        """Return whether the table holds for the job at ``path``; ``job`` is its table, if it has several files."""
        if self.composition.script:
            return self.composition.is_of(job)
        return not self.files or any(glob_test(glob)(path) for glob in self.files)

    def has_file(self, path: str) -> bool:
        """Return whether a file holds a job of the table, or a part of it."""
        if self.composition.script:
            return path in map(file_of, self.composition.script_files([path]))
        return self.is_about(path)

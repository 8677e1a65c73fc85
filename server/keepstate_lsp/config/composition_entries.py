"""The entries of the configuration about jobs of several files: ``context`` and ``script``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from keepstate.embedded.pointers import FilePointer, file_of
from keepstate_lsp.config.job_names import are_globs, glob_test


@dataclass(frozen=True)
class Composition:
    """The other files that belong to a job, as paths and globs relative to the folder of the configuration file."""

    context: tuple[str, ...] | None = None
    """Files whose declarations the job may use; ``None`` where the table does not say."""
    script: tuple[str, ...] = ()
    """The files of the job in the order of execution; empty for a job of one file."""
    name: str | None = None
    """The name of a job with a script."""

    def is_of(self, other: Composition) -> bool:
        """Return whether both are tables of one job, by its name, or else by the last entry of its script."""
        if not self.script or not other.script:
            return False
        return (self.name or self.script[-1]) == (other.name or other.script[-1])

    def overridden(self, other: Composition) -> Composition:
        """The entries of ``other`` where it has any, else these."""
        return Composition(
            self.context if other.context is None else other.context,
            other.script or self.script,
            other.name or self.name,
        )

    @property
    def pointers(self) -> tuple[str, ...]:
        """The entries that lead to a value of a file."""
        return tuple(entry for entry in (*self.script, *(self.context or ())) if FilePointer.parse(entry) is not None)

    def script_files(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The files of the script among ``paths`` (relative to the folder of the configuration), in their order. A file
        counts where it is first named; the files of a glob are sorted.

        >>> Composition(script=("init.sql", "ddl/*.sql")).script_files(["ddl/b.sql", "ddl/a.sql", "init.sql"])
        ('init.sql', 'ddl/a.sql', 'ddl/b.sql')

        A pointer stands for itself, whether or not its file is there.

        >>> Composition(script=("init.sql", "k8s/a.yaml#/sql")).script_files(["init.sql"])
        ('init.sql', 'k8s/a.yaml#/sql')
        """
        return _matching(self.script, paths)

    def context_files(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The files of the context among ``paths``, in the same way."""
        return _matching(self.context or (), paths)


NO_COMPOSITION = Composition()


def table_of(
    job: Composition, compositions: Iterable[Composition], former_compositions: Iterable[Composition], last: str | None
) -> Composition | None:
    """The table of a job in another revision: that of its name, where both revisions have the name, else the one whose
    script ends with the same entry, or with the file ``last``, which the last file of the job was there.
    ``compositions`` are all tables of the revision of the job, ``former_compositions`` those of the other one.

    >>> was = Composition(script=("init.sql", "run.sql"), name="revenue")
    >>> table_of(Composition(script=("init.sql", "run.sql", "more.sql"), name="revenue"), (), (was,), None) == was
    True
    >>> table_of(Composition(script=("init.sql", "sums.sql")), (), (was,), "run.sql") == was
    True
    """
    tables = [table for table in former_compositions if table.script]
    if job.name is not None:
        for table in tables:
            if table.name == job.name:
                return table
    names = {table.name for table in compositions} - {None}
    free = [table for table in tables if table.name not in names] if job.script else []
    same = (table for table in free if table.script[-1] == job.script[-1])
    return next(same, next((table for table in free if _ends_with(table.script[-1], last, job.script[-1])), None))


def _ends_with(entry: str, last: str | None, other: str) -> bool:
    """Return whether an entry names a file; of two pointers, whether they name the same value of it."""
    pointers = [FilePointer.parse(each) for each in (entry, other)]
    pointer, other_pointer = pointers
    if last is None or pointer is None or other_pointer is None:
        return last is not None and pointer is other_pointer is None and glob_test(entry)(last)
    return (pointer.file, pointer.parts) == (file_of(last), other_pointer.parts)


class CompositionFault(Exception):
    """An entry about the files of a job is wrong; the message is a sentence, ``key`` the entry."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


def composition_of(table: Mapping[str, Any], name: str | None, *, is_past: bool) -> Composition:
    """The composition in a table. Past entries that lead out of the folder are left out: no file there is read.

    Raises:
        CompositionFault: an entry is wrong.
    """
    globs_by_key: dict[str, tuple[str, ...] | None] = {}
    for key in ("context", "script"):
        globs = table.get(key)
        if globs is None:
            globs_by_key[key] = None
            continue
        if not are_globs(globs):
            raise CompositionFault(key, f'{key} must be a list of paths or globs, such as ["ddl/*.sql"].')
        outside = [glob for glob in globs if leads_out(file_of(glob))]
        if outside and not is_past:
            sentence = f"{key} = {outside[0]} leads out of the folder of this file; no file there is read."
            raise CompositionFault(key, sentence)
        pointers = ((glob, FilePointer.parse(glob)) for glob in globs)
        wrong = next(((glob, one.fault) for glob, one in pointers if one is not None and one.fault is not None), None)
        if wrong is not None and not is_past:
            raise CompositionFault(key, f"{key} = {wrong[0]}: {wrong[1]}.")
        globs_by_key[key] = tuple(glob for glob in globs if glob not in outside)
    if name is not None and globs_by_key["script"] is None:
        raise CompositionFault("name", "name is that of a job with a script; this table has none.")
    return Composition(globs_by_key["context"], globs_by_key["script"] or (), name)


def _matching(globs: tuple[str, ...], paths: Iterable[str]) -> tuple[str, ...]:
    sorted_paths = sorted(paths)
    return tuple(
        dict.fromkeys(
            path
            for glob in globs
            for path in ((glob,) if FilePointer.parse(glob) is not None else filter(glob_test(glob), sorted_paths))
        )
    )


def leads_out(glob: str) -> bool:
    """Return whether a path or glob may name a file outside of the folder that it is relative to.

    >>> leads_out("ddl/*.sql"), leads_out("../ddl/*.sql"), leads_out("/etc/*")
    (False, True, True)
    """
    return glob.startswith(("/", "~")) or ".." in glob.replace("\\", "/").split("/") or ":" in glob[:3]

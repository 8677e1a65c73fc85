"""Farther declarations of a name, beside the nearest one that a job is assumed to read.

Where nothing names the files of a job, the nearest declaration is a guess. A farther one may be the job's as well,
unless it is that of others: of a file that itself reads what it declares, or of jobs in its own part of the repository.
That part is the folder below the last common folder of declaration and job. A declaration in a folder around the job,
or in one whose jobs all lie elsewhere, is shared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from keepstate.project.file_declarations import Declaration

Takers = Mapping[str, Collection[tuple[str, ...]]]
"""The folders of the jobs that take a declaration, by the path of its file; of a job that is this file, its path."""


def rivals_of(
    farther: Iterable[Declaration], home: tuple[str, ...], own_paths: Collection[str], takers: Takers
) -> tuple[Declaration, ...]:
    """The declarations among ``farther`` that may be those of a job in the folder ``home`` with these files."""
    return tuple(
        each
        for each in farther
        if each.file.path not in own_paths and _may_be_of(each, home, takers.get(each.file.path, ()))
    )


def _may_be_of(declaration: Declaration, home: tuple[str, ...], takers: Collection[tuple[str, ...]]) -> bool:
    folder = declaration.file.folder
    if own_place(declaration.file.file_path) in takers:
        return False
    shared = next((at for at, part in enumerate(folder) if home[at : at + 1] != (part,)), len(folder))
    part = folder[: shared + 1]
    return shared == len(folder) or not any(taker[: len(part)] == part for taker in takers)


def own_place(path: str) -> tuple[str, ...]:
    """The place of a job that reads what its own file declares.

    >>> own_place("daily/sums.sql")
    ('daily', 'sums.sql')
    """
    return tuple(path.split("/"))

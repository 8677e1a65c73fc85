"""The jobs of a project that take a declaration as theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepstate.project.declarations import Declaration, FileDeclarations
    from keepstate.project.farther_declarations import Takers


def takers_of(
    name: str,
    mentioning: Callable[[str], Iterable[FileDeclarations]],
    visible: Callable[[str, str], Iterable[Declaration]],
    scripts: Iterable[Iterable[FileDeclarations]],
) -> Takers:
    """The jobs that take each declaration of a name, directly or through views. ``mentioning`` gives the files with a
    name in their text, ``visible`` the declarations of a name that the job at a path may choose, and ``scripts`` are
    the files of jobs of several files.
    """
    from keepstate.project.farther_declarations import own_place

    found: dict[str, set[tuple[str, ...]]] = {}
    waiting, met = [name], {name}
    while waiting:
        wanted = waiting.pop()
        for read in mentioning(wanted):
            path = read.file.file_path
            if any(each.name == name for each in read.declarations):
                if read.runs and name in read.needs:
                    found.setdefault(read.file.path, set()).add(own_place(path))
                continue
            if wanted not in read.needs:
                continue
            if read.runs:
                for each in visible(path, name):
                    found.setdefault(each.file.path, set()).add(read.file.folder)
            more = [each.name for each in read.declarations if wanted in each.needs and each.name not in met]
            met.update(more)
            waiting += more
    for files in scripts:
        for path, folder in _in_script(name, list(files)):
            found.setdefault(path, set()).add(folder)
    return found


def _in_script(name: str, files: list[FileDeclarations]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The files of a script that declare a name which the script uses, with the folder of the job."""
    if any(read.runs for read in files):
        for read in files:
            if any(each.name == name for each in read.declarations):
                yield read.file.path, files[-1].file.folder

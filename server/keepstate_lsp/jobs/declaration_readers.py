"""The jobs of a project that take a declaration as theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepstate.project.farther_declarations import Takers
    from keepstate.project.file_declarations import Declaration, FileDeclarations


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

    folders: dict[str, set[tuple[str, ...]]] = {}
    waiting, seen_names = [name], {name}
    while waiting:
        word = waiting.pop()
        for content in mentioning(word):
            path = content.file.file_path
            if any(each.name == name for each in content.declarations):
                if content.runs and name in content.needs:
                    folders.setdefault(content.file.path, set()).add(own_place(path))
                continue
            if word not in content.needs:
                continue
            if content.runs:
                for each in visible(path, name):
                    folders.setdefault(each.file.path, set()).add(content.file.folder)
            more = [each.name for each in content.declarations if word in each.needs and each.name not in seen_names]
            seen_names.update(more)
            waiting += more
    for files in scripts:
        for path, folder in _in_script(name, list(files)):
            folders.setdefault(path, set()).add(folder)
    return folders


def _in_script(name: str, files: list[FileDeclarations]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The files of a script that declare a name which the script uses, with the folder of the job."""
    if any(content.runs for content in files):
        for content in files:
            if any(each.name == name for each in content.declarations):
                yield content.file.path, files[-1].file.folder

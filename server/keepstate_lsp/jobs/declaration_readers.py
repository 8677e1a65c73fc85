"""The jobs of a project that take a declaration as theirs, and the declarations that differ between two projects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from keepstate.project.farther_declarations import Takers
    from keepstate.project.file_declarations import Declaration, FileDeclarations

ReadParts: TypeAlias = "Callable[[str], Sequence[FileDeclarations]]"
"""The declarations of a file, and of each value in it, by its path."""


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


def changed_names(current: ReadParts, baseline: ReadParts, paths: Iterable[str]) -> frozenset[str]:
    """The names that files declare in other words on the two sides, or on one of them alone.

    >>> from keepstate.project.file_declarations import FileDeclarations, SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> texts = (f"CREATE TABLE t (a {type_}); CREATE TABLE s (a INT);" for type_ in ("BIGINT", "INT"))
    >>> now, was = ([FileDeclarations.of(SourceFile("ddl.sql", text), Memo())] for text in texts)
    >>> changed_names(lambda path: now, lambda path: was, ["ddl.sql"])
    frozenset({'t'})
    """
    from keepstate.project.word_index import words_by_name

    names: set[str] = set()
    for path in paths:
        now, was = words_by_name(current(path)), words_by_name(baseline(path))
        names |= {name for name in {*now, *was} if now.get(name) != was.get(name)}
    return frozenset(names)


def changed_sessions(current: ReadParts, baseline: ReadParts, paths: Iterable[str]) -> frozenset[str]:
    """The files whose SET and RESET are others on the two sides.

    >>> from keepstate.project.file_declarations import FileDeclarations, SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> texts = (f"SET 'table.exec.state.ttl' = '{days} d';" for days in (7, 1))
    >>> now, was = ([FileDeclarations.of(SourceFile("init.sql", text), Memo())] for text in texts)
    >>> changed_sessions(lambda path: now, lambda path: was, ["init.sql"])
    frozenset({'init.sql'})
    """
    from keepstate.project.word_index import session_words

    return frozenset(path for path in paths if session_words(current(path)) != session_words(baseline(path)))

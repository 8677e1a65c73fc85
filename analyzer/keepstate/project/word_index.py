"""The words of files that jobs may feel, so that a change of them is found without composing a job."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.project.declarations import FileDeclarations


def words_by_name(files: Iterable[FileDeclarations]) -> dict[str, tuple[str, ...]]:
    """The words of declarations, of ALTER and of catalogs by the names that they are about.

    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> words_by_name([FileDeclarations.of(SourceFile("t.sql", "CREATE  TABLE t (a INT);"), Memo())])
    {'t': ('CREATE TABLE t (a INT);',)}
    """
    said: dict[str, tuple[str, ...]] = {}
    for read in files:
        for each in (*read.declarations, *read.alterations, *read.catalogs):
            others = (span.of(each.file.text) for span in (*each.uses, *each.session))
            words = tuple(" ".join(text.split()) for text in (each.text, *others))
            said[each.says] = (*said.get(each.says, ()), *words)
    return said


def session_words(files: Iterable[FileDeclarations]) -> tuple[str, ...]:
    """The words of SET and RESET, which jobs feel that have the file in their context."""
    return tuple(each.words for read in files for each in read.parameters)


def declared_words(read: FileDeclarations) -> dict[str, str]:
    """The words of each statement of a file that others may feel, by what it is known by, without layout."""
    found: dict[str, str] = {}
    for each in (*read.declarations, *read.alterations, *read.catalogs, *read.parameters):
        found[each.known_by] = "\n".join(filter(None, (found.get(each.known_by), each.words)))
    return found

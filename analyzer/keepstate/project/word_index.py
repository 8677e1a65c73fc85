"""The words of files that jobs may feel, so that a change of them is found without composing a job."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.project.file_declarations import FileDeclarations, words_of
from keepstate.project.source_files import SourceFile
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script


def words_by_name(files: Iterable[FileDeclarations]) -> dict[str, tuple[str, ...]]:
    """The words of declarations, of ALTER and of catalogs by the names that they are about.

    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> words_by_name([FileDeclarations.of(SourceFile("t.sql", "CREATE  TABLE t (a INT);"), Memo())])
    {'t': ('CREATE TABLE t (a INT);',)}
    """
    words_of_name: dict[str, tuple[str, ...]] = {}
    for contents in files:
        for each in (*contents.declarations, *contents.alterations, *contents.catalogs):
            preambles = (span.of(each.file.text) for span in (*each.uses, *each.session))
            words = tuple(" ".join(text.split()) for text in (each.text, *preambles))
            words_of_name[each.says] = (*words_of_name.get(each.says, ()), *words)
    return words_of_name


def session_words(files: Iterable[FileDeclarations]) -> tuple[str, ...]:
    r"""The words of SET and RESET, which jobs feel that have the file in their context.

    >>> from keepstate.project.file_declarations import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> file = SourceFile("init.sql", "SET 'table.exec.state.ttl' = '1 d'; CREATE TABLE t (a INT);")
    >>> session_words([FileDeclarations.of(file, Memo())])
    ("SET 'table.exec.state.ttl' = '1 d'\nSET 'table.exec.state.ttl' = '1 d' ;",)
    """
    return tuple(each.words for contents in files for each in contents.parameters)


def declared_words(contents: FileDeclarations) -> dict[str, str]:
    """The words of each statement of a file that others may feel, by what it is known by, without layout.

    >>> from keepstate.syntax.memo import Memo
    >>> from keepstate.project.file_declarations import SourceFile
    >>> file = FileDeclarations.of(SourceFile("t.sql", "CREATE TABLE t ( a  INT );"), Memo())
    >>> declared_words(file)
    {'t': 'CREATE TABLE t ( a INT ) ;'}
    """
    words: dict[str, str] = {}
    for each in (*contents.declarations, *contents.alterations, *contents.catalogs, *contents.parameters):
        words[each.known_by] = "\n".join(filter(None, (words.get(each.known_by), each.words)))
    return words


def script_words(file: SourceFile, memo: Memo) -> tuple[str, ...]:
    r"""The words of each statement of a file with what stands in front of it, and of its end, without layout.

    >>> script_words(SourceFile("q.sql", "SELECT 1;  -- two\nSELECT  2"), Memo())
    ('SELECT 1', '; SELECT 2', '')
    """
    text, end, words = file.text, 0, []
    for statement in parse_script(text, memo).statements:
        words.append(words_of(text[end : statement.span.end]))
        end = statement.span.end
    return (*words, words_of(text[end:]))

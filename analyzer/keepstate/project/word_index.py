"""The words of files that jobs may feel, so that a change of them is found without composing a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from keepstate.project.file_declarations import Declaration, FileDeclarations, words_in, words_of
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


@dataclass(frozen=True)
class WordCounts:
    """The number of declarations that have each word, in upper case; ``every`` counts those that read all columns."""

    counts: Mapping[str, int]
    every: int

    @staticmethod
    def of(declarations: Iterable[Declaration]) -> WordCounts:
        """Count the words of some declarations."""
        counts: Counter[str] = Counter()
        every = 0
        for each in declarations:
            texts = (each.text, *(use.of(each.file.text) for use in each.uses))
            sides = [words for words in map(words_in, texts) if words is not None]
            every += len(sides) < len(texts)
            counts.update(frozenset[str]().union(*sides))
        return WordCounts(counts, every)


@dataclass(frozen=True)
class JobWords(Container[str]):
    """The words of a script and of the declarations that it reads, without some of these."""

    script: frozenset[str]
    declarations: WordCounts
    without: WordCounts

    @staticmethod
    def of(script: Iterable[str], declarations: WordCounts, without: WordCounts) -> JobWords | None:
        """The words of a job whose files have the texts of ``script``; ``None`` if a text reads all columns."""
        words = frozenset[str]()
        for text in script:
            own = words_in(text)
            if own is None:
                return None
            words |= own
        return None if declarations.every > without.every else JobWords(words, declarations, without)

    def __contains__(self, word: object) -> bool:
        if word in self.script:
            return True
        return isinstance(word, str) and self.declarations.counts.get(word, 0) > self.without.counts.get(word, 0)

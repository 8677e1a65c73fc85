"""Words behind CREATE, by which the files are found that may declare a name, without parsing all files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from keepstate.project.text_names import code_of, last_word

_CREATE = re.compile(r"\bCREATE\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_PART = re.compile(r"`[^`]*`|\w+|[^\w\s]")
_REACH = 400
"""Characters behind CREATE in which the declared name stands, with the words in front of it."""


@dataclass(frozen=True, eq=False)
class DeclaredWords:
    """The files that may declare a name, by each word in upper case."""

    paths: Mapping[str, tuple[str, ...]]

    @staticmethod
    def of(files: Iterable[tuple[str, frozenset[str]]]) -> DeclaredWords:
        """The words of files, each with its path and ``words_behind_create`` of its text."""
        paths_by_word: dict[str, list[str]] = {}
        for path, words in files:
            for word in words:
                paths_by_word.setdefault(word, []).append(path)
        return DeclaredWords({word: tuple(paths) for word, paths in paths_by_word.items()})

    def may_declare(self, name: str) -> tuple[str, ...]:
        """The files that may declare a name, in the order in which they were given.

        >>> texts = {"a.sql": "CREATE TABLE db.orders (a INT)", "b.sql": "SELECT * FROM orders"}
        >>> words = DeclaredWords.of((path, words_behind_create(text)) for path, text in texts.items())
        >>> words.may_declare("db.Orders")
        ('a.sql',)
        """
        return self.paths.get(last_word(name), ())


def words_behind_create(text: str) -> frozenset[str]:
    """The words behind each CREATE of a text up to AS or a parenthesis, in upper case; the names that it declares are
    among them.

    >>> sorted(words_behind_create("CREATE VIEW IF NOT EXISTS db.v AS SELECT a FROM t"))
    ['DB', 'EXISTS', 'IF', 'NOT', 'V', 'VIEW']
    """
    code = code_of(text)
    # A declaration in a comment counts: only statements show where a comment ends.
    return frozenset(word for each in {code, text} for word in _behind_create(each))


def _behind_create(text: str) -> Iterator[str]:
    for create in _CREATE.finditer(text):
        for part in _PART.finditer(text, create.end(), create.end() + _REACH):
            if part[0] in "(;" or part[0].upper() == "AS":
                break
            yield from _WORD.findall(part[0].upper())


class NamePattern:
    """A look for names of tables, views, functions and catalogs in texts, which costs less than parsing them. A text
    without any of them names none; a text with one may use the word for something else, such as a column.

    >>> pattern = NamePattern(["db.orders"])
    >>> [pattern.may_be_in(text) for text in ("SELECT * FROM Orders", "SELECT * FROM orders_2", "SELECT 1 -- orders")]
    [True, False, False]
    >>> pattern.may_be_in("SELECT COUNT(*) AS orders FROM t WHERE topic = 'orders-eu'")
    False
    """

    def __init__(self, names: Iterable[str]) -> None:
        words = sorted(map(last_word, names))
        self._found = re.compile(rf"(?<!\w)(AS\s+`?)?(?:{'|'.join(words)})(?!\w)")

    def may_be_in(self, text: str) -> bool:
        """Return whether a text may name one of them."""
        return self._is_in(text.upper()) and self._is_in(code_of(text).upper())

    def _is_in(self, text: str) -> bool:
        """Return whether a word stands in a text other than as an alias."""
        return any(match[1] is None for match in self._found.finditer(text))

"""Names in the text of a file, found without reading its statements.

Most files of a history neither declare what others read, nor read what others declare. A scan for words shows that at a
fraction of the cost of reading. It errs on one side: it may find a name too many, and never one too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_NO_CODE = re.compile(r"\{\{[^{}]*\}\}|'(?:[^']|'')*'|`[^`]*`|--[^\r\n]*|//[^\r\n]*|/\*(?!\+)[\s\S]*?\*/")
_WORD = re.compile(r"\w+")
_NAME = r"(?:`[^`]*`|[$#@]?\{[^{}\r\n]*\}|\{\{[^{}]*\}\}|[^\s();,`])+"
_KINDS = r"(?:TABLE|VIEW|FUNCTION|CATALOG)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
_DECLARES = re.compile(rf"\bCREATE\s+(?:\w+\s+){{0,5}}?{_KINDS}(?P<name>{_NAME}(?:\s*\.\s*{_NAME})*)", re.IGNORECASE)
_INSERTS = re.compile(r"(?:\A|;)\s*INSERT\s+(?:INTO|OVERWRITE)\b", re.IGNORECASE)
_SIMPLE = re.compile(r"`?(\w+)`?")
_QUERY = re.compile(
    r"(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN\s+|STATEMENT\s+SET\s+BEGIN\s+)?INSERT\s+(?:INTO|OVERWRITE)\b", re.IGNORECASE
)
_AS_QUERY = ("INSERT", "SELECT", "VALUES", "EXECUTE", "BEGIN", "WITH")


@dataclass(frozen=True, slots=True)
class TextNames:
    """The names of a text. A name counts by its last word, in upper case."""

    words: str
    """All words of the code, each once, in upper case between spaces."""
    declared: Mapping[str, str]
    """The names that it may declare, each with the text of the statements; ``""`` for a name without a letter."""
    own: frozenset[str]
    """The names that its statements certainly declare, for themselves."""
    is_flink: bool
    """It shows Flink SQL."""
    inserts: bool
    """A statement certainly is an INSERT."""

    def has(self, word: str) -> bool:
        """Return whether a word in upper case is in the code."""
        return f" {word} " in self.words

    def may_read(self, word: str) -> bool:
        """Return whether the text may read what another file declares under a name."""
        return word not in self.own and (not word or self.has(word))

    @property
    def may_run(self) -> bool:
        """Return whether the text may run a query: views have one that does not run by itself."""
        return not self.declared or any(self.has(word) for word in _AS_QUERY)


def last_word(name: str) -> str:
    """The last word of a name in upper case, by which names of different spelling are known to be different.

    >>> last_word("cat.db.`my orders`"), last_word("t"), last_word("``")
    ('ORDERS', 'T', '')
    """
    words = _WORD.findall(name)
    return words[-1].upper() if words else ""


def names_of(text: str) -> TextNames:
    r"""Scan a text. Never raises, for any text.

    >>> names = names_of("CREATE TABLE t (a INT); -- and u\nINSERT INTO s SELECT a FROM c.d.t")
    >>> names.may_read("S"), names.may_read("T"), names.may_read("U"), list(names.declared)
    (True, False, False, ['T'])
    """
    code = code_of(text)
    bare = _NO_CODE.sub(lambda match: " " * len(match[0]), text)
    declared: dict[str, str] = {}
    own: set[str] = set()
    uses = " ".join(re.findall(r"(?i)\bUSE\b[^;]*", code))
    session = " ".join(re.findall(r"(?i)\b(?:USE|SET|RESET)\b[^;]*", text))
    for match in _declarations(code, text):
        word = last_word(match["name"])
        end = bare.find(";", match.end())
        statement = " ".join(text[match.start() : end if end >= 0 else len(text)].split())
        declared[word] = f"{declared.get(word, session)}; {statement}"
    for match in _DECLARES.finditer(code):
        simple = _SIMPLE.fullmatch(match["name"])
        if not uses and simple is not None and _begins_statement(code, match.start()):
            own.add(simple[1].upper())
    # Of the many patterns of constructs, a run in which nothing differs needs none.
    from keepstate.recognition import looks_like_flink

    words = " ".join(sorted({word.upper() for word in _WORD.findall(code)}))
    return TextNames(f" {words} ", declared, frozenset(own), looks_like_flink(text), bool(_INSERTS.search(code)))


def _declarations(code: str, text: str) -> Iterator[re.Match[str]]:
    """The declarations of a text, those in its comments too: only its statements show where a comment ends."""
    yield from _DECLARES.finditer(code)
    if code != text:
        yield from _DECLARES.finditer(text)


def _begins_statement(code: str, start: int) -> bool:
    while start and code[start - 1].isspace():
        start -= 1
    return not start or code[start - 1] == ";"


def begins_query(text: str) -> bool:
    """Return whether a statement of a text certainly begins as an INSERT, by its words alone. Whether it can be read
    takes more to say.

    >>> begins_query("CREATE TABLE t (a INT); INSERT INTO s SELECT a FROM t")
    True
    >>> begins_query("CREATE TABLE t (a INT); -- INSERT INTO s SELECT a FROM t")
    False
    """
    from keepstate.syntax.splitting.splitter import split

    pieces = split(text)
    if pieces.doubtful or pieces.conflicts:
        # Only reading tells where the statements end, or which ones count.
        return False
    return any(_QUERY.match(text, span.start, span.end) for span in pieces.statements)


def code_of(text: str) -> str:
    """A text with spaces for its strings and comments. Quoted names and placeholders are code.

    >>> code_of("SELECT `a b`, 'x' FROM {{ ref('t') }} -- all")
    "SELECT `a b`,     FROM {{ ref('t') }}       "
    """
    return _NO_CODE.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith(("`", "{{")) else " " * len(match[0])

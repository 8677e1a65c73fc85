"""The meaning of each token of a statement, for colours: from its neighbours, since half-typed text has colours too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import TypeVar

from keepstate.plan.types.builtin_functions import AGGREGATES, SCALARS
from keepstate.structure.pieces import Parts, Piece, PieceMemory
from keepstate.syntax.keywords import CASELESS, NILADIC_FUNCTIONS, RESERVED
from keepstate.syntax.reserved import IN_SOME_VERSION
from keepstate.syntax.tokens import Comment, LexedStatement, Token, TokenKind
from keepstate.text import Span
from keepstate.validation.values.builtin_signatures import SIGNATURES

T = TypeVar("T")


class Meaning(str, Enum):
    """Types of tokens, in the words of the protocol: a table is a ``struct``, a column a ``property``."""

    NAMESPACE = "namespace"
    TABLE = "struct"
    COLUMN = "property"
    ALIAS = "variable"
    FUNCTION = "function"
    PARAMETER = "parameter"
    TYPE = "type"
    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    OPERATOR = "operator"
    TEMPLATE = "macro"


@dataclass(frozen=True, slots=True)
class MeantToken:
    """A token with its meaning.

    >>> from keepstate import Draft
    >>> [token.meaning.value for token in Draft().meant_tokens("SELECT a FROM t")]
    ['keyword', 'property', 'keyword', 'struct']
    """

    span: Span
    meaning: Meaning
    declares: bool = False
    """The token declares the name."""
    built_in: bool = False
    """The function is one of Flink."""


def meant_tokens(parts: Parts, memory: PieceMemory) -> list[MeantToken]:
    """All tokens of a text that have a meaning, and its comments, in the order of the text.

    >>> memory = PieceMemory()
    >>> [token.meaning.value for token in meant_tokens(memory.parts("SELECT a -- all"), memory)]
    ['keyword', 'property', 'comment']
    """
    result: list[MeantToken] = []
    for start, tokens in tokens_of_each(parts, memory, _itself):
        result += (MeantToken(each.span.shift(start), each.meaning, each.declares, each.built_in) for each in tokens)
    return result


def tokens_of_each(
    parts: Parts, memory: PieceMemory, function: Callable[[str, tuple[MeantToken, ...]], T]
) -> list[tuple[int, T]]:
    """``function`` of each statement, and of each comment between statements, in the order of the text, each with its
    offset: of its text, and of its tokens as they stand in it. What a pure function gave for a text is kept.

    >>> memory = PieceMemory()
    >>> tokens_of_each(memory.parts("SELECT a; SELECT b"), memory, lambda text, tokens: (text, len(tokens)))
    [(0, ('SELECT a', 2)), (10, ('SELECT b', 2))]
    """
    pieces = sorted((*parts.pieces, *_comments_between(parts)), key=lambda each: each.span.start)
    every = Parts(parts.text, tuple(pieces), ())
    return list(zip((each.span.start for each in pieces), memory.of_each(every, _of_piece(function)), strict=True))


def _comments_between(parts: Parts) -> Iterator[Piece]:
    """The comments that stand in no statement."""
    starts = [each.span.start for each in parts.pieces]
    for comment in parts.comments:
        place = bisect_right(starts, comment.span.start) - 1
        if place < 0 or parts.pieces[place].span.end <= comment.span.start:
            yield Piece(comment.span, comment.text, LexedStatement((), (Comment(Span(0, len(comment.text)), ""),), ()))


@cache
def _of_piece(function: Callable[[str, tuple[MeantToken, ...]], T]) -> Callable[[Piece], T]:
    def of_piece(piece: Piece) -> T:
        comments = [MeantToken(comment.span, Meaning.COMMENT) for comment in piece.lexed.comments]
        tokens = (*_Walk(piece).meant_tokens(), *comments) if piece.tokens else comments
        return function(piece.text, tuple(sorted(tokens, key=lambda each: each.span.start)))

    return of_piece


def _itself(_: str, tokens: tuple[MeantToken, ...]) -> tuple[MeantToken, ...]:
    return tokens


_BUILT_IN = AGGREGATES | SCALARS | frozenset(SIGNATURES) | NILADIC_FUNCTIONS | {"DESCRIPTOR"}
_WINDOWS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_OF_GROUP_WINDOWS = frozenset(
    f"{window}_{part}" for window in ("TUMBLE", "HOP", "SESSION") for part in ("START", "END", "ROWTIME", "PROCTIME")
)
_CLAUSES = frozenset("SELECT WHERE GROUP HAVING ORDER LIMIT ON WINDOW QUALIFY SET VALUES MEASURES DEFINE".split())
_BEFORE_RELATION = frozenset({"FROM", "JOIN", "INTO", "OVERWRITE"})
_OBJECTS = {"TABLE": Meaning.TABLE, "VIEW": Meaning.TABLE, "FUNCTION": Meaning.FUNCTION}
_SPACES = frozenset({"DATABASE", "CATALOG"})
_CONSTRAINTS = frozenset("NOT NULL METADATA FROM VIRTUAL COMMENT PRIMARY KEY CONSTRAINT ENFORCED UNIQUE".split())
_NEVER_CALLED = frozenset(
    """IN AND OR NOT ON AS FROM WHERE SELECT VALUES OVER USING BY EXISTS WITH TABLE JOIN THEN ELSE WHEN CASE LIKE
    BETWEEN KEY SETS ROLLUP CUBE FILTER GROUP WITHIN INTO ALL ANY SOME UNION PATTERN MATCH_RECOGNIZE LATERAL PARTITION
    PARTITIONED CREATE BUCKETS OF UNNEST""".split()
)
_TYPES = frozenset(
    """ARRAY BIGINT BINARY BOOLEAN BYTES CHAR DATE DECIMAL DOUBLE FLOAT INT INTEGER MAP MULTISET NUMERIC ROW SMALLINT
    STRING TIME TIMESTAMP TIMESTAMP_LTZ TINYINT VARBINARY VARCHAR VARIANT RAW DEC""".split()
)
_CONFLICT_ACTIONS = frozenset({"DEDUPLICATE", "ERROR", "NOTHING"})
_OPERATORS = frozenset("= <> != < > <= >= + - * / % || ::".split())


@dataclass
class _Frame:
    """The clause in one pair of brackets."""

    owner: str = ""
    clause: str = ""
    relation: bool = False
    """A relation comes next."""
    expects_alias: bool = False
    """A relation was named, and its alias may come."""
    in_type: bool = False
    items: int = 0
    """Tokens of the item of a list."""
    angles: list[str] = field(default_factory=list)
    """The words in front of open angle brackets."""


class _Walk:
    """One pass over the tokens of a statement."""

    def __init__(self, piece: Piece) -> None:
        self._text = piece.text
        self._tokens = piece.tokens
        self._first = self._tokens[0].word if self._tokens else ""
        self._frames = [_Frame()]
        self._object: Meaning | None = None
        self._relations: set[str] = set()
        self._declared = False
        self._in_hint = False

    def meant_tokens(self) -> list[MeantToken]:
        result: list[MeantToken] = []
        for number, token in enumerate(self._tokens):
            meaning = self._of(number, token)
            if meaning is not None:
                result.append(meaning)
        if not self._relations:
            return result
        # A name in front of a dot that is no relation of the statement is a column with fields.
        return [
            replace(each, meaning=Meaning.COLUMN)
            if each.meaning is Meaning.ALIAS and each.span.of(self._text).strip("`") not in self._relations
            else each
            for each in result
        ]

    def _word(self, number: int) -> str:
        if not 0 <= number < len(self._tokens):
            return ""
        token = self._tokens[number]
        return token.word if token.kind in (TokenKind.WORD, TokenKind.SYMBOL) else ""

    def _of(self, number: int, token: Token) -> MeantToken | None:
        span = Span(token.start, token.end)
        match token.kind:
            case TokenKind.STRING:
                self._frames[-1].items += 1
                return MeantToken(span, Meaning.STRING)
            case TokenKind.NUMBER:
                return MeantToken(span, Meaning.NUMBER)
            case TokenKind.PLACEHOLDER:
                self._frames[-1].relation = False
                return MeantToken(span, Meaning.TEMPLATE)
            case TokenKind.SYMBOL:
                brackets_type = self._angle(number)
                self._symbol(number, token.word)
                is_operator = token.word in _OPERATORS and not brackets_type
                return MeantToken(span, Meaning.OPERATOR) if is_operator else None
            case TokenKind.WORD | TokenKind.NAME:
                name_token = self._name(number, token, span)
                self._frames[-1].items += 1
                return name_token
        return None

    def _angle(self, number: int) -> bool:
        return self._word(number) in ("<", ">") and bool(self._frames[-1].angles or self._word(number - 1) in _TYPES)

    def _symbol(self, number: int, sign: str) -> None:
        frame = self._frames[-1]
        if sign in ("(", "["):
            owner = self._word(number - 1)
            inner = _Frame(owner)
            if frame.clause == "COLUMNS" or (frame.in_type and owner in _TYPES):
                inner.clause = "SIZE" if owner in _TYPES else "EXPRESSION"
            elif (
                self._first == "CREATE"
                and self._object is Meaning.TABLE
                and len(self._frames) == 1
                and not frame.clause
            ):
                inner.clause = "COLUMNS"
            self._frames.append(inner)
            frame.relation = False
            frame.expects_alias = frame.expects_alias or owner in ("FROM", "JOIN")
        elif sign in (")", "]"):
            if len(self._frames) > 1:
                closed = self._frames.pop()
                if closed.owner in ("TABLE", "LATERAL", "UNNEST", "FROM", "JOIN", "AS") or frame.clause == "FROM":
                    self._frames[-1].expects_alias = self._frames[-1].clause == "FROM"
        elif sign == "," and not frame.angles:
            frame.items = 0
            frame.relation = frame.clause in ("FROM", "WITH")
            frame.expects_alias = False
            frame.in_type = False
        elif sign == "<" and (self._word(number - 1) in _TYPES) and (frame.in_type or self._type_follows(frame)):
            frame.angles.append(self._word(number - 1))
        elif sign == ">" and frame.angles:
            frame.angles.pop()
        elif sign == "/*+":
            self._in_hint = True
        elif sign == "*/":
            self._in_hint = False

    @staticmethod
    def _type_follows(frame: _Frame) -> bool:
        return frame.clause == "COLUMNS" or frame.owner in ("CAST", "TRY_CAST")

    def _name(self, number: int, token: Token, span: Span) -> MeantToken | None:
        frame = self._frames[-1]
        word = token.word if token.kind is TokenKind.WORD else ""
        before, behind = self._word(number - 1), self._word(number + 1)
        if behind == "=>":
            return MeantToken(span, Meaning.PARAMETER)
        if before == "." and word not in RESERVED:
            return self._behind_dot(number, span, behind)
        if self._in_hint:
            return MeantToken(span, Meaning.KEYWORD)
        if frame.clause == "COLUMNS":
            return self._in_columns(frame, number, word, span)
        if frame.in_type:
            return self._in_type(frame, before, word, span)
        if self._object is not None and not self._declared and word not in ("IF", "NOT", "EXISTS"):
            return self._declare(span, behind)
        if word and self._is_keyword(word, behind, frame, before):
            self._keyword(number, word, before)
            return MeantToken(span, Meaning.KEYWORD)
        if behind == "(" and not frame.relation and not (frame.expects_alias and before not in ("TABLE",)):
            # A name in front of brackets is called, but for the alias of a relation and a common table.
            name = token.text.strip("`").upper()
            is_of_window = name in _WINDOWS or name in _OF_GROUP_WINDOWS
            return MeantToken(span, Meaning.FUNCTION, built_in=is_of_window or name in _BUILT_IN)
        if word in NILADIC_FUNCTIONS and word in IN_SOME_VERSION:
            return MeantToken(span, Meaning.FUNCTION, built_in=True)
        return self._plain(frame, number, token, span, before, behind)

    def _is_keyword(self, word: str, behind: str, frame: _Frame, before: str) -> bool:
        if behind == "(" and word in _BUILT_IN and word not in _NEVER_CALLED:
            return False
        if word in NILADIC_FUNCTIONS:
            return False
        if word in RESERVED or word in _TYPES or word in _NEVER_CALLED:
            return True
        if (word, behind) == ("CONFLICT", "DO") or (before == "CONFLICT" and word == "DO"):
            return True
        if before == "DO" and word in _CONFLICT_ACTIONS:
            return True
        if before == "AS" or frame.relation or behind in (".", "=>"):
            return False
        return word in CASELESS or (word in IN_SOME_VERSION and word not in _BUILT_IN)

    def _keyword(self, number: int, word: str, before: str) -> None:
        frame = self._frames[-1]
        if word in _BEFORE_RELATION and before != "DISTINCT":
            if frame.owner not in ("EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"):
                frame.clause, frame.relation, frame.expects_alias = "FROM", True, False
        elif word == "WITH" and self._word(number + 1) != "(":
            frame.clause, frame.relation = "WITH", True
        elif word == "RECURSIVE":
            frame.relation = True
        elif word == "TABLE" and (frame.owner in _WINDOWS or frame.clause == "FROM"):
            frame.relation = self._word(number + 1) != "("
        elif word in _OBJECTS and self._first in ("CREATE", "DROP", "ALTER") and not self._declared:
            self._object = _OBJECTS[word]
        elif word in _SPACES and self._first in ("CREATE", "DROP", "USE"):
            self._object = Meaning.NAMESPACE
        elif word in ("DESCRIBE", "DESC") and number == 0:
            self._object = Meaning.TABLE
        elif word == "LIKE" and len(self._frames) == 1 and self._first == "CREATE" and not frame.clause:
            frame.relation = True
        elif word == "AS" and frame.owner in ("CAST", "TRY_CAST"):
            frame.in_type = True
        elif word == "LATERAL" or word in _CLAUSES:
            frame.relation = False
            if word in _CLAUSES:
                frame.clause, frame.expects_alias = word, False
        elif word in ("UNION", "EXCEPT", "INTERSECT"):
            frame.clause, frame.expects_alias = "", False

    def _declare(self, span: Span, behind: str) -> MeantToken:
        assert self._object is not None
        if behind == ".":
            return MeantToken(span, Meaning.NAMESPACE)
        self._declared = True
        return MeantToken(span, self._object, declares=self._first == "CREATE")

    def _behind_dot(self, number: int, span: Span, behind: str) -> MeantToken:
        frame = self._frames[-1]
        if self._object is not None and not self._declared:
            return self._declare(span, behind)
        if frame.relation:
            if behind == ".":
                return MeantToken(span, Meaning.NAMESPACE)
            frame.relation, frame.expects_alias = False, True
            return MeantToken(span, Meaning.TABLE)
        if behind == "(":
            return MeantToken(span, Meaning.FUNCTION)
        return MeantToken(span, Meaning.COLUMN)

    def _plain(self, frame: _Frame, number: int, token: Token, span: Span, before: str, behind: str) -> MeantToken:
        name = token.text.strip("`")
        if frame.relation:
            if behind == ".":
                return MeantToken(span, Meaning.NAMESPACE)
            frame.relation = False
            frame.expects_alias = frame.clause == "FROM" and self._first_word(number) not in ("INTO", "OVERWRITE")
            if frame.expects_alias:
                self._relations.add(name)
            return MeantToken(span, Meaning.TABLE, declares=frame.clause == "WITH")
        if frame.clause == "FROM" and frame.expects_alias and (before == "AS" or self._may_be_alias(before, number)):
            frame.expects_alias = False
            self._relations.add(name)
            return MeantToken(span, Meaning.ALIAS, declares=True)
        if behind == ".":
            return MeantToken(span, Meaning.ALIAS)
        return MeantToken(span, Meaning.COLUMN, declares=before == "AS")

    def _first_word(self, number: int) -> str:
        while number > 0 and self._word(number - 1) == ".":
            number -= 2
        return self._word(number - 1)

    def _may_be_alias(self, before: str, number: int) -> bool:
        token = self._tokens[number - 1]
        return (
            before == ")" or token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and before not in RESERVED)
        )

    # ---- columns of CREATE TABLE

    def _in_columns(self, frame: _Frame, number: int, word: str, span: Span) -> MeantToken:
        before = self._word(number - 1)
        if frame.angles:
            return self._in_type(frame, before, word, span)
        if frame.items == 0:
            if word in ("PRIMARY", "WATERMARK", "CONSTRAINT", "UNIQUE"):
                frame.in_type = False
                return MeantToken(span, Meaning.KEYWORD)
            frame.in_type = True
            return MeantToken(span, Meaning.COLUMN, declares=True)
        if word in _CONSTRAINTS or word in ("FOR", "AS"):
            frame.in_type = False
            return MeantToken(span, Meaning.KEYWORD)
        if frame.in_type:
            return self._in_type(frame, before, word, span)
        behind = self._word(number + 1)
        if word and self._is_keyword(word, behind, frame, before):
            return MeantToken(span, Meaning.KEYWORD)
        if behind == "(":
            return MeantToken(span, Meaning.FUNCTION, built_in=word in _BUILT_IN)
        return MeantToken(span, Meaning.COLUMN)

    def _in_type(self, frame: _Frame, before: str, word: str, span: Span) -> MeantToken:
        if frame.angles and frame.angles[-1] == "ROW" and before in ("<", ","):
            return MeantToken(span, Meaning.COLUMN, declares=True)
        if word in ("NOT", "NULL", "WITH", "LOCAL", "ZONE", "COMMENT"):
            return MeantToken(span, Meaning.KEYWORD)
        return MeantToken(span, Meaning.TYPE)

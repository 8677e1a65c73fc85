"""Names and data types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from sqlglot import exp

from keepstate.syntax.grammar.token_cursor import TokenCursor
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.reserved import IN_SOME_VERSION
from keepstate.syntax.tokens import Token, TokenKind

Item = TypeVar("Item")

_T = exp.DType
SIMPLE_TYPES = {
    "BIGINT": _T.BIGINT,
    "BINARY": _T.BINARY,
    "BOOLEAN": _T.BOOLEAN,
    "BYTES": _T.BLOB,
    "CHAR": _T.CHAR,
    "CHARACTER": _T.CHAR,
    "DATE": _T.DATE,
    "DEC": _T.DECIMAL,
    "DECIMAL": _T.DECIMAL,
    "DOUBLE": _T.DOUBLE,
    "FLOAT": _T.FLOAT,
    "INT": _T.INT,
    "INTEGER": _T.INT,
    "NULL": _T.NULL,
    "NUMERIC": _T.DECIMAL,
    "REAL": _T.FLOAT,
    "SMALLINT": _T.SMALLINT,
    "STRING": _T.TEXT,
    "TIME": _T.TIME,
    "TIMESTAMP": _T.TIMESTAMP,
    "TIMESTAMP_LTZ": _T.TIMESTAMPLTZ,
    "TINYINT": _T.TINYINT,
    "VARBINARY": _T.VARBINARY,
    "VARCHAR": _T.VARCHAR,
    "VARIANT": _T.VARIANT,
}
_ONE_NUMBER = frozenset("CHAR CHARACTER VARYING VARCHAR BINARY VARBINARY TIME TIMESTAMP TIMESTAMP_LTZ".split())
_NO_NUMBER = frozenset(
    "BIGINT BOOLEAN BYTES DATE DOUBLE FLOAT INT INTEGER REAL SMALLINT STRING TINYINT VARIANT".split()
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_INTERVAL_UNITS = frozenset(
    unit + plural
    for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
    for plural in ("", "S")
)
_FIELDS_OF_TIME = ("DAY", "HOUR", "MINUTE", "SECOND")
_FINER_FIELDS = {"YEAR": ("MONTH",), "YEARS": ("MONTH",)} | {
    unit + plural: _FIELDS_OF_TIME[number + 1 :] for number, unit in enumerate(_FIELDS_OF_TIME) for plural in ("", "S")
}
"""The units that TO may name behind one of an interval."""


def unquote_name(text: str) -> str:
    """The name inside of backticks."""
    return text[1:-1].replace("``", "`")


def unquote_string(text: str) -> str:
    """The value of a string literal without prefix."""
    return text[1:-1].replace("''", "'")


def unescape_string(text: str) -> str:
    r"""Return the value of an ``E'...'`` literal, passed without its prefix: ``\n`` and the like are escapes in it."""
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), unquote_string(text))


class TypeGrammar(TokenCursor):
    """Names, lists, and types."""

    # ---- names

    def at_name(self, token: Token | None = None) -> bool:
        """Return whether a name can start at the next token, or at ``token``."""
        token = token or self.token
        kind = token.kind
        if kind is TokenKind.WORD:
            return token.word not in RESERVED
        return kind is TokenKind.NAME or kind is TokenKind.PLACEHOLDER

    def name(self, expected: str = "a name", any_word: bool = False) -> exp.Identifier:
        """One identifier; with ``any_word`` also a reserved word (after a dot, nothing else can stand)."""
        token = self.token
        kind = token.kind
        if kind is TokenKind.NAME:
            self.advance()
            return self.finish(token.start, exp.Identifier(this=unquote_name(token.text), quoted=True))
        if kind is TokenKind.PLACEHOLDER or (kind is TokenKind.WORD and (any_word or token.word not in RESERVED)):
            if token.word in IN_SOME_VERSION:
                self.reserve(token)
            self.advance()
            return self.finish(token.start, exp.Identifier(this=token.text, quoted=False))
        if kind is TokenKind.WORD:
            self.refuse(f"Expected {expected}, but {token.text} is a reserved word: write `{token.text}`.")
        self.fail(expected)

    def keyword(self) -> exp.Identifier:
        """The next token, a reserved word that means itself here."""
        token = self.advance()
        return self.finish(token.start, exp.Identifier(this=token.text, quoted=False))

    def reserve(self, token: Token) -> None:
        """Note that the next token is a word that Flink takes for no name."""
        self.tolerate("reserved-word", f"{token.text} is a reserved word: write `{token.text}` for the name.")

    def path(self, expected: str = "a name") -> list[exp.Identifier]:
        """Identifiers joined by dots."""
        parts = [self._part_of_path(expected)]
        while self.token.word == "." and self.peek().kind is not TokenKind.SYMBOL:
            self.advance()
            parts.append(self._part_of_path(any_word=True))
        return parts

    def _part_of_path(self, expected: str = "a name", any_word: bool = False) -> exp.Identifier:
        """A name; here ``t%d`` is one too, for nothing is divided where tables and types are named."""
        start = self.token.start
        part = self.name(expected, any_word)
        if self.token.word == "%" and self.peek().word in ("S", "D") and self.end == self.token.start:
            part = exp.Identifier(this=f"{part.this}%{self.peek().text}", quoted=part.args["quoted"])
            self.advance()
            self.advance()
            return self.finish(start, part)
        return part

    def table_name(self, expected: str = "the name of a table") -> exp.Table:
        """``[catalog.][database.]table``."""
        start = self.token.start
        return self.make_table(start, self.path(expected))

    def make_table(self, start: int, parts: list[exp.Identifier]) -> exp.Table:
        table = exp.Table(this=parts[-1])
        for arg, part in zip(("db", "catalog"), reversed(parts[:-1]), strict=False):
            table.set(arg, part)
        if len(parts) > 3:
            table.set("expressions", parts[:-3])
        return self.finish(start, table)

    # ---- lists

    def list_of(self, item: Callable[[], Item]) -> list[Item]:
        """One or more items with commas between them."""
        items = [item()]
        while self.token.word == ",":
            self.advance()
            items.append(item())
        return items

    def in_parens(self, item: Callable[[], Item], or_nothing: bool = False) -> list[Item]:
        """``(item, ...)``; ``()`` only with ``or_nothing``."""
        self.expect("(")
        if or_nothing and self.accept(")"):
            return []
        items = self.list_of(item)
        self.expect(")")
        return items

    # ---- literals that other parts need

    def string(self, expected: str = "a string in single quotes") -> exp.Literal:
        token = self.token
        if token.kind is not TokenKind.STRING:
            self.fail(expected)
        self.advance()
        text = token.text
        value = unquote_string(text[text.index("'") :])
        while self.token.kind is TokenKind.STRING and self.token.text[0] == "'":
            # Literals next to one another are one literal, as in standard SQL.
            value += unquote_string(self.advance().text)
        return self.finish(token.start, exp.Literal(this=value, is_string=True))

    def lone_string(self, expected: str = "a string in single quotes") -> exp.Literal:
        """A string where Flink's parser reads one token, and no string behind it as a part of it."""
        following = self.index + 1
        value = self.string(expected)
        if self.index > following:
            self.tolerate("string", "One string stands here: it is not continued by another one.", following)
        return value

    def number(self, expected: str = "a number") -> exp.Literal:
        token = self.token
        if token.kind is not TokenKind.NUMBER:
            self.fail(expected)
        self.advance()
        return self.finish(token.start, exp.Literal(this=token.text, is_string=False))

    def _digits(self) -> exp.Literal:
        if not self.token.text.isdecimal():
            self.fail("a number of digits")
        return self.number()

    # ---- types

    def data_type(self) -> exp.DataType:
        """A data type, with ``NOT NULL`` only where it is nested (at the top it belongs to the column)."""
        outside = self.depth
        self.enter()
        start = self.token.start
        type_ = self.plain_type(start)
        while True:
            nullable = self._nullability_before_suffix()
            if self.token.word not in ("ARRAY", "MULTISET"):
                break
            self.enter()
            if nullable is not None:
                type_.set("nullable", nullable)
            kind = self.advance().word
            inner = type_
            if kind == "ARRAY":
                type_ = exp.DataType(this=_T.ARRAY, expressions=[inner], nested=True)
            else:
                type_ = exp.DataType(this=_T.USERDEFINED, kind="MULTISET", expressions=[inner], nested=True)
            self.finish(start, type_)
        self.depth = outside
        return type_

    def _nullability_before_suffix(self) -> bool | None:
        """Take ``NULL`` / ``NOT NULL`` when ``ARRAY`` or ``MULTISET`` follows, so that it belongs to the element."""
        if self.at("NOT", "NULL") and self.peek(2).word in ("ARRAY", "MULTISET"):
            self.expect("NOT", "NULL")
            return False
        if self.at("NULL") and self.peek().word in ("ARRAY", "MULTISET"):
            self.advance()
            return True
        return None

    def nested_type(self) -> exp.DataType:
        """A type inside of another one, where ``NOT NULL`` belongs to the type."""
        start = self.token.start
        type_ = self.data_type()
        if self.accept("NOT", "NULL"):
            type_.set("nullable", False)
            self.finish(start, type_)
        elif self.accept("NULL"):
            type_.set("nullable", True)
            self.finish(start, type_)
        return type_

    def plain_type(self, start: int) -> exp.DataType:
        token = self.token
        word = token.word
        following = self.peek().word
        if word == "ROW":
            return self._row_type(start)
        if word in ("ARRAY", "MAP", "MULTISET") and following in ("<", "(", "<>"):
            return self._collection_type(start, word)
        if word == "INTERVAL":
            return self._interval_type(start)
        if word == "RAW" and following == "(":
            self.advance()
            return self.finish(
                start, exp.DataType(this=_T.USERDEFINED, kind="RAW", expressions=self.in_parens(self.string))
            )
        if word == "STRUCTURED" and following == "<":
            return self._structured_type(start)
        if word == "ANY":
            self.advance()
            return self.finish(start, exp.DataType(this=_T.USERDEFINED, kind="ANY"))
        simple = SIMPLE_TYPES.get(word)
        if simple is None or following == ".":
            return self._user_type(start)
        self.advance()
        if word in ("CHAR", "CHARACTER") and self.accept("VARYING"):
            simple = _T.VARCHAR
        elif word == "BINARY" and self.accept("VARYING"):
            simple = _T.VARBINARY
        elif word == "DOUBLE":
            self.accept("PRECISION")
        if self.token.word == "(" and word in _NO_NUMBER:
            self.tolerate("type-number", f"{word} takes no number.")
        params = self._type_params()
        if simple is _T.TIMESTAMP:
            if self.accept("WITH", "LOCAL", "TIME", "ZONE"):
                simple = _T.TIMESTAMPLTZ
            elif self.at("WITH", "TIME", "ZONE"):
                self.advance()
                self.tolerate("unknown-type", "Flink has no TIMESTAMP WITH TIME ZONE: take TIMESTAMP_LTZ.")
                self.expect("TIME", "ZONE")
                simple = _T.TIMESTAMPTZ
            else:
                self.accept("WITHOUT", "TIME", "ZONE")
        elif simple is _T.TIME:
            self.accept("WITHOUT", "TIME", "ZONE")
        type_ = exp.DataType(this=simple)
        if params:
            type_.set("expressions", params)
        if simple in (_T.CHAR, _T.VARCHAR) and self.accept("CHARACTER", "SET"):
            type_.set("character_set", self.name("the name of a character set"))
        return self.finish(start, type_)

    def _type_params(self) -> list[exp.DataTypeParam]:
        if self.token.word != "(":
            return []
        self.expect("(")
        params = [self._type_param()]
        if self.token.word == "," and self.tokens[self.index - 3].word not in _ONE_NUMBER:
            self.advance()
            params.append(self._type_param())
        self.expect(")")
        return params

    def _type_param(self) -> exp.DataTypeParam:
        start = self.token.start
        if self.token.kind is TokenKind.PLACEHOLDER:
            return self.finish(start, exp.DataTypeParam(this=self.name()))
        if self.token.kind is TokenKind.NUMBER and not self.token.text.isdecimal():
            self.tolerate("type-number", "The numbers of a type are whole ones.")
        return self.finish(start, exp.DataTypeParam(this=self.number("a precision")))

    def _user_type(self, start: int) -> exp.DataType:
        if not self.at_name():
            self.fail("a data type")
        parts = self.path("a data type")
        if self.token.word == "(":
            self.tolerate("unknown-type", f"{parts[-1].this} is no data type of Flink.")
        params = self._type_params()
        kind = ".".join(part.this for part in parts)
        return self.finish(start, exp.DataType(this=_T.USERDEFINED, kind=kind, expressions=params))

    def _collection_type(self, start: int, word: str) -> exp.DataType:
        self.advance()
        self.expect("<" if self.token.word == "<" else "(")
        closer = ">" if self.tokens[self.index - 1].word == "<" else ")"
        inner = self.list_of(self.nested_type)
        self.expect(closer)
        if word == "MULTISET":
            return self.finish(
                start, exp.DataType(this=_T.USERDEFINED, kind="MULTISET", expressions=inner, nested=True)
            )
        return self.finish(
            start, exp.DataType(this=_T.ARRAY if word == "ARRAY" else _T.MAP, expressions=inner, nested=True)
        )

    def _row_type(self, start: int) -> exp.DataType:
        self.advance()
        if self.accept("<>"):
            return self.finish(start, exp.DataType(this=_T.STRUCT, expressions=[], nested=True))
        closer = ")" if self.token.word == "(" else ">"
        self.expect("(" if closer == ")" else "<")
        fields = [] if self.token.word == closer else self.list_of(self._row_field)
        self.expect(closer)
        return self.finish(start, exp.DataType(this=_T.STRUCT, expressions=fields, nested=True))

    def _structured_type(self, start: int) -> exp.DataType:
        self.advance()
        self.expect("<")
        class_name = self.string("the name of a class in single quotes")
        fields: list[exp.ColumnDef] = []
        while self.accept(","):
            fields.append(self._row_field())
        self.expect(">")
        return self.finish(
            start,
            exp.DataType(this=_T.USERDEFINED, kind="STRUCTURED", values=[class_name], expressions=fields, nested=True),
        )

    def _row_field(self) -> exp.ColumnDef:
        start = self.token.start
        name = self.name("the name of a field", any_word=True)
        field = exp.ColumnDef(this=name, kind=self.nested_type())
        if self.token.kind is TokenKind.STRING:
            field.set("constraints", [self.comment_text()])
        return self.finish(start, field)

    def comment_text(self) -> exp.CommentColumnConstraint:
        start = self.token.start
        return self.finish(start, exp.CommentColumnConstraint(this=self.string()))

    def _interval_type(self, start: int) -> exp.DataType:
        self.advance()
        unit, precision = self.interval_unit()
        return self.finish(start, exp.DataType(this=_T.INTERVAL, expressions=[unit, *precision]))

    def interval_unit(self) -> tuple[exp.Var | exp.IntervalSpan, list[exp.Literal]]:
        """``SECOND(3)``, ``DAYS``, ``HOUR TO MINUTE``: the unit and, behind a single one, its precisions."""
        start = self.token.start
        precision: list[exp.Literal] = []
        unit = self._interval_field(precision)
        # Behind any other unit TO belongs to FLOOR or CEIL: FLOOR(ts + INTERVAL '1' HOUR TO HOUR).
        if self.token.word == "TO" and self.peek().word in _FINER_FIELDS.get(unit.name, ()):
            self.advance()
            both = exp.IntervalSpan(this=unit, expression=self._interval_field(precision))
            if precision:
                both.set("precision", precision)
            return self.finish(start, both), []
        return unit, precision

    def _interval_field(self, precision: list[exp.Literal]) -> exp.Var:
        token = self.token
        if token.kind is not TokenKind.WORD and token.kind is not TokenKind.PLACEHOLDER:
            self.fail("a unit of time, as MINUTE")
        if token.kind is TokenKind.WORD and token.word not in _INTERVAL_UNITS:
            message = f"{token.text} is no unit of an interval: it takes SECOND, MINUTE, HOUR, DAY, MONTH or YEAR."
            self.tolerate("interval-unit", message)
        self.advance()
        unit = self.finish(token.start, exp.Var(this=token.word or token.text))
        if self.token.word == "(" and self.peek().kind is TokenKind.NUMBER:
            precision += self.in_parens(self._digits)
        return unit

"""Flink's logical types as values.

Nullability is left out, as in the canonical spelling of types, and so is the case of names: for most engines they
change nothing in what a state stores. The row serializer of open-source Flink does compare them:
``serializable_string`` has them. Time attributes are plain timestamps here.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache

from keepstate.value_class import value_class

LONGEST = 2147483647
"""The length of STRING and BYTES, which are names for VARCHAR and VARBINARY of that length."""

_SIMPLE = frozenset("BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DATE VARIANT".split())
_SYNONYMS = {
    "INTEGER": "INT",
    "DEC": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "CHARACTER": "CHAR",
    "STRING": "VARCHAR",
    "BYTES": "VARBINARY",
}
_DEFAULT_LENGTH = {"CHAR": 1, "VARCHAR": LONGEST, "BINARY": 1, "VARBINARY": LONGEST}
_DEFAULT_PRECISION = {"TIME": 0, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}
_UNNAMED_LENGTH = {"VARCHAR": "STRING", "VARBINARY": "BYTES"}
_ELEMENTS = {"ARRAY": 1, "MULTISET": 1, "MAP": 2}
_BEHIND_TYPE = frozenset({",", ">", ")", "NOT", "NULL", "ARRAY", "MULTISET"})
_TOKEN = re.compile(r"'(?:[^']|'')*'|`(?:[^`]|``)+`|[\w$]+|[^\w\s]")
_PLAIN_NAME = re.compile(r"[\w$]+")
"""The name of a field that is the same with backticks and without."""


@value_class(frozen=True, slots=True)
class LogicalType:
    """One type; only the attributes that its ``root`` has are set.

    ``elements`` are the element of ARRAY and MULTISET, key and value of MAP, and the fields of ROW, whose ``names``
    are in upper case like all of the canonical spelling; ``exact_names`` are these names as they stand in the text that
    was read, and ``required`` says which elements are NOT NULL there. The roots of intervals are ``INTERVAL
    SECOND`` and ``INTERVAL MONTH``: Flink has one type each for all lengths of time and for all numbers of months.
    """

    root: str
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    elements: tuple[LogicalType, ...] = ()
    names: tuple[str, ...] = ()
    exact_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    required: tuple[bool, ...] = field(default=(), compare=False, repr=False)

    @staticmethod
    def parse(text: str) -> LogicalType | None:
        """Return the type in any spelling; ``None`` for a text that is no built-in type (RAW, structured types).

        >>> str(LogicalType.parse("dec(10)")), str(LogicalType.parse("ROW(a INT, b STRING)"))
        ('DECIMAL(10,0)', 'ROW<A INT,B STRING>')
        >>> LogicalType.parse("my_type") is None
        True
        """
        return _parsed(text)

    @staticmethod
    def as_written(text: str) -> LogicalType | None:
        """Return the type of a script's own text, with its ``exact_names``; ``None`` as ``declared`` has it.

        >>> row = LogicalType.as_written("row<Id int, s string>")
        >>> row.exact_names, row.names
        (('Id', 's'), ('ID', 'S'))
        """
        return _as_written(text)

    @staticmethod
    def declared(text: str) -> LogicalType | None:
        """Return the type of a declaration that is the same in every version of Flink: 1.20 took TIME(3) for
        TIME(0).
        """
        return _declared(text)

    @property
    def has_precise_time(self) -> bool:
        if self.root == "TIME":
            return bool(self.precision)
        return any(element.has_precise_time for element in self.elements)

    def exactly(self, name: str) -> LogicalType | None:
        """The type of the field that is written so; where that is not known, of one that differs in case only."""
        if not self.exact_names:
            return self.field(name)
        types = [type_ for own, type_ in zip(self.exact_names, self.elements, strict=False) if own == name]
        return types[0] if len(types) == 1 else None

    def has_exactly(self, name: str) -> bool:
        """Return whether a ROW has a field that is written so, or may have one.

        >>> row = LogicalType.as_written("ROW<a INT, B STRING>")
        >>> row.has_exactly("B"), row.has_exactly("b")
        (True, False)
        """
        return name in self.exact_names if self.exact_names else name.upper() in self.names

    def field(self, name: str) -> LogicalType | None:
        """The type of a field of ROW; ``None`` as well when the name fits several fields.

        >>> row = LogicalType.parse("ROW<a INT, b STRING>")
        >>> str(row.field("b")), row.field("c")
        ('STRING', None)
        """
        types = [type_ for own, type_ in zip(self.names, self.elements, strict=False) if own == name.upper()]
        return types[0] if len(types) == 1 else None

    @property
    def serializable_string(self) -> str:
        """The spelling of a type as serializers compare it: with NOT NULL inside, and names as they are written.

        >>> LogicalType.as_written("row<Id int not null, s string>").serializable_string
        'ROW<Id INT NOT NULL,s STRING>'
        """
        if not self.elements:
            return str(self)
        required = self.required or (False,) * len(self.elements)
        types = [
            f"{each.serializable_string}{' NOT NULL' * own}" for each, own in zip(self.elements, required, strict=True)
        ]
        if self.root == "ROW":
            names = map(_quoted, self.exact_names or self.names)
            types = [f"{name} {type_}" for name, type_ in zip(names, types, strict=True)]
        return f"{self.root}<{','.join(types)}>"

    def __str__(self) -> str:
        """The canonical spelling."""
        if self.length is not None:
            if self.length == LONGEST and self.root in _UNNAMED_LENGTH:
                return _UNNAMED_LENGTH[self.root]
            return f"{self.root}({self.length})"
        if self.scale is not None:
            return f"{self.root}({self.precision},{self.scale})"
        if self.precision is not None:
            return f"{self.root}({self.precision})"
        if self.root == "ROW":
            fields = (f"{_quoted(name)} {type_}" for name, type_ in zip(self.names, self.elements, strict=True))
            return f"{self.root}<{','.join(fields)}>"
        if self.elements:
            return f"{self.root}<{','.join(map(str, self.elements))}>"
        return self.root


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "`{}`".format(name.replace("`", "``"))


def _unquoted(token: str) -> str:
    return token[1:-1].replace("``", "`") if token.startswith("`") else token


def decimal(precision: int, scale: int) -> LogicalType:
    return LogicalType("DECIMAL", precision=precision, scale=scale)


def char(length: int) -> LogicalType:
    return LogicalType("CHAR", length=length)


def varchar(length: int) -> LogicalType:
    """VARCHAR of at most ``length`` characters; the longest one is STRING.

    >>> str(varchar(20)), str(varchar(2**40))
    ('VARCHAR(20)', 'STRING')
    """
    return LogicalType("VARCHAR", length=min(length, LONGEST))


def timestamp(precision: int) -> LogicalType:
    """A time without a zone, with as many digits behind the seconds as ``precision``.

    >>> str(timestamp(3))
    'TIMESTAMP(3)'
    """
    return LogicalType("TIMESTAMP", precision=precision)


def timestamp_ltz(precision: int) -> LogicalType:
    """A point in time, which sessions show in their zone.

    >>> str(timestamp_ltz(3))
    'TIMESTAMP_LTZ(3)'
    """
    return LogicalType("TIMESTAMP_LTZ", precision=precision)


def array(element: LogicalType) -> LogicalType:
    """Return the type of arrays of ``element``.

    >>> str(array(BIGINT))
    'ARRAY<BIGINT>'
    """
    return LogicalType("ARRAY", elements=(element,))


def map_of(key: LogicalType, value: LogicalType) -> LogicalType:
    return LogicalType("MAP", elements=(key, value))


BOOLEAN = LogicalType("BOOLEAN")
INT = LogicalType("INT")
BIGINT = LogicalType("BIGINT")
DOUBLE = LogicalType("DOUBLE")
DATE = LogicalType("DATE")
TIME = LogicalType("TIME", precision=0)
STRING = varchar(LONGEST)
BYTES = LogicalType("VARBINARY", length=LONGEST)
DAY_TIME = LogicalType("INTERVAL SECOND", precision=3)
YEAR_MONTH = LogicalType("INTERVAL MONTH")


@lru_cache(maxsize=4096)
def _declared(text: str) -> LogicalType | None:
    # Kept as well: a row of many fields is looked through once, and not for each of its fields that is read.
    type_ = _parsed(text)
    return type_ if type_ is not None and not type_.has_precise_time else None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> LogicalType | None:
    return _read(text.upper(), keeps_names=False)


@lru_cache(maxsize=4096)
def _as_written(text: str) -> LogicalType | None:
    type_ = _read(text, keeps_names=True)
    return type_ if type_ is not None and not type_.has_precise_time else None


def _read(text: str, keeps_names: bool) -> LogicalType | None:
    tokens = [_unquoted(token) if _PLAIN_NAME.fullmatch(token[1:-1]) else token for token in _TOKEN.findall(text)]
    reader = _Reader(tokens, keeps_names)
    type_ = reader.type()
    return type_ if reader.at_end else None


class _Reader:
    """Recursive descent over the words and signs of a type."""

    def __init__(self, tokens: list[str], keeps_names: bool) -> None:
        self._written = tokens
        self._keeps_names = keeps_names
        self._tokens = [token.upper() for token in tokens]
        self._next = 0
        self._required = False
        """The type that was read last is NOT NULL."""

    @property
    def at_end(self) -> bool:
        return self._next == len(self._tokens)

    def type(self) -> LogicalType | None:
        type_ = self._plain()
        self._required = False
        while type_ is not None:
            if self._accept("NOT", "NULL"):
                self._required = True
                continue
            if self._accept("NULL"):
                continue
            suffix = self._one_of("ARRAY", "MULTISET")
            if not suffix:
                break
            type_ = LogicalType(suffix, elements=(type_,), required=(self._required,))
            self._required = False
        return type_

    def _plain(self) -> LogicalType | None:
        word = self._word()
        root = _SYNONYMS.get(word, word)
        if root == "ROW":
            return self._row()
        if root == "INTERVAL":
            return self._interval()
        if root in _ELEMENTS:
            elements, required = self._elements()
            complete = len(elements) == _ELEMENTS[root]
            return LogicalType(root, elements=elements, required=required) if complete else None
        if root in _SIMPLE:
            if root == "DOUBLE":
                self._accept("PRECISION")
            return LogicalType(root)
        if root in ("CHAR", "BINARY") and self._accept("VARYING"):
            root = f"VAR{root}"
        numbers = self._numbers()
        first = numbers[0] if numbers else None
        if root == "DECIMAL" and len(numbers) <= 2:
            return decimal(10 if first is None else first, numbers[1] if len(numbers) == 2 else 0)
        if len(numbers) > 1:
            return None
        if root in _DEFAULT_LENGTH:
            self._character_set()
            return LogicalType(root, length=_DEFAULT_LENGTH[root] if first is None else first)
        if self._accept("WITH", "LOCAL", "TIME", "ZONE"):
            root = f"{root}_LTZ"
        else:
            self._accept("WITHOUT", "TIME", "ZONE")
        if root in _DEFAULT_PRECISION:
            return LogicalType(root, precision=_DEFAULT_PRECISION[root] if first is None else first)
        return None

    def _character_set(self) -> None:
        """Skip the character set that Calcite prints behind a text type; there is only one."""
        if self._accept("CHARACTER", "SET"):
            while not self.at_end and self._tokens[self._next] not in _BEHIND_TYPE:
                self._word()

    def _numbers(self) -> tuple[int, ...]:
        """The parameters of a type, if it has any."""
        numbers: list[int] = []
        if self._accept("("):
            while not self._accept(")") and not self.at_end:
                word = self._word()
                if word.isdecimal():
                    numbers.append(int(word))
        return tuple(numbers)

    def _elements(self) -> tuple[tuple[LogicalType, ...], tuple[bool, ...]]:
        """The types in angle brackets, and which of them are NOT NULL."""
        elements: list[LogicalType] = []
        required: list[bool] = []
        if self._accept("<"):
            while (type_ := self.type()) is not None:
                elements.append(type_)
                required.append(self._required)
                if not self._accept(","):
                    break
        return (tuple(elements), tuple(required)) if self._accept(">") else ((), ())

    def _row(self) -> LogicalType | None:
        closing = {"<": ">", "(": ")"}.get(self._one_of("<", "("))
        if closing is None:
            return None
        names: list[str] = []
        spellings: list[str] = []
        types: list[LogicalType] = []
        required: list[bool] = []
        while not self._accept(closing):
            if self._keeps_names and not self.at_end:
                spellings.append(_unquoted(self._written[self._next]))
            names.append(_unquoted(self._word()))
            type_ = self.type()
            if type_ is None:
                return None
            types.append(type_)
            required.append(self._required)
            if not self.at_end and self._tokens[self._next].startswith("'"):
                self._word()
            self._accept(",")
        return LogicalType(
            "ROW", elements=tuple(types), names=tuple(names), exact_names=tuple(spellings), required=tuple(required)
        )

    def _interval(self) -> LogicalType | None:
        first = ""
        while unit := self._one_of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"):
            first = first or unit
            self._numbers()
        if not first:
            return None
        return YEAR_MONTH if first in ("YEAR", "MONTH") else DAY_TIME

    def _word(self) -> str:
        """The next word, read; nothing at the end."""
        if self.at_end:
            return ""
        self._next += 1
        return self._tokens[self._next - 1]

    def _one_of(self, *words: str) -> str:
        """The next word, read, if it is one of ``words``; else nothing."""
        return self._word() if not self.at_end and self._tokens[self._next] in words else ""

    def _accept(self, *words: str) -> bool:
        """Return whether ``words`` come next, and read them if so."""
        found = tuple(self._tokens[self._next : self._next + len(words)]) == words
        self._next += len(words) if found else 0
        return found

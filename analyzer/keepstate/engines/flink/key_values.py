"""Keys that can never have the same value: state stored under the one is never found under the other.

State is stored under values. Where another key has the value of a former one, it takes over the state, and no
serializer complains. Only constants, and texts built from constants, prove that values differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import groupby, product

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.references import ColumnOfUnion

_DIGIT = "0-9"
"""Stands for any digit where a text is described."""
_DIGITS_OF = {"yyyy": 4, "yy": 2, "MM": 2, "dd": 2, "HH": 2, "hh": 2, "kk": 2, "mm": 2, "ss": 2, "SSS": 3}
"""Parts of a pattern of DATE_FORMAT that always give as many digits."""


def never_equal(before: object, after: object) -> bool:
    """Return whether no value of ``before`` is a value of ``after``.

    Where both are NULL because the same operand is NULL, the group keeps its meaning, and does not count.
    """
    if not isinstance(before, Expr) or not isinstance(after, Expr):
        return False
    baseline_values, current_values = list(_values(before)), list(_values(after))
    return all(_apart(one, other) for one, other in product(baseline_values, current_values))


def _values(expr: Expr) -> Iterator[Expr]:
    """The expressions of which ``expr`` has the value of one."""
    if isinstance(expr, ColumnOfUnion):
        for part in expr.exprs:
            yield from _values(part)
    elif isinstance(expr, Call) and expr.name == "CASE":
        for part in (*expr.args[1::2], *expr.args[-1:]):
            yield from _values(part)
    elif isinstance(expr, Call) and expr.name == "CAST" and isinstance(expr.args[0], Literal):
        yield expr.args[0]
    else:
        yield expr


def _apart(one: Expr, other: Expr) -> bool:
    if isinstance(one, Literal) and isinstance(other, Literal):
        return _value(one) != _value(other)
    first, second = _Text.of(one), _Text.of(other)
    return first is not None and second is not None and first.is_apart_from(second)


def _value(constant: Literal) -> object:
    try:
        return Decimal(constant.value) if constant.type in ("NUMBER", "DOUBLE") else constant.value
    except InvalidOperation:
        return constant.value


@dataclass(frozen=True)
class _Text:
    """Common beginning and end of the texts that an expression gives, character by character. ``whole`` is true for
    texts no longer than their beginning.
    """

    beginning: tuple[str, ...]
    end: tuple[str, ...]
    whole: bool

    @staticmethod
    def of(expr: Expr) -> _Text | None:
        match expr:
            case Literal(type="STRING", value=value):
                return _Text(tuple(value), tuple(value), True)
            case Call(name="DATE_FORMAT", args=(_, Literal(type="STRING", value=pattern))):
                return _Text._formatted(pattern)
            case Call(name="||" | "CONCAT", args=parts):
                return _Text._concatenate([_Text.of(part) or _Text((), (), False) for part in parts])
        return None

    @staticmethod
    def _formatted(pattern: str) -> _Text | None:
        characters: list[str] = []
        for letter, run in groupby(pattern):
            part = "".join(run)
            if not letter.isalpha() and letter not in "'[]{}#":
                characters += part
            elif part in _DIGITS_OF:
                characters += [_DIGIT] * _DIGITS_OF[part]
            else:
                return None
        return _Text(tuple(characters), tuple(characters), True)

    @staticmethod
    def _concatenate(parts: list[_Text]) -> _Text:
        beginning: list[str] = []
        end: list[str] = []
        for part in parts:
            beginning += part.beginning
            if not part.whole:
                break
        for part in reversed(parts):
            end[:0] = part.end
            if not part.whole:
                break
        return _Text(tuple(beginning), tuple(end), all(part.whole for part in parts))

    def is_apart_from(self, other: _Text) -> bool:
        if self.whole and other.whole and len(self.beginning) != len(other.beginning):
            return True
        pairs = (
            *zip(self.beginning, other.beginning, strict=False),
            *zip(self.end[::-1], other.end[::-1], strict=False),
        )
        return any(_differ(first, second) for first, second in pairs)


def _differ(one: str, other: str) -> bool:
    if _DIGIT in (one, other):
        rest = other if one == _DIGIT else one
        return rest != _DIGIT and not rest.isdigit()
    return one != other

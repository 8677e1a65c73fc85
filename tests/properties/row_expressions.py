"""Expressions and conditions over rows, with SQL texts for them; conditions have three values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Truth = bool | None


@dataclass(frozen=True)
class Column:
    name: str

    def text(self, names: Names) -> str:
        return names[self.name]

    def value(self, row: Row) -> Any:
        return row[self.name]

    @property
    def columns(self) -> frozenset[str]:
        return frozenset({self.name})


@dataclass(frozen=True)
class Constant:
    """A number or a string."""

    constant: int | str

    def text(self, names: Names) -> str:
        return f"'{self.constant}'" if isinstance(self.constant, str) else f"CAST({self.constant} AS BIGINT)"

    def value(self, row: Row) -> Any:
        return self.constant

    @property
    def columns(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True)
class Computed:
    """``operator`` is one of + - * over numbers, or COALESCE over two values of one type."""

    operator: str
    left: Expression
    right: Expression

    def text(self, names: Names) -> str:
        left, right = self.left.text(names), self.right.text(names)
        return f"COALESCE({left}, {right})" if self.operator == "COALESCE" else f"({left} {self.operator} {right})"

    def value(self, row: Row) -> Any:
        left, right = self.left.value(row), self.right.value(row)
        if self.operator == "COALESCE":
            return right if left is None else left
        if left is None or right is None:
            return None
        return {"+": left + right, "-": left - right, "*": left * right}[self.operator]

    @property
    def columns(self) -> frozenset[str]:
        return self.left.columns | self.right.columns


@dataclass(frozen=True)
class Case:
    """CASE WHEN condition THEN one ELSE other END."""

    condition: Condition
    one: Expression
    other: Expression

    def text(self, names: Names) -> str:
        one, other = self.one.text(names), self.other.text(names)
        return f"CASE WHEN {self.condition.text(names)} THEN {one} ELSE {other} END"

    def value(self, row: Row) -> Any:
        return (self.one if self.condition.truth(row) else self.other).value(row)

    @property
    def columns(self) -> frozenset[str]:
        return self.condition.columns | self.one.columns | self.other.columns


Expression = Column | Constant | Computed | Case
Names = dict[str, str]


@dataclass(frozen=True)
class Comparison:
    left: Expression
    operator: str
    right: Expression

    def text(self, names: Names) -> str:
        return f"{self.left.text(names)} {self.operator} {self.right.text(names)}"

    def truth(self, row: Row) -> Truth:
        left, right = self.left.value(row), self.right.value(row)
        if left is None or right is None:
            return None
        return {
            "=": left == right,
            "<>": left != right,
            "<": left < right,
            ">": left > right,
            "<=": left <= right,
            ">=": left >= right,
        }[self.operator]

    @property
    def columns(self) -> frozenset[str]:
        return self.left.columns | self.right.columns


@dataclass(frozen=True)
class IsNull:
    operand: Expression

    def text(self, names: Names) -> str:
        return f"{self.operand.text(names)} IS NULL"

    def truth(self, row: Row) -> Truth:
        return self.operand.value(row) is None

    @property
    def columns(self) -> frozenset[str]:
        return self.operand.columns


@dataclass(frozen=True)
class Not:
    operand: Condition

    def text(self, names: Names) -> str:
        return f"NOT ({self.operand.text(names)})"

    def truth(self, row: Row) -> Truth:
        truth = self.operand.truth(row)
        return None if truth is None else not truth

    @property
    def columns(self) -> frozenset[str]:
        return self.operand.columns


@dataclass(frozen=True)
class Both:
    """``operator`` is AND or OR."""

    operator: str
    left: Condition
    right: Condition

    def text(self, names: Names) -> str:
        return f"({self.left.text(names)} {self.operator} {self.right.text(names)})"

    def truth(self, row: Row) -> Truth:
        decisive = self.operator == "OR"
        truths = (self.left.truth(row), self.right.truth(row))
        if decisive in truths:
            return decisive
        return None if None in truths else not decisive

    @property
    def columns(self) -> frozenset[str]:
        return self.left.columns | self.right.columns


Condition = Comparison | IsNull | Not | Both

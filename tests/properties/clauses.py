"""Parts of queries, each with the spellings that mean the same: intervals, conditions, aggregates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spelling import Chance, Relation, columns_of, mark

_FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}


def interval(seconds: int, chance: Chance) -> str:
    """A length of time; a number of more than two digits needs a precision."""

    def literal(number: int, unit: str) -> str:
        digits = len(str(number))
        if digits > 2:
            return f"INTERVAL '{number}' {unit}({digits})"
        return f"INTERVAL '{number}' {unit}{chance.vary('EQ-01', '', 'S')}"

    units = [("DAY", 86400), ("HOUR", 3600), ("MINUTE", 60), ("SECOND", 1)]
    fitting = [(name, size) for name, size in units if seconds % size == 0 and seconds // size < 1000]
    forms = [lambda name=name, size=size: literal(seconds // size, name) for name, size in fitting]
    if seconds % 60 == 0 and 3600 <= seconds < 86400:
        forms.append(lambda: f"INTERVAL '{seconds // 3600}:{seconds % 3600 // 60:02}' HOUR TO MINUTE")
    return chance.vary("EQ-01", *forms)()


@dataclass(frozen=True)
class Condition:
    """``left operator right``; for BETWEEN ``right`` is a pair of bounds, for IN a list of values, with NOT or not."""

    left: str
    operator: str
    right: str | tuple[str, ...]
    touched: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return columns_of(self.left, *([self.right] if isinstance(self.right, str) else self.right))

    def sql(self, relation: Relation, chance: Chance) -> str:
        return mark(self._sql(relation, chance), self.touched)

    def _sql(self, relation: Relation, chance: Chance) -> str:
        left = relation.sql(self.left)
        if isinstance(self.right, tuple):
            values = [relation.sql(value) for value in self.right]
            if self.operator == "BETWEEN":
                low, high = values
                return chance.vary(
                    "EQ-03 WH-04",
                    f"{left} BETWEEN {low} AND {high}",
                    f"({left} >= {low} AND {left} <= {high})",
                    f"({high} >= {left} AND {low} <= {left})",
                )
            if self.operator == "NOT BETWEEN":
                low, high = values
                return chance.vary(
                    "EQ-03 WH-04",
                    f"{left} NOT BETWEEN {low} AND {high}",
                    f"NOT ({left} BETWEEN {low} AND {high})",
                    f"({left} < {low} OR {left} > {high})",
                    f"NOT ({left} >= {low} AND {high} >= {left})",
                )
            listed = chance.shuffled(values)
            if self.operator == "NOT IN":
                return chance.vary(
                    "EQ-03 WH-04",
                    f"{left} NOT IN ({', '.join(listed)})",
                    f"NOT ({left} IN ({', '.join(listed)}))",
                    f"({' AND '.join(f'{left} <> {value}' for value in listed)})",
                    f"NOT ({' OR '.join(f'{value} = {left}' for value in listed)})",
                )
            return chance.vary(
                "EQ-03 WH-04",
                f"{left} IN ({', '.join(listed)})",
                f"({' OR '.join(f'{left} = {value}' for value in listed)})",
                f"({' OR '.join(f'{value} = {left}' for value in listed)})",
            )
        right = relation.sql(self.right)
        if self.operator != "=" and chance.vary("EQ-03 WH-04", False, False, False, True):
            # An equality of two inputs has to be seen as one.
            return chance.vary(
                "EQ-03 WH-04",
                f"({left} {self.operator} {right}) IS TRUE",
                f"({left} {self.operator} {right}) = TRUE",
                f"({left} {_NEGATED[self.operator]} {right}) = FALSE",
                f"({left} {_NEGATED[self.operator]} {right}) IS FALSE",
            )
        # Flink's planner goes by the sign: behind ``1 < n`` a MAX of the growing n has to take rows back.
        keeps_sign = "agg" in left and chance.keeps("mirrored")
        return chance.vary(
            "EQ-03 WH-04",
            f"{left} {self.operator} {right}",
            f"({left} {self.operator} {right})" if keeps_sign else f"{right} {_FLIPPED[self.operator]} {left}",
            f"({left} {self.operator} {right})",
            f"NOT ({left} {_NEGATED[self.operator]} {right})",
        )


@dataclass(frozen=True)
class AnyOf:
    """Conditions joined by OR."""

    conditions: tuple[Condition, ...]

    @property
    def left(self) -> str:
        """The text of all of it, for who asks which columns are read."""
        return " ".join(f"{one.left} {one.right}" for one in self.conditions)

    right = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for one in self.conditions for name in one.columns)

    def sql(self, relation: Relation, chance: Chance) -> str:
        conditions = chance.shuffled(self.conditions) if chance.vary("EQ-03", False, True) else self.conditions
        if chance.vary("EQ-03 WH-04", False, False, True):
            return f"NOT ({' AND '.join(f'NOT ({one.sql(relation, chance)})' for one in conditions)})"
        return f"({' OR '.join(one.sql(relation, chance) for one in conditions)})"


def conjunction(conditions: tuple[Condition, ...], relation: Relation, chance: Chance) -> str:
    if chance.vary("EQ-03", False, True):
        conditions = chance.shuffled(conditions)
    return " AND ".join(condition.sql(relation, chance) for condition in conditions)


def where(conditions: tuple[Condition, ...], relation: Relation, chance: Chance, keyword: str = "WHERE") -> str:
    return f"\n{keyword} {conjunction(conditions, relation, chance)}" if conditions else ""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate call: ``argument`` is an expression, or ``*`` for COUNT."""

    function: str
    argument: str
    distinct: bool = False
    condition: Condition | None = None
    touched: bool = False
    type: str = "BIGINT"
    same_arguments: tuple[str, ...] = ()
    """Other spellings of the argument, of which Flink makes the same expression."""

    @property
    def signature(self) -> tuple[object, ...]:
        return (self.function, self.argument, self.distinct, self.condition)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*columns_of(self.argument), *(self.condition.columns if self.condition else ()))

    def sql(self, relation: Relation, chance: Chance) -> str:
        if self.argument == "*":
            argument = chance.vary("EQ-05", "*", "1")
        else:
            argument = relation.sql(self.argument)
            # Several arguments in parentheses would be one row.
            bare = argument if ", " in argument else f"({argument})"
            argument = chance.vary("EQ-03", argument, bare, *(relation.sql(other) for other in self.same_arguments))
        every = chance.vary("EQ-05", "", "", "", "ALL ") if self.argument != "*" else ""
        text = f"{self.function}({'DISTINCT ' if self.distinct else every}{argument})"
        if self.condition is not None:
            text += f" FILTER (WHERE {self.condition.sql(relation, chance)})"
        return mark(text, self.touched)

    def touch(self) -> Aggregate:
        return replace(self, touched=True)


@dataclass(frozen=True)
class Key:
    """A group or partition key: an expression, or the name of a window field."""

    expression: str
    touched: bool = False

    @property
    def window_field(self) -> bool:
        return self.expression.startswith("window")

    @property
    def columns(self) -> tuple[str, ...]:
        return columns_of(self.expression)

    def sql(self, relation: Relation) -> str:
        if self.window_field:
            return mark(relation.column(self.expression), self.touched)
        return mark(relation.sql(self.expression), self.touched)

    def touch(self) -> Key:
        return replace(self, touched=True)


@dataclass(frozen=True)
class Order:
    """One column of ORDER BY."""

    expression: str
    descending: bool = True
    touched: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return columns_of(self.expression)

    def sql(self, relation: Relation, chance: Chance) -> str:
        if self.descending:
            direction = chance.vary("EQ-02", " DESC", " DESC NULLS LAST")
        else:
            direction = chance.vary("EQ-02", "", " ASC", " NULLS FIRST", " ASC NULLS FIRST")
        return mark(relation.sql(self.expression) + direction, self.touched)

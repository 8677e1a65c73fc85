"""Aggregates that go on from partial results: what is kept of former rows, and how kept and new values become one.

``SUM`` of sums and of counts, the least of the least; ``AVG`` is a sum and a count, ``DISTINCT`` its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.cutover.states.computed_state import NotComputed
from keepstate.plan.names.full_names import function_name
from keepstate.plan.types.builtin_functions import AGGREGATES, is_built_in
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, apply_edits

_EXTREMES = ("MIN", "MAX")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class StateColumn:
    """A column of the kept state. ``state_text`` is its expression over former rows; ``row`` is that over a new row,
    without the cast to its type. ``meaning`` is equal for equal keys.
    """

    name: str
    state_text: str
    row: str
    meaning: str = ""


@dataclass
class StateColumns:
    """The columns of a state, each once: ``keys`` of the groups, ``values`` of DISTINCT, and partial ``results``."""

    keys: list[StateColumn] = field(default_factory=list)
    values: list[StateColumn] = field(default_factory=list)
    results: list[StateColumn] = field(default_factory=list)

    @property
    def all(self) -> list[StateColumn]:
        return [*self.keys, *self.values, *self.results]

    def add_key(self, node: exp.Expression, text: str, relation: str) -> None:
        """Add a key of GROUP BY; ``relation`` is the name of the table of the query."""
        name = node.name if isinstance(node, exp.Column) and _PLAIN_NAME.fullmatch(node.name) else ""
        taken_names = {column.name.lower() for column in self.keys}
        column_name = f"k_{name}" if name and f"k_{name}".lower() not in taken_names else f"k{len(self.keys) + 1}"
        self.keys.append(StateColumn(column_name, text, text, _meaning(node, relation)))

    def value(self, text: str) -> str:
        """The name of the column with the values of a DISTINCT."""
        return self._column_name(self.values, "d", text, text)

    def result(self, state_text: str, row: str) -> str:
        """The name of the column of a partial result."""
        return self._column_name(self.results, "r", state_text, row)

    @staticmethod
    def _column_name(columns: list[StateColumn], letter: str, state_text: str, row: str) -> str:
        column = next((column for column in columns if column.state_text == state_text), None)
        if column is None:
            column = StateColumn(f"{letter}{len(columns) + 1}", state_text, row)
            columns.append(column)
        return column.name


@dataclass(frozen=True)
class StateRewriter:
    """Rewrites expressions over rows as expressions over the columns of a state. ``text`` is that of the statement,
    ``relation`` the name of its table.
    """

    text: str
    relation: str
    columns: StateColumns
    result_type: Callable[[str], str]
    """The type of an expression over the rows, as DDL has it."""

    def rewritten(self, node: exp.Expression) -> str:
        """The text of an expression of the select list or of HAVING, over the state.

        Raises:
            NotComputed: an aggregate in it cannot go on from a partial result.
        """
        span = span_of(node)
        if span is None:
            raise NotComputed("An expression of the query has no place in its text.")
        edits = [Edit(edit.span.shift(-span.start), edit.new_text) for edit in self._edits(node)]
        return apply_edits(span.of(self.text), edits)

    def _edits(self, node: exp.Expression) -> Iterator[Edit]:
        span = span_of(node)
        meaning = _meaning(node, self.relation)
        key = next((column for column in self.columns.keys if column.meaning == meaning), None)
        if key is not None and span is not None:
            yield Edit(span, key.name)
            return
        aggregate = _Aggregate.of(node, self.text)
        if aggregate is not None and span is not None:
            yield Edit(span, self._merged(aggregate))
            return
        if isinstance(node, exp.Column):
            raise NotComputed(f"{node.name} is neither a key nor in an aggregate.")
        if isinstance(node, exp.Anonymous) and not is_built_in(function_name(node)):
            raise NotComputed(f"{function_name(node)} is a function of the user, and may be an aggregate.")
        if isinstance(node, (exp.Query, exp.Window)):
            raise NotComputed("It has a subquery or OVER in its results.")
        for child in node.iter_expressions():
            if isinstance(child, (exp.Identifier, exp.DataType)):
                continue
            yield from self._edits(child)

    def _merged(self, call: _Aggregate) -> str:
        if call.distinct:
            if call.name not in ("COUNT", "SUM", *_EXTREMES):
                raise NotComputed(f"{call.name}(DISTINCT ...) does not follow from its values.")
            value = self.columns.value(call.passing(call.argument))
            return f"{call.name}(DISTINCT {value})"
        match call.name:
            case "COUNT":
                column = self.columns.result(call.text, call.counted)
                return f"COALESCE(SUM({column}), 0)"
            case "SUM" | "MIN" | "MAX":
                column = self.columns.result(call.text, call.passing(call.argument))
                return f"{call.name}({column})"
            case "AVG":
                return self._average(call)
        raise NotComputed(f"{call.name} of all rows does not follow from {call.name} of the former ones.")

    def _average(self, call: _Aggregate) -> str:
        type_ = self.result_type(call.text)
        whole = type_ in ("TINYINT", "SMALLINT", "INT", "BIGINT")
        # Flink adds whole numbers as BIGINT, and FLOAT as DOUBLE.
        wider = "BIGINT" if whole else "DOUBLE" if type_ == "FLOAT" else ""
        argument = f"CAST({call.argument} AS {wider})" if wider else call.argument
        total = self.columns.result(f"SUM({argument}){call.filter_text}", call.passing(argument))
        count = self.columns.result(f"COUNT({call.argument}){call.filter_text}", call.counted)
        return f"CAST(SUM({total}) / NULLIF(SUM({count}), 0) AS {type_})"


@dataclass(frozen=True)
class _Aggregate:
    """A call of an aggregate function as it is written."""

    name: str
    argument: str
    text: str
    distinct: bool = False
    condition: str = ""

    @staticmethod
    def of(node: exp.Expression, text: str) -> _Aggregate | None:
        """The call that a node is; ``None`` for one that is no aggregate."""
        condition = ""
        call = node
        if isinstance(node, exp.Filter):
            condition = _text_of(node.expression.this, text)
            call = node.this
        span = span_of(node)
        name = function_name(call) if isinstance(call, exp.Anonymous) else ""
        if span is None or name not in AGGREGATES:
            return None
        arguments = call.expressions
        if len(arguments) != 1:
            raise NotComputed(f"{name} has {len(arguments)} arguments.")
        argument = arguments[0]
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            if len(argument.expressions) != 1:
                raise NotComputed(f"{name}(DISTINCT ...) has several arguments.")
            argument = argument.expressions[0]
        inner = "*" if isinstance(argument, exp.Star) else _text_of(argument, text)
        return _Aggregate(name, inner, span.of(text), distinct, condition)

    @property
    def filter_text(self) -> str:
        return f" FILTER (WHERE {self.condition})" if self.condition else ""

    def passing(self, expression: str) -> str:
        """An expression over a row, NULL for a row that the call does not take."""
        return f"CASE WHEN {self.condition} THEN {expression} END" if self.condition else expression

    @property
    def counted(self) -> str:
        """1 for a row that the call counts, else 0."""
        conditions = [f"({self.condition})"] if self.condition else []
        if self.argument != "*":
            conditions.append(f"{self.argument} IS NOT NULL")
        return f"CASE WHEN {' AND '.join(conditions)} THEN 1 ELSE 0 END" if conditions else "1"


def _text_of(node: exp.Expression, text: str) -> str:
    """The text of an expression.

    Raises:
        NotComputed: it has no place in the text.
    """
    span = span_of(node)
    if span is None:
        raise NotComputed("An expression of the query has no place in its text.")
    return span.of(text)


def _meaning(node: exp.Expression, relation: str) -> str:
    """The text of an expression without the name of the table in front of columns, for comparisons. What else stands in
    front of a name is a row: ``home.city`` and ``job.city`` are two fields.
    """
    copied = node.copy()
    for column in copied.find_all(exp.Column):
        outermost = next((part for part in ("catalog", "db", "table") if column.args.get(part)), None)
        if outermost is not None and column.args[outermost].name.lower() == relation.lower():
            column.set(outermost, None)
    return copied.sql()

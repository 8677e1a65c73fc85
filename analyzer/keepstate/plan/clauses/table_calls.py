"""Calls of functions that take whole tables: ``f(TABLE t PARTITION BY k, x => 1)``.

The state of such a function is unknown, unless it is a function of Flink that processes one row at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.names.full_names import called_name
from keepstate.plan.provenance import place_of
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Relation
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import ParsedStatement

_ROW_BY_ROW = frozenset({"ML_PREDICT"})


@dataclass(frozen=True)
class TableCall:
    """A call with tables among its arguments; ``words`` is the rest of the call."""

    name: str
    inputs: tuple[Relation, ...]
    words: tuple[str, ...]

    @staticmethod
    def of(
        call: syntax_nodes.TableFunction,
        statement: ParsedStatement,
        relation_of: Callable[[exp.Expression], Relation],
        scalars_over: Callable[[tuple[Relation, ...]], ScalarLowering],
    ) -> TableCall:
        """Lower a call. ``relation_of`` lowers a table argument; ``scalars_over`` returns the lowering of expressions
        over relations.
        """
        inputs: list[Relation] = []
        words: list[str] = []
        for argument in call.expressions:
            value = argument
            if isinstance(argument, syntax_nodes.NamedArgument):
                words.append(f"{argument.this.name.upper()} =>")
                value = argument.expression
            if isinstance(value, syntax_nodes.TableArgument):
                inputs.append(relation_of(value.this))
                words += _division(value, scalars_over((inputs[-1],)))
                # It may read any column, by its name.
                words += (f"{column.name} {column.expr}" for column in inputs[-1].fields)
            elif isinstance(value, (syntax_nodes.Descriptor, syntax_nodes.ModelArgument)):
                words += place_of(statement, value).words
            else:
                words.append(str(scalars_over(()).lower(value)))
        return TableCall(called_name(call), tuple(inputs), tuple(words))

    @property
    def is_row_by_row(self) -> bool:
        """Return whether the function gives a result for each row of its one table and stores no row."""
        return self.name in _ROW_BY_ROW and len(self.inputs) == 1

    @property
    def expression(self) -> Expr:
        """The call as an expression of a row."""
        return Call(self.name, tuple(Literal(word, "NAME") for word in self.words))


def takes_tables(call: exp.Expression) -> bool:
    """Return whether a call in FROM has a table among its arguments."""
    return isinstance(call, syntax_nodes.TableFunction) and any(
        isinstance(
            value.expression if isinstance(value, syntax_nodes.NamedArgument) else value, syntax_nodes.TableArgument
        )
        for value in call.expressions
    )


def _division(argument: syntax_nodes.TableArgument, scalars: ScalarLowering) -> Iterator[str]:
    """Yield the partitioning and the order of a table argument. Partition keys have no order."""
    keys = argument.args.get("partition_by")
    yield "TABLE"
    if keys is not None:
        yield "PARTITION BY"
        yield from sorted(str(scalars.lower(key)) for key in keys.expressions)
    order = argument.args.get("order_by")
    for ordering in scalars.orderings(order):
        yield f"ORDER BY {ordering.expr} {'DESC' if ordering.descending else 'ASC'} {ordering.nulls_first}"

"""Upsert keys: the columns that identify the updates of a query, and their effect on a sink with a primary key.

Flink's planner derives upsert keys of every operator. If no upsert key of the rows in front of a sink lies within its
primary key, updates of one key may arrive in any order. Then the planner puts an operator in front of the sink that
stores the rows of every key (SinkUpsertMaterializer). The keys were checked against those that Flink 2.3 reports.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Column, Expr, Literal, WindowField
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.job import Pipeline, Plan
from keepstate.plan.metadata.changelog import updates, updating_tables
from keepstate.plan.metadata.connectors import sends_updates
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    RankRange,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowDeduplicate,
    WindowRank,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.settings import Settings
from keepstate.plan.types.inference import type_of

Keys = frozenset[frozenset[Expr]]

MATERIALIZE = "table.exec.sink.upsert-materialize"
_NO_KEY: Keys = frozenset()
_VERSIONS = ((1, 20), (2, 3))
"""Versions of Flink of which each kind of planner is one."""
_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")


def upsert_keys(operator: Operator, catalog: Catalog) -> Keys | None:
    """Return the sets of columns that each identify the updates of an operator; ``None`` if that is undecidable.

    >>> keys = upsert_keys(root("SELECT buyer, SUM(price) FROM orders GROUP BY buyer"), catalog())
    >>> [[str(column) for column in key] for key in keys]
    [['buyer']]
    """
    if _no_keys(operator).catalog is not catalog:
        # From below: those of a join follow from all that is below it, and a chain of joins is deep.
        for below in reversed(tuple(operator.walk())):
            entry = _no_keys(below)
            if entry.catalog is not catalog:
                entry.keys, entry.catalog = _upsert_keys(below, catalog), catalog
    return _no_keys(operator).keys


@dataclass(eq=False)
class _Found:
    """Latest result for an operator. A plan belongs to one catalog, but is kept while other catalogs come."""

    catalog: Catalog | None = None
    keys: Keys | None = None


@asked_once
def _no_keys(_: Operator) -> _Found:
    return _Found()


def _upsert_keys(operator: Operator, catalog: Catalog) -> Keys | None:
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return _of_source(operator, catalog)
        case Calc() | WindowTableFunction() | TemporalSort() | Limit() | OverAggregate():
            return upsert_keys(operator.input, catalog)
        case GroupAggregate():
            return frozenset({frozenset(operator.keys)})
        case Aggregate():
            # Either end of a window tells it from the others.
            ends = operator.window_keys or (None,)
            return frozenset(frozenset((*operator.plain_keys, *([end] if end else []))) for end in ends)
        case WindowDeduplicate() | Union() | Values() | Match() | Correlate():
            return _NO_KEY
        case WindowRank():
            return _of_window_rank(operator)
        case Rank():
            return _of_rank(operator, catalog)
        case SetOperation():
            return _NO_KEY if operator.every else frozenset({frozenset(operator.left_row)})
        case TemporalJoin() | Unsupported():
            return None
        case Join():
            return _of_join(operator, catalog)
        case other:
            unhandled(other)


def _of_join(join: Join, catalog: Catalog) -> Keys | None:
    """Return the keys of a join's rows. Rows come in the order of a key only if the key holds all equated columns."""
    sides = JoinSides.of(join)
    left_key, right_key = equated(join, sides)
    left, right = upsert_keys(join.left, catalog), keys_of_right(join, sides, catalog)
    if left is None or right is None:
        return None
    left_keys = {key for key in left if key.issuperset(left_key)}
    right_keys = {key for key in right if key.issuperset(right_key)}
    if join.kind in ("semi", "anti"):
        return frozenset(left_keys)
    keys = {one | other for one in left_keys for other in right_keys}
    if join.kind not in ("right", "full") and any(key.issubset(right_key) for key in right):
        keys |= left_keys
    if join.kind not in ("left", "full") and any(key.issubset(left_key) for key in left):
        keys |= right_keys
    return frozenset(keys)


def keys_of_right(join: Join, sides: JoinSides, catalog: Catalog) -> Keys | None:
    """The upsert keys of the right input, as far as the join reads their columns, in the words of the join.

    >>> join = root("SELECT id, name, city FROM orders JOIN buyers ON name = buyer")
    >>> [[str(column) for column in key] for key in keys_of_right(join, JoinSides.of(join), catalog())]
    [['name']]
    """
    keys = upsert_keys(join.right, catalog)
    if keys is None:
        return None
    names = {sides.within_right(expr): expr for expr in (*join.right_fields, *join.right_row)}
    return frozenset(frozenset(names[expr] for expr in key) for key in keys if all(expr in names for expr in key))


def _of_source(scan: TableSourceScan, catalog: Catalog) -> Keys | None:
    table = catalog.tables.get(scan.table)
    if table is None:
        return None
    names, _ = catalog.primary_key_of(table)
    columns = {column.name: column for column in scan.columns if isinstance(column, Column)}
    known = bool(names) and all(name in columns for name in names)
    return frozenset({frozenset(columns[name] for name in names)}) if known else _NO_KEY


def _of_rank(rank: Rank, catalog: Catalog) -> Keys:
    partition = frozenset(rank.partition)
    keys = {key for key in upsert_keys(rank.input, catalog) or () if partition <= key}
    if rank.function == "ROW_NUMBER":
        only = rank.range is not None and rank.range.end == rank.range.start
        if rank.range == RankRange(1, 1):
            keys.add(partition)
        elif not only:
            # The number of one row is a constant, and no part of a key.
            keys.add(partition | {rank.rank_number})
    return frozenset(keys)


def _of_window_rank(rank: WindowRank) -> Keys:
    """Return the key of a Top-N of windows: that of one window, though rows of the next ones have the same."""
    partition = frozenset(expr for expr in rank.partition if not isinstance(expr, WindowField))
    if rank.function != "ROW_NUMBER" or rank.range is None:
        return _NO_KEY
    if rank.keeps_one_row:
        return frozenset({partition})
    keeps_one_number = rank.range.end == rank.range.start
    return _NO_KEY if keeps_one_number else frozenset({partition | {rank.rank_number}})


@dataclass(frozen=True)
class SinkInput:
    """Rows in front of a sink: whether there are updates among them, and their upsert keys by the names of the sink's
    columns. ``None`` if undecidable.
    """

    updates: bool | None
    keys: frozenset[frozenset[str]] | None

    @staticmethod
    def of(plan: Plan, catalog: Catalog, columns: tuple[str, ...]) -> SinkInput:
        """The rows of a query that fills these columns of a sink, in this order."""
        keys = upsert_keys(plan.root, catalog)
        if keys is None:
            return SinkInput(updates_of(plan, catalog), None)
        places: dict[Expr, str] = {}
        for name, expr in zip(columns, plan.output, strict=False):
            places.setdefault(_uncast(expr), name)
        named_keys = (_key_names(key, places) for key in keys)
        return SinkInput(updates_of(plan, catalog), frozenset(key for key in named_keys if key is not None))

    def needs_order(self, primary_key: frozenset[str]) -> bool | None:
        """Return whether updates of one primary key may come in a wrong order; ``None`` if that is undecidable.

        >>> rows = SinkInput.of(plan("SELECT city, COUNT(*) FROM buyers GROUP BY city"), catalog(), ("c", "n"))
        >>> rows.needs_order(frozenset({"c"})), rows.needs_order(frozenset({"n"}))
        (False, True)
        """
        if self.updates is False:
            return False
        if self.updates is None or self.keys is None:
            return None
        return not any(key <= primary_key for key in self.keys)


def sink_needs_order(pipeline: Pipeline, catalog: Catalog) -> bool | None:
    """Return whether updates of one primary key of the sink may arrive in a wrong order; then Flink stores rows in
    front of the sink.

    ``None`` if that is undecidable. A sink that the script does not declare counts as one without a key.

    >>> sink = "CREATE TABLE s (c STRING PRIMARY KEY NOT ENFORCED, n BIGINT) WITH ('connector' = 'upsert-kafka')"
    >>> query = "INSERT INTO s SELECT city, COUNT(*) FROM buyers GROUP BY city"
    >>> by_key, by_more = job(f"{sink}; {query}"), job(f"{sink}; {query}, name")
    >>> [sink_needs_order(each.pipelines[0], each.catalog) for each in (by_key, by_more)]
    [False, True]
    """
    target = pipeline.target
    sink = catalog.tables.get(target.name) if target is not None else None
    key = catalog.primary_key_of(sink)[0] if sink is not None else ()
    if target is None or not key or is_order_switched_off(pipeline.settings):
        return False
    filled = target.filled(catalog, pipeline.plan.names)
    return SinkInput.of(pipeline.plan, catalog, filled).needs_order(frozenset(key))


def is_order_switched_off(settings: Settings) -> bool:
    """Return whether a parameter lets updates go into sinks in any order.

    >>> option = "SET 'table.exec.sink.upsert-materialize' = 'none';"
    >>> is_order_switched_off(pipeline(f"{option} SELECT id FROM orders").settings), is_order_switched_off({})
    (True, False)
    """
    option = settings.get(MATERIALIZE)
    return option is not None and option.value.strip().upper() == "NONE"


def updates_of(plan: Plan, catalog: Catalog, versions: tuple[tuple[int, int], ...] = _VERSIONS) -> bool | None:
    """Return whether a query sends updates. A source of which nothing is known may send some, and so may first rows,
    depending on the version of Flink.

    >>> updates_of(plan("SELECT id FROM orders"), catalog()), updates_of(plan("SELECT name FROM buyers"), catalog())
    (False, True)
    >>> updates_of(plan("SELECT a FROM elsewhere"), catalog()) is None
    True
    """
    tables = updating_tables(catalog, plan.sources)
    if all(updates(plan.root, tables, version) for version in versions):
        return True
    unknown = tables.union(name for name in plan.sources if _may_update(name, catalog))
    return None if any(updates(plan.root, unknown, version) for version in versions) else False


def _may_update(name: str, catalog: Catalog) -> bool:
    table = catalog.tables.get(name)
    return table is None or sends_updates(catalog.options_of(table)) is not False


def _key_names(key: frozenset[Expr], places: dict[Expr, str]) -> frozenset[str] | None:
    columns = [expr for expr in key if not isinstance(expr, Literal)]
    if not all(expr in places for expr in columns):
        return None
    return frozenset(places[expr] for expr in columns)


def _uncast(expr: Expr) -> Expr:
    """Return the value of a cast to a wider integer, which distinguishes as many values."""
    if isinstance(expr, Call) and expr.name == "CAST" and isinstance(expr.args[1], Literal):
        source, target = str(type_of(expr.args[0])), expr.args[1].value
        if source in _INTEGERS and target in _INTEGERS and _INTEGERS.index(source) <= _INTEGERS.index(target):
            return expr.args[0]
    return expr

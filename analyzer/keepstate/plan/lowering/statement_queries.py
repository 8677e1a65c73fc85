"""The queries that statements run, and the tables that these fill."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.select_lists import select_list
from keepstate.plan.lowering.sink_columns import InsertTarget, target_of
from keepstate.plan.names.full_names import table_name
from keepstate.plan.provenance import Place
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, StatementKind


def outermost_lists(statement: ParsedStatement) -> frozenset[Place]:
    """The select lists whose columns a statement gives or writes: of UNION and its like that of each input.

    >>> [place.token_text for place in outermost_lists(statement("SELECT a FROM (SELECT b AS a FROM t)"))]
    ['SELECT a']
    >>> len(outermost_lists(statement("SELECT a FROM t UNION ALL SELECT b FROM u")))
    2
    """
    places: set[Place] = set()
    waiting = [query_of(statement)]
    while waiting:
        query = waiting.pop()
        if isinstance(query, exp.Subquery):
            waiting.append(query.this)
        elif isinstance(query, exp.SetOperation):
            waiting += [query.this, query.expression]
        elif isinstance(query, exp.Select):
            places.add(select_list(query, Environment(statement)))
    return frozenset(places)


def query_of(statement: ParsedStatement) -> exp.Expression | None:
    """The query that a statement runs; ``None`` for one that runs none."""
    tree = statement.tree
    if tree is None:
        return None
    if statement.kind is StatementKind.QUERY:
        return tree
    if isinstance(tree, exp.Insert):
        return tree.expression or None
    if statement.kind is StatementKind.CREATE_TABLE and isinstance(tree, exp.Create):
        return tree.args.get("expression")
    return new_query_of_table(statement)


def runs_query(statement: ParsedStatement) -> bool:
    """Return whether a statement runs a query: ``INSERT``, ``SELECT``, ``CREATE TABLE ... AS`` and what is like it.

    >>> runs_query(statement("INSERT INTO s SELECT a FROM t"))
    True
    >>> runs_query(statement("CREATE VIEW v AS SELECT a FROM t"))
    False
    """
    return query_of(statement) is not None


def new_query_of_table(statement: ParsedStatement) -> exp.Expression | None:
    """The query that ``ALTER MATERIALIZED TABLE t AS`` gives a table; ``None`` for any other statement.

    >>> new_query_of_table(statement("ALTER MATERIALIZED TABLE t AS SELECT a FROM u")).sql()
    'SELECT a FROM u'
    >>> new_query_of_table(statement("ALTER MATERIALIZED TABLE t SUSPEND")) is None
    True
    """
    tree = statement.tree
    if not isinstance(tree, exp.Alter) or tree.args.get("kind") != "MATERIALIZED TABLE":
        return None
    action = tree.args["actions"][0]
    return action if isinstance(action, (exp.Select, exp.SetOperation, exp.Values, exp.Subquery)) else None


def filling_of(statement: ParsedStatement) -> tuple[str | None, str, InsertTarget | None] | None:
    """The table that the query of a statement fills, the name of its pipeline, and the table as the statement names it;
    ``None`` for a statement that runs no query.

    >>> from keepstate.syntax.memo import Memo
    >>> sink, name, target = filling_of(Memo().statement("INSERT INTO t SELECT 1"))
    >>> sink, name, filling_of(Memo().statement("SET 'a' = 'b'"))
    ('t', 'INSERT INTO t', None)
    """
    return (*_sink_of(statement), target_of(statement)) if query_of(statement) is not None else None


def filled_by(statement: ParsedStatement, memo: Memo) -> str | None:
    """The full name of the table that a statement fills; ``None`` for one that fills none.

    >>> from keepstate.syntax.memo import Memo
    >>> filled_by(statement("INSERT INTO s SELECT a FROM t"), Memo())
    's'
    """
    filling = memo.of(filling_of, statement)
    return filling[0] if filling is not None else None


def _sink_of(statement: ParsedStatement) -> tuple[str | None, str]:
    """The table that a query writes to, and the name of its pipeline; neither for a query that writes to none."""
    tree = statement.tree
    if isinstance(tree, exp.Alter) and new_query_of_table(statement) is not None:
        sink = table_name(tree.this)
        return sink, f"ALTER MATERIALIZED TABLE {sink} AS"
    if not isinstance(tree, (exp.Insert, exp.Create)):
        return None, ""
    target = tree.this
    sink = table_name(target.this if isinstance(target, exp.Schema) else target)
    return sink, f"CREATE TABLE {sink} AS" if statement.kind is StatementKind.CREATE_TABLE else f"INSERT INTO {sink}"

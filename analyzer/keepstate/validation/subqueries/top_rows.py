"""LATERAL queries with LIMIT that Flink plans: the first rows for each of the distinct values of the same rows.

The planner makes a Top-N of the two (``CorrelateSortToRankRule``), and of no other LIMIT in a query that reads an outer
one. Measured on Flink 2.3.
"""

from __future__ import annotations

from sqlglot import exp

_ROWS = ("joins", "where", "having", "order", "limit", "offset", "qualify", "with_")


def may_be_top_rows(first: exp.Expression, join: exp.Join, is_named: bool = False) -> bool:
    """Return whether a LATERAL query may be a Top-N together with the ``first`` relation in FROM, which may be the name
    of a query (``is_named``): that is not looked at.

    >>> from sqlglot import parse_one
    >>> sql = (
    ...     "SELECT * FROM (SELECT DISTINCT k FROM t) AS s CROSS JOIN LATERAL "
    ...     "(SELECT a FROM {} WHERE k = s.k ORDER BY a LIMIT 2) AS x"
    ... )
    >>> for table in ("t", "u"):
    ...     query = parse_one(sql.format(table))
    ...     may_be_top_rows(query.args["from_"].this, query.args["joins"][0])
    True
    False
    """
    if join.args.get("side") or not isinstance(join.this, exp.Lateral):
        return False
    query = join.this.this.unnest()
    if not isinstance(query, exp.Select) or query.args.get("offset") is not None:
        return False
    if is_named:
        return True
    keys = first.this.unnest() if isinstance(first, exp.Subquery) else None
    if not isinstance(keys, exp.Select) or not _gives_keys(keys) or not _gives_sorted_columns(query):
        return False
    where = query.args.get("where")
    if where is None or not _reads_the_same(keys, query):
        return False
    pairs = _equations(where.this)
    number = len(keys.expressions)
    return pairs is not None and (_is_starred(keys) or number == len(set(pairs)))


def _gives_keys(query: exp.Select) -> bool:
    """Return whether a query gives each row of plain columns once: by DISTINCT, or GROUP BY of them all in order."""
    if any(query.args.get(clause) for clause in _ROWS):
        return False
    columns = [_column(item) for item in query.expressions]
    group = query.args.get("group")
    if group is not None:
        return columns == [_column(key) for key in group.expressions] and None not in columns
    return query.args.get("distinct") is not None and (_is_starred(query) or None not in columns)


def _gives_sorted_columns(query: exp.Select) -> bool:
    """Return whether a query gives plain columns, and among them all that it is sorted by."""
    order = query.args.get("order")
    clauses = ("joins", "having", "group", "distinct", "qualify", "with_")
    if order is None or any(query.args.get(clause) for clause in clauses):
        return False
    keys = [key.this for key in order.expressions]
    if _is_starred(query):
        return all(isinstance(key, (exp.Column, exp.Literal)) for key in keys)
    names = {item.alias_or_name for item in query.expressions} | {_column(item) for item in query.expressions}
    is_plain = None not in names
    return is_plain and all(isinstance(key, exp.Literal) or _column(key) in names for key in keys)


def _is_starred(query: exp.Select) -> bool:
    return any(isinstance(item, exp.Star) for item in query.expressions)


def _column(item: exp.Expression) -> str | None:
    """The name of a column; ``None`` for another expression."""
    inner = item.this if isinstance(item, exp.Alias) else item
    return inner.name if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star) else None


def _reads_the_same(one: exp.Select, other: exp.Select) -> bool:
    """Return whether two queries read the same relation, under whatever alias."""
    relations = [query.args["from_"].this if query.args.get("from_") is not None else None for query in (one, other)]
    left, right = relations
    if isinstance(left, exp.Table) and isinstance(right, exp.Table):
        return left.name == right.name
    return isinstance(left, exp.Subquery) and isinstance(right, exp.Subquery) and left.this == right.this


def _equations(condition: exp.Expr) -> list[frozenset[exp.Expr]] | None:
    """The pairs of columns that a condition equates; ``None`` if it holds anything else."""
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        left, right = _equations(inner.this), _equations(inner.expression)
        return None if left is None or right is None else [*left, *right]
    sides = (inner.this, inner.expression) if isinstance(inner, exp.EQ) else ()
    if not sides or any(_column(side) is None for side in sides):
        return None
    return [frozenset(sides)]

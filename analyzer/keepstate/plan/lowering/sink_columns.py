"""Target of an INSERT, and the columns of the target that it fills."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.clauses.hints import table_options
from keepstate.plan.names.full_names import table_name
from keepstate.plan.provenance import Place, place_of
from keepstate.syntax.script import ParsedStatement
from keepstate.value_class import value_class


@value_class(frozen=True)
class InsertTarget:
    """The table that a statement fills. ``columns`` are those that it lists, ``fixed`` those of PARTITION with a value;
    ``by_name`` means that the query's own column names say where its columns go, ``options`` are those of an OPTIONS
    hint.
    """

    name: str
    place: Place
    columns: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    by_name: bool = False
    options: tuple[Option, ...] = ()

    def filled(self, catalog: Catalog, names: tuple[str, ...]) -> tuple[str, ...]:
        """The columns of the table that a query with columns of these names fills, in its order; none for a table
        that the script does not declare.

        >>> one = job("CREATE TABLE s (a INT, b INT, c INT); INSERT INTO s (c, a) SELECT 1, 2")
        >>> one.pipelines[0].target.filled(one.catalog, ())
        ('c', 'a')
        """
        table = catalog.tables.get(self.name)
        if table is None:
            return ()
        if self.columns or self.by_name:
            return self.columns or names
        declared, _ = catalog.columns_of(table)
        return tuple(
            column.name
            for column in declared
            if column.expression is None and not column.virtual and column.name not in self.fixed
        )

    def order_taken(self, catalog: Catalog) -> tuple[int, ...]:
        """Return the positions of the query's columns in the order in which the planner takes them; empty if that is
        the order of the query.

        With a column list the planner first brings the outermost select list into the order of the table
        (``PreValidateReWriter``). If the script does not declare that order, the order by name serves as well, since it
        does not depend on the list.
        """
        table = catalog.tables.get(self.name)
        columns, whole = catalog.columns_of(table) if table is not None else ((), False)
        declared = [column.name for column in columns]
        if not whole or not set(self.columns) <= set(declared):
            declared = sorted(self.columns)
        positions = tuple(sorted(range(len(self.columns)), key=lambda number: declared.index(self.columns[number])))
        return positions if positions != tuple(range(len(positions))) else ()

    def places(self, catalog: Catalog) -> tuple[int, ...]:
        """Return the position of each listed column among the writable columns of the table; empty without a list, and
        for a table whose columns the script does not declare.

        Results without a name are numbered so: ``INSERT INTO t (b) SELECT SUM(v)`` names ``EXPR$1`` where ``b`` is the
        second column of ``t``, since the planner puts NULL for the others.

        >>> one = job("CREATE TABLE s (a INT, b INT, c INT); INSERT INTO s (c, a) SELECT 1, 2")
        >>> one.pipelines[0].target.places(one.catalog)
        (2, 0)
        """
        table = catalog.tables.get(self.name)
        columns, whole = catalog.columns_of(table) if table is not None else ((), False)
        writable = [column.name for column in columns if column.expression is None and not column.virtual]
        if not whole or not set(self.columns) <= set(writable):
            return ()
        return tuple(map(writable.index, self.columns))

    def leaves_out(self, catalog: Catalog) -> bool:
        """Return whether constants fill columns of the table: NULL where a column list lacks a column, or the values of
        PARTITION.
        """
        table = catalog.tables.get(self.name)
        columns, whole = catalog.columns_of(table) if table is not None else ((), False)
        writable = {column.name for column in columns if column.expression is None and not column.virtual}
        return bool(self.fixed) or (whole and bool(self.columns) and not writable <= set(self.columns))


def target_of(statement: ParsedStatement) -> InsertTarget | None:
    """The table that INSERT or CREATE TABLE AS fills; ``None`` for other statements.

    >>> target = target_of(statement("INSERT INTO s PARTITION (day = '1') (b, a) SELECT a, b FROM t"))
    >>> target.name, target.columns, set(target.fixed)
    ('s', ('b', 'a'), {'day'})
    >>> target_of(statement("SELECT a FROM t")) is None
    True
    """
    tree = statement.tree
    if not isinstance(tree, (exp.Insert, exp.Create)):
        return None
    target, columns = tree.this, ()
    if isinstance(target, exp.Schema):
        if isinstance(tree, exp.Insert):
            columns = tuple(column.name for column in target.expressions)
        target = target.this
    partition = target.args.get("partition")
    fixed = [entry.this.name for entry in partition.expressions if isinstance(entry, exp.EQ)] if partition else ()
    name = target.this if isinstance(target.this, exp.Identifier) else target
    return InsertTarget(
        table_name(target),
        place_of(statement, name),
        columns,
        frozenset(fixed),
        bool(tree.args.get("by_name")),
        table_options(target, statement),
    )

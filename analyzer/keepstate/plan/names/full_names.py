"""Full names in a statement: of the tables, views and functions that it declares, reads, fills and calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.plan.types.builtin_functions import is_built_in
from keepstate.syntax import syntax_nodes
from keepstate.syntax.namespace import ObjectName, namespace_of
from keepstate.syntax.placeholders import canonical_name
from keepstate.syntax.script import ParsedStatement, StatementKind

_NAMING = frozenset({exp.Table, exp.Dot, exp.Anonymous, syntax_nodes.TableFunction, exp.LikeProperty})
"""Nodes that name a table, a view or a function."""
_LEADING_WORDS = frozenset("CREATE OR REPLACE TEMPORARY SYSTEM TABLE VIEW FUNCTION IF NOT EXISTS".split())


def unreadable_names(statements: Iterable[ParsedStatement]) -> frozenset[str]:
    """Names of the tables and views that statements which cannot be read would declare, by their first tokens.

    >>> unreadable_names([statement("CREATE TABLE t (a INT, ,)"), statement("CREATE TABLE u (a INT)")])
    frozenset({'t'})
    """
    names: set[str] = set()
    for statement in statements:
        if statement.kind is not StatementKind.BROKEN:
            continue
        tokens = statement.head_tokens
        if tokens[0].word != "CREATE":
            continue
        rest = [token for token in tokens[:-1] if token.word not in _LEADING_WORDS]
        name = ""
        for token in rest:
            if token.text != "." and name and not name.endswith("."):
                break
            name += token.text.strip("`")
        names.add(statement.namespace.name(*name.split(".")))
    return frozenset(names)


def names_in(statement: ParsedStatement) -> tuple[str, ...]:
    """Full names of relations and functions that a statement mentions (its own name and column names do no harm).

    >>> names_in(statement("INSERT INTO s SELECT f(a) FROM t WHERE a IN (SELECT b FROM db.u)"))
    ('s', 'F', 't', 'db.u')
    """
    names: dict[str, None] = {}
    qualified: set[int] = set()
    for node in statement.nodes:
        if type(node) not in _NAMING:
            continue
        if isinstance(node, exp.Table):
            if not isinstance(node.this, syntax_nodes.TableFunction):
                names[table_name(node)] = None
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Anonymous):
            # The walk meets it before the call in it.
            names[called_name(node)] = None
            qualified.add(_start(node.expression))
        elif isinstance(node, (exp.Anonymous, syntax_nodes.TableFunction)):
            if not (qualified and _start(node) in qualified):
                names[called_name(node)] = None
        elif isinstance(node, exp.LikeProperty):
            names[table_name(node.this)] = None
    return tuple(names)


def _start(node: exp.Expr) -> int:
    return int(node.meta["span"][0])


def table_name(node: exp.Expr) -> str:
    """The full name of a table: with its catalog and database, as far as these are not those of a new session.

    >>> tables = statement("USE c.d; SELECT a FROM t, x.t AS u").tree.find_all(exp.Table)
    >>> sorted(map(table_name, tables))
    ['c.d.t', 'c.x.t']
    """
    return namespace_of(node).name(*_parts(node))


def table_path(node: exp.Expr) -> tuple[str, ...]:
    """The catalog, the database and the name of a table.

    >>> table_path(statement("USE c.d; SELECT a FROM x.t").tree.find(exp.Table))
    ('c', 'x', 't')
    """
    return namespace_of(node).path(*_parts(node))


def written_name(node: exp.Expr) -> str:
    """The dotted name of a table as it stands there, which may be that of a common table.

    >>> written_name(statement("SELECT a FROM `db`.t").tree.find(exp.Table))
    'db.t'
    """
    return ".".join(_parts(node))


def _parts(node: exp.Expr) -> list[str]:
    parts = node.parts if isinstance(node, exp.Table) else node.find_all(exp.Identifier)
    return [canonical_name(part.name) for part in parts]


def function_name(node: exp.Expr) -> str:
    """The name of a called function as written, in upper case.

    >>> function_name(statement("SELECT my_words(a) FROM t").tree.find(exp.Anonymous))
    'MY_WORDS'
    """
    this = node.this
    return (this if isinstance(this, str) else ".".join(part.name for part in _path(this))).upper()


def called_name(node: exp.Expr) -> str:
    """The full name of a called function in upper case. A built-in function has no catalog.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("USE CATALOG c; USE d; SELECT f(x), SUM(x), e.f(x) FROM t")
    >>> names_in(script.statements[-1].parsed)
    ('C.D.F', 'SUM', 'C.E.F', 'c.d.t')
    """
    call = node.expression if isinstance(node, exp.Dot) else node
    path = [part.name for part in _path(node.this)] if isinstance(node, exp.Dot) else []
    this = call.this
    path += [this] if isinstance(this, str) else [part.name for part in _path(this)]
    if len(path) == 1 and is_built_in(path[0].upper()):
        return path[0].upper()
    return upper(namespace_of(call).name(*path))


def _path(node: exp.Expr) -> Iterator[exp.Expr]:
    """The words of a dotted name."""
    if isinstance(node, exp.Dot):
        yield from _path(node.this)
        yield node.expression
    elif isinstance(node, exp.Column):
        yield from node.parts
    else:
        yield node


def upper(name: str) -> str:
    """A full name in upper case.

    >>> upper("db.to_euro")
    'DB.TO_EURO'
    """
    return ObjectName.of(name.upper(), name.spelling.upper()) if isinstance(name, ObjectName) else name.upper()

"""Full names of tables, views and functions: catalog, database and name, by the USE that is in force.

A name means what Flink takes it for where it stands: ``o`` behind ``USE CATALOG c; USE d`` and ``c.d.o`` are one table,
and ``o`` behind ``USE d2`` is another one. Names are case-sensitive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.kinds import StatementKind
from keepstate.value_class import value_class

_CATALOG, _DATABASE = "default_catalog", "default_database"
_OF_CATALOG = ""
"""The database that a catalog begins with, where the script does not tell its name. No database has an empty name."""
_KNOWN_DEFAULTS = {"generic_in_memory": "default"}
"""Databases that catalogs of a type begin with, unless an option says otherwise."""
_KEY = "namespace"
_DOT_IN_NAME = "\u2024"
"""Stands in full names for a dot within a part: no name that is typed has it."""
_OBJECTS = frozenset({"TABLE", "VIEW", "FUNCTION", "MATERIALIZED TABLE", "MODEL", "CONNECTION"})
"""Kinds of things that DROP and ALTER name by catalog, database and name."""


class ObjectName(str):
    """A full name that its statement writes in a shorter form.

    It is equal to each other spelling of the same name. In a message (an f-string) it stands as it is ``spelling``.

    >>> name = Namespace("c", "d").name("o")
    >>> name == "c.d.o", f"No table {name}."
    (True, 'No table o.')
    """

    __slots__ = ("spelling",)
    spelling: str

    @staticmethod
    def of(full: str, spelling: str) -> ObjectName:
        name = ObjectName(full)
        name.spelling = spelling
        return name

    def __format__(self, specification: str) -> str:
        return format(self.spelling, specification)


def display_name(name: str) -> str:
    """A name as its statement writes it.

    >>> display_name(Namespace("c", "d").name("o")), display_name("c.d.o")
    ('o', 'c.d.o')
    """
    return name.spelling if isinstance(name, ObjectName) else name


def bare(name: str) -> str:
    """A full name without its catalog and database.

    >>> bare("c.d.o")
    'o'
    """
    return name.rpartition(".")[2]


@value_class(frozen=True)
class Namespace:
    """The catalog and the database in which names stand.

    A name in the default catalog of a session is known without this catalog, and one in the default database by itself.

    >>> Namespace().name("o"), Namespace().name("default_database", "o"), Namespace().name("c", "d", "o")
    ('o', 'o', 'c.d.o')
    >>> Namespace(database="d").name("o"), Namespace().name("d", "o")
    ('d.o', 'd.o')
    """

    catalog: str = _CATALOG
    database: str = _DATABASE

    def name(self, *parts: str) -> str:
        """The full name of an object that is written with one, two or three ``parts``."""
        if len(parts) == 1 and self is DEFAULT and "." not in parts[0]:
            # Nearly all names.
            return parts[0]
        full, spelling = _shortest(self.path(*map(_undotted, parts))), _shortest(DEFAULT.path(*parts))
        return full if full == spelling else ObjectName.of(full, spelling)

    def path(self, *parts: str) -> tuple[str, ...]:
        """Catalog, database and name of an object that is written with one, two or three ``parts``.

        >>> Namespace("c", "d").path("e", "o")
        ('c', 'e', 'o')
        """
        missing = max(0, 3 - len(parts))
        return (self.catalog, self.database)[:missing] + parts


def _undotted(part: str) -> str:
    """A part of a full name without dots, which stand between parts: one quoted name may have some.

    >>> Namespace().name("d.o") == Namespace().name("d", "o"), f"{Namespace().name('d.o')}"
    (False, 'd.o')
    """
    return part if "{" in part else part.replace(".", _DOT_IN_NAME)


def _shortest(path: tuple[str, ...]) -> str:
    """A full name in words, without the parts that a session begins with."""
    if path[:2] == (_CATALOG, _DATABASE):
        path = path[2:]
    elif path[0] == _CATALOG:
        path = path[1:]
    return ".".join(path)


DEFAULT = Namespace()
"""The namespace that a session begins in."""


@dataclass(frozen=True)
class SessionNames:
    """The state of a session as far as names depend on it: its namespace, and the databases that catalogs begin with.

    >>> from keepstate.syntax.statement import parse_statement
    >>> session = SessionNames()
    >>> for text in ("CREATE CATALOG c WITH ('type' = 'generic_in_memory')", "USE CATALOG c"):
    ...     session = session.after(parse_statement(text).tree)
    >>> session.namespace
    Namespace(catalog='c', database='default')
    """

    namespace: Namespace = DEFAULT
    first_databases: Mapping[str, str] = field(default_factory=lambda: {_CATALOG: _DATABASE})

    def after(self, tree: exp.Expr | None) -> SessionNames:
        """The session behind a statement."""
        if isinstance(tree, exp.Use):
            return SessionNames(self._namespace_after(tree), self.first_databases)
        if isinstance(tree, exp.Create) and tree.args.get("kind") == "CATALOG":
            first = _first_database(tree)
            if first is not None:
                return SessionNames(self.namespace, {**self.first_databases, tree.this.name: first})
        return self

    def _namespace_after(self, use: exp.Use) -> Namespace:
        kind, target = use.args.get("kind"), use.this
        if kind == "MODULES" or not isinstance(target, exp.Table):
            return self.namespace
        *catalogs, last = (part.name for part in target.parts)
        if kind == "CATALOG":
            return Namespace(last, self.first_databases.get(last, _OF_CATALOG))
        return Namespace(catalogs[-1] if catalogs else self.namespace.catalog, last)


def _first_database(create: exp.Create) -> str | None:
    properties = create.args.get("properties")
    pairs = (each for each in (properties.expressions if properties is not None else ()))
    options = {each.this.name: each.args["value"].name for each in pairs if isinstance(each, exp.Property)}
    return options.get("default-database") or _KNOWN_DEFAULTS.get(options.get("type", ""))


def place_names(kind: StatementKind, tree: exp.Expr, namespace: Namespace) -> None:
    """Note in a tree the namespace that its names of objects stand in, for ``namespace_of``."""
    if kind is StatementKind.USE or not _names_objects(kind, tree):
        return
    for node in tree.walk():
        if node is tree or isinstance(node, (exp.Table, exp.Anonymous, syntax_nodes.TableFunction)):
            node.meta[_KEY] = namespace


def _names_objects(kind: StatementKind, tree: exp.Expr) -> bool:
    """Return whether the statement names tables and their like, and no catalog, database, module or archive."""
    if isinstance(tree, (exp.Drop, exp.Alter)) or kind is StatementKind.CREATE_OTHER:
        return str(tree.args.get("kind")) in _OBJECTS
    return True


def namespace_of(node: exp.Expr) -> Namespace:
    """The namespace in which the names of a node stand.

    >>> namespace_of(exp.column("a"))
    Namespace(catalog='default_catalog', database='default_database')
    """
    namespace = node.meta.get(_KEY)
    return namespace if isinstance(namespace, Namespace) else DEFAULT

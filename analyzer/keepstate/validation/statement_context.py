"""The surroundings of a statement when it runs: the tables, views and functions that stand above it, and the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from sqlglot import exp

from keepstate.plan.catalog import Option
from keepstate.plan.names.full_names import table_name, upper
from keepstate.plan.settings import Settings
from keepstate.syntax.kinds import QUERYING, StatementKind
from keepstate.syntax.namespace import Namespace, bare
from keepstate.syntax.script import Script
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.scopes import OPEN_ROWS, RelationColumns
from keepstate.value_class import value_class

NEWEST = (2, 3)


@value_class(frozen=True, slots=True)
class Dialect:
    """The engine that runs the script: its version of Flink, and whether it is open-source Flink."""

    flink: tuple[int, int] = NEWEST
    is_open_source: bool = True
    is_batch: bool = False
    """True if the statement runs on bounded data, where what a stream cannot compute does not count."""


def is_batch(settings: Settings) -> bool:
    """Return whether a statement under these settings runs on bounded data.

    >>> from keepstate.plan.catalog import Option
    >>> is_batch({"execution.runtime-mode": Option("", "Batch")}), is_batch({})
    (True, False)
    """
    mode = settings.get("execution.runtime-mode")
    return mode is not None and mode.value.strip().lower() == "batch"


@value_class(frozen=True, eq=False)
class DeclaredObject:
    """A table, view or function that the script declares; compared by identity, one for each statement and what it
    reaches.
    """

    name: str
    statement: ParsedStatement
    place: Span
    rows: RelationColumns
    kind: str = "table"
    primary_key: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    persisted: tuple[str, ...] = ()
    """The columns that an INSERT fills."""
    has_watermark: bool = False
    temporary: bool = False
    pending: ValidityProblem | None = None
    """Why Flink refuses to plan a view as soon as a statement reads it; ``owner`` is the view that this is about."""
    owner: ParsedStatement | None = None
    is_altered: bool = False
    """True behind an ALTER, whose changes are not followed."""
    features: Mapping[str, str] = field(default_factory=dict)
    """The features of LIKE that computed columns and those of metadata belong to, by their names."""
    problem: ValidityProblem | None = None
    """The problem for which Flink refuses the declaration; its rows are unknown then."""

    @property
    def is_plain_view(self) -> bool:
        """Return whether its statement is a view as it says, of which no reader is in doubt."""
        return self.kind == "view" and not (self.is_altered or self.pending or self.owner or self.problem)

    def behind_alter(self) -> DeclaredObject:
        """The object when a statement has altered it: what it is like then is not followed."""
        return replace(self, rows=OPEN_ROWS, options={}, primary_key=(), persisted=(), pending=None, is_altered=True)


@value_class(frozen=True)
class StatementContext:
    """Tables, views and functions that a statement may read."""

    names: Mapping[str, DeclaredObject]
    functions: frozenset[str] = frozenset()
    dialect: Dialect = Dialect()
    databases: frozenset[str] = frozenset()
    """Databases that the script creates, and the catalog with its name for those in it."""

    def find(self, name: str) -> DeclaredObject | None:
        return self.names.get(name)


class DeclaredNames(dict[str, DeclaredObject]):
    """The declarations that are in force at a place of a script, by their full names.

    A temporary table or view hides a lasting one of its name until it is dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        self.beneath: dict[str, DeclaredObject] = {}
        """The lasting tables and views that temporary ones hide."""
        self._callable: dict[Namespace, Mapping[str, DeclaredObject]] = {}

    def declare(self, declared: DeclaredObject, keeps: bool = False) -> None:
        """Take a declaration; ``keeps``: not if there is one that it would take the place of."""
        name, former = declared.name, self.get(declared.name)
        if keeps and former is not None:
            rival = former if former.temporary == declared.temporary else self.beneath.get(name)
            if rival is not None and rival.temporary == declared.temporary:
                return
        if declared.kind == "function":
            self._callable.clear()
        elif former is not None and former.temporary and not declared.temporary:
            self.beneath[name] = declared
            return
        elif former is not None and declared.temporary and not former.temporary:
            self.beneath[name] = former
        self[name] = declared

    def without(self, names: Iterable[str]) -> DeclaredNames:
        """A copy in which some names mean nothing."""
        copy = DeclaredNames()
        copy.update(self)
        copy.beneath.update(self.beneath)
        for name in names:
            copy.pop(name, None)
        return copy

    def rename(self, name: str, new: str) -> None:
        """Give a lasting table or view another name."""
        declared = self.get(name)
        if declared is not None and not declared.temporary:
            del self[name]
            self[new] = replace(declared, name=new)

    def drop(self, name: str) -> DeclaredObject | None:
        """Forget a name, and return what it meant."""
        declared = self.pop(name, None)
        if declared is not None and declared.kind == "function":
            self._callable.clear()
        if declared is not None and declared.temporary and name in self.beneath:
            self[name] = self.beneath.pop(name)
        return declared

    def callable_in(self, namespace: Namespace) -> Mapping[str, DeclaredObject]:
        """The functions that a bare name calls in ``namespace``, by these names in upper case: those of its database,
        and system functions, which are in all of them.
        """
        if namespace not in self._callable:
            functions = [each for each in self.values() if each.kind == "function"]
            self._callable[namespace] = {
                bare(each.name): each
                for each in sorted(functions, key=_is_system)
                if _is_system(each) or upper(namespace.name(bare(each.name))) == each.name
            }
        return self._callable[namespace]


def _is_system(function: DeclaredObject) -> bool:
    tree = function.statement.tree
    return tree is not None and bool(tree.args.get("system"))


def doubt_of_altered(declared: DeclaredObject, place: Span) -> ValidityProblem:
    """The reason why a statement that uses an altered table or view is undecided."""
    message = f"ALTER changes {declared.name} above, and its columns are not followed through that."
    return ValidityProblem("altered-table", place, message, depends="catalog", subject=declared.name)


def parts_of(node: exp.Expression) -> tuple[str, ...]:
    """The words of a table's name."""
    parts = node.parts if isinstance(node, exp.Table) else [node]
    return tuple(part.name for part in parts)


_RELATIONS = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW})


def declared_at(script: Script) -> Mapping[str, list[int]]:
    """The numbers of the statements that declare a name which no catalog may have before, by these names."""
    return script.contents.following(declared_at, QUERYING, lambda: _declared_at(script), _declare_the_same)


def _declare_the_same(one: ParsedStatement, other: ParsedStatement) -> bool:
    return one.kind is other.kind and newly_declared(one) == newly_declared(other)


def _declared_at(script: Script) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, parsed in enumerate(script.contents.parsed, 1):
        name = script.memo.of(newly_declared, parsed) if parsed.kind in _RELATIONS else None
        if name is not None:
            found.setdefault(name, []).append(number)
    return found


def newly_declared(statement: ParsedStatement) -> str | None:
    """The name of a relation that a statement declares, unless it may stand for one of that name."""
    tree = statement.tree
    if not isinstance(tree, exp.Create) or any(tree.args.get(each) for each in ("exists", "replace", "temporary")):
        return None
    return table_name(tree.this.this if isinstance(tree.this, exp.Schema) else tree.this)


def database_in(namespace: Namespace, name: exp.Expr | None = None) -> str:
    """The full name of a database that a statement in ``namespace`` names, by default that of ``namespace``."""
    parts = [part.name for part in name.parts] if isinstance(name, exp.Table) else [namespace.database]
    # As the full name of a table in it begins.
    return str.rpartition(namespace.name(*parts, "_"), ".")[0]

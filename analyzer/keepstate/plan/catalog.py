"""The tables, views and functions that are in force behind the statements of a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from weakref import ref

from keepstate.plan.declarations.alterations import altered, altered_name, dropped
from keepstate.plan.declarations.definitions import (
    ColumnDefinition,
    Definition,
    FunctionDefinition,
    Option,
    TableDefinition,
    ViewDefinition,
    define,
    keeps_existing,
)
from keepstate.plan.declarations.names_in_force import NamesInForce
from keepstate.plan.names.full_names import names_in, upper
from keepstate.plan.provenance import Place
from keepstate.syntax.kinds import QUERYING
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import display_name
from keepstate.syntax.script import ParsedStatement, Script
from keepstate.value_class import value_class

__all__ = [
    "Catalog",
    "ColumnDefinition",
    "Definition",
    "FunctionDefinition",
    "Option",
    "TableDefinition",
    "ViewDefinition",
    "define",
    "keeps_existing",
]


@value_class(frozen=True, eq=False)
class Catalog:
    """The declarations that are in force at the end of a script. Equal ones of one memo share a catalog."""

    tables: Mapping[str, TableDefinition] = field(default_factory=dict)
    views: Mapping[str, ViewDefinition] = field(default_factory=dict)
    functions: Mapping[str, FunctionDefinition] = field(default_factory=dict)
    unambiguous: bool = True
    """No name is declared more than once, and none is altered."""
    altered: Mapping[str, tuple[ParsedStatement, ...]] = field(default_factory=dict)
    """For tables and views that ALTER changed, all statements that made them what they are."""
    _order: Mapping[ParsedStatement, int] = field(default_factory=dict)
    _declaring: tuple[ParsedStatement, ...] = ()
    """The statements that it was made of."""
    _edited: tuple[ref[Catalog], str] | None = field(default=None, repr=False)

    @staticmethod
    def of(statements: Iterable[ParsedStatement], memo: Memo | None = None, *, of_query: bool = False) -> Catalog:
        """The catalog of the statements' declarations, as Flink executes them one after the other: a later one of the
        same name wins, unless it says IF NOT EXISTS; a temporary one hides a lasting one until it is dropped; ALTER
        changes what is declared. ``of_query``: these are what one query reaches. There are as many of those as
        queries, and they would take the place of that of the script.

        >>> declared = catalog("CREATE TABLE t (a INT); ALTER TABLE t ADD (b INT); CREATE VIEW v AS SELECT a FROM t")
        >>> [column.name for column in declared.tables["t"].columns], list(declared.views)
        (['a', 'b'], ['v'])
        """
        memory = memo if memo is not None else Memo()
        candidates = tuple([statement for statement in statements if statement.kind not in QUERYING])

        def declared() -> Catalog:
            both = zip(candidates, memory.of_each(define, candidates), strict=True)
            declaring = tuple([each for each, definition in both if definition is not None or _alters(each)])
            return memory.of_group((Catalog, of_query), declaring, lambda: Catalog._build(declaring, memory))

        # Of a whole script the declarations are asked for again at each keystroke, and few of these touch one.
        return declared() if of_query else memory.of_group(Catalog, candidates, declared)

    @staticmethod
    def _build(statements: tuple[ParsedStatement, ...], memo: Memo) -> Catalog:
        relations: NamesInForce[TableDefinition | ViewDefinition] = NamesInForce()
        functions: NamesInForce[FunctionDefinition] = NamesInForce()
        alterations: dict[str, tuple[ParsedStatement, ...]] = {}
        unambiguous = True
        for statement in statements:
            definition = memo.of(define, statement)
            if isinstance(definition, FunctionDefinition):
                unambiguous &= functions.declare(definition, keeps_existing(statement))
            elif definition is not None:
                unambiguous &= relations.declare(definition, keeps_existing(statement))
                if relations.known.get(definition.name) is definition:
                    alterations.pop(definition.name, None)
            elif (drop := dropped(statement)) is not None:
                names: NamesInForce[TableDefinition | ViewDefinition] | NamesInForce[FunctionDefinition]
                names = functions if drop.is_function else relations
                unambiguous &= names.drop(drop.name, drop.is_temporary)
            else:
                name = altered_name(statement) or ""
                predecessor = relations.known.get(name)
                now = None if predecessor is None else altered(predecessor, statement)
                if predecessor is None or now is None or now is predecessor:
                    continue
                unambiguous = False
                history = (*alterations.pop(name, (predecessor.statement,)), statement)
                relations.take_place(name, now)
                for heir in list(relations.known.values()):
                    if isinstance(heir, TableDefinition) and heir.like == name != now.name:
                        relations.known[heir.name] = replace(heir, like=now.name)
                alterations[now.name] = history
        tables = {name: each for name, each in relations.known.items() if isinstance(each, TableDefinition)}
        views = {name: each for name, each in relations.known.items() if isinstance(each, ViewDefinition)}
        order = {statement: number for number, statement in enumerate(statements)} if alterations else {}
        return Catalog(tables, views, functions.known, unambiguous, alterations, order, statements)

    @staticmethod
    def of_script(script: Script) -> Catalog:
        """The catalog of the declarations in a script.

        >>> from keepstate.syntax.script import parse_script
        >>> script = parse_script("CREATE TABLE t (a INT); SELECT a FROM t")
        >>> Catalog.of_script(script) is Catalog.of(script.contents.parsed, script.memo)
        True
        """
        contents, memo = script.contents, script.memo
        return contents.following(Catalog, QUERYING, lambda: Catalog.of(contents.parsed, memo))

    def with_edit(self, was: ParsedStatement, now: ParsedStatement, memo: Memo) -> Catalog:
        """The catalog of the same statements but for one, which declares a table or view of the same name in another
        way. No name is declared twice.

        >>> from keepstate.syntax.script import parse_script
        >>> texts, memo = ("CREATE TABLE t (a INT)", "CREATE TABLE t (a BIGINT)"), Memo()
        >>> was, now = (parse_script(text).statements[0].parsed for text in texts)
        >>> Catalog.of([was], memo).with_edit(was, now, memo) is Catalog.of([now], memo)
        True
        """
        assert self.unambiguous
        declaring = tuple([now if each is was else each for each in self._declaring])

        def edited() -> Catalog:
            definition, tables, views = memo.of(define, now), self.tables, self.views
            if isinstance(definition, TableDefinition):
                tables = {**tables, definition.name: definition}
            elif isinstance(definition, ViewDefinition):
                views = {**views, definition.name: definition}
            edited = None if definition is None else (ref(self), definition.name)
            return Catalog(tables, views, self.functions, _declaring=declaring, _edited=edited)

        return memo.of_group((Catalog, False), declaring, edited)

    @property
    def edit(self) -> tuple[Catalog, str] | None:
        """The catalog before the edit of one declaration, and the name of that; ``None``: it is not known."""
        return None if self._edited is None or (former := self._edited[0]()) is None else (former, self._edited[1])

    def reached_from(self, statement: ParsedStatement, memo: Memo) -> tuple[ParsedStatement, ...]:
        """The declaring statements that ``statement`` needs, directly or through others, in order of first need; in the
        order of the script, if ALTER is one of them.

        >>> from keepstate.syntax.memo import Memo
        >>> one = job("CREATE VIEW v AS SELECT id FROM orders; SELECT id FROM v")
        >>> [each.text[:13] for each in one.catalog.reached_from(one.pipelines[0].statement, Memo())]
        ['CREATE VIEW v', 'CREATE TABLE ']
        """
        if self.altered:
            return self._reached_from(statement, memo, {})
        reach = memo.of(_Reached, statement)
        if not reach.holds_in(self):
            reach.asked = {name: self.declaration(name) for name in memo.of(names_in, statement)}
            declared = [name for name, each in reach.asked.items() if each and each.statement is not statement]
            # Most queries read one table or view, and share what that one reads.
            statements, lookups = self._read_by(declared[0], memo) if len(declared) == 1 else ((), {})
            if len(declared) > 1 or statement in statements:
                statements = self._reached_from(statement, memo, reach.asked)
            reach.asked.update(lookups)
            reach.definitions, reach.catalog = statements, self
        return reach.definitions

    def needed_by(self, name: str, memo: Memo) -> tuple[ParsedStatement, ...]:
        """The declaring statements that a declared name needs, with its own, in the order of ``reached_from``.

        >>> from keepstate.syntax.memo import Memo
        >>> declared = catalog("CREATE VIEW v AS SELECT id FROM orders")
        >>> [each.text[:13] for each in declared.needed_by("v", Memo())]
        ['CREATE VIEW v', 'CREATE TABLE ']
        """
        return self._reach_of([name], None, memo, {})

    def _read_by(self, name: str, memo: Memo) -> tuple[tuple[ParsedStatement, ...], Mapping[str, Definition | None]]:
        """The declaring statements that a declared name needs, with its own, and the lookups that they follow from."""
        if name not in self._needs:
            lookups: dict[str, Definition | None] = {}
            self._needs[name] = self._reach_of([name], None, memo, lookups), lookups
        return self._needs[name]

    @cached_property
    def _needs(self) -> dict[str, tuple[tuple[ParsedStatement, ...], Mapping[str, Definition | None]]]:
        return {}

    def _reached_from(
        self, statement: ParsedStatement, memo: Memo, lookups: dict[str, Definition | None]
    ) -> tuple[ParsedStatement, ...]:
        """Likewise, found anew; ``lookups`` gets the names that it follows from."""
        return self._reach_of([*memo.of(names_in, statement)], statement, memo, lookups)

    def _reach_of(
        self,
        waiting: list[str],
        statement: ParsedStatement | None,
        memo: Memo,
        lookups: dict[str, Definition | None],
    ) -> tuple[ParsedStatement, ...]:
        """The declaring statements that names need, in a ``statement`` that may declare one of them itself."""
        reach: dict[ParsedStatement, None] = {}
        in_order = False
        while waiting:
            name = waiting.pop(0)
            definition = lookups[name] = self.declaration(name)
            if definition is None or definition.statement is statement:
                continue
            statements = self.altered.get(definition.name, (definition.statement,))
            in_order |= len(statements) > 1
            new = [each for each in statements if each not in reach]
            reach.update(dict.fromkeys(new))
            waiting += (name for each in new for name in memo.of(names_in, each))
            if new and isinstance(definition, TableDefinition) and definition.like is not None:
                # Its statement may call it by a former name.
                waiting.append(definition.like)
        return tuple(sorted(reach, key=lambda each: self._order[each]) if in_order else reach)

    def declaration(self, name: str) -> Definition | None:
        """Return the definition of a name.

        >>> type(catalog().declaration("orders")).__name__, catalog().declaration("elsewhere")
        ('TableDefinition', None)
        """
        relation = self.tables.get(name) or self.views.get(name)
        return relation or (self.function(upper(name)) if self.functions else None)

    def function(self, name: str) -> FunctionDefinition | None:
        """The function of a full name (``called_name``); by its bare name a system function comes first.

        >>> declared = catalog("CREATE FUNCTION to_euro AS 'shop.ToEuro'")
        >>> declared.function("TO_EURO").name, declared.function("UPPER")
        ('TO_EURO', None)
        """
        bare = self.functions.get(display_name(name))
        return bare if bare is not None and bare.system else self.functions.get(name)

    @cached_property
    def statements(self) -> Mapping[str, ParsedStatement]:
        """The declaring statements by the names that are in force.

        >>> list(catalog("CREATE VIEW v AS SELECT id FROM orders").statements)[-1]
        'v'
        """
        edit = self.edit
        if edit is not None and (definition := self.declaration(edit[1])) is not None:
            return {**edit[0].statements, definition.name: definition.statement}
        relations = (self.tables, self.views, self.functions)
        return {each.name: each.statement for definitions in relations for each in definitions.values()}

    def declared_otherwise(self, other: Catalog) -> Iterator[str]:
        """Yield the names of the tables that ``other`` declares with another statement, or not at all, and of those
        that take anything over from another table.
        """
        if self is not other:
            tables = other.tables
            yield from (name for name, each in self.tables.items() if each.like or tables.get(name) is not each)

    def columns_of(self, table: TableDefinition) -> tuple[tuple[ColumnDefinition, ...], bool]:
        """All columns of a table, those that it takes over by LIKE included, and whether these are all.

        >>> declared = catalog("CREATE TABLE t (a INT); CREATE TABLE u (b INT) LIKE t")
        >>> columns, all_known = declared.columns_of(declared.tables["u"])
        >>> [column.name for column in columns], all_known
        (['a', 'b'], True)
        """
        *line, last = self._line(table)
        complete = last.like is None and last.complete
        if not line:
            return last.columns, complete
        columns = _by_name(last.columns)
        for heir in reversed(line):
            if heir.left_out:
                columns = {
                    name: definitions
                    for name, definitions in columns.items()
                    if not any(_is_left_out(column, heir.left_out) for column in definitions)
                }
            own = _by_name(heir.columns)
            for name in own:
                columns.pop(name, None)
            columns |= own
        return tuple(column for definitions in columns.values() for column in definitions), complete

    def _line(self, table: TableDefinition, feature: str = "") -> list[TableDefinition]:
        """The table, the one that it is LIKE, and so on, as far as each takes over the ``feature`` of the next one.

        Tables that are like one another in a circle end it: none of them is met twice.
        """
        # Not by recursion: a line of tables may be longer than Python's stack is deep.
        line, names = [table], {table.name}
        while (heir := line[-1]).like is not None and feature not in heir.left_out:
            base = self.tables.get(heir.like)
            if base is None or base.name in names:
                break
            line.append(base)
            names.add(base.name)
        return line

    def time_attributes_of(self, table: TableDefinition) -> frozenset[str]:
        """The columns with a watermark, own or taken over by LIKE.

        >>> declared = catalog()
        >>> declared.time_attributes_of(declared.tables["orders"])
        frozenset({'rowtime'})
        """
        return frozenset().union(*(each.time_attributes for each in self._line(table, "WATERMARKS")))

    def watermark_place_of(self, table: TableDefinition) -> Place | None:
        """The clause that declares the watermark of a table, be it in the table that it is LIKE.

        >>> declared = catalog()
        >>> declared.watermark_place_of(declared.tables["orders"]).token_text
        "WATERMARK FOR rowtime AS rowtime - INTERVAL '5' SECOND"
        """
        places = (each.watermark_place for each in self._line(table, "WATERMARKS"))
        return next((place for place in places if place is not None), None)

    def options_of(self, table: TableDefinition) -> Mapping[str, Option]:
        """The options of a table, those that it takes over by LIKE included.

        >>> declared = catalog("CREATE TABLE t WITH ('format' = 'csv') LIKE orders (OVERWRITING OPTIONS)")
        >>> {key: option.value for key, option in declared.options_of(declared.tables["t"]).items()}
        {'connector': 'kafka', 'format': 'csv'}
        """
        options: dict[str, Option] = {}
        for each in reversed(self._line(table, "OPTIONS")):
            options |= each.options
        return options

    def primary_key_of(self, table: TableDefinition) -> tuple[tuple[str, ...], Place | None]:
        """The columns of a table's primary key, and where it is declared.

        >>> declared = catalog()
        >>> key, place = declared.primary_key_of(declared.tables["buyers"])
        >>> key, place.token_text
        (('name',), 'PRIMARY KEY ( name ) NOT ENFORCED')
        """
        line = self._line(table, "CONSTRAINTS")
        owner = next((each for each in line if each.primary_key), line[-1])
        return owner.primary_key, owner.primary_key_place

    def partition_keys_of(self, table: TableDefinition) -> tuple[str, ...]:
        """The columns that part the files of a table into folders, in the order of the folders.

        >>> declared = catalog("CREATE TABLE t (a INT, d STRING) PARTITIONED BY (d)")
        >>> declared.partition_keys_of(declared.tables["t"])
        ('d',)
        """
        keys = (each.partition_keys for each in self._line(table, "PARTITIONS"))
        return next((each for each in keys if each), ())


class _Reached:
    """The declarations that a statement needs in the catalog that was asked last: so they are in each one that has the
    same declarations of the names that this follows from.
    """

    def __init__(self, _: ParsedStatement) -> None:
        self.catalog: Catalog | None = None
        self.asked: dict[str, Definition | None] = {}
        self.definitions: tuple[ParsedStatement, ...] = ()

    def holds_in(self, catalog: Catalog) -> bool:
        if self.catalog is None or catalog is self.catalog:
            return self.catalog is not None
        if any(catalog.declaration(name) is not definition for name, definition in self.asked.items()):
            return False
        self.catalog = catalog
        return True


def _alters(statement: ParsedStatement) -> bool:
    """Return whether a statement removes or changes a declaration."""
    return dropped(statement) is not None or altered_name(statement) is not None


def _by_name(columns: Iterable[ColumnDefinition]) -> dict[str, list[ColumnDefinition]]:
    """The columns by name, each with those that repeat it."""
    groups: dict[str, list[ColumnDefinition]] = {}
    for column in columns:
        groups.setdefault(column.name, []).append(column)
    return groups


def _is_left_out(column: ColumnDefinition, left_out: frozenset[str]) -> bool:
    computed = column.expression is not None and "GENERATED" in left_out
    return computed or (column.metadata is not None and "METADATA" in left_out)

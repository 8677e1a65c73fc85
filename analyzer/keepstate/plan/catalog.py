"""Declarations of a script: tables, views, functions and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.provenance import Place, place_of
from keepstate.plan.types.type_names import canonical_type
from keepstate.syntax import nodes
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.text import Span

_DEFAULT_PATH = ("default_catalog", "default_database")


@dataclass(frozen=True)
class ColumnDefinition:
    """A column of a CREATE TABLE; exactly one of ``type`` (physical or metadata) and ``expression`` (computed)."""

    name: str
    place: Place
    type: str | None = None
    expression: exp.Expression | None = None
    metadata: str | None = None
    not_null: bool = False
    virtual: bool = False
    """Metadata that can be read only."""


@dataclass(frozen=True)
class Option:
    """One entry of a WITH clause or one setting; ``place`` is ``None`` for a parameter given outside of the SQL."""

    key: str
    value: str
    place: Place | None = None


@dataclass(frozen=True)
class TableDefinition:
    name: str
    statement: ParsedStatement
    place: Place
    """``CREATE TABLE name``, the clause to point at for the table as a whole."""
    name_place: Place
    columns: tuple[ColumnDefinition, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    time_attributes: frozenset[str] = frozenset()
    """Columns with a watermark."""
    watermark_place: Place | None = None
    primary_key: tuple[str, ...] = ()
    primary_key_place: Place | None = None
    partition_keys: tuple[str, ...] = ()
    """The columns of PARTITIONED BY."""
    like: str | None = None
    left_out: frozenset[str] = frozenset()
    """Features that LIKE excludes: OPTIONS, WATERMARKS, CONSTRAINTS, GENERATED, METADATA, PARTITIONS."""
    temporary: bool = False
    complete: bool = True
    """``columns`` is the whole list; false for LIKE of a table that the script does not declare."""


@dataclass(frozen=True)
class ViewDefinition:
    name: str
    statement: ParsedStatement
    query: exp.Expression
    columns: tuple[str, ...] = ()
    temporary: bool = False


@dataclass(frozen=True)
class FunctionDefinition:
    """A CREATE FUNCTION. ``name`` is in upper case, since Flink ignores the case of functions."""

    name: str
    statement: ParsedStatement
    place: Place
    """The statement up to the name."""
    implementation: str
    language: str
    jars: tuple[str, ...] = ()
    class_place: Place | None = None
    language_place: Place | None = None
    jar_places: tuple[Place, ...] = ()


Definition = TableDefinition | ViewDefinition | FunctionDefinition


@dataclass(frozen=True, eq=False)
class Catalog:
    """The declarations that are in force at the end of a script. Equal ones of one memo share a catalog."""

    tables: Mapping[str, TableDefinition] = field(default_factory=dict)
    views: Mapping[str, ViewDefinition] = field(default_factory=dict)
    functions: Mapping[str, FunctionDefinition] = field(default_factory=dict)
    unambiguous: bool = True
    """No name is declared more than once."""

    @staticmethod
    def of(statements: Iterable[ParsedStatement], memo: Memo | None = None, *, of_query: bool = False) -> Catalog:
        """The catalog of the statements' declarations; a later one of the same name wins. ``of_query``: these are what
        one query reaches. There are as many of those as queries, and they would take the place of that of the script.
        """
        memory = memo if memo is not None else Memo()
        declaring = tuple(statement for statement in statements if memory.of(define, statement) is not None)
        return memory.of_group((Catalog, of_query), declaring, lambda: Catalog._build(declaring, memory))

    @staticmethod
    def _build(statements: tuple[ParsedStatement, ...], memo: Memo) -> Catalog:
        tables: dict[str, TableDefinition] = {}
        views: dict[str, ViewDefinition] = {}
        functions: dict[str, FunctionDefinition] = {}
        for statement in statements:
            match memo.of(define, statement):
                case TableDefinition() as table:
                    tables[table.name] = table
                    views.pop(table.name, None)
                case ViewDefinition() as view:
                    views[view.name] = view
                    tables.pop(view.name, None)
                case FunctionDefinition() as function:
                    functions[function.name] = function
        return Catalog(tables, views, functions, len(statements) == len(tables) + len(views) + len(functions))

    def reached_from(self, statement: ParsedStatement, memo: Memo) -> tuple[ParsedStatement, ...]:
        """The declaring statements that ``statement`` needs, directly or through others, in order of first need."""
        reached: dict[ParsedStatement, None] = {}
        waiting = [statement]
        while waiting:
            for name in memo.of(names_in, waiting.pop(0)):
                definition = self.declaration(name)
                if definition and definition.statement not in reached and definition.statement is not statement:
                    reached[definition.statement] = None
                    waiting.append(definition.statement)
        return tuple(reached)

    def declaration(self, name: str) -> Definition | None:
        """Return the definition of a name."""
        return self.tables.get(name) or self.views.get(name) or self.functions.get(name.upper())

    def columns_of(self, table: TableDefinition) -> tuple[tuple[ColumnDefinition, ...], bool]:
        """All columns of a table, those that it takes over by LIKE included, and whether these are all."""
        *line, last = self._line(table)
        columns, complete = last.columns, last.like is None and last.complete
        for heir in reversed(line):
            gone = {column.name for column in heir.columns}
            gone |= {column.name for column in columns if _is_left_out(column, heir.left_out)}
            columns = (*(column for column in columns if column.name not in gone), *heir.columns)
        return columns, complete

    def _line(self, table: TableDefinition, feature: str = "") -> list[TableDefinition]:
        """The table, the one that it is LIKE, and so on, as far as each takes over the ``feature`` of the next one.

        Tables that are like one another in a circle end it: none of them is met twice.
        """
        # Not by recursion: a line of tables may be longer than Python's stack is deep.
        line, met = [table], {table.name}
        while (heir := line[-1]).like is not None and feature not in heir.left_out:
            base = self.tables.get(heir.like)
            if base is None or base.name in met:
                break
            line.append(base)
            met.add(base.name)
        return line

    def time_attributes_of(self, table: TableDefinition) -> frozenset[str]:
        return frozenset().union(*(each.time_attributes for each in self._line(table, "WATERMARKS")))

    def watermark_place_of(self, table: TableDefinition) -> Place | None:
        """The clause that declares the watermark of a table, be it in the table that it is LIKE."""
        places = (each.watermark_place for each in self._line(table, "WATERMARKS"))
        return next((place for place in places if place is not None), None)

    def options_of(self, table: TableDefinition) -> Mapping[str, Option]:
        options: dict[str, Option] = {}
        for each in reversed(self._line(table, "OPTIONS")):
            options |= each.options
        return options

    def primary_key_of(self, table: TableDefinition) -> tuple[tuple[str, ...], Place | None]:
        """The columns of a table's primary key, and where it is declared."""
        line = self._line(table, "CONSTRAINTS")
        owner = next((each for each in line if each.primary_key), line[-1])
        return owner.primary_key, owner.primary_key_place

    def partition_keys_of(self, table: TableDefinition) -> tuple[str, ...]:
        """The columns that part the files of a table into folders, in the order of the folders."""
        keys = (each.partition_keys for each in self._line(table, "PARTITIONS"))
        return next((each for each in keys if each), ())


_LEADING_WORDS = frozenset("CREATE OR REPLACE TEMPORARY SYSTEM TABLE VIEW FUNCTION IF NOT EXISTS".split())


def unreadable_names(statements: Iterable[ParsedStatement]) -> frozenset[str]:
    """Names of the tables and views that statements which cannot be read would declare, by their first tokens."""
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
        names.add(name)
    return frozenset(names)


def names_in(statement: ParsedStatement) -> tuple[str, ...]:
    """Names of relations and functions that a statement mentions (its own name and column names do no harm)."""
    if statement.tree is None:
        return ()
    names: dict[str, None] = {}
    for node in statement.tree.walk():
        if isinstance(node, exp.Table):
            if not isinstance(node.this, nodes.TableFunction):
                names[table_name(node)] = None
        elif isinstance(node, (exp.Anonymous, nodes.TableFunction)):
            names[function_name(node)] = None
        elif isinstance(node, exp.LikeProperty):
            names[table_name(node.this)] = None
    return tuple(names)


def table_name(node: exp.Expression) -> str:
    """The dotted name of a table as written, without the path that is in force by default."""
    parts = [part.name for part in (node.parts if isinstance(node, exp.Table) else node.find_all(exp.Identifier))]
    if tuple(parts[: len(_DEFAULT_PATH)]) == _DEFAULT_PATH:
        parts = parts[len(_DEFAULT_PATH) :]
    elif len(parts) == len(_DEFAULT_PATH) and parts[0] == _DEFAULT_PATH[-1]:
        parts = parts[1:]
    return ".".join(parts)


def function_name(node: exp.Expression) -> str:
    """The name of a called function in upper case."""
    this = node.this
    return (this if isinstance(this, str) else this.name if not isinstance(this, exp.Dot) else this.sql()).upper()


def define(statement: ParsedStatement) -> Definition | None:
    """Return the definition in a statement; ``None`` for a statement that declares nothing."""
    tree = statement.tree
    if not isinstance(tree, exp.Create):
        return None
    if statement.kind is StatementKind.CREATE_TABLE:
        return _define_table(statement, tree)
    if statement.kind is StatementKind.CREATE_VIEW:
        return _define_view(statement, tree)
    if statement.kind is StatementKind.CREATE_FUNCTION:
        return _define_function(statement, tree)
    return None


def _define_view(statement: ParsedStatement, tree: exp.Create) -> ViewDefinition | None:
    query = tree.args.get("expression")
    if query is None:
        return None
    target = tree.this
    columns: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        columns = tuple(column.name for column in target.expressions)
        target = target.this
    return ViewDefinition(table_name(target), statement, query, columns, bool(tree.args.get("temporary")))


def _define_table(statement: ParsedStatement, tree: exp.Create) -> TableDefinition:
    target = tree.this
    elements: list[exp.Expression] = []
    if isinstance(target, exp.Schema):
        elements = target.expressions
        target = target.this
    columns: list[ColumnDefinition] = []
    times: set[str] = set()
    key: tuple[str, ...] = ()
    key_place: Place | None = None
    watermark_place: Place | None = None
    for element in elements:
        if isinstance(element, exp.ColumnDef):
            columns.append(_column(statement, element))
            inline = next((kind for kind in _constraints(element) if _is_primary_key(kind)), None)
            if inline is not None:
                key, key_place = (element.name,), place_of(statement, inline)
        elif isinstance(element, exp.WatermarkColumnConstraint):
            times.add(element.this.name)
            watermark_place = place_of(statement, element)
        else:
            primary = element.find(exp.PrimaryKey)
            if primary is not None:
                key = tuple(part.name for part in primary.expressions)
                key_place = place_of(statement, primary)
    partitioned = tree.args.get("partitioned_by")
    like = tree.args.get("like")
    name = place_of(statement, target)
    return TableDefinition(
        name=table_name(target),
        statement=statement,
        place=Place(statement, Span(0, name.span.end)),
        name_place=name,
        columns=tuple(columns),
        options=dict(_options(statement, tree)),
        time_attributes=frozenset(times),
        watermark_place=watermark_place,
        primary_key=key,
        primary_key_place=key_place,
        partition_keys=tuple(part.name for part in partitioned.this.expressions) if partitioned is not None else (),
        like=table_name(like.this) if like is not None else None,
        left_out=_left_out(like) if like is not None else frozenset(),
        temporary=bool(tree.args.get("temporary")),
        complete=bool(columns) and tree.args.get("expression") is None,
    )


_LIKE_FEATURES = ("OPTIONS", "WATERMARKS", "CONSTRAINTS", "GENERATED", "METADATA", "PARTITIONS", "DISTRIBUTION")


def _left_out(like: exp.Expression) -> frozenset[str]:
    """Return the features that a LIKE clause excludes. A word about one feature overrides a word about ALL."""
    said = {str(part.args["value"].name): str(part.this) for part in like.expressions}
    default = said.get("ALL", "INCLUDING")
    return frozenset(feature for feature in _LIKE_FEATURES if said.get(feature, default) == "EXCLUDING")


def _is_left_out(column: ColumnDefinition, left_out: frozenset[str]) -> bool:
    computed = column.expression is not None and "GENERATED" in left_out
    return computed or (column.metadata is not None and "METADATA" in left_out)


def _is_primary_key(kind: exp.Expression) -> bool:
    return isinstance(kind, exp.PrimaryKeyColumnConstraint)


def _column(statement: ParsedStatement, element: exp.ColumnDef) -> ColumnDefinition:
    place = place_of(statement, element)
    type_ = None
    if element.args.get("kind") is not None:
        type_ = canonical_type(place_of(statement, element.args["kind"]).written)
    expression = metadata = None
    not_null = virtual = False
    for kind in _constraints(element):
        if isinstance(kind, exp.ComputedColumnConstraint):
            expression = kind.this
        elif isinstance(kind, nodes.MetadataColumn):
            metadata = kind.this.name if kind.this is not None else element.name
            virtual = bool(kind.args.get("virtual"))
        elif isinstance(kind, exp.NotNullColumnConstraint):
            not_null = not kind.args.get("allow_null")
    return ColumnDefinition(element.name, place, type_, expression, metadata, not_null, virtual)


def _constraints(element: exp.ColumnDef) -> list[exp.Expression]:
    return element.args.get("constraints") or []


def _options(statement: ParsedStatement, tree: exp.Create) -> Iterator[tuple[str, Option]]:
    properties = tree.args.get("properties")
    for prop in properties.expressions if properties is not None else ():
        yield prop.this.name, Option(prop.this.name, prop.args["value"].name, place_of(statement, prop))


def _define_function(statement: ParsedStatement, tree: exp.Create) -> FunctionDefinition:
    implementation = tree.args.get("expression")
    language = tree.args.get("language")
    archives = tree.args.get("using") or ()
    return FunctionDefinition(
        name=table_name(tree.this).upper(),
        statement=statement,
        place=Place(statement, Span(0, place_of(statement, tree.this).span.end)),
        implementation=implementation.name if implementation is not None else "",
        language=language.name.upper() if language is not None else "JAVA",
        jars=tuple(jar.name for jar in archives),
        class_place=place_of(statement, implementation) if implementation is not None else None,
        language_place=place_of(statement, language) if language is not None else None,
        jar_places=tuple(place_of(statement, jar.this) for jar in archives),
    )

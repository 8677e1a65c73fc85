"""Definitions: the content of CREATE TABLE, CREATE VIEW and CREATE FUNCTION."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.names.full_names import table_name, upper
from keepstate.plan.provenance import Place, place_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.plan.types.type_names import canonical_type
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.text import Span
from keepstate.value_class import value_class


@value_class(frozen=True)
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
    written_type: str | None = None

    @property
    def stored_type(self) -> str | None:
        """The type as serializers compare it, with NOT NULL inside; its canonical spelling where that is unknown."""
        type_ = LogicalType.as_written(self.written_type) if self.written_type is not None else None
        return type_.serializable_string if type_ is not None else self.type


@value_class(frozen=True)
class Option:
    """One entry of a WITH clause or one setting; ``place`` is ``None`` for a parameter given outside of the SQL."""

    key: str
    value: str
    place: Place | None = None


@value_class(frozen=True)
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

    @property
    def is_projected(self) -> bool:
        """Return whether a projection gives its rows: computed and metadata columns, and no watermark above them."""
        is_scanned = all(each.expression is None and each.metadata is None for each in self.columns)
        return not self.time_attributes and not is_scanned

    @property
    def query(self) -> exp.Expression | None:
        """The query of a CREATE TABLE AS, which gives the table its columns."""
        tree = self.statement.tree
        return tree.args.get("expression") if isinstance(tree, exp.Create) else None


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
    temporary: bool = False
    system: bool = False
    """It belongs to no database, and its bare name means it in all of them."""


Definition = TableDefinition | ViewDefinition | FunctionDefinition


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
    contents = elements_of(statement, elements)
    properties = tree.args.get("properties")
    partitioned = tree.args.get("partitioned_by")
    like = tree.args.get("like")
    name = place_of(statement, target)
    return TableDefinition(
        name=table_name(target),
        statement=statement,
        place=Place(statement, Span(0, name.span.end)),
        name_place=name,
        columns=contents.columns,
        options=options_in(statement, properties.expressions if properties is not None else ()),
        time_attributes=contents.times,
        watermark_place=contents.watermark_place,
        primary_key=contents.key,
        primary_key_place=contents.key_place,
        partition_keys=tuple(part.name for part in partitioned.this.expressions) if partitioned is not None else (),
        like=table_name(like.this) if like is not None else None,
        left_out=_left_out(like) if like is not None else frozenset(),
        temporary=bool(tree.args.get("temporary")),
        complete=bool(contents.columns) and tree.args.get("expression") is None,
    )


@dataclass(frozen=True)
class Elements:
    """The elements between the parentheses of CREATE TABLE, or of ADD and MODIFY."""

    columns: tuple[ColumnDefinition, ...]
    times: frozenset[str]
    """Columns with a watermark."""
    watermark_place: Place | None
    key: tuple[str, ...]
    key_place: Place | None


def elements_of(statement: ParsedStatement, elements: Iterable[exp.Expression]) -> Elements:
    """Columns, watermark and primary key that elements declare."""
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
    return Elements(tuple(columns), frozenset(times), watermark_place, key, key_place)


def keeps_existing(statement: ParsedStatement) -> bool:
    """Return whether a declaration says IF NOT EXISTS, and so leaves what there is."""
    return isinstance(statement.tree, exp.Create) and bool(statement.tree.args.get("exists"))


def options_in(statement: ParsedStatement, properties: Iterable[exp.Expression]) -> dict[str, Option]:
    """The options of a WITH clause, or of SET, by their keys."""
    return {
        each.this.name: Option(each.this.name, each.args["value"].name, place_of(statement, each))
        for each in properties
    }


_LIKE_FEATURES = ("OPTIONS", "WATERMARKS", "CONSTRAINTS", "GENERATED", "METADATA", "PARTITIONS", "DISTRIBUTION")


def _left_out(like: exp.Expression) -> frozenset[str]:
    """Return the features that a LIKE clause excludes. A word about one feature overrides a word about ALL."""
    options = {str(part.args["value"].name): str(part.this) for part in like.expressions}
    default = options.get("ALL", "INCLUDING")
    return frozenset(feature for feature in _LIKE_FEATURES if options.get(feature, default) == "EXCLUDING")


def _is_primary_key(kind: exp.Expression) -> bool:
    return isinstance(kind, exp.PrimaryKeyColumnConstraint)


def _column(statement: ParsedStatement, element: exp.ColumnDef) -> ColumnDefinition:
    place = place_of(statement, element)
    type_ = written_type = None
    if element.args.get("kind") is not None:
        written_type = place_of(statement, element.args["kind"]).token_text
        type_ = canonical_type(written_type)
    expression = metadata = None
    not_null = virtual = False
    for kind in _constraints(element):
        if isinstance(kind, exp.ComputedColumnConstraint):
            expression = kind.this
        elif isinstance(kind, syntax_nodes.MetadataColumn):
            metadata = kind.this.name if kind.this is not None else element.name
            virtual = bool(kind.args.get("virtual"))
        elif isinstance(kind, exp.NotNullColumnConstraint):
            not_null = not kind.args.get("allow_null")
    return ColumnDefinition(element.name, place, type_, expression, metadata, not_null, virtual, written_type)


def _constraints(element: exp.ColumnDef) -> list[exp.Expression]:
    return element.args.get("constraints") or []


def _define_function(statement: ParsedStatement, tree: exp.Create) -> FunctionDefinition:
    implementation = tree.args.get("expression")
    language = tree.args.get("language")
    archives = tree.args.get("using") or ()
    return FunctionDefinition(
        name=tree.this.name.upper() if tree.args.get("system") else upper(table_name(tree.this)),
        statement=statement,
        place=Place(statement, Span(0, place_of(statement, tree.this).span.end)),
        implementation=implementation.name if implementation is not None else "",
        language=language.name.upper() if language is not None else "JAVA",
        jars=tuple(jar.name for jar in archives),
        class_place=place_of(statement, implementation) if implementation is not None else None,
        language_place=place_of(statement, language) if language is not None else None,
        jar_places=tuple(place_of(statement, jar.this) for jar in archives),
        temporary=bool(tree.args.get("temporary")),
        system=bool(tree.args.get("system")),
    )

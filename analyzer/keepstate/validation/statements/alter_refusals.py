"""ALTER TABLE and ALTER VIEW: what Flink refuses to alter, and the tables behind them. Measured on Flink 2.3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.catalog import Definition, TableDefinition, ViewDefinition, define
from keepstate.plan.declarations.alterations import Relation, altered
from keepstate.plan.names.full_names import table_name
from keepstate.syntax import syntax_nodes
from keepstate.syntax.spans import keyword_span, span_of
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Span
from keepstate.validation.statement_context import DeclaredObject
from keepstate.validation.validity import ValidityProblem

_FIXED_OPTION = "connector"
"""The option that RESET leaves."""


@dataclass
class Alterations:
    """The tables and views that the statements of a script altered so far, by their names."""

    names: set[str] = field(default_factory=set)
    """Of these the catalog of the script says no longer what they are like."""
    _definitions: dict[str, tuple[ParsedStatement, Relation]] = field(default_factory=dict)
    """The definitions behind these statements, each with the declaration that was altered."""

    def follow(self, statement: ParsedStatement, declarations: Mapping[str, DeclaredObject]) -> ValidityProblem | None:
        """Take a statement that alters one of the ``declarations``, or return the reason for which Flink refuses it."""
        tree = statement.tree
        assert tree is not None, "a statement that alters something is read"
        name = table_name(tree.this)
        declared = declarations.get(name)
        if declared is None and not tree.args.get("exists"):
            span = span_of(tree.this)
            assert span is not None, "a name has a place"
            message = f"The script does not declare {name}; a catalog may hold it."
            return ValidityProblem("unknown-table", span, message, depends="catalog", subject=name)
        former = self._definitions.get(name)
        definition: Definition | None = None
        if declared is not None:
            # A table that was dropped and declared again is another one.
            is_altered = former is not None and former[0] is declared.statement
            definition = former[1] if former is not None and is_altered else define(declared.statement)
        if declared is not None and isinstance(definition, (TableDefinition, ViewDefinition)):
            alteration = _Alteration(statement, tree, definition, declared.temporary, frozenset(declarations))
            refusal = next(alteration.refusals(), None)
            if refusal is not None:
                return refusal
            behind = altered(definition, statement)
            self._definitions.pop(name, None)
            self._definitions[behind.name] = (declared.statement, behind)
        self.names.add(name)
        return None


@dataclass(frozen=True)
class _Alteration:
    """One ALTER of the relation that ``definition`` is."""

    statement: ParsedStatement
    tree: exp.Expression
    definition: Relation
    is_temporary: bool
    taken_names: frozenset[str]

    def refusals(self) -> Iterator[ValidityProblem]:
        """The reasons for which Flink refuses it."""
        definition, kind = self.definition, str(self.tree.args["kind"])
        if self.is_temporary:
            if not self.tree.args.get("exists"):
                yield self._refusal(
                    self.tree.this, f"ALTER changes no temporary {kind.lower()}: {definition.name} is one."
                )
            return
        if (kind == "TABLE") != isinstance(definition, TableDefinition):
            other = "VIEW" if kind == "TABLE" else "TABLE"
            yield self._refusal(self.tree.this, f"{definition.name} is a {other.lower()}: write ALTER {other}.")
            return
        action = self.tree.args["actions"][0]
        if isinstance(action, exp.AlterRename) and table_name(action.this) in self.taken_names:
            yield self._refusal(action.this, f"There is a table or view {table_name(action.this)} already.")
        if not isinstance(definition, TableDefinition) or definition.like is not None or definition.query is not None:
            # The columns of a table that another one, or a query, gives are not all here.
            return
        match action:
            case exp.Schema():
                yield from self._of_elements(definition, action)
            case exp.RenameColumn():
                yield from self._of_new_name(definition, action)
            case syntax_nodes.OtherStatement():
                span = self._span(action)
                yield from self._of_words(
                    definition, [each for each in self.statement.tokens[:-1] if each.start >= span.start]
                )

    def _of_elements(self, table: TableDefinition, action: exp.Schema) -> Iterator[ValidityProblem]:
        """Refusals of ADD, whose columns are new ones, and of MODIFY, whose columns are known."""
        keyword, elements = keyword_span(action), action.expressions
        assert keyword is not None, "a clause begins with a keyword"
        adds = keyword.of(self.statement.text).upper() == "ADD"
        names = {column.name for column in table.columns}
        written = Counter(element.this.name for element in elements if isinstance(element, exp.ColumnDef))
        for element in elements:
            if isinstance(element, exp.ColumnDef):
                name = element.this.name
                if written[name] > 1:
                    yield self._refusal(element.this, f"This statement names {name} twice.")
                if adds and name in names:
                    yield self._refusal(element.this, f"{table.name} has a column {name} already.")
                if not adds and name not in names:
                    yield self._refusal(element.this, f"{table.name} has no column {name}.")
                yield from self._of_position(table, element, names | set(written))
            elif isinstance(element, exp.WatermarkColumnConstraint):
                yield from self._of_one(element, "watermark", adds, bool(table.time_attributes))
                if len(element.this.parts) == 1 and element.this.name not in names | set(written):
                    yield self._refusal(element.this, f"{table.name} has no column {element.this.name}.")
            elif isinstance(element, (exp.PrimaryKey, exp.Constraint)):
                yield from self._of_one(element, "primary key", adds, bool(table.primary_key))
                for key in element.find_all(exp.Identifier) if isinstance(element, exp.PrimaryKey) else ():
                    if key.name not in names | set(written):
                        yield self._refusal(key, f"{table.name} has no column {key.name}.")

    def _of_one(self, element: exp.Expression, noun: str, adds: bool, is_there: bool) -> Iterator[ValidityProblem]:
        """Refusals of what a table has one of at most."""
        if adds and is_there:
            yield self._refusal(element, f"{self.definition.name} has a {noun} already: write MODIFY.")
        if not adds and not is_there:
            yield self._refusal(element, f"{self.definition.name} has no {noun}: write ADD.")

    def _of_position(
        self, table: TableDefinition, element: exp.ColumnDef, names: set[str]
    ) -> Iterator[ValidityProblem]:
        position = element.args.get("position")
        if position is not None and position.this is not None and position.this.name not in names:
            yield self._refusal(position.this, f"{table.name} has no column {position.this.name}.")

    def _of_new_name(self, table: TableDefinition, action: exp.Expression) -> Iterator[ValidityProblem]:
        names = {column.name for column in table.columns}
        column, new = action.this, action.args["to"]
        if len(column.parts) > 1:
            return
        if column.name not in names:
            yield self._refusal(column, f"{table.name} has no column {column.name}.")
        if new.name in names:
            yield self._refusal(new, f"{table.name} has a column {new.name} already.")
        yield from self._of_use(table, column.name, frozenset(), self._span(column))

    def _of_words(self, table: TableDefinition, tokens: list[Token]) -> Iterator[ValidityProblem]:
        """Refusals of DROP and RESET."""
        first, *rest = tokens
        whole = Span(first.start, tokens[-1].end)
        if first.word == "RESET":
            keys = [token for token in rest if token.kind is TokenKind.STRING]
            if not keys:
                yield self._problem(whole, "RESET names an option at least.")
            for key in keys:
                if key.text.strip("'") == _FIXED_OPTION:
                    yield self._problem(Span(key.start, key.end), "RESET leaves the connector of a table.")
        if first.word != "DROP" or not rest or rest[0].word in ("PARTITION", "DISTRIBUTION"):
            return
        if rest[0].word == "WATERMARK":
            if not table.time_attributes:
                yield self._problem(whole, f"{table.name} has no watermark.")
            return
        if rest[0].word in ("PRIMARY", "CONSTRAINT"):
            if not table.primary_key:
                yield self._problem(whole, f"{table.name} has no primary key.")
            return
        yield from self._of_dropped(table, [each for each in rest if each.kind in (TokenKind.WORD, TokenKind.NAME)])

    def _of_dropped(self, table: TableDefinition, tokens: list[Token]) -> Iterator[ValidityProblem]:
        names = {column.name for column in table.columns}
        dropped = Counter(token.text.strip("`") for token in tokens if token.word != "COLUMN")
        for token in tokens:
            name, span = token.text.strip("`"), Span(token.start, token.end)
            if dropped[name] > 1:
                yield self._problem(span, f"This statement names {name} twice.")
            if name in dropped and name not in names:
                yield self._problem(span, f"{table.name} has no column {name}.")
            if name in table.primary_key:
                yield self._problem(span, f"{name} is a key of {table.name}, which DROP leaves.")
            yield from self._of_use(table, name, frozenset(dropped), span)

    def _of_use(
        self, table: TableDefinition, name: str, dropped: frozenset[str], span: Span
    ) -> Iterator[ValidityProblem]:
        """Refusals of a change of a column that a watermark or a computed column reads."""
        if name in table.time_attributes:
            yield self._problem(span, f"The watermark of {table.name} reads {name}.")
        if name in table.partition_keys:
            yield self._problem(span, f"{table.name} is partitioned by {name}.")
        for column in table.columns:
            if column.expression is None or column.name in dropped:
                continue
            if any(each.name == name for each in column.expression.find_all(exp.Column)):
                yield self._problem(span, f"The column {column.name} of {table.name} reads {name}.")

    def _refusal(self, node: exp.Expression, message: str) -> ValidityProblem:
        return self._problem(self._span(node), message)

    def _span(self, node: exp.Expression) -> Span:
        span = span_of(node)
        assert span is not None, "what is written has a place"
        return span

    def _problem(self, span: Span, message: str) -> ValidityProblem:
        return ValidityProblem("alter", span, message, subject=self.definition.name)

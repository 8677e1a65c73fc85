"""CREATE TABLE: columns, watermarks, constraints, options, LIKE, AS."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.queries import QueryGrammar
from keepstate.syntax.placeholders import canonical_name
from keepstate.syntax.tokens import TokenKind

_CLAUSES = {
    "COMMENT": ("distributed_by", "partitioned_by", "properties"),
    "DISTRIBUTED": ("partitioned_by", "properties"),
    "PARTITIONED": ("properties",),
}
"""Clauses of CREATE TABLE, with those that Flink takes only behind them."""


class TableGrammar(QueryGrammar):
    """Definition of a table: columns, constraints, watermarks and options."""

    def create_table(self, create: exp.Create) -> None:
        start = self.token.start
        target: exp.Expression = self.table_name()
        if self.token.word == "(":
            elements = self.in_parens(self.table_element)
            target = self.finish(start, exp.Schema(this=target, expressions=elements))
        create.set("this", target)
        while True:
            token = self.token
            word = token.word
            if any(create.args.get(each) is not None for each in _CLAUSES.get(word, ())):
                self.tolerate("clause-order", f"{word} stands further in front.")
            if word == "COMMENT":
                self.advance()
                create.set("comment", self.lone_string())
            elif word in ("DISTRIBUTED", "PARTITIONED"):
                self._layout(create)
            elif word == "WITH":
                create.set("properties", self.options())
            elif word == "USING" and self.peek().word == "CONNECTION":
                self.advance()
                self.advance()
                create.set("connection", self.table_name("the name of a connection"))
            elif word in ("FRESHNESS", "REFRESH_MODE", "START_MODE"):
                self._refresh(create)
            elif word == "LIKE":
                create.set("like", self._like())
                return
            elif word == "AS":
                self.advance()
                create.set("expression", self.query())
                # The columns of a query have their types from it.
                self.leniencies = [each for each in self.leniencies if each.rule != "column-type"]
                return
            else:
                return

    def _unknown_elements(self) -> exp.Expression:
        """A placeholder in place of columns: how many there are is not known."""
        placeholder = self.token
        self.pass_placeholder()
        return self.finish(placeholder.start, exp.Placeholder(this=canonical_name(placeholder.text)))

    def table_element(self) -> exp.Expression:
        token = self.token
        if token.kind is TokenKind.PLACEHOLDER and self.peek().word in (",", ")"):
            return self._unknown_elements()
        word = token.word
        if word == "WATERMARK" and self.peek().word == "FOR":
            return self._watermark()
        if word == "CONSTRAINT" and self.at_name(self.peek()) and self.peek(2).word in ("PRIMARY", "UNIQUE"):
            self.advance()
            name = self.name("the name of a constraint")
            return self.finish(token.start, exp.Constraint(this=name, expressions=[self._table_constraint()]))
        if (word == "PRIMARY" and self.peek().word == "KEY") or (word == "UNIQUE" and self.peek().word in ("(", "KEY")):
            return self._table_constraint()
        return self.column_definition()

    def _watermark(self) -> exp.WatermarkColumnConstraint:
        start = self.token.start
        self.expect("WATERMARK", "FOR")
        keyword_end = self.end
        column_start = self.token.start
        column = self.make_column(column_start, [*self.path("the rowtime column")])
        self.expect("AS")
        node = exp.WatermarkColumnConstraint(this=column, expression=self.expression())
        return self.finish_clause(start, keyword_end, node)

    def _table_constraint(self) -> exp.Expression:
        start = self.token.start
        node: exp.Expression
        if self.accept("PRIMARY"):
            self.expect("KEY")
            node = exp.PrimaryKey(expressions=self.in_parens(self.name))
        else:
            self.expect("UNIQUE")
            if self.token.word == "KEY":
                self.tolerate("unique-key", "Flink writes UNIQUE without KEY, and takes no UNIQUE at all.")
            self.accept("KEY")
            columns = self.token.start
            schema = exp.Schema(expressions=self.in_parens(self.name))
            node = exp.UniqueColumnConstraint(this=self.finish(columns, schema))
        options = self._enforcement()
        if options:
            node.set("options", options)
        return self.finish(start, node)

    def _enforcement(self) -> list[str]:
        if self.accept("NOT", "ENFORCED"):
            return ["NOT ENFORCED"]
        return ["ENFORCED"] if self.accept("ENFORCED") else []

    def column_definition(self, typed: bool = True) -> exp.ColumnDef:
        """A column; one that is not ``typed`` has a name only, as in the list of a view."""
        start = self.token.start
        name: exp.Expression = self.name("the name of a column")
        while self.token.word == "." and self.peek().kind is not TokenKind.SYMBOL:
            # A nested field, as ALTER TABLE ADD allows it.
            self.advance()
            name = self.finish(start, exp.Dot(this=name, expression=self.name(any_word=True)))
        column = exp.ColumnDef(this=name)
        constraints: list[exp.Expression] = []
        token = self.token
        if token.word == "AS" and isinstance(name, exp.Dot):
            self.tolerate("column-type", "A computed column has a plain name.")
        if token.word == "AS":
            self.advance()
            computed = exp.ComputedColumnConstraint(this=self.expression())
            if isinstance(computed.this, exp.Tuple) and not computed.this.expressions:
                self.tolerate("syntax", "A computed column is an expression.", self.index - 1)
            constraints.append(self.finish_clause(token.start, token.end, computed))
        elif token.word not in (",", ")", "COMMENT", "METADATA", "FIRST", "AFTER") or self.peek().word == ".":
            if token.word == "NULL":
                self.tolerate("column-type", f"Column {name.name} has no type.")
            column.set("kind", self.data_type())
        elif typed:
            self.tolerate("column-type", f"Column {name.name} has no type.")
        while True:
            constraint = self._column_constraint()
            if constraint is None:
                break
            if isinstance(constraint, exp.NotNullColumnConstraint) and any(
                isinstance(each, exp.NotNullColumnConstraint) for each in constraints
            ):
                start_of = constraint.meta["span"][0]
                at = next(number for number, each in enumerate(self.tokens) if each.start == start_of)
                self.tolerate("column-type", "A column says once whether it takes NULL.", at)
            constraints.append(constraint)
        if constraints:
            column.set("constraints", constraints)
        return self.finish(start, column)

    def _column_constraint(self) -> exp.Expression | None:
        token = self.token
        word = token.word
        if word == "METADATA":
            self.advance()
            metadata = syntax_nodes.MetadataColumn()
            if self.accept("FROM"):
                metadata.set("this", self.string("the key of the metadata in single quotes"))
            if self.accept("VIRTUAL"):
                metadata.set("virtual", True)
            return self.finish_clause(token.start, token.end, metadata)
        if word == "NOT":
            self.expect("NOT", "NULL")
            return self.finish(token.start, exp.NotNullColumnConstraint())
        if word == "NULL":
            self.advance()
            return self.finish(token.start, exp.NotNullColumnConstraint(allow_null=True))
        if word == "CONSTRAINT":
            self.advance()
            name = self.name("the name of a constraint")
            inner = self._column_constraint()
            if inner is None:
                self.fail("PRIMARY KEY or UNIQUE")
            return self.finish(token.start, exp.Constraint(this=name, expressions=[inner]))
        if word == "PRIMARY":
            self.expect("PRIMARY", "KEY")
            node: exp.Expression = exp.PrimaryKeyColumnConstraint()
        elif word == "UNIQUE":
            self.advance()
            node = exp.UniqueColumnConstraint()
        elif word == "COMMENT":
            self.advance()
            return self.finish(token.start, exp.CommentColumnConstraint(this=self.lone_string()))
        elif word == "DEFAULT":
            self.tolerate("default-value", "Columns of Flink have no DEFAULT.")
            self.advance()
            return self.finish(token.start, exp.DefaultColumnConstraint(this=self.expression()))
        else:
            return None
        options = self._enforcement()
        if options:
            node.set("options", options)
        return self.finish(token.start, node)

    def _layout(self, create: exp.Create) -> None:
        """``PARTITIONED BY (...)``, ``DISTRIBUTED [BY [HASH|RANGE] (...)] [INTO n BUCKETS]``."""
        token = self.advance()
        if token.word == "PARTITIONED":
            self.expect("BY")
            columns = self.token.start
            if self.token.word == "(":
                schema = exp.Schema(expressions=self.in_parens(self.expression))
            else:
                schema = exp.Schema(expressions=[self.name()])
            self.finish(columns, schema)
            create.set("partitioned_by", self.finish(token.start, exp.PartitionedByProperty(this=schema)))
            return
        distributed = exp.DistributedByProperty()
        if self.accept("BY"):
            distributed.set("kind", self.accept_any("HASH", "RANGE") or None)
            distributed.set("expressions", self.in_parens(self.name))
        if self.accept("INTO"):
            distributed.set("buckets", self.number("the number of buckets"))
            self.expect("BUCKETS")
        create.set("distributed_by", self.finish(token.start, distributed))

    def _refresh(self, create: exp.Create) -> None:
        token = self.advance()
        self.expect("=")
        # Modes are words, with START_MODE some of them with an argument: an expression reads them all but FULL.
        mode = self.token
        if self.accept("FULL"):
            create.set(token.word.lower(), self.finish(mode.start, exp.Var(this="FULL")))
        else:
            create.set(token.word.lower(), self.expression())

    def options(self) -> exp.Properties:
        """``WITH ('key' = 'value', ...)``."""
        token = self.advance()
        properties = self._options_around_placeholders()
        return self.finish_clause(token.start, token.end, exp.Properties(expressions=properties))

    def _options_around_placeholders(self) -> list[exp.Property]:
        """``(option, ...)``, or ``()``; a placeholder may be any number of options, with their commas."""
        self.expect("(")
        options: list[exp.Property] = []
        while not self.accept(")"):
            if self.token.kind is TokenKind.PLACEHOLDER and self.peek().word != "=":
                self.pass_placeholder()
                self.accept(",")
                continue
            options.append(self.option())
            if self.token.kind is TokenKind.PLACEHOLDER or self.token.word == ")":
                continue
            self.expect(",")
            if self.token.word == ")":
                self.fail("an option in single quotes")
        return options

    def option(self) -> exp.Property:
        start = self.token.start
        if self.token.kind is TokenKind.WORD:
            self.tolerate("option-quotes", "Options stand in single quotes.")
        key: exp.Expression = self.string("an option in single quotes") if not self.at_name() else self.name()
        self.expect("=")
        value: exp.Expression
        if self.token.kind is TokenKind.PLACEHOLDER:
            value = self._primary()
        else:
            value = self.string("the value of the option in single quotes")
        return self.finish(start, exp.Property(this=key, value=value))

    def _like(self) -> exp.LikeProperty:
        token = self.advance()
        like = exp.LikeProperty(this=self.table_name())
        if self.token.word == "(":
            self.advance()
            if self.token.word == ")":
                self.tolerate("like", "LIKE says here what becomes of a part of the table, as EXCLUDING OPTIONS.")
            options: list[exp.Property] = []
            while not self.accept(")"):
                option = self.token
                verb = self.accept_any("INCLUDING", "EXCLUDING", "OVERWRITING")
                if not verb:
                    self.fail("INCLUDING, EXCLUDING or OVERWRITING")
                feature = self.token
                if feature.kind is not TokenKind.WORD:
                    self.fail("what of the table (ALL, OPTIONS, ...)")
                self.advance()
                value = self.finish(feature.start, exp.Var(this=feature.word))
                options.append(self.finish(option.start, exp.Property(this=verb, value=value)))
            like.set("expressions", options)
        return self.finish_clause(token.start, token.end, like)

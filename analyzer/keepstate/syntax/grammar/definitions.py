"""CREATE, DROP and ALTER."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.syntax import nodes
from keepstate.syntax.grammar.queries import Queries
from keepstate.syntax.tokens import TokenKind

_CREATE_KINDS = ("TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL", "CONNECTION")


class Definitions(Queries):
    """The statements that make, change and drop objects."""

    def create(self) -> exp.Create:
        start = self.token.start
        self.expect("CREATE")
        create = exp.Create()
        if self.accept("OR"):
            create.set("replace", True)
            if not self.accept_any("REPLACE", "ALTER"):
                self.fail("REPLACE")
        if self.accept("TEMPORARY"):
            create.set("temporary", True)
        if self.accept("SYSTEM"):
            create.set("system", True)
        if self.accept("MATERIALIZED"):
            self.expect("TABLE")
            kind = "MATERIALIZED TABLE"
        else:
            kind = self.accept_any(*_CREATE_KINDS)
            if not kind:
                self.fail("what to create (TABLE, VIEW, FUNCTION, CATALOG, DATABASE, MODEL)")
        create.set("kind", kind)
        if self.accept("IF"):
            self.expect("NOT", "EXISTS")
            create.set("exists", True)
        _CREATORS[kind](self, create)
        return self.finish(start, create)

    # ---- tables

    def _create_table(self, create: exp.Create) -> None:
        start = self.token.start
        target: exp.Expression = self.table_name()
        if self.token.word == "(":
            elements = self.in_parens(self._table_element)
            target = self.finish(start, exp.Schema(this=target, expressions=elements))
        create.set("this", target)
        while True:
            token = self.token
            word = token.word
            if word == "COMMENT":
                self.advance()
                create.set("comment", self.string())
            elif word in ("DISTRIBUTED", "PARTITIONED"):
                self._layout(create)
            elif word == "WITH":
                create.set("properties", self._options())
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
                return
            else:
                return

    def _table_element(self) -> exp.Expression:
        token = self.token
        word = token.word
        if word == "WATERMARK" and self.peek().word == "FOR":
            return self._watermark()
        if word == "CONSTRAINT" and self.at_name(self.peek()) and self.peek(2).word in ("PRIMARY", "UNIQUE"):
            self.advance()
            name = self.name("the name of a constraint")
            return self.finish(token.start, exp.Constraint(this=name, expressions=[self._table_constraint()]))
        if (word == "PRIMARY" and self.peek().word == "KEY") or (word == "UNIQUE" and self.peek().word in ("(", "KEY")):
            return self._table_constraint()
        return self._column()

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

    def _column(self) -> exp.ColumnDef:
        start = self.token.start
        name: exp.Expression = self.name("the name of a column")
        while self.token.word == "." and self.peek().kind is not TokenKind.SYMBOL:
            # A nested field, as ALTER TABLE ADD allows it.
            self.advance()
            name = self.finish(start, exp.Dot(this=name, expression=self.name(any_word=True)))
        column = exp.ColumnDef(this=name)
        constraints: list[exp.Expression] = []
        token = self.token
        if token.word == "AS":
            self.advance()
            computed = exp.ComputedColumnConstraint(this=self.expression())
            constraints.append(self.finish_clause(token.start, token.end, computed))
        elif token.word not in (",", ")", "COMMENT", "METADATA", "FIRST", "AFTER") or self.peek().word == ".":
            column.set("kind", self.data_type())
        while True:
            constraint = self._column_constraint()
            if constraint is None:
                break
            constraints.append(constraint)
        if constraints:
            column.set("constraints", constraints)
        return self.finish(start, column)

    def _column_constraint(self) -> exp.Expression | None:
        token = self.token
        word = token.word
        if word == "METADATA":
            self.advance()
            metadata = nodes.MetadataColumn()
            if self.accept("FROM"):
                metadata.set("this", self.string("the key of the metadata in single quotes"))
            if self.accept("VIRTUAL"):
                metadata.set("virtual", True)
            return self.finish_clause(token.start, token.end, metadata)
        if word == "NOT" and self.peek().word == "NULL":
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
            return self.finish(token.start, exp.CommentColumnConstraint(this=self.string()))
        elif word == "DEFAULT":
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

    def _options(self) -> exp.Properties:
        """``WITH ('key' = 'value', ...)``."""
        token = self.advance()
        properties = self.in_parens(self.option, or_nothing=True)
        return self.finish_clause(token.start, token.end, exp.Properties(expressions=properties))

    def option(self) -> exp.Property:
        start = self.token.start
        key: exp.Expression = self.string("an option in single quotes") if not self.at_name() else self.name()
        self.expect("=")
        value: exp.Expression
        if self.token.kind is TokenKind.HOLE:
            value = self._primary()
        else:
            value = self.string("the value of the option in single quotes")
        return self.finish(start, exp.Property(this=key, value=value))

    def _like(self) -> exp.LikeProperty:
        token = self.advance()
        like = exp.LikeProperty(this=self.table_name())
        if self.token.word == "(":
            self.advance()
            options: list[exp.Property] = []
            while not self.accept(")"):
                option = self.token
                what = self.accept_any("INCLUDING", "EXCLUDING", "OVERWRITING")
                if not what:
                    self.fail("INCLUDING, EXCLUDING or OVERWRITING")
                feature = self.token
                if feature.kind is not TokenKind.WORD:
                    self.fail("what of the table (ALL, OPTIONS, ...)")
                self.advance()
                value = self.finish(feature.start, exp.Var(this=feature.word))
                options.append(self.finish(option.start, exp.Property(this=what, value=value)))
            like.set("expressions", options)
        return self.finish_clause(token.start, token.end, like)

    # ---- other objects

    def _create_view(self, create: exp.Create) -> None:
        start = self.token.start
        target: exp.Expression = self.table_name("the name of a view")
        if self.token.word == "(":
            target = self.finish(start, exp.Schema(this=target, expressions=self.in_parens(self._column)))
        create.set("this", target)
        if self.accept("COMMENT"):
            create.set("comment", self.string())
        if self.token.word == "WITH" and self.peek().word == "(":
            create.set("properties", self._options())
        self.expect("AS")
        create.set("expression", self.query())

    def _create_function(self, create: exp.Create) -> None:
        create.set("this", self.table_name("the name of a function"))
        if self.accept("COMMENT"):
            create.set("comment", self.string())
        if self.accept("AS"):
            create.set("expression", self.string("the name of a class in single quotes"))
        token = self.token
        if self.accept("LANGUAGE"):
            language = self.advance()
            value = self.finish(language.start, exp.Var(this=language.word or language.text))
            create.set("language", self.finish(token.start, exp.LanguageProperty(this=value)))
        if self.accept("USING"):
            create.set("using", self.list_of(self._resource))
        if self.token.word == "WITH":
            create.set("properties", self._options())

    def _resource(self) -> exp.UsingProperty:
        start = self.token.start
        kind = self.accept_any("JAR", "ARTIFACT", "FILE", "ARCHIVE")
        if not kind:
            self.fail("JAR")
        resource = exp.UsingProperty(this=self.string("the path of the resource in single quotes"), kind=kind)
        return self.finish(start, resource)

    def _create_catalog(self, create: exp.Create) -> None:
        create.set("this", self.table_name("a name"))
        while True:
            if self.accept("COMMENT"):
                create.set("comment", self.string())
            elif self.token.word == "WITH":
                create.set("properties", self._options())
            else:
                return

    def _create_model(self, create: exp.Create) -> None:
        create.set("this", self.table_name("the name of a model"))
        while True:
            token = self.token
            if token.word in ("INPUT", "OUTPUT"):
                self.advance()
                schema = exp.Schema(expressions=self.in_parens(self._column))
                create.set(token.word.lower(), self.finish(token.start, schema))
            elif self.accept("COMMENT"):
                create.set("comment", self.string())
            elif token.word == "WITH":
                create.set("properties", self._options())
            elif self.accept("AS"):
                create.set("expression", self.query())
            else:
                return

    # ---- DROP, ALTER

    def drop(self) -> exp.Drop:
        start = self.token.start
        self.expect("DROP")
        drop = exp.Drop()
        if self.accept("TEMPORARY"):
            drop.set("temporary", True)
        if self.accept("SYSTEM"):
            drop.set("system", True)
        kind = self.token
        if self.accept("MATERIALIZED"):
            self.expect("TABLE")
            drop.set("kind", "MATERIALIZED TABLE")
        elif self.accept_any(*_CREATE_KINDS):
            drop.set("kind", kind.word)
        else:
            self.fail("what to drop (TABLE, VIEW, FUNCTION, CATALOG, DATABASE, MODEL)")
        if self.accept("IF"):
            self.expect("EXISTS")
            drop.set("exists", True)
        drop.set("this", self.table_name("a name"))
        which = self.accept_any("CASCADE", "RESTRICT")
        if which:
            drop.set(which.lower(), True)
        return self.finish(start, drop)

    def alter(self) -> exp.Alter:
        """``ALTER kind name action``; actions that concern no state are kept as their words."""
        start = self.token.start
        self.expect("ALTER")
        alter = exp.Alter()
        if self.token.word in ("SYSTEM", "SESSION") and self.peek().word in ("SET", "RESET"):
            alter.set("kind", self.advance().word)
            alter.set("actions", [self.remaining_words()])
            return self.finish(start, alter)
        self.accept("TEMPORARY")
        self.accept("SYSTEM")
        kind = self.token
        if self.accept("MATERIALIZED"):
            self.expect("TABLE")
            alter.set("kind", "MATERIALIZED TABLE")
        elif self.accept_any(*_CREATE_KINDS):
            alter.set("kind", kind.word)
        else:
            self.fail("what to alter (TABLE, VIEW, FUNCTION, CATALOG, DATABASE, MODEL)")
        if self.accept("IF"):
            self.expect("EXISTS")
            alter.set("exists", True)
        alter.set("this", self.table_name("a name"))
        alter.set("actions", [self._alteration(kind.word)])
        return self.finish(start, alter)

    def _alteration(self, kind: str) -> exp.Expression:
        token = self.token
        word = token.word
        if word == "RENAME":
            self.advance()
            if self.accept("TO"):
                return self.finish(token.start, exp.AlterRename(this=self.table_name("a name")))
            column_start = self.token.start
            column = self.make_column(column_start, [*self.path("a column")])
            self.expect("TO")
            return self.finish(token.start, exp.RenameColumn(this=column, to=self.name()))
        if word == "SET" and self.peek().word == "(":
            self.advance()
            return self.finish(token.start, exp.AlterSet(expressions=self.in_parens(self.option)))
        if word == "AS" and kind in ("VIEW", "MATERIALIZED"):
            self.advance()
            return self.query()
        if word == "AS" and kind == "FUNCTION":
            self.advance()
            function = self.string("the name of a class in single quotes")
            if self.accept("LANGUAGE"):
                self.advance()
            return function
        if (
            word in ("ADD", "MODIFY")
            and kind == "TABLE"
            and self.peek().word not in ("PARTITION", "IF", "DISTRIBUTION")
        ):
            return self._schema_change()
        return self.remaining_words()

    def _schema_change(self) -> exp.Expression:
        """``ADD`` or ``MODIFY`` of one element or of several in parentheses."""
        token = self.advance()
        if self.token.word == "(":
            elements = self.in_parens(self._altered_element)
        else:
            elements = [self._altered_element()]
        kind = exp.Schema(expressions=elements)
        return self.finish_clause(token.start, token.end, kind)

    def _altered_element(self) -> exp.Expression:
        self.accept("COLUMN")
        if self.token.word == "DISTRIBUTION":
            return self.remaining_words()
        element = self._table_element()
        if self.accept("AFTER"):
            self.path("a column")
        else:
            self.accept("FIRST")
        return element

    def remaining_words(self) -> nodes.OtherStatement:
        """Everything up to the end of the statement, as it is written, with one space between tokens."""
        start = self.token.start
        words: list[str] = []
        while self.token.kind is not TokenKind.END:
            if self.token.kind is TokenKind.BAD:
                self.fail("the rest of the statement")
            token = self.advance()
            words.append(token.word or token.text)
        if not words:
            self.fail("more")
        return self.finish(start, nodes.OtherStatement(this=" ".join(words)))


_CREATORS: dict[str, Callable[[Definitions, exp.Create], None]] = {
    "TABLE": Definitions._create_table,
    "MATERIALIZED TABLE": Definitions._create_table,
    "VIEW": Definitions._create_view,
    "FUNCTION": Definitions._create_function,
    "CATALOG": Definitions._create_catalog,
    "DATABASE": Definitions._create_catalog,
    "CONNECTION": Definitions._create_catalog,
    "MODEL": Definitions._create_model,
}

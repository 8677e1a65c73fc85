"""CREATE of all kinds, DROP and ALTER."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.create_table import TableGrammar
from keepstate.syntax.tokens import Token, TokenKind

_CREATE_KINDS = ("TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL", "CONNECTION", "AGENT", "TOOL")
_LANGUAGES = frozenset({"JAVA", "SCALA", "SQL", "PYTHON"})


class DefinitionGrammar(TableGrammar):
    """The statements that make, change and drop objects."""

    def create(self) -> exp.Create:
        start = self.token.start
        create = exp.Create()
        if self.accept("REPLACE"):
            create.set("replace", True)
        else:
            self.expect("CREATE")
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

    # ---- other objects

    def _create_view(self, create: exp.Create) -> None:
        start = self.token.start
        target: exp.Expression = self.table_name("the name of a view")
        if self.token.word == "(":
            columns = self.in_parens(self._view_column)
            target = self.finish(start, exp.Schema(this=target, expressions=columns))
        create.set("this", target)
        if self.accept("COMMENT"):
            create.set("comment", self.lone_string())
        if self.token.word == "WITH" and self.peek().word == "(":
            self.tolerate("view-options", "A view has no options.")
            create.set("properties", self.options())
        self.expect("AS")
        create.set("expression", self.query())

    def _view_column(self) -> exp.ColumnDef:
        start = self.index
        column = self.column_definition(typed=False)
        if self.index > start + 1:
            self.tolerate("view-columns", "The list of a view has names of columns only.", start + 1)
        return column

    def _create_function(self, create: exp.Create) -> None:
        create.set("this", self.table_name("the name of a function"))
        if self.accept("COMMENT"):
            create.set("comment", self.lone_string())
        if self.token.word != "AS":
            self.tolerate("function-class", "CREATE FUNCTION says AS and the class.")
        if self.accept("AS"):
            create.set("expression", self.lone_string("the name of a class in single quotes"))
        token = self.token
        if self.accept("LANGUAGE"):
            language = self._language()
            value = self.finish(language.start, exp.Var(this=language.word or language.text))
            create.set("language", self.finish(token.start, exp.LanguageProperty(this=value)))
        if self.accept("USING"):
            create.set("using", self.list_of(self._resource))
        if self.token.word == "WITH":
            create.set("properties", self.options())

    def _language(self) -> Token:
        """The language of a function."""
        if self.token.word not in _LANGUAGES:
            self.tolerate("language", "Behind LANGUAGE stands JAVA, SCALA, SQL or PYTHON.")
        return self.advance()

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
                create.set("comment", self.lone_string())
            elif self.token.word == "WITH":
                create.set("properties", self.options())
            else:
                return

    def _create_model(self, create: exp.Create) -> None:
        create.set("this", self.table_name("the name of a model"))
        while True:
            token = self.token
            if token.word in ("INPUT", "OUTPUT"):
                self.advance()
                schema = exp.Schema(expressions=self.in_parens(self.column_definition))
                create.set(token.word.lower(), self.finish(token.start, schema))
            elif self.accept("COMMENT"):
                create.set("comment", self.lone_string())
            elif token.word == "WITH":
                create.set("properties", self.options())
            elif self.accept("USING", "CONNECTION"):
                create.set("connection", self.table_name("the name of a connection"))
            elif self.accept("AS"):
                create.set("expression", self.query())
            else:
                return

    def _create_agent(self, create: exp.Create) -> None:
        """An agent or a tool of Confluent: no query reads one as a table, so its clauses are kept as their words."""
        create.set("this", self.table_name("a name"))
        create.set("expression", self.remaining_words())

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
        if self.token.word in ("CASCADE", "RESTRICT") and drop.args["kind"] != "DATABASE":
            self.tolerate("drop", f"Only DROP DATABASE takes {self.token.word}.")
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
            function = self.lone_string("the name of a class in single quotes")
            if self.accept("LANGUAGE"):
                self._language()
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
        several = self.token.word == "("
        elements = self.in_parens(self._altered_element) if several else [self._altered_element()]
        kind = exp.Schema(expressions=elements)
        return self.finish_clause(token.start, token.end, kind)

    def _altered_element(self) -> exp.Expression:
        self.accept("COLUMN")
        if self.token.word == "DISTRIBUTION":
            return self.remaining_words()
        start = self.token.start
        element = self.table_element()
        begin, position = self.token.start, None
        if self.accept("AFTER"):
            first = self.token.start
            column = self.make_column(first, [*self.path("a column")])
            position = self.finish(begin, exp.ColumnPosition(this=column, position="AFTER"))
        elif self.accept("FIRST"):
            position = self.finish(begin, exp.ColumnPosition(position="FIRST"))
        if position is not None and isinstance(element, exp.ColumnDef):
            element.set("position", position)
            return self.finish(start, element)
        return element

    def remaining_words(self) -> syntax_nodes.OtherStatement:
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
        return self.finish(start, syntax_nodes.OtherStatement(this=" ".join(words)))


_CREATORS: dict[str, Callable[[DefinitionGrammar, exp.Create], None]] = {
    "TABLE": DefinitionGrammar.create_table,
    "MATERIALIZED TABLE": DefinitionGrammar.create_table,
    "VIEW": DefinitionGrammar._create_view,
    "FUNCTION": DefinitionGrammar._create_function,
    "CATALOG": DefinitionGrammar._create_catalog,
    "DATABASE": DefinitionGrammar._create_catalog,
    "CONNECTION": DefinitionGrammar._create_catalog,
    "MODEL": DefinitionGrammar._create_model,
    "AGENT": DefinitionGrammar._create_agent,
    "TOOL": DefinitionGrammar._create_agent,
}

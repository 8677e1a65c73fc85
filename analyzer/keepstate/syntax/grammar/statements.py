"""Whole statements."""

from __future__ import annotations

from difflib import get_close_matches

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.ddl_statements import DefinitionGrammar
from keepstate.syntax.keywords import words
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.tokens import TokenKind

_PASSIVE = words(
    """
    ADD ANALYZE CALL CLEAR DESC DESCRIBE HELP LIST LOAD QUIT EXIT REMOVE SHOW STOP SYNC TRUNCATE UNLOAD REFRESH
    """
)
"""First words of statements that neither define nor run anything of a job that keeps state."""

_CLAUSES = ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "JOIN", "WINDOW", "EXCEPT", "INTERSECT")
"""First words of what may follow within a query: one of them is meant where a word resembles it."""

_CREATE_KINDS = {
    "TABLE": StatementKind.CREATE_TABLE,
    "MATERIALIZED TABLE": StatementKind.CREATE_TABLE,
    "VIEW": StatementKind.CREATE_VIEW,
    "FUNCTION": StatementKind.CREATE_FUNCTION,
}


class Grammar(DefinitionGrammar):
    """Reads one statement from its first token to its last one."""

    def statement(self) -> tuple[StatementKind, exp.Expression]:
        """The kind and the tree of the whole statement.

        Raises:
            Unparsable: with the token at which reading stopped.
        """
        if all(token.kind is TokenKind.PLACEHOLDER for token in self.tokens[:-1]):
            self.refuse("A template fills in this whole statement; what it says is not known.")
        # A macro call before the statement, as the config(...) of a dbt model.
        self.pass_placeholders()
        kind, tree = self._statement()
        # A clause more: options, conditions, a limit.
        self.pass_placeholders()
        if self.token.kind is not TokenKind.END:
            suggestions = (
                get_close_matches(self.token.word, _CLAUSES, 1, 0.7) if self.token.kind is TokenKind.WORD else []
            )
            self.fail(" or ".join([*suggestions, "the end of the statement"]))
        return kind, tree

    def _statement(self) -> tuple[StatementKind, exp.Expression]:
        token = self.token
        word = token.word
        following = self.peek().word
        if word in ("SELECT", "WITH", "VALUES", "("):
            return StatementKind.QUERY, self.query()
        if word in ("INSERT", "UPSERT"):
            return StatementKind.INSERT, self._insert()
        if word == "CREATE" or (word == "REPLACE" and following == "TABLE"):
            create = self.create()
            return _CREATE_KINDS.get(create.args["kind"], StatementKind.CREATE_OTHER), create
        if word == "SET":
            return StatementKind.SET, self._set()
        if word == "RESET":
            return StatementKind.RESET, self._reset()
        if word == "DROP":
            return StatementKind.DROP, self.drop()
        if word == "ALTER":
            return StatementKind.ALTER, self.alter()
        if word == "USE":
            return StatementKind.USE, self._use()
        if word == "END":
            self.advance()
            if self.at("STATEMENT", "SET"):
                self.tolerate("statement-set", "A statement set ends with END; alone.")
            self.accept("STATEMENT", "SET")
            return StatementKind.STATEMENT_SET_END, self.finish(token.start, syntax_nodes.StatementSetEnd())
        if word == "BEGIN":
            self.expect("BEGIN", "STATEMENT", "SET")
            return StatementKind.STATEMENT_SET_START, self.finish(token.start, syntax_nodes.StatementSetStart())
        if word in ("EXECUTE", "EXPLAIN", "COMPILE", "STATEMENT"):
            return self._wrapped_statement()
        if word == "TABLE" and self.at_name(self.peek()):
            return StatementKind.QUERY, self.query()
        if word in _PASSIVE and following not in ("=", "("):
            return StatementKind.OTHER, self.remaining_words()
        if word in ("DELETE", "UPDATE", "MERGE", "REPLACE"):
            return StatementKind.OTHER, self.remaining_words()
        if token.kind is TokenKind.BAD:
            self.fail("a statement")
        self.refuse(f"No Flink SQL statement begins with {token.text}.")

    # ---- INSERT

    def _insert(self) -> exp.Insert:
        start = self.token.start
        self.advance()
        insert = exp.Insert()
        if not self.accept("INTO"):
            self.expect("OVERWRITE")
            insert.set("overwrite", True)
            if self.token.word == "INTO":
                self.tolerate("insert-into", "Behind OVERWRITE stands the name of the table.")
            self.accept("INTO")
        if self.token.word == "TABLE":
            self.tolerate("insert-into", "INSERT INTO is followed by the name of the table, without TABLE.")
            self.advance()
        target_start = self.token.start
        target: exp.Expression = self.table_name()
        if self.token.word == "/*+":
            target.append("hints", self.hint())
            self.finish(target_start, target)
        self._static_partition(target_start, target)
        if self.token.word == "(" and self._at_column_list():
            columns = self.in_parens(self._insert_column)
            target = self.finish(target_start, exp.Schema(this=target, expressions=columns))
        insert.set("this", target)
        if self.token.word == "BY":
            self.tolerate("insert-into", "INSERT of Flink fills columns by position, not BY NAME.")
            self.expect("BY", "NAME")
            insert.set("by_name", True)
        insert.set("expression", self.query())
        if self.token.word == "ON":
            conflict = self.token.start
            self.expect("ON", "CONFLICT", "DO")
            if self.token.word not in ("NOTHING", "ERROR", "DEDUPLICATE"):
                self.tolerate("on-conflict", "Behind ON CONFLICT DO stands NOTHING, ERROR or DEDUPLICATE.")
            action = self.advance()
            word = self.finish(action.start, exp.Var(this=action.word))
            insert.set("conflict", self.finish(conflict, exp.OnConflict(action=word)))
        return self.finish(start, insert)

    def _at_column_list(self) -> bool:
        return self.peek(2).word in (",", ")") or (self.at_name(self.peek()) and self.peek(2).word == ".")

    def _insert_column(self) -> exp.Expression:
        start = self.token.start
        column: exp.Expression = self.name("the name of a column", any_word=True)
        while self.accept("."):
            column = self.finish(start, exp.Dot(this=column, expression=self.name(any_word=True)))
        return column

    def _static_partition(self, target_start: int, target: exp.Expression) -> None:
        start = self.token.start
        if self.token.word == "PARTITION" and self.peek().word == "(":
            self.advance()
            partition = exp.Partition(expressions=self.in_parens(self._partition_value))
            target.set("partition", self.finish(start, partition))
            self.finish(target_start, target)

    def _partition_value(self) -> exp.Expression:
        start = self.token.start
        column = self.name("the name of a column", any_word=True)
        if self.token.word in (",", ")"):
            self.tolerate("partition-column", "PARTITION of INSERT gives each column a value.")
        if not self.accept("="):
            return column
        index = self.index
        value = self.expression()
        number = value.this if isinstance(value, exp.Neg) else value
        if not isinstance(number, (exp.Literal, exp.Interval)):
            self.tolerate("partition-column", "PARTITION of INSERT takes literal strings and numbers.", index)
        return self.finish(start, exp.EQ(this=column, expression=value))

    # ---- SET, USE

    def _set(self) -> syntax_nodes.SetOption:
        token = self.advance()
        if self.token.kind is TokenKind.END:
            return self.finish(token.start, syntax_nodes.SetOption())
        first = self.token
        key = self._option_key()
        if self.index == len(self.tokens) - 1 and isinstance(key, exp.Identifier):
            self.fail("an option in single quotes", first)
        self.expect("=")
        value = self._option_value(quoted=isinstance(key, exp.Literal))
        if not isinstance(value, exp.Literal) and " " in value.name and not isinstance(key, exp.Literal):
            self.tolerate("option-quotes", "A value with spaces stands in single quotes, and so does its option.", 1)
        return self.finish(token.start, syntax_nodes.SetOption(this=key, expression=value))

    def _reset(self) -> syntax_nodes.ResetOption:
        token = self.advance()
        if self.token.kind is TokenKind.END:
            return self.finish(token.start, syntax_nodes.ResetOption())
        return self.finish(token.start, syntax_nodes.ResetOption(this=self._option_key()))

    def _option_key(self) -> exp.Expression:
        """A key in quotes, or without them: then words, dots and dashes up to the ``=``."""
        if self.token.kind is TokenKind.STRING:
            return self.string()
        return self._bare_text(until="=", expected="an option")

    def _option_value(self, quoted: bool) -> exp.Expression:
        """The value of an option. The SQL client takes ``SET key = value`` as well, but quotes around both or none."""
        if self.token.kind is TokenKind.STRING:
            return self.string()
        if self.token.kind is not TokenKind.PLACEHOLDER and quoted:
            self.tolerate("option-quotes", "The value of an option stands in single quotes.")
        return self._bare_text(until="", expected="the value of the option")

    def _bare_text(self, until: str, expected: str) -> exp.Identifier:
        """Text without quotes, as old versions of the SQL client took it."""
        start = self.token.start
        pieces: list[str] = []
        while self.token.kind not in (TokenKind.END, TokenKind.BAD) and self.token.word != (until or None):
            token = self.advance()
            gap = token.start - self.tokens[self.index - 2].end if pieces else 0
            pieces.append((" " if gap else "") + token.text)
        if not pieces:
            self.fail(expected)
        if self.token.kind is TokenKind.BAD:
            self.fail(expected)
        return self.finish(start, exp.Identifier(this="".join(pieces), quoted=False))

    def _use(self) -> exp.Use:
        token = self.advance()
        kind = self.accept_any("CATALOG", "MODULES")
        use = exp.Use(kind=kind or None)
        if kind == "MODULES":
            use.set("expressions", self.list_of(self.name))
        else:
            use.set("this", self.table_name("a name"))
        return self.finish(token.start, use)

    # ---- statements around statements

    def _wrapped_statement(self) -> tuple[StatementKind, exp.Expression]:
        """EXECUTE, EXPLAIN, COMPILE: the start of a statement set, or words around one statement."""
        token = self.token
        around: list[str] = []
        if token.word == "STATEMENT":
            self.tolerate("statement-set", "A statement set begins with EXECUTE STATEMENT SET, or BEGIN STATEMENT SET;")
        while self.token.kind in (TokenKind.WORD, TokenKind.STRING) or self.token.word == ",":
            if self.at("STATEMENT", "SET"):
                self.expect("STATEMENT", "SET")
                self.expect("BEGIN")
                return StatementKind.STATEMENT_SET_START, self.finish(token.start, syntax_nodes.StatementSetStart())
            if self.token.word in ("INSERT", "SELECT", "WITH", "CREATE", "VALUES", "DELETE", "UPDATE", "UPSERT"):
                break
            around.append(self.token.word or self.token.text)
            self.advance()
        if self.token.kind is TokenKind.END:
            if len(around) < 2:
                self.fail("more")
            return StatementKind.OTHER, self.finish(token.start, syntax_nodes.OtherStatement(this=" ".join(around)))
        kind, inner = self._statement()
        if around[0] == "EXPLAIN":
            details = " ".join(around[1:])
            return StatementKind.OTHER, self.finish(token.start, syntax_nodes.Explain(this=inner, details=details))
        # EXECUTE INSERT ..., COMPILE PLAN 'f' FOR INSERT ...: what counts is the statement inside.
        return kind, inner

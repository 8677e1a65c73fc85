"""Items of FROM: tables, table functions, subqueries, joins and MATCH_RECOGNIZE."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.hints import HintGrammar
from keepstate.syntax.grammar.types import SIMPLE_TYPES
from keepstate.syntax.keywords import JOIN_KINDS, NEVER_ALIASES
from keepstate.syntax.tokens import Token, TokenKind

_JOIN_STARTS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "ASOF", "SEMI", "ANTI"})
_QUERY_STARTS = ("SELECT", "WITH", "VALUES")
_NO_ASOF = "Flink has no ASOF JOIN: use FOR SYSTEM_TIME AS OF."
_SUFFIXES = {
    "hint": ("hint", "A hint stands directly behind the name of a table, in front of its alias."),
    "version": ("temporal-time", "FOR SYSTEM_TIME stands behind the name of a table, in front of its alias."),
    "pattern": ("pattern", "MATCH_RECOGNIZE stands behind a table or a query, in front of an alias."),
    "alias": ("alias", "An alias stands behind a table, a query or a function, in front of TABLESAMPLE."),
    "sample": ("tablesample", "TABLESAMPLE stands once, behind a table, a query or a function and its alias."),
}
"""Suffixes of a relation in their order, each with the rule and the message for one that stands elsewhere."""
_OF_QUERIES = ("pattern", "alias", "sample")
_OF_FUNCTIONS = ("alias", "sample")


class RelationGrammar(HintGrammar):
    """The FROM clause."""

    def _from(self, select: exp.Select) -> None:
        token = self.advance()
        first = self.relation()
        select.set("from_", self.finish_clause(token.start, token.end, exp.From(this=first)))
        joins = self._joins()
        if joins:
            select.set("joins", joins)

    def _joins(self) -> list[exp.Join]:
        joins: list[exp.Join] = []
        while True:
            token = self.token
            if token.word == ",":
                self.advance()
                joins.append(self.finish_clause(token.start, token.end, exp.Join(this=self.relation())))
            elif token.word in _JOIN_STARTS and self._at_join():
                joins.append(self._join())
            else:
                return joins

    def _at_join(self) -> bool:
        """Return whether this word begins a join: some join words can be names as well."""
        return self.token.word not in JOIN_KINDS or self.peek().word == "JOIN"

    def _join(self) -> exp.Join:
        start = self.token.start
        join = exp.Join()
        if self.accept("NATURAL"):
            join.set("method", "NATURAL")
        if self.accept("ASOF"):
            join.set("method", "ASOF")
        side = self.accept_any("LEFT", "RIGHT", "FULL")
        if side:
            join.set("side", side)
        first = next(number for number in range(self.index, -1, -1) if self.tokens[number].start == start)
        kind = self.accept_any("INNER", "OUTER", "CROSS", "SEMI", "ANTI")
        if kind in ("SEMI", "ANTI"):
            self.tolerate("join-kind", f"Flink has no {kind} JOIN: use EXISTS or IN.", first)
        if kind:
            join.set("kind", kind)
        if self.accept("ASOF"):
            self.tolerate("join-kind", _NO_ASOF, first)
            join.set("method", "ASOF")
        self.expect("JOIN")
        keyword_end = self.end
        join.set("this", self.relation())
        if self.accept("MATCH_CONDITION"):
            self.tolerate("join-kind", _NO_ASOF, first)
            join.set("match_condition", self.expression())
        if self.accept("ON"):
            join.set("on", self.expression())
        elif self.accept("USING"):
            join.set("using", self.in_parens(self.name))
        return self.finish_clause(start, keyword_end, join)

    # ---- one relation

    def relation(self) -> exp.Expression:
        """A table, subquery or table function with all that can follow it."""
        self.enter()
        start = self.token.start
        node = self._relation_suffixes(start, self._primary_relation())
        self.depth -= 1
        return node

    def _primary_relation(self) -> exp.Expression:
        token = self.token
        word = token.word
        following = self.peek().word
        if word == "LATERAL":
            return self._lateral()
        if word == "(":
            return self._parenthesised()
        if word == "TABLE" and following == "(":
            return self.finish(token.start, exp.Table(this=self._wrapped_function()))
        if word == "UNNEST" and following == "(":
            return self._unnest(token.start)
        if word == "TABLE":
            self.advance()
            self.tolerate("table-keyword", "In FROM stands the name of a table without TABLE.")
            return self.finish(token.start, self.table_name())
        if word in _QUERY_STARTS:
            self.refuse("A subquery in FROM needs parentheses around it.")
        if not self.at_name():
            self.fail("a table, a subquery or a table function")
        parts = self.path("a table")
        if self.token.word == "(" and not self._at_extension():
            return self.finish(token.start, exp.Table(this=self._table_function(token.start, parts)))
        return self.make_table(token.start, parts)

    def _wrapped_function(self) -> exp.Expression:
        """``TABLE(f(...))``; the node has the span of ``f(...)``."""
        self.expect("TABLE", "(")
        self.accept("SPECIFIC")
        start = self.token.start
        if not self.at_name():
            if self.token.kind is TokenKind.WORD and self.peek().word == "(":
                # SESSION, CUMULATE and the like are plain names; what is left are reserved words as UNNEST.
                self.fail("a table function")
            self.tolerate("table-function", "In TABLE(...) stands the call of a table function.")
            function: exp.Expression = self.expression()
        else:
            parts = self.path("a table function")
            if self.token.word != "(":
                self.tolerate("table-function", "A table function is called with parentheses: TABLE(f(...)).")
            function = (
                self._table_function(start, parts) if self.token.word == "(" else self.make_column(start, [*parts])
            )
        self.expect(")")
        return function

    def _table_function(self, start: int, parts: list[exp.Identifier]) -> syntax_nodes.TableFunction:
        name: exp.Expression = parts[0]
        for part in parts[1:]:
            name = exp.Dot(this=name, expression=part)
            name.meta["span"] = (start, part.meta["span"][1])
        arguments = self.in_parens(self.argument, or_nothing=True)
        return self.finish_clause(
            start, parts[-1].meta["span"][1], syntax_nodes.TableFunction(this=name, expressions=arguments)
        )

    def _lateral(self) -> exp.Expression:
        token = self.advance()
        if self.at("TABLE", "("):
            this = self._wrapped_function()
            if this.find(syntax_nodes.TableArgument) is not None:
                # A function of whole tables reads no row in front of it: the word changes nothing.
                return self.finish(token.start, exp.Table(this=this))
        elif self.token.word == "UNNEST":
            this = self._unnest(self.token.start)
        elif self.token.word == "(":
            this = self._parenthesised()
        else:
            start = self.token.start
            parts = self.path("TABLE(...) or a subquery")
            if self.token.word != "(":
                self.fail("'('")
            this = self._table_function(start, parts)
        return self.finish_clause(token.start, token.end, exp.Lateral(this=this))

    def _unnest(self, start: int) -> exp.Unnest:
        token = self.advance()
        unnest = exp.Unnest(expressions=self.in_parens(self.argument))
        if self.accept("WITH", "ORDINALITY"):
            unnest.set("offset", True)
        return self.finish_clause(start, token.end, unnest)

    def _parenthesised(self) -> exp.Expression:
        token = self.advance()
        if self.token.word in _QUERY_STARTS or (self.token.word == "TABLE" and self.peek().word != "("):
            query = self.query()
            self.expect(")")
            return self.finish(token.start, exp.Subquery(this=query))
        inner = self.index
        first = self.relation()
        if isinstance(first, exp.Subquery) and self.token.word in (
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "MINUS",
            "ORDER",
            "LIMIT",
            "OFFSET",
            "FETCH",
        ):
            query = self.query_rest(token.start, first)
            self.expect(")")
            return self.finish(token.start, exp.Subquery(this=query))
        joins = self._joins()
        if not joins and not isinstance(first, (exp.Subquery, syntax_nodes.JoinedTables)):
            self.tolerate("parentheses", "In FROM parentheses stand around a query or a join only.", inner)
        self.expect(")")
        return self.finish(token.start, syntax_nodes.JoinedTables(this=first, joins=joins))

    # ---- behind a relation

    def _relation_suffixes(self, start: int, node: exp.Expression) -> exp.Expression:
        allowed = _suffixes_of(node)
        if not allowed and not (self.token.word == "/*+" or self.at("FOR", "SYSTEM_TIME")):
            # Flink's parser has read the suffix of a join in parentheses when it refuses the join.
            before = self.index
            join = node.this if isinstance(node, exp.Lateral) else node
            while not join.args["joins"]:
                join = join.this
            keyword = join.args["joins"][-1].meta["keyword"][0]
            node = self._suffixes(start, node, tuple(_SUFFIXES))
            if self.index > before:
                inner = next(number for number in range(before) if self.tokens[number].start == keyword)
                self.tolerate("parentheses", "A join in parentheses has no alias, and nothing else behind it.", inner)
            return node
        return self._suffixes(start, node, allowed)

    def _suffixes(self, start: int, node: exp.Expression, allowed: tuple[str, ...]) -> exp.Expression:
        while True:
            token = self.token
            word = token.word
            index = self.index
            if word == "/*+":
                allowed = self._check_suffix("hint", allowed, index)
                node.append("hints", self.hint())
                self.finish(start, node)
            elif word == "FOR" and self.peek().word == "SYSTEM_TIME":
                allowed = self._check_suffix("version", allowed, index)
                node.set("version", self._version())
                self.finish(start, node)
            elif word == "MATCH_RECOGNIZE" and self.peek().word == "(":
                allowed = self._check_suffix("pattern", allowed, index)
                node = self._row_pattern(start, node)
            elif word == "TABLESAMPLE":
                allowed = self._check_suffix("sample", allowed, index)
                node.set("sample", self._sample())
                self.finish(start, node)
            elif word in ("PIVOT", "UNPIVOT") and self.peek().word in ("(", "INCLUDE", "EXCLUDE"):
                node = self._pivot(start, node)
            elif (word == "EXTEND" or (word == "(" and self._at_extension())) and isinstance(node, exp.Table):
                self.accept("EXTEND")
                node.set("extension", self.in_parens(self._extension_column))
                self.finish(start, node)
            elif node.args.get("alias") is None and (word == "AS" or self._at_alias(token)):
                may_match = word == "AS" and "pattern" in allowed
                allowed = self._check_suffix("alias", allowed, index)
                alias = self._table_alias()
                if may_match and not alias.columns:
                    # Here MATCH_RECOGNIZE may stand behind it, with an alias of its own.
                    allowed = _OF_QUERIES
                node.set("alias", alias)
                self.finish(start, node)
            elif token.kind is TokenKind.PLACEHOLDER:
                self.pass_placeholder()
            else:
                return node

    def _check_suffix(self, suffix: str, allowed: tuple[str, ...], index: int) -> tuple[str, ...]:
        """Note a suffix that is not ``allowed`` behind its relation, or behind another one; return those that may
        follow it.
        """
        if suffix not in allowed:
            self.tolerate(*_SUFFIXES[suffix], index)
            return allowed
        return allowed[allowed.index(suffix) + 1 :]

    def _at_alias(self, token: Token) -> bool:
        if token.kind is TokenKind.WORD:
            return token.word not in NEVER_ALIASES and not (token.word in JOIN_KINDS and self.peek().word == "JOIN")
        return token.kind is TokenKind.NAME

    def _table_alias(self) -> exp.TableAlias:
        start = self.token.start
        self.accept("AS")
        alias = exp.TableAlias(this=self.name("an alias"))
        if self.token.word == "(":
            alias.set("columns", self.in_parens(self.name))
        return self.finish(start, alias)

    def _version(self) -> exp.Version:
        start = self.token.start
        self.expect("FOR", "SYSTEM_TIME")
        keyword_end = self.end
        if self.accept("AS"):
            self.expect("OF")
            version = exp.Version(this="TIMESTAMP", kind="AS OF", expression=self.expression())
        elif self.token.word == "FROM":
            self.tolerate("temporal-time", "Flink reads tables as of one time: FOR SYSTEM_TIME AS OF.")
            self.advance()
            first = self.expression()
            self.expect("TO")
            bounds = exp.Tuple(expressions=[first, self.expression()])
            bounds.meta["span"] = (first.meta["span"][0], self.end)
            version = exp.Version(this="TIMESTAMP", kind="FROM", expression=bounds)
        else:
            self.fail("AS OF")
        return self.finish_clause(start, keyword_end, version)

    def _sample(self) -> exp.TableSample:
        start = self.token.start
        self.advance()
        method = self.name("BERNOULLI or SYSTEM") if self.token.word != "SYSTEM" else self.keyword()
        sample = exp.TableSample(method=method, size=self.in_parens(self.expression)[0])
        if self.accept("REPEATABLE"):
            sample.set("seed", self.in_parens(self.expression)[0])
        return self.finish(start, sample)

    def _pivot(self, start: int, source: exp.Expression) -> syntax_nodes.PivotedTable:
        kind = self.advance().word
        if self.accept_any("INCLUDE", "EXCLUDE"):
            self.expect("NULLS")
        self.expect("(")
        body = self.tokens_to_paren("the end of the pivot")
        self.expect(")")
        return self.finish(start, syntax_nodes.PivotedTable(this=source, kind=kind, body=body))

    def _at_extension(self) -> bool:
        """Return whether columns with types stand here: ``t (a INT, ...)`` extends a table by columns."""
        return self.at_name(self.peek()) and self.peek(2).word in SIMPLE_TYPES

    def _extension_column(self) -> exp.ColumnDef:
        start = self.token.start
        return self.finish(start, exp.ColumnDef(this=self.name(), kind=self.nested_type()))

    # ---- MATCH_RECOGNIZE

    def _row_pattern(self, start: int, source: exp.Expression) -> syntax_nodes.RowPattern:
        self.expect("MATCH_RECOGNIZE", "(")
        match = syntax_nodes.RowPattern(this=source)
        if self.accept("PARTITION", "BY"):
            match.set("partition_by", self.list_of(self.expression))
        if self.token.word == "ORDER":
            match.set("order", self.order_by())
        if self.accept("MEASURES"):
            match.set("measures", self.list_of(self._measure))
        if self.token.word in ("ONE", "ALL"):
            first = self.index
            match.set("rows", self._words_until(("AFTER", "PATTERN", "WITHIN", "SUBSET", "DEFINE")))
            self._compare_words(first, (("ONE", "ROW", "PER", "MATCH"), ("ALL", "ROWS", "PER", "MATCH")))
        if self.at("AFTER", "MATCH"):
            first = self.index
            match.set("after", self._words_until(("PATTERN", "WITHIN", "SUBSET", "DEFINE")))
            skips = (("AFTER", "MATCH", "SKIP", "PAST", "LAST", "ROW"), ("AFTER", "MATCH", "SKIP", "TO"))
            self._compare_words(first, skips)
            if str(match.args["after"].this).split()[-1] in ("MATCH", "SKIP", "TO", "PAST"):
                self.tolerate("pattern", "AFTER MATCH SKIP goes on: PAST LAST ROW, TO NEXT ROW, or TO a variable.")
        self.expect("PATTERN")
        match.set("pattern", self._pattern())
        if self.accept("WITHIN"):
            match.set("within", self.expression())
        if self.accept("SUBSET"):
            match.set("subsets", self.list_of(self._subset))
        if self.accept("DEFINE"):
            match.set("define", self.list_of(self._definition))
        self.expect(")")
        return self.finish(start, match)

    def _measure(self) -> exp.Expression:
        start = self.token.start
        semantics = self.token
        if self.token.word in ("FINAL", "RUNNING") and self.peek().word not in (".", "("):
            self.advance()
            value: exp.Expression = syntax_nodes.FunctionClause(this=semantics.word, expressions=[self.expression()])
            self.finish(start, value)
        else:
            value = self.expression()
        self.expect("AS")
        return self.finish(start, exp.Alias(this=value, alias=self.name("the name of a measure")))

    def _definition(self) -> exp.Expression:
        start = self.token.start
        variable = self.name("a pattern variable")
        self.expect("AS")
        return self.finish(start, exp.Alias(this=self.expression(), alias=variable))

    def _subset(self) -> exp.Expression:
        start = self.token.start
        variable = self.name("a pattern variable")
        self.expect("=")
        members = self.token.start
        names = exp.Tuple(expressions=self.in_parens(self.name))
        self.finish(members, names)
        return self.finish(start, exp.Alias(this=names, alias=variable))

    def _words_until(self, ends: tuple[str, ...]) -> exp.Var:
        start = self.token.start
        words: list[str] = []
        while self.token.word not in ends:
            if self.token.kind in (TokenKind.END, TokenKind.BAD) or self.token.word == ")":
                self.fail("PATTERN")
            token = self.advance()
            # The variable of ``SKIP TO A`` and ``SKIP TO LAST A`` is a name, all else are keywords.
            named = words[-1:] == ["TO"] and token.word not in ("NEXT", "FIRST", "LAST")
            named = named or (words[-2:-1] == ["TO"] and words[-1] in ("FIRST", "LAST"))
            words.append(token.text.strip("`") if named else token.word or token.text)
        return self.finish(start, exp.Var(this=" ".join(words)))

    def _compare_words(self, first: int, forms: tuple[tuple[str, ...], ...]) -> None:
        """Note where the words from the token ``first`` on leave all of ``forms``."""
        fitting = forms
        for at in range(first, self.index):
            position = at - first
            word = self.tokens[at].word
            still = [form for form in fitting if position >= len(form) or form[position] == word]
            if not still:
                self.tolerate("pattern", f"Expected {fitting[0][position]}, but found '{self.tokens[at].text}'.", at)
                return
            fitting = tuple(still)

    def _pattern(self) -> exp.Var:
        self.expect("(")
        pattern = self.tokens_to_paren("the end of the pattern")
        self.expect(")")
        return pattern

    def tokens_to_paren(self, expected: str) -> exp.Var:
        """The tokens up to the closing parenthesis of this level, as they are written, one space between them."""
        start = self.token.start
        depth = 0
        pieces: list[str] = []
        while depth or self.token.word != ")":
            token = self.token
            if token.kind in (TokenKind.END, TokenKind.BAD):
                self.fail(f"')' at {expected}")
            depth += (token.word == "(") - (token.word == ")")
            pieces.append(self.advance().text)
        if not pieces:
            self.fail(expected)
        return self.finish(start, exp.Var(this=" ".join(pieces)))


def _suffixes_of(node: exp.Expression) -> tuple[str, ...]:
    """The suffixes that Flink's parser takes behind a relation."""
    inner = node.this if isinstance(node, exp.Lateral) else node
    while isinstance(inner, syntax_nodes.JoinedTables) and not inner.args["joins"]:
        inner = inner.this
    if isinstance(inner, exp.Subquery):
        return _OF_QUERIES
    if isinstance(inner, syntax_nodes.JoinedTables):
        return ()
    if isinstance(inner, exp.Table) and isinstance(inner.this, (exp.Identifier, exp.Dot)):
        return tuple(_SUFFIXES)
    return _OF_FUNCTIONS

"""Queries: SELECT with its clauses, set operations, WITH, VALUES."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax.grammar.relations import RelationGrammar
from keepstate.syntax.keywords import NEVER_ALIASES
from keepstate.syntax.tokens import TokenKind

_SET_OPERATIONS: dict[str, tuple[int, type[exp.SetOperation]]] = {
    "UNION": (1, exp.Union),
    "EXCEPT": (1, exp.Except),
    "MINUS": (1, exp.Except),
    "INTERSECT": (2, exp.Intersect),
}
_BEHIND_FROM = frozenset({"WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"})
"""Clauses of a query that has a FROM."""


class QueryGrammar(RelationGrammar):
    """Queries: expressions that return rows."""

    def query(self) -> exp.Expression:
        """``[WITH ...] term [UNION term ...] [ORDER BY ...] [LIMIT ...]``."""
        self.enter()
        start = self.token.start
        with_ = self._with() if self.token.word == "WITH" else None
        node = self.query_rest(start, self._term())
        if with_ is not None:
            if node.args.get("with_") is not None:
                self.refuse("A query has two WITH clauses.")
            node.set("with_", with_)
            node.meta["span"] = (start, self.end)
        self.depth -= 1
        return node

    def query_rest(self, start: int, first: exp.Expression) -> exp.Expression:
        """Parse the part behind the first term of a query: set operations, order and limit."""
        start = first.meta["span"][0]
        node = self._set_operations(start, first, 1)
        return self._order_and_limit(start, node)

    def _set_operations(self, start: int, left: exp.Expression, floor: int) -> exp.Expression:
        while True:
            token = self.token
            operation = _SET_OPERATIONS.get(token.word)
            if operation is None or operation[0] < floor:
                return left
            if token.word == "MINUS":
                self.tolerate("set-operation", "Flink writes EXCEPT for MINUS.")
            self.advance()
            all_ = self.accept_any("ALL", "DISTINCT") == "ALL"
            keyword_end = self.end
            right_start = self.token.start
            right = self._set_operations(right_start, self._term(), operation[0] + 1)
            node = operation[1](this=left, expression=right, distinct=not all_)
            node.meta["span"] = (start, self.end)
            node.meta["keyword"] = (token.start, keyword_end)
            left = node

    def _term(self) -> exp.Expression:
        token = self.token
        word = token.word
        if word == "SELECT":
            return self._select()
        if word == "VALUES" or (word == "VALUE" and self.peek().word == "("):
            return self._values()
        if word == "(":
            self.advance()
            query = self.query()
            self.expect(")")
            return self.finish(token.start, exp.Subquery(this=query))
        if word == "TABLE":
            self.advance()
            # ``TABLE t`` is short for ``SELECT * FROM t``: the keyword stands for what is not written.
            return self._all_rows_of(token.start, token.end)
        if token.kind is TokenKind.PLACEHOLDER and self.peek().word in ("SELECT", "VALUES", "("):
            self.pass_placeholder()
            return self._term()
        if token.kind is TokenKind.PLACEHOLDER:
            # A placeholder for a whole query: its rows are those of an undeclared table.
            return self._all_rows_of(token.start, token.start)
        self.fail("a query (SELECT, VALUES, WITH)")

    def _all_rows_of(self, start: int, star_end: int) -> exp.Select:
        """``SELECT * FROM`` the table that is named next."""
        star = exp.Star()
        star.meta["span"] = (start, star_end)
        table = self.table_name()
        source = self.finish(table.meta["span"][0], exp.From(this=table))
        return self.finish(start, exp.Select(expressions=[star], from_=source))

    # ---- WITH

    def _with(self) -> exp.With:
        token = self.advance()
        recursive = self.accept("RECURSIVE")
        ctes = self.list_of(self._cte)
        return self.finish_clause(token.start, token.end, exp.With(expressions=ctes, recursive=recursive))

    def _cte(self) -> exp.CTE:
        start = self.token.start
        alias = exp.TableAlias(this=self.name("the name of a common table expression"))
        if self.token.word == "(":
            alias.set("columns", self.in_parens(self.name))
        self.finish(start, alias)
        self.expect("AS", "(")
        query = self.query()
        self.expect(")")
        return self.finish(start, exp.CTE(this=query, alias=alias))

    # ---- SELECT

    def _select(self) -> exp.Select:
        start = self.token.start
        self.advance()
        select = exp.Select()
        if self.token.word == "/*+":
            select.set("hint", self.hint())
        self.accept("STREAM")
        token = self.token
        if self.accept("DISTINCT"):
            select.set("distinct", self.finish_clause(token.start, token.end, exp.Distinct()))
        elif self.accept("ALL"):
            pass
        select.set("expressions", self.list_of(self._select_item))
        if self.token.word == "FROM":
            self._from(select)
        elif self.token.word in _BEHIND_FROM:
            self.tolerate("missing-from", f"FROM is missing in front of {self.token.word}.")
        if self.token.word == "WHERE":
            select.set("where", self._condition(exp.Where))
        if self.token.word == "GROUP":
            select.set("group", self._group())
        if self.token.word == "HAVING":
            select.set("having", self._condition(exp.Having))
        if self.token.word == "WINDOW":
            self.advance()
            select.set("windows", self.list_of(self._named_window))
        if self.token.word == "QUALIFY":
            select.set("qualify", self._condition(exp.Qualify))
        return self.finish(start, select)

    def _select_item(self) -> exp.Expression:
        while self.token.text.startswith("{%") and self.peek().kind not in (TokenKind.SYMBOL, TokenKind.END):
            if self.peek().word in NEVER_ALIASES:
                break
            # Items that a loop writes, with the comma behind the last of them.
            self.pass_placeholder()
        token = self.token
        if token.word == "*":
            self.advance()
            return self.finish(token.start, exp.Star())
        value = self.expression()
        if self.accept("AS"):
            alias = self.name("an alias", any_word=False)
        elif self.at_alias():
            if self.peek().word == "(":
                # No alias has arguments: a comma is missing before a call.
                self.fail("',' or FROM")
            alias = self.name()
        else:
            return value
        return self.finish(token.start, exp.Alias(this=value, alias=alias))

    def at_alias(self) -> bool:
        """Return whether an alias without AS stands here."""
        token = self.token
        if token.kind is TokenKind.WORD:
            return token.word not in NEVER_ALIASES
        return token.kind is TokenKind.NAME

    def _condition(self, kind: type[exp.Expression]) -> exp.Expression:
        token = self.advance()
        return self.finish_clause(token.start, token.end, kind(this=self.expression()))

    def _named_window(self) -> exp.Window:
        start = self.token.start
        name = self.name("the name of a window")
        self.expect("AS")
        return self.finish(start, self.window_specification(name))

    # ---- GROUP BY

    def _group(self) -> exp.Group:
        start = self.token.start
        self.expect("GROUP", "BY")
        keyword_end = self.end
        self.accept_any("ALL", "DISTINCT")
        group = exp.Group()
        for item in self.list_of(self._grouping):
            if isinstance(item, exp.GroupingSets):
                group.append("grouping_sets", item)
            elif isinstance(item, exp.Cube):
                group.append("cube", item)
            elif isinstance(item, exp.Rollup):
                group.append("rollup", item)
            else:
                group.append("expressions", item)
        return self.finish_clause(start, keyword_end, group)

    def _grouping(self) -> exp.Expression:
        start = self.token.start
        if self.at("GROUPING", "SETS"):
            self.expect("GROUPING", "SETS")
            keyword_end = self.end
            return self.finish_clause(start, keyword_end, exp.GroupingSets(expressions=self.in_parens(self._grouping)))
        if self.token.word in ("CUBE", "ROLLUP") and self.peek().word == "(":
            kind = exp.Cube if self.token.word == "CUBE" else exp.Rollup
            self.advance()
            keyword_end = self.end
            return self.finish_clause(start, keyword_end, kind(expressions=self.in_parens(self.expression)))
        if self.accept("(", ")"):
            return self.finish(start, exp.Tuple(expressions=[]))
        return self.expression()

    # ---- ORDER BY, LIMIT

    def order_by(self) -> exp.Order:
        start = self.token.start
        self.expect("ORDER", "BY")
        keyword_end = self.end
        return self.finish_clause(start, keyword_end, exp.Order(expressions=self.list_of(self.ordered)))

    def ordered(self) -> exp.Ordered:
        start = self.token.start
        ordered = exp.Ordered(this=self.expression())
        if self.accept_any("ASC", "DESC") == "DESC":
            ordered.set("desc", True)
        if self.accept("NULLS"):
            which = self.accept_any("FIRST", "LAST")
            if not which:
                self.fail("FIRST or LAST")
            # ``None`` means that nothing is written; False and None are one to sqlglot's equality.
            ordered.set("nulls_first", which == "FIRST")
            ordered.set("nulls_last", which == "LAST" or None)
        return self.finish(start, ordered)

    def _order_and_limit(self, start: int, node: exp.Expression) -> exp.Expression:
        if self.token.word == "ORDER":
            node.set("order", self.order_by())
        while True:
            token = self.token
            word = token.word
            self._tolerate_limits(node, word)
            if word == "LIMIT":
                self.advance()
                if self.accept("ALL"):
                    continue
                if self.token.kind not in (TokenKind.NUMBER, TokenKind.PLACEHOLDER) and self.token.word != "?":
                    self.tolerate("limit", "LIMIT takes a whole number that is not negative.")
                first = self.index
                count = self.expression()
                if self.index > first + 1 and self.tokens[first].kind is TokenKind.NUMBER:
                    self.tolerate("limit", "LIMIT takes a number, no calculation.", first + 1)
                if self.token.word == ",":
                    self.tolerate("limit", "Flink writes LIMIT count OFFSET start.", first - 1)
                if self.accept(","):
                    node.set("offset", self.finish(count.meta["span"][0], exp.Offset(expression=count)))
                    count = self.expression()
                limit = exp.Limit(expression=count)
                if node.args.get("offset") is None or node.args["offset"].meta["span"][0] < token.start:
                    node.set("limit", self.finish_clause(token.start, token.end, limit))
                else:
                    limit.meta["span"] = count.meta["span"]
                    node.set("limit", limit)
            elif word == "OFFSET":
                self.advance()
                count = self.expression()
                self.accept_any("ROW", "ROWS")
                node.set("offset", self.finish_clause(token.start, token.end, exp.Offset(expression=count)))
            elif word == "FETCH":
                self.advance()
                direction = self.accept_any("FIRST", "NEXT")
                rows = None if self.token.word in ("ROW", "ROWS") else self.expression()
                self.accept_any("ROW", "ROWS")
                self.expect("ONLY")
                fetch = exp.Fetch(direction=direction or None, count=rows)
                node.set("limit", self.finish_clause(token.start, token.end, fetch))
            else:
                break
        span = node.meta["span"]
        if self.end > span[1]:
            node.meta["span"] = (span[0], self.end)
        return node

    def _tolerate_limits(self, node: exp.Expression, word: str) -> None:
        """Note a bound behind others of its query, where Flink takes none."""
        limited, shifted = (node.args.get(clause) is not None for clause in ("limit", "offset"))
        if (word in ("LIMIT", "FETCH") and limited) or (word == "OFFSET" and shifted):
            self.tolerate("limit", f"A query has one {'OFFSET' if word == 'OFFSET' else 'LIMIT or FETCH'}.")
        elif word == "LIMIT" and shifted:
            self.tolerate("limit", "Flink writes LIMIT count OFFSET start.")

    # ---- VALUES

    def _values(self) -> exp.Values:
        token = self.advance()
        rows = self.list_of(self._row)
        return self.finish_clause(token.start, token.end, exp.Values(expressions=rows))

    def _row(self) -> exp.Expression:
        start = self.token.start
        if self.token.word == "ROW" and self.peek().word == "(":
            self.advance()
        if self.token.word == "(":
            if self.peek().word == ")":
                self.tolerate("values", "A row of VALUES has at least one value.", self.index + 1)
            items = self.in_parens(self.argument, or_nothing=True)
            return self.finish(start, exp.Tuple(expressions=items))
        value = self.expression()
        return self.finish(start, exp.Tuple(expressions=[value]))

"""Operands: literals, names, CASE, intervals, parentheses."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.types import TypeGrammar, unescape_string, unquote_string
from keepstate.syntax.keywords import NILADIC_FUNCTIONS, READ_AS_COLUMNS, RESERVED
from keepstate.syntax.placeholders import canonical_name
from keepstate.syntax.reserved import IN_SOME_VERSION
from keepstate.syntax.tokens import TokenKind

_QUERY_STARTS = ("SELECT", "WITH", "VALUES")
_TIME_LITERALS = ("DATE", "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMP_LTZ")

_UNITS = frozenset(
    name + plural
    for name in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
    for plural in ("", "S")
)


class OperandGrammar(TypeGrammar):
    """Operands; the operators around them are in ``OperatorGrammar``, calls in ``CallGrammar``, queries in
    ``QueryGrammar``.
    """

    def operand(self) -> exp.Expression:
        """An operand with the ``[index]`` and ``.field`` behind it."""
        return self._suffixed(self.token.start, self._primary())

    def _suffixed(self, start: int, node: exp.Expression) -> exp.Expression:
        """``[index]`` and ``.field`` behind something that is no plain name."""
        while True:
            word = self.token.word
            if word == "[":
                self.advance()
                index = self.expression()
                self.expect("]")
                node = self.finish(start, exp.Bracket(this=node, expressions=[index]))
            elif word == ".":
                self.advance()
                star = self.token
                if self.accept("*"):
                    field: exp.Expression = self.finish(star.start, exp.Star())
                else:
                    field = self.name("the name of a field", any_word=True)
                    if self.token.word == "(":
                        field = self.call(field.meta["span"][0], field)
                node = self.finish(start, exp.Dot(this=node, expression=field))
            else:
                return node

    def _primary(self) -> exp.Expression:
        token = self.token
        kind = token.kind
        if kind is TokenKind.WORD:
            return self._word()
        if kind is TokenKind.STRING:
            return self._string()
        if kind is TokenKind.NUMBER:
            self.advance()
            return self.finish(token.start, exp.Literal(this=token.text, is_string=False))
        if kind is TokenKind.NAME:
            return self._column_or_call()
        if kind is TokenKind.PLACEHOLDER:
            if self.peek().word in (".", "("):
                return self._column_or_call()
            self.advance()
            return self.finish(token.start, exp.Placeholder(this=canonical_name(token.text)))
        if token.word == "(":
            return self._difference(self.parenthesised_value())
        if token.word == "?":
            self.advance()
            return self.finish(token.start, exp.Placeholder(this="?"))
        if token.word == "{" and self.peek().kind is TokenKind.WORD:
            return self._escape()
        self.fail("an expression")

    def _escape(self) -> exp.Expression:
        """A JDBC escape: ``{fn UCASE(a)}``, ``{d '2020-01-01'}``."""
        start = self.token.start
        self.advance()
        word = self.advance().word
        kind = {"D": "DATE", "T": "TIME", "TS": "TIMESTAMP"}.get(word)
        node: exp.Expression
        if kind:
            node = syntax_nodes.TimeLiteral(this=self.string(), kind=kind)
        elif word == "FN":
            node = self.operand()
        else:
            self.fail("fn, d, t or ts", self.tokens[self.index - 1])
        self.expect("}")
        return self.finish(start, node)

    def _word(self) -> exp.Expression:
        token = self.token
        word = token.word
        following = self.peek()
        if word in ("NULL", "UNKNOWN") and following.word not in (".", "("):
            self.advance()
            return self.finish(token.start, exp.Null())
        if word in ("TRUE", "FALSE") and following.word not in (".", "("):
            self.advance()
            return self.finish(token.start, exp.Boolean(this=word == "TRUE"))
        if word == "CASE":
            return self._case()
        if word == "INTERVAL":
            return self._interval()
        if following.kind is TokenKind.STRING and word in _TIME_LITERALS:
            self.advance()
            return self.finish(token.start, syntax_nodes.TimeLiteral(this=self.lone_string(), kind=word))
        if word == "TIMESTAMP" and following.word in ("WITH", "WITHOUT"):
            return self._zoned_timestamp()
        if word == "EXISTS" and following.word == "(" and self.peek(2).word in (*_QUERY_STARTS, "(", "TABLE"):
            self.advance()
            self.advance()
            query = self.query()
            self.expect(")")
            return self.finish(token.start, exp.Exists(this=query))
        if word == "EXISTS" and following.word != "(":
            self.fail("'('", following)
        if word in ("ARRAY", "MAP", "MULTISET") and following.word == "[":
            self.advance()
            self.advance()
            items = [] if self.token.word == "]" else self.list_of(self.expression)
            self.expect("]")
            return self.finish_clause(token.start, token.end, exp.Anonymous(this=word, expressions=items))
        if word == "NEXT" and self.at("NEXT", "VALUE", "FOR"):
            self.expect("NEXT", "VALUE", "FOR")
            return self.finish(token.start, exp.NextValueFor(this=self.table_name()))
        if word in ("FINAL", "RUNNING") and self.at_name(following) and self.peek(2).word == "(":
            self.advance()
            return self.finish(token.start, syntax_nodes.FunctionClause(this=word, expressions=[self.operand()]))
        if word in NILADIC_FUNCTIONS and following.word not in (".", "("):
            if word in READ_AS_COLUMNS:
                return self.make_column(token.start, [self.keyword()])
            self.advance()
            return self.finish_clause(token.start, token.end, exp.Anonymous(this=token.text, expressions=[]))
        if following.word == "(":
            return self.call(token.start, None)
        if word in RESERVED:
            self.fail("an expression")
        return self._column_or_call()

    def _column_or_call(self) -> exp.Expression:
        """A column, perhaps qualified, or a call of a function with a quoted or qualified name."""
        token = self.token
        parts: list[exp.Expression] = [self.name()]
        while self.token.word == ".":
            self.advance()
            star = self.token
            if self.accept("*"):
                parts.append(self.finish(star.start, exp.Star()))
                break
            parts.append(self.name("a name or '*'", any_word=True))
        if self.token.word == "(" and not isinstance(parts[-1], exp.Star):
            return self._qualified_call(token.start, parts)
        return self.make_column(token.start, parts)

    def make_column(self, start: int, parts: list[exp.Expression]) -> exp.Expression:
        """Make a Column of up to four names (sqlglot's shape), and Dots around it for further names."""
        head, rest = parts[:4], parts[4:]
        column = exp.Column(this=head[-1])
        for arg, part in zip(("table", "db", "catalog"), reversed(head[:-1]), strict=False):
            column.set(arg, part)
        column.meta["span"] = (start, head[-1].meta["span"][1])
        node: exp.Expression = column
        for part in rest:
            node = exp.Dot(this=node, expression=part)
            node.meta["span"] = (start, part.meta["span"][1])
        return node

    def _qualified_call(self, start: int, parts: list[exp.Expression]) -> exp.Expression:
        call = self.call(parts[-1].meta["span"][0], parts[-1])
        if len(parts) == 1:
            return call
        node: exp.Expression = parts[0]
        for part in [*parts[1:-1], call]:
            node = exp.Dot(this=node, expression=part)
            node.meta["span"] = (start, part.meta["span"][1])
        return node

    def _string(self) -> exp.Expression:
        token = self.token
        self.advance()
        text = token.text
        prefix = text[: text.index("'")].upper()
        if prefix == "E":
            return self.finish(token.start, exp.Literal(this=unescape_string(text[1:]), is_string=True))
        if prefix == "X":
            return self.finish(token.start, exp.HexString(this=text[2:-1].upper()))
        value = unquote_string(text[len(prefix) :])
        while self.token.kind is TokenKind.STRING and self.token.text[0] == "'":
            # Literals next to one another are one literal, as in standard SQL.
            value += unquote_string(self.advance().text)
        if prefix == "N":
            return self.finish(token.start, exp.National(this=value))
        if prefix == "U&":
            escape = self.string() if self.accept("UESCAPE") else None
            return self.finish(token.start, exp.UnicodeString(this=value, escape=escape))
        if prefix.startswith("_"):
            literal = exp.Literal(this=value, is_string=True)
            literal.meta["span"] = (token.start + len(prefix), self.end)
            return self.finish(token.start, exp.Introducer(this=prefix, expression=literal))
        return self.finish(token.start, exp.Literal(this=value, is_string=True))

    def _zoned_timestamp(self) -> exp.Expression:
        start = self.advance().start
        words = ["TIMESTAMP", self.advance().word]
        while self.token.kind is TokenKind.WORD and self.token.word in ("LOCAL", "TIME", "ZONE"):
            words.append(self.advance().word)
        return self.finish(start, syntax_nodes.TimeLiteral(this=self.string(), kind=" ".join(words)))

    def _case(self) -> exp.Expression:
        start = self.token.start
        self.advance()
        operand = None if self.token.word == "WHEN" else self.expression()
        branches: list[exp.If] = []
        while self.token.word == "WHEN":
            branch = self.token.start
            self.advance()
            conditions = self.list_of(self.expression)
            condition = conditions[0]
            if len(conditions) > 1:
                condition = exp.Tuple(expressions=conditions)
                condition.meta["span"] = (conditions[0].meta["span"][0], self.end)
            self.expect("THEN")
            branches.append(self.finish(branch, exp.If(this=condition, true=self.expression())))
        if not branches:
            self.fail("WHEN")
        default = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return self.finish(start, exp.Case(this=operand, ifs=branches, default=default))

    def _interval(self) -> exp.Expression:
        start = self.token.start
        self.advance()
        sign = self.token
        negative = self.accept("-")
        if not negative:
            self.accept("+")
        token = self.token
        value: exp.Expression
        if token.kind is TokenKind.STRING:
            value = self.lone_string()
        elif token.kind is TokenKind.NUMBER:
            value = self.number()
        elif token.word == "(":
            value = self.parenthesised_value()
        elif self.at_name():
            if token.word in IN_SOME_VERSION:
                self.reserve(token)
            value = self._primary()
        else:
            self.fail("the length of the interval, as '5'")
        if negative:
            value = self.finish(sign.start, exp.Neg(this=value))
        unit, precision = self.interval_unit()
        interval = exp.Interval(this=value, unit=unit)
        # The node class builds a new Var for its unit and drops what is known of its place.
        if isinstance(unit, exp.Var):
            interval.args["unit"].meta.update(unit.meta)
        if precision:
            interval.set("precision", precision)
        return self.finish_clause(start, start + len("INTERVAL"), interval)

    def _difference(self, value: exp.Expression) -> exp.Expression:
        """``(a - b) DAY``: an interval where a unit stands behind a difference in parentheses, else ``value``.

        A unit is no alias there: Flink wants AS in front of it, and a name in backticks behind.
        """
        if self.token.word not in _UNITS or not isinstance(value, exp.Paren) or not isinstance(value.unnest(), exp.Sub):
            return value
        unit, precision = self.interval_unit()
        return self.finish(
            value.meta["span"][0], syntax_nodes.TimeDifference(this=value, unit=unit, precision=precision or None)
        )

    def parenthesised_value(self) -> exp.Expression:
        """``(query)``, ``(a)``, ``(a, b)`` or ``()``."""
        start = self.token.start
        self.expect("(")
        if self.token.word in _QUERY_STARTS:
            query = self.query()
            self.expect(")")
            return self.finish(start, exp.Subquery(this=query))
        if self.token.word == ")":
            self.tolerate("parentheses", "A value is missing in these parentheses.")
            self.advance()
            return self.finish(start, exp.Tuple(expressions=[]))
        if self.token.word == "TABLE" and self.at_name(self.peek()):
            query = self.query()
            self.expect(")")
            return self.finish(start, exp.Subquery(this=query))
        first = self.expression()
        if isinstance(first, exp.Subquery) and self.token.word in (
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "MINUS",
            "ORDER",
            "LIMIT",
        ):
            query = self.query_rest(first.meta["span"][0], first)
            self.expect(")")
            return self.finish(start, exp.Subquery(this=query))
        if self.token.word == ",":
            items = [first]
            while self.accept(","):
                items.append(self.expression())
            self.expect(")")
            return self.finish(start, exp.Tuple(expressions=items))
        self.expect(")")
        return self.finish(start, exp.Paren(this=first))

    # ---- what other parts of the grammar provide

    def expression(self, floor: int = 0) -> exp.Expression:
        raise NotImplementedError

    def query(self) -> exp.Expression:
        raise NotImplementedError

    def query_rest(self, start: int, first: exp.Expression) -> exp.Expression:
        raise NotImplementedError

    def call(self, start: int, name: exp.Expression | None) -> exp.Expression:
        raise NotImplementedError

"""Scalar expressions: operators by precedence, literals, names.

The levels are Calcite's (``SqlStdOperatorTable``), on which Flink's parser stands: ``||`` binds as ``*`` does, and
``IS NULL`` binds weaker than a comparison.
"""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import nodes
from keepstate.syntax.grammar.types import Types, unescape_string, unquote_string
from keepstate.syntax.keywords import NILADIC_FUNCTIONS, RESERVED, TIME_UNITS
from keepstate.syntax.tokens import Token, TokenKind

OR, AND, NOT, IS, COMPARE, RANGE, ADD, MULTIPLY, SIGN = (22, 24, 26, 28, 30, 32, 40, 60, 80)
_MULTISET = 14

_BINARY: dict[str, tuple[int, type[exp.Expression]]] = {
    "OR": (OR, exp.Or),
    "AND": (AND, exp.And),
    "=": (COMPARE, exp.EQ),
    "<>": (COMPARE, exp.NEQ),
    "!=": (COMPARE, exp.NEQ),
    "<": (COMPARE, exp.LT),
    ">": (COMPARE, exp.GT),
    "<=": (COMPARE, exp.LTE),
    ">=": (COMPARE, exp.GTE),
    "OVERLAPS": (COMPARE, exp.Overlaps),
    "+": (ADD, exp.Add),
    "-": (ADD, exp.Sub),
    "*": (MULTIPLY, exp.Mul),
    "/": (MULTIPLY, exp.Div),
    "%": (MULTIPLY, exp.Mod),
    "||": (MULTIPLY, exp.DPipe),
}
_LIKES: dict[str, type[exp.Expression]] = {
    "LIKE": exp.Like,
    "ILIKE": exp.ILike,
    "RLIKE": exp.RegexpLike,
    "SIMILAR": exp.SimilarTo,
}
_INFIX: dict[str, int] = {
    **{word: level for word, (level, _) in _BINARY.items()},
    **dict.fromkeys(_LIKES, RANGE),
    "IS": IS,
    "IN": RANGE,
    "BETWEEN": RANGE,
}
_RARE: dict[tuple[str, ...], int] = {
    ("MULTISET", "UNION"): _MULTISET,
    ("MULTISET", "EXCEPT"): _MULTISET,
    ("MULTISET", "INTERSECT"): _MULTISET + 4,
    ("MEMBER", "OF"): COMPARE,
    ("SUBMULTISET", "OF"): COMPARE,
    ("NOT", "SUBMULTISET"): COMPARE,
    ("IMMEDIATELY", "PRECEDES"): COMPARE,
    ("IMMEDIATELY", "SUCCEEDS"): COMPARE,
    ("FORMAT", "JSON"): IS,
}
"""Operators of several words, which Flink's parser knows though its planner knows few of them."""
_RARE_STARTS = frozenset(words[0] for words in _RARE) | {"CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS"}
_PERIOD_OPERATORS = ("CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES")
_TIME_LITERALS = ("DATE", "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMP_LTZ")


class Expressions(Types):
    """Everything that has a value. Calls are in ``Calls``, queries in ``Queries``."""

    def expression(self, floor: int = 0) -> exp.Expression:
        """An expression of operators that bind at least as strong as ``floor``."""
        self.enter()
        start = self.token.start
        left = self._prefix()
        while True:
            token = self.token
            word = token.word
            level = _INFIX.get(word)
            if level is None:
                if word == "NOT" and _INFIX.get(self.peek().word) == RANGE:
                    if floor > RANGE:
                        break
                    left = self._negated(start, left)
                    continue
                if word in _RARE_STARTS:
                    rare = self._rare_operator(start, left, floor)
                    if rare is not None:
                        left = rare
                        continue
                break
            if level < floor:
                break
            operator = _BINARY.get(word)
            if operator is None:
                left = self._predicate(start, left)
            elif level == COMPARE and self.peek().word in ("ALL", "ANY", "SOME") and self.peek(2).word == "(":
                left = self._quantified(start, left, operator[1])
            else:
                self.advance()
                right = self.expression(level + 1)
                node = operator[1](this=left, expression=right)
                node.meta["span"] = (start, self.end)
                node.meta["keyword"] = (token.start, token.end)
                left = node
        self.depth -= 1
        return left

    def _rare_operator(self, start: int, left: exp.Expression, floor: int) -> exp.Expression | None:
        """One of the operators of several words, or a comparison of periods, if one stands here."""
        token = self.token
        words: tuple[str, ...] = (token.word, self.peek().word)
        level = _RARE.get(words)
        if level is None:
            # These words are good names too: only something in parentheses can be a period.
            if token.word not in _PERIOD_OPERATORS or not isinstance(left, (exp.Tuple, exp.Paren, exp.Anonymous)):
                return None
            words, level = (token.word,), COMPARE
        if level < floor:
            return None
        for _ in words:
            self.advance()
        if words[0] == "FORMAT":
            return self.finish(start, exp.FormatJson(this=left))
        if words == ("NOT", "SUBMULTISET"):
            self.expect("OF")
        elif words[0] == "MULTISET":
            words = (*words, self.accept_any("ALL", "DISTINCT") or "DISTINCT")
        node = exp.Operator(this=left, operator=" ".join(words), expression=self.expression(level + 1))
        return self._operator(start, token, node)

    def _negated(self, start: int, left: exp.Expression) -> exp.Expression:
        """``a NOT IN (...)`` and the like: ``NOT`` around the plain predicate, both with the span of the whole."""
        self.advance()
        return self.finish(start, exp.Not(this=self._predicate(start, left)))

    def _quantified(self, start: int, left: exp.Expression, operator: type[exp.Expression]) -> exp.Expression:
        token = self.advance()
        quantifier = self.token
        word = self.advance().word
        operand = self._paren()
        if isinstance(operand, exp.Subquery):
            operand = operand.this
        right = exp.All(this=operand) if word == "ALL" else exp.Any(this=operand)
        self.finish(quantifier.start, right)
        node = self.finish(start, operator(this=left, expression=right))
        node.meta["keyword"] = (token.start, token.end)
        return node

    def _predicate(self, start: int, left: exp.Expression) -> exp.Expression:
        token = self.token
        word = token.word
        if word == "IS":
            return self._is(start, left)
        if word == "IN":
            self.advance()
            return self._in(start, token, left)
        if word == "BETWEEN":
            self.advance()
            symmetric = self.accept_any("SYMMETRIC", "ASYMMETRIC") == "SYMMETRIC"
            # The lower bound goes up to AND, whatever stands there.
            low = self.expression(AND + 1)
            self.expect("AND")
            high = self.expression(RANGE + 1)
            between = exp.Between(this=left, low=low, high=high)
            if symmetric:
                between.set("symmetric", True)
            return self._operator(start, token, between)
        self.advance()
        if word == "SIMILAR":
            self.expect("TO")
        # Calcite reads LIKE from right to left.
        right = self.expression(RANGE)
        like: exp.Expression = self._operator(start, token, _LIKES[word](this=left, expression=right))
        if self.accept("ESCAPE"):
            like = self.finish(start, exp.Escape(this=like, expression=self.expression(RANGE + 1)))
        return like

    def _operator(self, start: int, token: Token, node: exp.Expression) -> exp.Expression:
        node.meta["span"] = (start, self.end)
        node.meta["keyword"] = (token.start, token.end)
        return node

    def _in(self, start: int, token: Token, left: exp.Expression) -> exp.Expression:
        self.expect("(")
        if self.token.word in _QUERY_STARTS:
            query = self.query()
            self.expect(")")
            return self._operator(start, token, exp.In(this=left, query=query))
        items = self.list_of(self.expression)
        self.expect(")")
        return self._operator(start, token, exp.In(this=left, expressions=items))

    def _is(self, start: int, left: exp.Expression) -> exp.Expression:
        keyword = self.advance()
        negated = self.accept("NOT")
        token = self.token
        word = token.word
        if word == "DISTINCT":
            self.advance()
            self.expect("FROM")
            right = self.expression(COMPARE + 1)
            distinct = exp.NullSafeEQ if negated else exp.NullSafeNEQ
            return self._operator(start, keyword, distinct(this=left, expression=right))
        value: exp.Expression
        if word in ("NULL", "UNKNOWN"):
            self.advance()
            value = self.finish(token.start, exp.Null())
        elif word in ("TRUE", "FALSE"):
            self.advance()
            value = self.finish(token.start, exp.Boolean(this=word == "TRUE"))
        elif word == "JSON":
            self.advance()
            kind = self.accept_any("VALUE", "OBJECT", "ARRAY", "SCALAR")
            value = self.finish(token.start, exp.JSON(this=kind or None))
        elif word == "EMPTY":
            self.advance()
            value = self.finish(token.start, exp.Var(this=word))
        elif self.accept("A", "SET"):
            value = self.finish(token.start, exp.Var(this="A SET"))
        else:
            self.fail("NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM or JSON")
        node = self._operator(start, keyword, exp.Is(this=left, expression=value))
        return self.finish(start, exp.Not(this=node)) if negated else node

    def _prefix(self) -> exp.Expression:
        token = self.token
        word = token.word
        if word == "-":
            self.advance()
            return self.finish(token.start, exp.Neg(this=self.expression(SIGN)))
        if word == "+":
            self.advance()
            return self.expression(SIGN)
        if word == "NOT":
            self.advance()
            operand = self.expression(NOT)
            return self.finish_clause(token.start, token.end, exp.Not(this=operand))
        return self._suffixed(token.start, self._primary())

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
            return self._named()
        if kind is TokenKind.HOLE:
            if self.peek().word in (".", "("):
                return self._named()
            self.advance()
            return self.finish(token.start, exp.Placeholder(this=token.text))
        if token.word == "(":
            return self._paren()
        if token.word == "?":
            self.advance()
            return self.finish(token.start, exp.Placeholder(this="?"))
        if token.word == "%" and self.peek().word in ("S", "D") and self.peek().start == token.end:
            self.advance()
            letter = self.advance()
            return self.finish(token.start, exp.Placeholder(this="%" + letter.text))
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
            node = nodes.TimeLiteral(this=self.string(), kind=kind)
        elif word == "FN":
            node = self._prefix()
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
            return self.finish(token.start, nodes.TimeLiteral(this=self.string(), kind=word))
        if word == "TIMESTAMP" and following.word in ("WITH", "WITHOUT"):
            return self._zoned_timestamp()
        if word == "EXISTS" and following.word == "(":
            self.advance()
            self.advance()
            query = self.query()
            self.expect(")")
            return self.finish(token.start, exp.Exists(this=query))
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
            return self.finish(token.start, nodes.FunctionClause(this=word, expressions=[self._prefix()]))
        if word in NILADIC_FUNCTIONS and following.word not in (".", "("):
            self.advance()
            return self.finish_clause(token.start, token.end, exp.Anonymous(this=token.text, expressions=[]))
        if following.word == "(":
            return self.call(token.start, None)
        if word in RESERVED:
            self.fail("an expression")
        return self._named()

    def _named(self) -> exp.Expression:
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
        """Up to four names make a Column (sqlglot's shape), what is beyond becomes Dots around it."""
        head, rest = parts[:4], parts[4:]
        column = exp.Column(this=head[-1])
        for arg, part in zip(("table", "db", "catalog"), reversed(head[:-1])):
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
            return self.finish(token.start, exp.HexString(this=text[2:-1]))
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
        return self.finish(start, nodes.TimeLiteral(this=self.string(), kind=" ".join(words)))

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
            value = self.string()
        elif token.kind is TokenKind.NUMBER:
            value = self.number()
        elif token.word == "(":
            value = self._paren()
        elif self.at_name():
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

    def _paren(self) -> exp.Expression:
        """``(query)``, ``(a)``, ``(a, b)`` or ``()``."""
        start = self.token.start
        self.expect("(")
        if self.token.word in _QUERY_STARTS:
            query = self.query()
            self.expect(")")
            return self.finish(start, exp.Subquery(this=query))
        if self.accept(")"):
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

    def query(self) -> exp.Expression:
        raise NotImplementedError

    def query_rest(self, start: int, first: exp.Expression) -> exp.Expression:
        raise NotImplementedError

    def call(self, start: int, name: exp.Expression | None) -> exp.Expression:
        raise NotImplementedError

    def at_time_unit(self) -> bool:
        """Whether a unit of time stands here as an argument of its own."""
        return self.token.word in TIME_UNITS and self.peek().word in (",", ")")

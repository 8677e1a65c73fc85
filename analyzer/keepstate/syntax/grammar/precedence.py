"""Operators by precedence, and predicates.

The levels are Calcite's (``SqlStdOperatorTable``), on which Flink's parser stands: ``||`` binds as ``*`` does, and
``IS NULL`` binds weaker than a comparison.
"""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax.grammar.operands import OperandGrammar
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
"""Operators of several words that Flink's parser accepts, though its planner supports few of them."""
_RARE_STARTS = frozenset(words[0] for words in _RARE) | {"CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS"}
_PERIOD_OPERATORS = ("CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES")


class OperatorGrammar(OperandGrammar):
    """Expressions: operands and the operators between them."""

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
                if token.kind is TokenKind.PLACEHOLDER:
                    self.pass_placeholder()
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
                if word == "!=":
                    self.tolerate("not-equal", "Flink writes <> for 'not equal'; != is refused.")
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
        operand = self.parenthesised_value()
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
            # VALUE is any kind, as no word is.
            value = self.finish(token.start, exp.JSON(this=None if kind in ("", "VALUE") else kind))
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
        return self.operand()

"""Calls of JSON functions: clauses behind their arguments, and pairs of keys and values."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.precedence import OperatorGrammar
from keepstate.syntax.tokens import TokenKind

_ON_BEHAVIOURS = ("NULL", "ABSENT", "ERROR", "DEFAULT", "EMPTY", "TRUE", "FALSE", "UNKNOWN")
"""Actions for ``ON EMPTY``, ``ON ERROR`` or ``ON NULL`` in a JSON function."""
_FIRST_KEYS = frozenset(
    """ARRAY CAST CEIL CEILING CLASSIFIER CONVERT CURSOR EXISTS EXTRACT FINAL FLOOR GROUPING JSON_ARRAY JSON_ARRAYAGG
    JSON_EXISTS JSON_OBJECT JSON_OBJECTAGG JSON_QUERY JSON_VALUE MAP MATCH_NUMBER MULTISET NEXT OVERLAY PERIOD POSITION
    PREV ROW RUNNING SAFE_CAST SUBSTRING TIMESTAMPADD TIMESTAMPDIFF TRANSLATE TRIM TRY_CAST UNIQUE""".split()
)
"""Words in front of ``(`` with which the first key of JSON_OBJECT may begin."""


class JsonCallGrammar(OperatorGrammar):
    """Clauses of JSON functions, and JSON_OBJECT with its pairs."""

    def argument_clause(self) -> exp.Expression:
        """Parse a clause between the last argument and the closing parenthesis."""
        token = self.token
        word = token.word
        if word == "ORDER":
            return self.order_by()
        if word in ("IGNORE", "RESPECT"):
            self.tolerate("function-form", f"{word} NULLS stands behind the parenthesis.")
            self.advance()
            self.expect("NULLS")
            return self.finish(token.start, syntax_nodes.FunctionClause(this=f"{word} NULLS"))
        if word == "SEPARATOR":
            self.advance()
            return self.finish(token.start, syntax_nodes.FunctionClause(this=word, expressions=[self.string()]))
        if word == "RETURNING":
            self.advance()
            # A NULL behind the type begins NULL ON EMPTY.
            return self.finish(token.start, syntax_nodes.FunctionClause(this=word, expressions=[self.data_type()]))
        if word in ("WITH", "WITHOUT"):
            words = self._words_through("WRAPPER")
            return self.finish(token.start, syntax_nodes.FunctionClause(this=" ".join(words)))
        if word not in _ON_BEHAVIOURS:
            self.fail("',' or ')'")
        values: list[exp.Expression] = []
        if word == "DEFAULT":
            self.advance()
            values.append(self.expression())
            words = [word, *self._words_through("ON")]
        else:
            words = self._words_through("ON")
        event = self.accept_any("EMPTY", "ERROR", "NULL")
        if not event:
            self.fail("EMPTY, ERROR or NULL")
        words.append(event)
        return self.finish(token.start, syntax_nodes.FunctionClause(this=" ".join(words), expressions=values))

    def _words_through(self, last: str) -> list[str]:
        """The next words up to and with ``last``."""
        words: list[str] = []
        while not words or words[-1] != last:
            if self.token.kind is not TokenKind.WORD:
                self.fail(last)
            words.append(self.advance().word)
        return words

    def json_object(self, name: str) -> exp.Expression:
        """The pairs and clauses of JSON_OBJECT and JSON_OBJECTAGG."""
        items: list[exp.Expression] = []
        while self.token.word != ")":
            if items and isinstance(items[-1], syntax_nodes.FunctionClause) and self.token.word == ",":
                self.tolerate("function-form", f"{name.upper()} has its ON NULL clause behind all pairs.")
            if items and not self.accept(","):
                items.append(self.argument_clause())
                continue
            if not items and self.token.word in ("NULL", "ABSENT") and self.peek().word == "ON":
                items.append(self.argument_clause())
                continue
            if name.upper() == "JSON_OBJECT" and not items:
                self._tolerate_first_key()
            items.append(self._json_pair(name.upper()))
        return exp.Anonymous(this=name, expressions=items)

    def _tolerate_first_key(self) -> None:
        """Note a first key in front of which Flink's parser stops, as it looks two tokens ahead."""
        token = self.token
        calls = token.kind in (TokenKind.WORD, TokenKind.NAME) and self.peek().word == "("
        if token.word == "CASE" or (calls and token.word not in _FIRST_KEYS and token.word != "KEY"):
            words = "CASE" if token.word == "CASE" else f"the function {token.text}"
            self.tolerate("function-form", f"JSON_OBJECT does not begin with {words}: write KEY in front of it.")

    def _json_pair(self, name: str) -> exp.Expression:
        start = self.token.start
        if self.token.word == "KEY" and self.peek().word not in (":", "VALUE", ",", ")"):
            self.advance()
        key = self.expression()
        if not (self.accept("VALUE") or self.accept(":")):
            if self.token.word == ",":
                # For JSON_OBJECT Flink's parser looks ahead from the key on.
                first = next(number for number, token in enumerate(self.tokens) if token.start == start)
                message = f"{name} writes VALUE between a key and its value."
                self.tolerate("function-form", message, first if name == "JSON_OBJECT" else None)
            self.expect(",")
        value = self.argument()
        return self.finish(start, exp.JSONKeyValue(this=key, expression=value))

    # ---- provided by CallGrammar and Queries

    def argument(self) -> exp.Expression:
        raise NotImplementedError

    def order_by(self) -> exp.Order:
        raise NotImplementedError

"""Keywords that fit a place of a query or statement, in the order in which Flink's grammar has them."""

from __future__ import annotations

from keepstate.syntax.keywords import NILADIC_FUNCTIONS, RESERVED
from keepstate.syntax.tokens import Token, TokenKind

STATEMENTS = (
    "SELECT",
    "INSERT INTO",
    "CREATE TABLE",
    "CREATE VIEW",
    "CREATE TEMPORARY VIEW",
    "CREATE TEMPORARY TABLE",
    "CREATE FUNCTION",
    "CREATE TEMPORARY FUNCTION",
    "CREATE CATALOG",
    "CREATE DATABASE",
    "WITH",
    "SET",
    "RESET",
    "EXECUTE STATEMENT SET BEGIN",
    "BEGIN STATEMENT SET",
    "END",
    "USE",
    "USE CATALOG",
    "DROP TABLE",
    "DROP VIEW",
    "ALTER TABLE",
    "EXPLAIN",
    "DESCRIBE",
    "SHOW TABLES",
    "ADD JAR",
    "INSERT OVERWRITE",
)
_OF_ORDER = ("FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT")
_CLAUSES = {
    "FROM": ("FROM",),
    "WHERE": ("WHERE",),
    "GROUP": ("GROUP BY",),
    "HAVING": ("HAVING",),
    "WINDOW": ("WINDOW",),
    "ORDER": ("ORDER BY",),
    "LIMIT": ("LIMIT",),
}
_SETS = ("UNION ALL", "UNION", "EXCEPT", "INTERSECT")
JOINS = ("JOIN", "LEFT JOIN", "INNER JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
BEHIND_OPERAND = ("AND", "OR", "IN", "IS NULL", "IS NOT NULL", "BETWEEN", "LIKE", "NOT", "IS DISTINCT FROM")
BEFORE_OPERAND = ("CASE", "CAST", "EXISTS", "FALSE", "INTERVAL", "NOT", "NULL", "TRUE", "TRY_CAST")
UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "MILLISECOND")
INTERVAL_UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR")
PATTERN_PARTS = (
    "PARTITION BY",
    "ORDER BY",
    "MEASURES",
    "ONE ROW PER MATCH",
    "AFTER MATCH SKIP PAST LAST ROW",
    "AFTER MATCH SKIP TO NEXT ROW",
    "PATTERN",
    "WITHIN",
    "DEFINE",
)


def clauses_behind(clause: str, present: frozenset[str]) -> tuple[str, ...]:
    """The clauses that may follow ``clause`` in a query that has those ``present``, and the set operators."""
    if clause == "SELECT" and "FROM" not in present:
        return ("FROM",)
    start = _OF_ORDER.index(clause) + 1 if clause in _OF_ORDER else 0
    clauses: list[str] = []
    for name in _OF_ORDER[start:]:
        if name not in present:
            clauses += _CLAUSES[name]
    return (*clauses, *_SETS) if "FROM" in present else tuple(clauses)


_ENDS = frozenset({"END", "NULL", "TRUE", "FALSE", ")", "]", "ASC", "DESC", "ROW"}) | NILADIC_FUNCTIONS


def ends_operand(token: Token, before: Token) -> bool:
    """Return whether an operand ends with ``token``, so that an operator or a clause follows."""
    if token.kind in (TokenKind.NAME, TokenKind.STRING, TokenKind.NUMBER, TokenKind.PLACEHOLDER):
        return True
    if token.word == "*":
        return before.word in ("SELECT", "DISTINCT", ",", ".", "(")
    if token.word in _ENDS:
        return True
    return token.kind is TokenKind.WORD and token.word not in RESERVED

"""Arguments and clauses of a call that the grammar reads although Flink's parser refuses them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.token_cursor import TokenCursor

JSON_AGGREGATES = frozenset({"JSON_OBJECTAGG", "JSON_ARRAYAGG"})
"""Aggregates that Flink's parser reads by rules of their own: without DISTINCT, FILTER and OVER."""
_OF_PATHS = frozenset({"JSON_EXISTS", "JSON_VALUE", "JSON_QUERY"})
"""Functions of a document and a path."""


@dataclass(frozen=True, slots=True)
class _ClauseStep:
    """Clauses that exclude one another at one place of a call."""

    clauses: frozenset[str]
    repeats: bool = False


def _events(*behaviours: str) -> _ClauseStep:
    return _ClauseStep(frozenset(f"{each} ON {event}" for each in behaviours for event in ("EMPTY", "ERROR")), True)


_RETURNING = _ClauseStep(frozenset({"RETURNING"}))
_ON_NULL = _ClauseStep(frozenset({"NULL ON NULL", "ABSENT ON NULL"}))
_WRAPPERS = "WITHOUT, WITHOUT ARRAY, WITH, WITH ARRAY, WITH CONDITIONAL, WITH CONDITIONAL ARRAY, WITH UNCONDITIONAL, "
_WRAPPER = _ClauseStep(frozenset(f"{words} WRAPPER" for words in f"{_WRAPPERS}WITH UNCONDITIONAL ARRAY".split(", ")))
_ORDER = _ClauseStep(frozenset({"ORDER BY"}))
_STEPS: dict[str, tuple[_ClauseStep, ...]] = {
    "JSON_EXISTS": (_ClauseStep(frozenset(f"{each} ON ERROR" for each in ("TRUE", "FALSE", "UNKNOWN", "ERROR"))),),
    "JSON_VALUE": (_RETURNING, _events("NULL", "ERROR", "DEFAULT")),
    "JSON_QUERY": (_RETURNING, _WRAPPER, _events("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT")),
    "JSON_OBJECT": (_ON_NULL,),
    "JSON_OBJECTAGG": (_ON_NULL,),
    "JSON_ARRAY": (_ON_NULL,),
    "JSON_ARRAYAGG": (_ORDER, _ON_NULL),
}
"""The clauses of each JSON function, in the order in which Flink's parser reads them."""


def tolerate_arguments(cursor: TokenCursor, name: str, arguments: list[exp.Expression], opening: int) -> None:
    """Note arguments that Flink's grammar refuses; ``opening`` is the number of the token behind ``(``."""
    values = [each for each in arguments if not isinstance(each, (syntax_nodes.FunctionClause, exp.Order))]
    if name in _STEPS:
        _tolerate_json(cursor, name, arguments, values, opening)
    elif name == "ROW" and not arguments:
        cursor.tolerate("argument-count", "ROW needs a value.")
    elif name == "LISTAGG" and any(isinstance(each, exp.Order) for each in arguments):
        order = next(each for each in arguments if isinstance(each, exp.Order))
        cursor.tolerate("function-form", "LISTAGG takes no ORDER BY.", _first(cursor, order))
    elif name in ("TIMESTAMPDIFF", "TIMESTAMPADD"):
        if isinstance(arguments[0] if arguments else None, exp.Literal):
            cursor.tolerate("time-unit", f"{name} takes a unit of time without quotes, as DAY, first.", opening)
        elif len(arguments) < 3:
            cursor.tolerate("argument-count", f"{name} needs a unit of time and two values.")


def _tolerate_json(
    cursor: TokenCursor, name: str, arguments: list[exp.Expression], values: list[exp.Expression], opening: int
) -> None:
    word = cursor.tokens[opening].word
    if name in JSON_AGGREGATES and word in ("DISTINCT", "ALL"):
        cursor.tolerate("function-form", f"{name} takes no {word}.", opening)
        return
    most = {"JSON_OBJECTAGG": 1, "JSON_ARRAYAGG": 1}.get(name, 2 if name in _OF_PATHS else len(values))
    if len(values) > most:
        words = "a document and a path" if name in _OF_PATHS else "one value"
        cursor.tolerate("argument-count", f"{name} takes {words} only.", _first(cursor, values[most]) - 1)
        return
    for query in filter(_is_query, _parts(arguments)):
        cursor.tolerate("function-form", f"A query is no argument of {name}: join its rows.", _first(cursor, query))
        return
    steps, before = _STEPS[name], ""
    for clause in arguments:
        if not isinstance(clause, (syntax_nodes.FunctionClause, exp.Order)):
            continue
        words = "ORDER BY" if isinstance(clause, exp.Order) else str(clause.this)
        at = next((number for number, step in enumerate(steps) if words in step.clauses), None)
        if at is None:
            _tolerate_clause(cursor, name, clause, words, steps, before)
            return
        steps, before = steps[at if steps[at].repeats else at + 1 :], words
    if len(values) < most:
        content = "a document and a path" if name in _OF_PATHS else "a value"
        cursor.tolerate("argument-count", f"{name} needs {content}.")


def _tolerate_clause(
    cursor: TokenCursor, name: str, clause: exp.Expression, words: str, steps: tuple[_ClauseStep, ...], before: str
) -> None:
    """Note a clause that the function does not have, or not behind the clause ``before`` it."""
    spelled = words.split()
    count = max((_common(spelled, each.split()) for step in steps for each in step.clauses), default=0)
    at = _first(cursor, clause) + count
    if count and count == len(spelled) - 1:
        # The value of DEFAULT stands in between.
        at = next(number for number, token in enumerate(cursor.tokens) if token.end == clause.meta["span"][1])
    out_of_order = any(words in step.clauses for step in _STEPS[name])
    message = f"{name} does not take {words} behind {before}." if out_of_order else f"{name} takes no {words}."
    cursor.tolerate("function-form", message, at)


def _common(words: list[str], others: list[str]) -> int:
    """The number of words that both begin with."""
    pairs = enumerate(zip(words, others, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(words), len(others)))


def _parts(arguments: list[exp.Expression]) -> list[exp.Expression]:
    """The arguments, with the two sides of pairs, and the values of DEFAULT."""
    parts: list[exp.Expression] = []
    for each in arguments:
        if isinstance(each, exp.JSONKeyValue):
            parts += (each.this, each.expression)
        elif isinstance(each, syntax_nodes.FunctionClause):
            parts += each.expressions if str(each.this).startswith("DEFAULT") else ()
        else:
            parts.append(each)
    return parts


def _is_query(node: exp.Expression) -> bool:
    return isinstance(node.unnest(), (exp.Subquery, exp.Query, exp.Exists))


def _first(cursor: TokenCursor, node: exp.Expression) -> int:
    """The number of the first token of a node."""
    start = node.meta["span"][0]
    return next(number for number, token in enumerate(cursor.tokens) if token.start == start)

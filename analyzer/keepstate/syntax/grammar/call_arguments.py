"""Arguments of a call that the grammar reads although Flink's parser refuses them."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.token_cursor import TokenCursor


def tolerate_arguments(cursor: TokenCursor, name: str, arguments: list[exp.Expression], opening: int) -> None:
    """Note arguments that Flink's grammar refuses; ``opening`` is the number of the token behind ``(``."""
    values = [each for each in arguments if not isinstance(each, syntax_nodes.FunctionClause)]
    if name in ("JSON_EXISTS", "JSON_VALUE", "JSON_QUERY") and len(values) < 2:
        cursor.tolerate("argument-count", f"{name} needs a document and a path.")
    elif name in ("JSON_EXISTS", "JSON_VALUE", "JSON_QUERY") and len(values) > 2:
        start = values[2].meta["span"][0]
        at = next(number for number, token in enumerate(cursor.tokens) if token.start == start)
        cursor.tolerate("argument-count", f"{name} takes a document and a path only.", at - 1)
    elif name == "LISTAGG" and any(isinstance(each, exp.Order) for each in arguments):
        start = next(each for each in arguments if isinstance(each, exp.Order)).meta["span"][0]
        at = next(number for number, token in enumerate(cursor.tokens) if token.start == start)
        cursor.tolerate("function-form", "LISTAGG takes no ORDER BY.", at)
    elif name in ("TIMESTAMPDIFF", "TIMESTAMPADD"):
        if isinstance(arguments[0] if arguments else None, exp.Literal):
            cursor.tolerate("time-unit", f"{name} takes a unit of time without quotes, as DAY, first.", opening)
        elif len(arguments) < 3:
            cursor.tolerate("argument-count", f"{name} needs a unit of time and two values.")

"""A pattern as a sequence of variables with quantifiers, the only patterns that Flink takes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from keepstate.plan.operators import Match
from keepstate_spark.lowering.refusals import NotLowerable

_TERM = re.compile(r"(?P<name>[^\W\d][\w$]*)(?:(?P<sign>[*+?])|\{(?P<low>\d+),(?P<high>\d*)\})?(?P<reluctant>\?)?")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Variable(NamedTuple):
    """One variable of a pattern, for ``low`` to ``high`` rows (``None``: any number).

    A ``greedy`` one takes each row that it can, and leaves none to the next variable.
    """

    name: str
    low: int
    high: int | None
    greedy: bool


def variables(match: Match) -> tuple[Variable, ...]:
    """Return the variables of the pattern in their order.

    Raises ``NotLowerable`` for a pattern that Flink does not take.
    """
    place = match.places.pattern or match.place
    if match.places.pattern is not None and "{," in "".join(match.places.pattern.text.split()):
        raise NotLowerable("Flink takes {0,n} in the place of {,n}.", place)
    if match.places.define is None:
        raise NotLowerable("Flink takes no MATCH_RECOGNIZE without DEFINE.", match.place)
    result = []
    # Flink reads ^ and $ and takes no notice of them: a match may begin and end at any row.
    for term in match.pattern.removeprefix("^ ").removesuffix(" $").split():
        term_match = _TERM.fullmatch(term)
        if term_match is None:
            raise NotLowerable("Flink matches a sequence of variables only: no groups, alternatives or PERMUTE.", place)
        result.append(_variable(term_match, match))
    names = [variable.name for variable in result]
    if len(set(names)) < len(names):
        raise NotLowerable("Flink takes each variable of a pattern once only.", place)
    if all(not variable.low for variable in result):
        raise NotLowerable("Flink takes no pattern that no row would match.", place)
    if result[-1].greedy:
        raise NotLowerable("Flink takes no greedy quantifier at the last variable of a pattern.", place)
    if any(before.greedy and not after.low and after.high in (1, None) for before, after in pairwise(result)):
        raise NotLowerable("Flink takes no optional variable behind a greedy quantifier.", place)
    return tuple(result)


def _variable(term_match: re.Match[str], match: Match) -> Variable:
    place = match.places.pattern or match.place
    low: int = 1
    high: int | None = 1
    if term_match["sign"]:
        low, high = _SIGNS[term_match["sign"]]
    elif term_match["low"]:
        low, high = int(term_match["low"]), int(term_match["high"]) if term_match["high"] else None
    if high is not None and (high < 1 or high < low):
        raise NotLowerable(f"{term_match[0]} is for no number of rows.", place)
    if term_match["reluctant"] and (low, high) == (0, 1):
        raise NotLowerable(f"Flink does not take {term_match[0]}: a variable that is optional and reluctant.", place)
    # A variable with ? is tried both ways, as Flink tries it.
    greedy = low != high and (low, high) != (0, 1) and not term_match["reluctant"]
    return Variable(term_match["name"], low, high, greedy)

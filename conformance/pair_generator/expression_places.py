"""Puts predicates and values into a script: where a WHERE, FILTER, CASE, ON or select item has room for them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from expressions import Holes, Unfilled
from sql_places import AGGREGATES, Block, Made, PlaceColumn, Places
from sql_tokens import Token, replaced

_Place = Callable[[str], str]
_NUMBERS = ("INT", "INTEGER")


def with_predicates(places: Places, random: Random, left: str, right: str) -> Made:
    """The script with either predicate in one place that both can have."""
    found: list[tuple[Block, _Place]] = []
    for block in places.blocks:
        if block.columns:
            found += [(block, place) for place in _predicate_places(places, block)]
    return _filled(found, random, left, right)


def with_values(places: Places, random: Random, left: str, right: str) -> Made:
    """The script with either value in the place of a column: as argument of an aggregate or alone in a select list."""
    found: list[tuple[Block, _Place, str]] = []
    for block in places.blocks:
        types = {column.reference: column for column in block.columns}
        for token, prefix in _values(block):
            if types.get(token.text, PlaceColumn("")).type in _NUMBERS:
                found.append((block, _put(places.text, token.start, token.end, prefix), token.text))
    random.shuffle(found)
    for block, place, column in found:
        holes = Holes(random, block.columns)
        holes.give("x", column)
        try:
            return place(holes.fill(left)), place(holes.fill(right))
        except Unfilled:
            continue
    return None


def without_filter(places: Places, random: Random) -> Made:
    """The script with and without a WHERE of its own."""
    filtered = [block for block in places.blocks if "WHERE" in block.clauses and "ROW_NUMBER" not in places.text]
    if not filtered:
        return None
    tokens = random.choice(filtered).clauses["WHERE"]
    return places.text, replaced(places.text, (tokens[0].start, tokens[-1].end, ""))


def with_filter(places: Places, random: Random, template: str) -> Made:
    """The script and itself with a predicate more."""
    found = [(block, place) for block in places.blocks if block.columns for place in _where_places(places.text, block)]
    random.shuffle(found)
    for block, place in found:
        try:
            return places.text, place(Holes(random, block.columns).fill(template))
        except Unfilled:
            continue
    return None


def _filled(found: list[tuple[Block, _Place]], random: Random, left: str, right: str) -> Made:
    random.shuffle(found)
    for block, place in found:
        holes = Holes(random, block.columns)
        try:
            return place(holes.fill(left)), place(holes.fill(right))
        except Unfilled:
            continue
    return None


def _predicate_places(places: Places, block: Block) -> list[_Place]:
    text = places.text
    # A WHERE is the common place, so it has two chances.
    found = _where_places(text, block) * 2
    for token, _ in _values(block):
        if block.is_grouped and token.text != "*":
            found.append(_put(text, token.start, token.end, "CASE WHEN ", f" THEN {token.text} END"))
    for close in _calls(block):
        found.append(_put(text, close.end, close.end, " FILTER (WHERE ", ")"))
    on = [token for token in block.clauses.get("FROM", ()) if token.word == "ON" and token.depth == block.depth]
    if on and len(block.relations) > 1:
        found.append(_put(text, on[0].end, on[0].end, " (", ") AND"))
    return found


def _where_places(text: str, block: Block) -> list[_Place]:
    if "FROM" not in block.clauses or any(token.word == "MATCH_RECOGNIZE" for token in block.clauses["FROM"]):
        return []
    if "WHERE" in block.clauses:
        tokens = block.clauses["WHERE"]
        if any(token.word == "OR" and token.depth == block.depth for token in tokens):
            return []
        return [_put(text, tokens[-1].end, tokens[-1].end, " AND (", ")")]
    end = block.clauses["FROM"][-1].end
    return [_put(text, end, end, " WHERE ")]


def _put(text: str, start: int, end: int, before: str = "", after: str = "") -> _Place:
    return lambda expression: replaced(text, (start, end, f"{before}{expression}{after}"))


def _calls(block: Block) -> list[Token]:
    """Closing brackets of the aggregate calls of the select list without OVER and FILTER."""
    tokens = block.clauses["SELECT"]
    found = []
    for index, token in enumerate(tokens):
        if token.word in AGGREGATES and token.depth == block.depth and index + 1 < len(tokens):
            close = index + 1
            while close < len(tokens) and not (tokens[close].text == ")" and tokens[close].depth == block.depth):
                close += 1
            after = tokens[close + 1].word if close + 1 < len(tokens) else ""
            if close < len(tokens) and after not in ("OVER", "FILTER"):
                found.append(tokens[close])
    return found


def _values(block: Block) -> list[tuple[Token, str]]:
    """Columns that stand alone: arguments of aggregates, or items; what has to stand in front of another value."""
    found: list[tuple[Token, str]] = []
    for item in block.items:
        for index, token in enumerate(item[:-3]):
            if token.word in AGGREGATES and item[index + 1].text == "(" and item[index + 3].text == ")":
                found.append((item[index + 2], ""))
        named = len(item) == 3 and item[1].word == "AS"
        if not block.is_grouped and not block.is_distinct and named:
            found.append((item[0], ""))
    return found

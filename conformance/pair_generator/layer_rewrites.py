"""Rewrites of sources, layers and joins: tables read through queries, views and WITH, and joined by other words."""

from __future__ import annotations

import re
from random import Random

from sql_places import Block, Made, Places
from sql_tokens import Token


def _query_block(places: Places) -> Block | None:
    """The only SELECT of the only query that stands alone, as the last statement."""
    queries = places.queries
    if len(queries) != 1 or "UNION" in {token.word for token in places.tokens if token.depth == 0}:
        return None
    block = queries[0]
    before = [token for token in places.tokens if token.end <= block.start]
    return block if not before or before[-1].text == ";" else None


def _reads(places: Places) -> list[tuple[Block, Token, str]]:
    """Tables in FROM that are read by their plain name: block, name, alias; the alias is empty where there is none."""
    found = []
    for block in places.blocks:
        for alias, relation in block.relations:
            if relation[0].is_name and relation[0].name in places.tables and len(relation) <= 3:
                if relation[-1].kind == "hint" or _is_temporal(places, relation[-1]):
                    continue
                found.append((block, relation[0], alias if len(relation) > 1 else ""))
    return found


def _is_temporal(places: Places, token: Token) -> bool:
    index = places.tokens.index(token)
    after = places.tokens[index + 1] if index + 1 < len(places.tokens) else None
    return after is not None and after.word in ("FOR", "MATCH_RECOGNIZE")


def qualified_table(places: Places, random: Random) -> Made:
    names = [name for _, name, alias in _reads(places) if alias]
    names += [name for block, name, alias in _reads(places) if not alias and len(block.relations) == 1]
    return places.changed(*((n.start, n.start, "default_catalog.default_database.") for n in names[:1]))


def qualified_columns(places: Places, random: Random) -> Made:
    for block, name, alias in _reads(places):
        if len(block.relations) == 1 and "GROUP" in block.clauses:
            known = {column.reference for column in block.columns}
            tokens = [t for item in block.items for t in item[:1] if len(item) in (1, 3) and t.text in known]
            return places.changed(*((t.start, t.start, f"{alias or name.text}.") for t in tokens))
    return None


def source_alias(places: Places, random: Random) -> Made:
    plain = [name for block, name, alias in _reads(places) if not alias and f"{name.text}." not in places.text]
    return places.changed(*((n.end, n.end, " AS src") for n in plain[:1]))


def _source_query(places: Places, random: Random, query: str, star: bool = True) -> Made:
    """A table as a query in brackets; with ``star`` also below a select list with a star."""
    reads = [read for read in _reads(places) if star or not _has_star(read[0])]
    if not reads:
        return None
    _, name, alias = random.choice(reads)
    table = places.tables[name.name]
    columns = [entry[0].text for entry in table.entries if entry[0].is_name and not _is_constraint(entry[0])]
    inner = query.format(table=name.text, columns=", ".join(columns), first=columns[0])
    label = "" if alias else f" AS {name.text}"
    return places.changed((name.start, name.end, f"({inner}){label}"))


def _has_star(block: Block) -> bool:
    return any(item[-1].text == "*" for item in block.items)


def _is_constraint(token: Token) -> bool:
    return token.word in ("WATERMARK", "PRIMARY", "CONSTRAINT")


def source_star(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT * FROM {table}")


def source_columns(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT {columns} FROM {table}")


def source_where_true(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT * FROM {table} WHERE TRUE")


def source_twice_nested(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT * FROM (SELECT {columns} FROM {table})")


def source_empty_branch(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT * FROM {table} UNION ALL SELECT * FROM {table} WHERE FALSE")


def source_extra_column(places: Places, random: Random) -> Made:
    return _source_query(places, random, "SELECT *, UPPER('x') AS unread FROM {table}", star=False)


def source_view(places: Places, random: Random) -> Made:
    reads = _reads(places)
    if not reads:
        return None
    _, name, alias = random.choice(reads)
    label = "" if alias else f" AS {name.text}"
    after = max(table.end for table in places.tables.values())
    view = f";\nCREATE TEMPORARY VIEW source_view AS SELECT * FROM {name.text}"
    return places.changed((after, after, view), (name.start, name.end, f"source_view{label}"))


def query_subquery(places: Places, random: Random) -> Made:
    block = _query_block(places)
    if block is None or "ORDER" in block.clauses or "LIMIT" in block.clauses:
        return None
    return places.changed((block.start, block.start, "SELECT * FROM ("), (block.end, block.end, ") AS whole"))


def query_cte(places: Places, random: Random) -> Made:
    block = _query_block(places)
    if block is None or "ORDER" in block.clauses or "LIMIT" in block.clauses:
        return None
    return places.changed((block.start, block.start, "WITH q AS ("), (block.end, block.end, ") SELECT * FROM q"))


def query_view(places: Places, random: Random) -> Made:
    block = _query_block(places)
    if block is None or "ORDER" in block.clauses or "LIMIT" in block.clauses:
        return None
    view = "CREATE TEMPORARY VIEW q AS "
    return places.changed((block.start, block.start, view), (block.end, block.end, ";\nSELECT * FROM q"))


def query_parentheses(places: Places, random: Random) -> Made:
    block = _query_block(places)
    return places.changed((block.start, block.start, "("), (block.end, block.end, ")")) if block else None


def output_aliases(places: Places, random: Random) -> Made:
    block = _query_block(places)
    if block is None or "HAVING" in block.clauses or "ORDER" in block.clauses:
        return None
    named = [item[-1] for item in block.items if len(item) > 2 and item[-2].word == "AS"]
    return places.changed(*((t.start, t.end, f"{t.name}_renamed") for t in named))


def join_comma(places: Places, random: Random) -> Made:
    found = _plain_joins(places)
    if not found:
        return None
    block, join, on, end = random.choice(found)
    condition = places.text[on.end : end]
    where = block.clauses.get("WHERE")
    if any(token.word == "OR" and token.depth == block.depth for token in where or ()):
        return None
    place = where[0].end if where else end
    text = f"{condition} AND" if where else f" WHERE{condition}"
    return places.changed((join.start, join.end, ","), (on.start, end, ""), (place, place, text))


def join_inner_word(places: Places, random: Random) -> Made:
    found = _plain_joins(places)
    return places.changed(*((join.start, join.start, "INNER ") for _, join, _, _ in found[:1]))


def join_condition_and_true(places: Places, random: Random) -> Made:
    for _, _, on, end in _plain_joins(places):
        condition = places.text[on.end : end]
        return places.changed((on.end, end, f" TRUE AND{condition}"))
    return None


def join_keys_flipped(places: Places, random: Random) -> Made:
    for _, _, on, end in _plain_joins(places, any_kind=True):
        text = places.text[on.end : end]
        flipped = re.sub(r"(\b[\w.`]+) = ([\w.`]+\.[\w`]+)", r"\2 = \1", text, count=1)
        if flipped != text:
            return places.changed((on.end, end, flipped))
    return None


def join_condition_twice(places: Places, random: Random) -> Made:
    for _, _, on, end in _plain_joins(places):
        condition = places.text[on.end : end]
        return places.changed((end, end, f" AND{condition}"))
    return None


def join_using(places: Places, random: Random) -> Made:
    for block, _, on, end in _plain_joins(places):
        match = re.fullmatch(r"\s*(\w+)\.(\w+) = (\w+)\.\2\s*", places.text[on.end : end])
        if match and not re.search(
            rf"\.{match[2]}\b", places.text[block.start : on.start] + places.text[end : block.end]
        ):
            return places.changed((on.start, end, f"USING ({match[2]})"))
    return None


def _plain_joins(places: Places, any_kind: bool = False) -> list[tuple[Block, Token, Token, int]]:
    """Joins of two inputs: block, JOIN, ON, and where the condition ends."""
    found = []
    for block in places.blocks:
        own = [t for t in block.clauses.get("FROM", ()) if t.depth == block.depth]
        joins = [index for index, t in enumerate(own) if t.word == "JOIN"]
        ons = [t for t in own if t.word == "ON"]
        if len(joins) == 1 and len(ons) == 1:
            outer = own[joins[0] - 1].word in ("LEFT", "RIGHT", "FULL", "OUTER", "INNER", "CROSS", "SEMI", "ANTI")
            if any_kind or (not outer and "FOR" not in {t.word for t in own}):
                found.append((block, own[joins[0]], ons[0], block.clauses["FROM"][-1].end))
    return found


def union_parentheses(places: Places, random: Random) -> Made:
    unions = [t for t in places.tokens if t.word == "UNION"]
    if not unions:
        return None
    union = unions[0]
    before = [b for b in places.blocks if b.end <= union.start and b.depth == union.depth]
    if not before or len([t for t in unions if t.depth == union.depth]) > 1:
        return None
    block = max(before, key=lambda b: b.start)
    return places.changed((block.start, block.start, "("), (block.end, block.end, ")"))


LAYER_REWRITES = {
    function.__name__.replace("_", "-"): function
    for function in (
        qualified_table, qualified_columns, source_alias, source_star, source_columns, source_where_true,
        source_twice_nested, source_empty_branch, source_extra_column, source_view, query_subquery, query_cte,
        query_view, query_parentheses, output_aliases, join_comma, join_inner_word, join_condition_and_true,
        join_keys_flipped, join_condition_twice, join_using, union_parentheses,
    )
}  # fmt: skip

"""Rewrites of spelling: words, names, keys, calls, literals and declarations, statement by statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from sql_places import Block, Made, Places
from sql_tokens import Token, closing

_KEYWORDS = frozenset(
    "SELECT FROM WHERE GROUP BY HAVING AND OR NOT IN IS NULL AS ON JOIN LEFT RIGHT FULL INNER OUTER UNION ALL CASE WHEN"
    " THEN ELSE END BETWEEN LIKE DISTINCT ORDER DESC ASC PARTITION OVER ROWS RANGE PRECEDING CURRENT ROW INTERVAL SUM"
    " COUNT MIN MAX AVG CREATE TABLE WITH INSERT INTO VIEW TEMPORARY".split()
)
_MINUTES = {
    "'1' HOUR": "'60' MINUTE",
    "'10' MINUTE": "'600' SECOND",
    "'1' MINUTE": "'60' SECOND",
    "'1' DAY": "'24' HOUR",
}


def keywords_lower(places: Places, random: Random) -> Made:
    return places.changed(*((t.start, t.end, t.text.lower()) for t in places.tokens if t.word in _KEYWORDS))


def whitespace(places: Places, random: Random) -> Made:
    gaps = [t.start for t in places.tokens if t.word in ("FROM", "WHERE", "GROUP", "JOIN", "AND")]
    return places.changed(*((gap, gap, "\n\t ") for gap in gaps))


def comments(places: Places, random: Random) -> Made:
    gaps = [t.start for t in places.tokens if t.word in ("FROM", "WHERE", "GROUP", "AS")]
    return places.changed(*((gap, gap, random.choice((" /* x; y */ ", " -- 'z'\n "))) for gap in gaps))


def carriage_returns(places: Places, random: Random) -> Made:
    return places.text, places.text.replace("\n", "\r\n")


def quoted_names(places: Places, random: Random) -> Made:
    columns = {column.name for table in places.tables.values() for column in table.columns}
    quoted = [t for t in places.tokens if t.kind == "word" and t.text in columns]
    return places.changed(*((t.start, t.end, f"`{t.text}`") for t in quoted))


def as_left_out(places: Places, random: Random) -> Made:
    dropped = []
    for block in places.blocks:
        for item in block.items:
            if len(item) > 2 and item[-2].word == "AS" and item[-2].depth == block.depth:
                dropped.append((item[-2].start, item[-1].start, ""))
    return places.changed(*dropped)


def _group(places: Places, random: Random, change: Callable[[str, list[str]], str]) -> Made:
    grouped = [block for block in places.blocks if _plain_keys(block)]
    if not grouped:
        return None
    block = random.choice(grouped)
    tokens = block.clauses["GROUP"][2:]
    start, end = tokens[0].start, tokens[-1].end
    keys = [places.text[key[0].start : key[-1].end] for key in block.keys]
    return places.changed((start, end, change(places.text[start:end], keys)))


def _plain_keys(block: Block) -> bool:
    return bool(block.keys) and all(len(key) == 1 and key[0].is_name for key in block.keys)


def group_key_twice(places: Places, random: Random) -> Made:
    return _group(places, random, lambda text, keys: f"{text}, {keys[0]}")


def group_parentheses(places: Places, random: Random) -> Made:
    return _group(places, random, lambda text, keys: f"({text})")


def group_grouping_sets(places: Places, random: Random) -> Made:
    return _group(places, random, lambda text, keys: f"GROUPING SETS (({text}))")


def group_ordinal(places: Places, random: Random) -> Made:
    for block in places.blocks:
        if len(block.keys) == 1 and block.items and block.items[0][0].text == block.keys[0][0].text:
            key = block.keys[0][0]
            return places.changed((key.start, key.end, "1"))
    return None


def distinct_to_group(places: Places, random: Random) -> Made:
    for block in places.blocks:
        plain = all(item[0].is_name and (len(item) == 1 or item[1].word == "AS") for item in block.items)
        if block.is_distinct and plain and "GROUP" not in block.clauses:
            keys = ", ".join(item[0].text for item in block.items)
            distinct = block.clauses["SELECT"][1]
            return places.changed((distinct.start, distinct.end, ""), (block.end, block.end, f" GROUP BY {keys}"))
    return None


def distinct_redundant(places: Places, random: Random) -> Made:
    for block in places.blocks:
        if _plain_keys(block) and not block.is_distinct and "HAVING" not in block.clauses:
            labels = {item[0].text for item in block.items if len(item) == 1}
            if labels >= {key[0].text for key in block.keys}:
                select = block.clauses["SELECT"][0]
                return places.changed((select.end, select.end, " DISTINCT"))
    return None


def _spelled(places: Places, pattern: str, text: str, flags: int = 0) -> Made:
    changed = re.sub(pattern, text, places.text, flags=flags)
    return (places.text, changed) if changed != places.text else None


def count_one(places: Places, random: Random) -> Made:
    return _spelled(places, r"COUNT\(\*\)", "COUNT(1)")


def count_text(places: Places, random: Random) -> Made:
    return _spelled(places, r"COUNT\(\*\)", "COUNT('x')")


def count_not_null(places: Places, random: Random) -> Made:
    for block in places.blocks:
        solid = [column for column in block.columns if column.not_null]
        stars = re.search(r"COUNT\((\*)\)", places.text[block.start : block.end])
        if solid and stars and len(block.relations) == 1:
            start = block.start + stars.start(1)
            return places.changed((start, start + 1, solid[0].reference))
    return None


def aggregate_all(places: Places, random: Random) -> Made:
    return _spelled(places, r"\b(SUM|MAX|MIN)\((?!DISTINCT|ALL)", r"\1(ALL ")


def aggregate_distinct_extreme(places: Places, random: Random) -> Made:
    return _spelled(places, r"\b(MAX|MIN)\((?!DISTINCT|ALL)([\w.]+)\)(?! OVER)", r"\1(DISTINCT \2)")


def aggregate_filter_true(places: Places, random: Random) -> Made:
    return _spelled(places, r"\b(SUM|MAX|MIN)\(([\w.]+)\)(?! OVER| FILTER)", r"\1(\2) FILTER (WHERE TRUE)")


def interval_unit(places: Places, random: Random) -> Made:
    for long, short in random.sample(sorted(_MINUTES.items()), len(_MINUTES)):
        if f"INTERVAL {long}" in places.text:
            return places.text, places.text.replace(f"INTERVAL {long}", f"INTERVAL {short}")
    return None


def order_asc(places: Places, random: Random) -> Made:
    return _spelled(places, r"(ORDER BY [\w.]+)(?= ROWS| RANGE|\)|;)", r"\1 ASC")


def partition_twice(places: Places, random: Random) -> Made:
    return _spelled(places, r"PARTITION BY (\w+)(?= ORDER BY \w+( DESC)?\))", r"PARTITION BY \1, \1")


def rank_limit(places: Places, random: Random) -> Made:
    match = re.search(r"\brn <= (\d+)", places.text)
    if match is None:
        return None
    number = int(match[1])
    texts = (f"rn < {number + 1}", f"{number} >= rn", f"rn BETWEEN 1 AND {number}", f"NOT (rn > {number})")
    return places.changed((*match.span(), random.choice((*texts, f"rn <= {number} AND rn >= 1"))))


def rank_first(places: Places, random: Random) -> Made:
    match = re.search(r"\brn = 1\b", places.text)
    texts = ("rn <= 1", "rn < 2", "1 = rn", "rn IN (1)", "rn BETWEEN 1 AND 1")
    return places.changed((*match.span(), random.choice(texts))) if match else None


def tvf_without_table(places: Places, random: Random) -> Made:
    for index, token in enumerate(places.tokens):
        if token.word == "TABLE" and places.tokens[index + 1].text == "(":
            close = closing(places.tokens, index + 1)
            opening = places.tokens[index + 1]
            return places.changed(
                (token.start, opening.end, ""), (places.tokens[close].start, places.tokens[close].end, "")
            )
    return None


def tvf_named_arguments(places: Places, random: Random) -> Made:
    pattern = r"TUMBLE\(TABLE (\w+), DESCRIPTOR\((\w+)\), (INTERVAL '[^']*' \w+)\)"
    return _spelled(places, pattern, r"TUMBLE(DATA => TABLE \1, TIMECOL => DESCRIPTOR(\2), SIZE => \3)")


def statement_set(places: Places, random: Random) -> Made:
    inserts = [t for t in places.tokens if t.word == "INSERT" and t.depth == 0]
    if len(inserts) != 1 or "STATEMENT" in places.text.upper():
        return None
    text = places.text.rstrip().removesuffix(";")
    start = inserts[0].start
    return places.text, f"{text[:start]}EXECUTE STATEMENT SET BEGIN\n{text[start:]};\nEND;\n"


def empty_statements(places: Places, random: Random) -> Made:
    return places.text, ";\n" + places.text + "\n;;\n"


def unrelated_statements(places: Places, random: Random) -> Made:
    table = "CREATE TABLE unrelated (x INT) WITH ('connector' = 'kafka', 'topic' = 'unrelated');\n"
    return places.text, random.choice((table, f"{table}CREATE VIEW unread AS SELECT x FROM unrelated;\n")) + places.text


def declarations_reordered(places: Places, random: Random) -> Made:
    tables = sorted(places.tables.values(), key=lambda table: table.start)
    if len(tables) < 2:
        return None
    first, second = (places.text[table.start : table.end] for table in tables[:2])
    spans = [(tables[0].start, tables[0].end, second), (tables[1].start, tables[1].end, first)]
    return places.changed(*spans) if "LIKE" not in first + second else None


def options_reordered(places: Places, random: Random) -> Made:
    for table in places.tables.values():
        if len(table.options) > 1:
            first, last = table.options[0], table.options[-1]
            texts = [places.text[option[0].start : option[-1].end] for option in (first, last)]
            return places.changed((first[0].start, first[-1].end, texts[1]), (last[0].start, last[-1].end, texts[0]))
    return None


def types_spelled(places: Places, random: Random) -> Made:
    spelled = {"INT": "INTEGER", "STRING": "VARCHAR(2147483647)"}
    changes = [
        (entry[1].start, entry[1].end, spelled[entry[1].word])
        for table in places.tables.values()
        for entry in table.physical
        if entry[1].word in spelled and (len(entry) < 3 or entry[2].text != "(")
    ]
    return places.changed(*changes)


def null_spelled(places: Places, random: Random) -> Made:
    changes = [
        (entry[1].end, entry[1].end, " NULL")
        for table in places.tables.values()
        for entry in table.physical
        if len(entry) == 2 and not any(column.name == entry[0].name for column in _key_columns(table))
    ]
    return places.changed(*changes)


def _key_columns(table: object) -> list[Token]:
    entries = getattr(table, "entries", ())
    return [token for entry in entries if entry[0].word in ("PRIMARY", "CONSTRAINT") for token in entry]


def if_not_exists(places: Places, random: Random) -> Made:
    return _spelled(places, r"CREATE TABLE (?!IF )", "CREATE TABLE IF NOT EXISTS ")


def temporary_tables(places: Places, random: Random) -> Made:
    return _spelled(places, r"CREATE TABLE ", "CREATE TEMPORARY TABLE ")


def use_catalog(places: Places, random: Random) -> Made:
    text = random.choice(("USE CATALOG default_catalog;\n", "USE default_database;\n"))
    return places.text, text + places.text


def default_setting(places: Places, random: Random) -> Made:
    settings = ("'table.exec.mini-batch.enabled' = 'false'", "'table.exec.state.ttl' = '0 ms'")
    return places.text, f"SET {random.choice(settings)};\n" + places.text


def insert_columns(places: Places, random: Random) -> Made:
    for index, token in enumerate(places.tokens[:-3]):
        target = places.tokens[index + 2]
        if token.word == "INSERT" and target.name in places.tables and places.tokens[index + 3].text != "(":
            columns = ", ".join(entry[0].text for entry in places.tables[target.name].physical)
            return places.changed((target.end, target.end, f" ({columns})"))
    return None


SPELLING_REWRITES = {
    function.__name__.replace("_", "-"): function
    for function in (
        keywords_lower, whitespace, comments, carriage_returns, quoted_names, as_left_out, group_key_twice,
        group_parentheses, group_grouping_sets, group_ordinal, distinct_to_group, distinct_redundant, count_one,
        count_text, count_not_null, aggregate_all, aggregate_distinct_extreme, aggregate_filter_true,
        interval_unit, order_asc, partition_twice, rank_limit, rank_first, tvf_without_table,
        tvf_named_arguments, statement_set, empty_statements, unrelated_statements, declarations_reordered,
        options_reordered, types_spelled, null_spelled, if_not_exists, temporary_tables, use_catalog,
        default_setting, insert_columns,
    )
}  # fmt: skip

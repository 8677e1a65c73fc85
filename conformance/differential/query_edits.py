"""Edits of the clauses of queries: aggregates, keys, columns, windows, joins, rankings, unions, frames."""

from __future__ import annotations

import re
from random import Random

from expression_places import Made
from sql_places import AGGREGATES, Block, Places
from sql_tokens import Token, replaced


def _with(places: Places, *changes: tuple[int, int, str]) -> Made:
    return (places.text, replaced(places.text, *changes)) if changes else None


def _matched(places: Places, random: Random, pattern: str, *texts: str) -> Made:
    """Another text for one match; groups of the pattern can be in it."""
    matches = list(re.finditer(pattern, places.text))
    if not matches:
        return None
    match = random.choice(matches)
    changed = match.expand(random.choice(texts))
    return _with(places, (*match.span(), changed)) if changed != match[0] else None


def _grouped(places: Places, random: Random) -> Block | None:
    found = [block for block in places.blocks if block.is_grouped and block.items and block.columns]
    return random.choice(found) if found else None


def _numbers(block: Block) -> list[str]:
    return [column.reference for column in block.columns if column.type in ("INT", "INTEGER", "BIGINT")]


def _aggregates(block: Block) -> list[list[Token]]:
    return [
        item for item in block.items if item[0].word in AGGREGATES and not any(token.word == "OVER" for token in item)
    ]


def _last_item(block: Block) -> int:
    return block.items[-1][-1].end


def aggregate_added_last(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    numbers = _numbers(block) if block else []
    if block is None or not numbers:
        return None
    end = _last_item(block)
    call = random.choice(("SUM({0})", "MAX({0})", "AVG({0})", "COUNT({0})", "MIN({0})", "COUNT(DISTINCT {0})"))
    return _with(places, (end, end, f", {call.format(random.choice(numbers))} AS added"))


def aggregate_added_first(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    aggregates = _aggregates(block) if block else []
    numbers = _numbers(block) if block else []
    if not aggregates or not numbers:
        return None
    start = aggregates[0][0].start
    return _with(places, (start, start, f"SUM({random.choice(numbers)}) AS added, "))


def aggregate_removed(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    aggregates = _aggregates(block) if block else []
    if block is None or len(aggregates) < 2:
        return None
    return _without_item(places, block, random.choice(aggregates))


def _without_item(places: Places, block: Block, item: list[Token]) -> Made:
    place = block.items.index(item)
    if len(block.items) < 2:
        return None
    if place == 0:
        return _with(places, (item[0].start, block.items[1][0].start, ""))
    return _with(places, (block.items[place - 1][-1].end, item[-1].end, ""))


def aggregates_reordered(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    aggregates = _aggregates(block) if block else []
    if len(aggregates) < 2:
        return None
    return _swapped(places, *random.sample(aggregates, 2))


def _swapped(places: Places, first: list[Token], second: list[Token]) -> Made:
    texts = [places.text[item[0].start : item[-1].end] for item in (first, second)]
    return _with(places, (first[0].start, first[-1].end, texts[1]), (second[0].start, second[-1].end, texts[0]))


def aggregate_function(places: Places, random: Random) -> Made:
    return _matched(places, random, r"\b(?:SUM|MAX|MIN)\((?=\w)", "SUM(", "MAX(", "MIN(", "AVG(", "COUNT(")


def aggregate_column(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    calls = [item for item in _aggregates(block) if len(item) > 3 and item[2].is_name and item[3].text == ")"] if block else []
    numbers = _numbers(block) if block else []
    if not calls or not numbers:
        return None
    token = random.choice(calls)[2]
    other = random.choice(numbers)
    return _with(places, (token.start, token.end, other)) if other != token.text else None


def aggregate_distinct(places: Places, random: Random) -> Made:
    return _matched(places, random, r"\b(SUM|COUNT|AVG)\((?=\w+\)(?! OVER))(?!DISTINCT)", r"\1(DISTINCT ")


def aggregate_filter(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    numbers = _numbers(block) if block else []
    calls = [item for item in _aggregates(block) if len(item) > 3 and item[3].text == ")"] if block else []
    if not calls or not numbers:
        return None
    end = random.choice(calls)[3].end
    return _with(places, (end, end, f" FILTER (WHERE {random.choice(numbers)} > {random.randint(1, 9)})"))


def aggregate_count_column(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    match = re.search(r"COUNT\((\*)\)", places.text[block.start : block.end]) if block else None
    if block is None or match is None or not block.columns:
        return None
    start = block.start + match.start(1)
    return _with(places, (start, start + 1, random.choice(block.columns).reference))


def aggregate_duplicated(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    aggregates = _aggregates(block) if block else []
    if block is None or not aggregates:
        return None
    item = random.choice(aggregates)
    expression = [token for token in item if token.depth > block.depth or token in item[:2] or token.text == ")"]
    end = _last_item(block)
    return _with(places, (end, end, f", {places.text[expression[0].start : expression[-1].end]} AS again"))


def key_added(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    if block is None or not block.keys:
        return None
    taken = {key[0].text for key in block.keys}
    others = [column.reference for column in block.columns if column.reference not in taken]
    end = block.keys[-1][-1].end
    return _with(places, (end, end, f", {random.choice(others)}")) if others else None


def key_removed(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    if block is None or len(block.keys) < 2:
        return None
    key = block.keys[0]
    if any(item[0].text == key[0].text for item in block.items):
        return None
    return _with(places, (key[0].start, block.keys[1][0].start, ""))


def keys_reordered(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    return _swapped(places, *random.sample(block.keys, 2)) if block and len(block.keys) > 1 else None


def key_replaced(places: Places, random: Random) -> Made:
    for block in random.sample(places.blocks, len(places.blocks)):
        plain = [item for item in block.items if len(item) == 1]
        keys = [key[0] for key in block.keys if len(key) == 1]
        both = [(key, item[0]) for key in keys for item in plain if item[0].text == key.text]
        same_type = {column.reference: column.type for column in block.columns}
        for key, item in both:
            others = [
                name for name, type_ in same_type.items() if type_ == same_type.get(key.text) and name != key.text
            ]
            if others:
                other = random.choice(others)
                return _with(places, (key.start, key.end, other), (item.start, item.end, f"{other} AS {key.text}"))
    return None


def key_wrapped(places: Places, random: Random) -> Made:
    for block in random.sample(places.blocks, len(places.blocks)):
        texts = {column.reference for column in block.columns if column.type in ("STRING", "VARCHAR")}
        for key in block.keys:
            items = [item for item in block.items if len(item) == 1 and item[0].text == key[0].text]
            if len(key) == 1 and key[0].text in texts and items:
                changed = f"UPPER({key[0].text})"
                item = items[0][0]
                return _with(
                    places, (key[0].start, key[0].end, changed), (item.start, item.end, f"{changed} AS {key[0].text}")
                )
    return None


def key_constant(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    if block is None or "WHERE" in block.clauses or "FROM" not in block.clauses:
        return None
    texts = {column.reference for column in block.columns if column.type in ("STRING", "VARCHAR")}
    keys = [key[0].text for key in block.keys if key[0].text in texts]
    end = block.clauses["FROM"][-1].end
    return _with(places, (end, end, f" WHERE {keys[0]} = 'x'")) if keys else None


def having_added(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    if block is None or "HAVING" in block.clauses or "GROUP" not in block.clauses:
        return None
    end = block.clauses["GROUP"][-1].end
    return _with(places, (end, end, f" HAVING COUNT(*) > {random.randint(1, 9)}"))


def output_added(places: Places, random: Random) -> Made:
    found = [block for block in places.blocks if not block.is_grouped and block.columns and not block.is_distinct]
    if not found:
        return None
    block = random.choice(found)
    end = _last_item(block)
    return _with(places, (end, end, f", {random.choice(block.columns).reference} AS added"))


def output_removed(places: Places, random: Random) -> Made:
    found = [block for block in places.blocks if not block.is_grouped and len(block.items) > 1]
    if not found:
        return None
    block = random.choice(found)
    return _without_item(places, block, random.choice(block.items))


def output_reordered(places: Places, random: Random) -> Made:
    found = [block for block in places.blocks if len(block.items) > 1]
    return _swapped(places, *random.sample(random.choice(found).items, 2)) if found else None


def distinct_added(places: Places, random: Random) -> Made:
    queries = [block for block in places.blocks if not block.is_distinct]
    select = random.choice(queries).clauses["SELECT"][0] if queries else None
    return _with(places, (select.end, select.end, " DISTINCT")) if select else None


def window_size(places: Places, random: Random) -> Made:
    return _matched(places, random, r"INTERVAL '\d+' (HOUR|MINUTE)(?=\)\)|\) AS|\) *GROUP|\),|\)\s*;)", "INTERVAL '2' HOUR", "INTERVAL '30' MINUTE")


def window_type(places: Places, random: Random) -> Made:
    size = r"INTERVAL '1' HOUR\)\)"
    return _matched(places, random, rf"\b(?:HOP|CUMULATE|TUMBLE)\(TABLE (\w+), DESCRIPTOR\((\w+)\),(?: INTERVAL '10' MINUTE,)? {size}",
        r"TUMBLE(TABLE \1, DESCRIPTOR(\2), INTERVAL '1' HOUR))",
        r"HOP(TABLE \1, DESCRIPTOR(\2), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))",
        r"CUMULATE(TABLE \1, DESCRIPTOR(\2), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))")  # fmt: skip


def window_offset(places: Places, random: Random) -> Made:
    pattern = r"(TUMBLE\(TABLE \w+, DESCRIPTOR\(\w+\), INTERVAL '1' HOUR)(?=\))"
    return _matched(places, random, pattern, r"\1, INTERVAL '5' MINUTE")


def window_time(places: Places, random: Random) -> Made:
    return _matched(places, random, r"DESCRIPTOR\(ts\)", "DESCRIPTOR(proctime)")


def window_field_filtered(places: Places, random: Random) -> Made:
    block = _grouped(places, random)
    if block is None or not any(token.text == "window_start" for key in block.keys for token in key):
        return None
    if "WHERE" in block.clauses:
        end = block.clauses["WHERE"][-1].end
        return _with(places, (end, end, " AND window_start > TIMESTAMP '2026-01-01 00:00:00'"))
    end = block.clauses["FROM"][-1].end
    return _with(places, (end, end, " WHERE window_start > TIMESTAMP '2026-01-01 00:00:00'"))


def window_legacy_type(places: Places, random: Random) -> Made:
    return _matched(places, random, r"TUMBLE\((\w+), (INTERVAL '[^']*' \w+)\)", r"SESSION(\1, \2)", r"TUMBLE(\1, INTERVAL '3' HOUR)")


def join_type(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(?:\b(?:LEFT|INNER|FULL|RIGHT) )?JOIN\b", "LEFT JOIN", "JOIN", "FULL JOIN", "RIGHT JOIN")


def join_key_added(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ON (\w+)\.(\w+) = (\w+)\.(\w+)", r"ON \1.\2 = \3.\4 AND \1.b = \3.b", r"ON \1.a = \3.a AND \1.\2 = \3.\4")


def join_key_replaced(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ON (\w+)\.(\w+) = (\w+)\.(\w+)", r"ON \1.c = \3.c", r"ON \1.a = \3.a")


def join_condition_added(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ON (\w+)\.(\w+) = (\w+)\.(\w+)", r"ON \1.\2 = \3.\4 AND \1.a > \3.a", r"ON \1.\2 = \3.\4 AND \3.b > 2")


def join_sides_swapped(places: Places, random: Random) -> Made:
    return _matched(places, random, r"FROM (\w+) AS (\w+) ((?:LEFT |INNER )?JOIN) (\w+) AS (\w+) ON", r"FROM \4 AS \5 \3 \1 AS \2 ON")


def join_prefiltered(places: Places, random: Random) -> Made:
    return _matched(places, random, r"JOIN (\w+) AS (\w+) ON", r"JOIN (SELECT * FROM \1 WHERE a > 2) AS \2 ON")


def interval_bound(places: Places, random: Random) -> Made:
    return _matched(places, random, r"([+-]) INTERVAL '\d+' (?:MINUTE|HOUR)", r"\1 INTERVAL '45' MINUTE", r"\1 INTERVAL '3' HOUR")


def rank_limit(places: Places, random: Random) -> Made:
    return _matched(places, random, r"\brn <= \d+", "rn <= 1", "rn <= 5", "rn <= 9", "rn BETWEEN 2 AND 3")


def rank_first_to_many(places: Places, random: Random) -> Made:
    return _matched(places, random, r"\brn = 1\b", "rn <= 2", "rn = 2")


def rank_direction(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(ORDER BY \w+)( DESC)?(?=\))", r"\1", r"\1 DESC")


def rank_order_column(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ORDER BY \w+(?=(?: DESC)?\))", "ORDER BY a", "ORDER BY b", "ORDER BY ts", "ORDER BY proctime")


def rank_order_added(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(ORDER BY \w+(?: DESC)?)(?=\))", r"\1, a", r"\1, b DESC")


def rank_partition_added(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(PARTITION BY \w+)(?= ORDER)", r"\1, g", r"\1, h")


def rank_partition_replaced(places: Places, random: Random) -> Made:
    return _matched(places, random, r"PARTITION BY \w+(?= ORDER)", "PARTITION BY c", "PARTITION BY h", "PARTITION BY a")


def rank_partition_constant(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(PARTITION BY )(c|k)( ORDER [^()]*\) AS \w+ FROM \w+)(?=\))", r"\1\2\3 WHERE \2 = 'x'")


def rank_number_read(places: Places, random: Random) -> Made:
    match = re.search(r"SELECT (?!\*)([^()]*?) FROM \(SELECT [^()]*ROW_NUMBER", places.text)
    if match is None:
        return None
    end = match.end(1)
    return _with(places, (end, end, ", rn")) if "rn" not in match[1] else None


def union_branch_removed(places: Places, random: Random) -> Made:
    return _branches(places, lambda before, after: "left")


def union_branches_swapped(places: Places, random: Random) -> Made:
    return _branches(places, lambda before, after: "swapped")


def union_branch_doubled(places: Places, random: Random) -> Made:
    return _branches(places, lambda before, after: "doubled")


def _branches(places: Places, choose: object) -> Made:
    assert callable(choose)
    for token in places.tokens:
        if token.word != "UNION":
            continue
        before = [block for block in places.blocks if block.end <= token.start and block.depth == token.depth]
        after = [block for block in places.blocks if block.start > token.start and block.depth == token.depth]
        if not before or not after:
            continue
        first, second = max(before, key=lambda one: one.start), min(after, key=lambda one: one.start)
        texts = [places.text[block.start : block.end] for block in (first, second)]
        how = choose(first, second)
        if how == "left":
            return _with(places, (first.end, second.end, ""))
        if how == "swapped":
            return _with(places, (first.start, first.end, texts[1]), (second.start, second.end, texts[0]))
        return _with(places, (second.end, second.end, f" UNION ALL {texts[0]}"))
    return None


def union_distinct(places: Places, random: Random) -> Made:
    return _matched(places, random, r"UNION ALL", "UNION")


def over_frame(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ROWS BETWEEN \d+ PRECEDING", "ROWS BETWEEN 9 PRECEDING", "ROWS BETWEEN UNBOUNDED PRECEDING")


def over_range(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(?:ROWS|RANGE) BETWEEN (?:INTERVAL )?\S+(?: HOUR)? PRECEDING", "RANGE BETWEEN INTERVAL '2' HOUR PRECEDING", "ROWS BETWEEN 4 PRECEDING")


def over_added(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(SUM\([^()]*\)( OVER \([^()]*\)) AS \w+)", r"\1, COUNT(*)\2 AS added", r"\1, MAX(b)\2 AS added")


def over_order(places: Places, random: Random) -> Made:
    return _matched(places, random, r"ORDER BY ts(?= ROWS| RANGE)", "ORDER BY proctime")


def limit_added(places: Places, random: Random) -> Made:
    queries = [block for block in places.queries if "LIMIT" not in block.clauses]
    return _with(places, (queries[-1].end, queries[-1].end, " LIMIT 10")) if queries else None


def exists_negated(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(?<!NOT )\b(EXISTS|IN) \((?=SELECT)", r"NOT \1 (")


def insert_order(places: Places, random: Random) -> Made:
    matches = list(re.finditer(r"INSERT INTO [^;]*;\s*", places.text))
    if len(matches) < 2:
        return None
    first, second = matches[:2]
    return _with(places, (*first.span(), second[0]), (*second.span(), first[0]))


def insert_removed(places: Places, random: Random) -> Made:
    matches = list(re.finditer(r"INSERT INTO [^;]*;\s*", places.text))
    return _with(places, (*random.choice(matches).span(), "")) if len(matches) > 1 else None


def match_within(places: Places, random: Random) -> Made:
    return _matched(places, random, r"(PATTERN \([^()]*\))(?! WITHIN)", r"\1 WITHIN INTERVAL '1' HOUR")


def match_pattern(places: Places, random: Random) -> Made:
    return _matched(places, random, r"PATTERN \(A B\)", "PATTERN (A B+ C)", "PATTERN (A B B)")


def match_measure(places: Places, random: Random) -> Made:
    return _matched(places, random, r"MEASURES ", "MEASURES LAST(A.d) AS added, ", "MEASURES A.b AS added, ")


QUERY_EDITS = {
    function.__name__.replace("_", "-"): function
    for function in (
        aggregate_added_last, aggregate_added_first, aggregate_removed, aggregates_reordered, aggregate_function,
        aggregate_column, aggregate_distinct, aggregate_filter, aggregate_count_column, aggregate_duplicated, key_added,
        key_removed, keys_reordered, key_replaced, key_wrapped, key_constant, having_added, output_added,
        output_removed, output_reordered, distinct_added, window_size, window_type, window_offset, window_time,
        window_field_filtered, window_legacy_type, join_type, join_key_added, join_key_replaced, join_condition_added,
        join_sides_swapped, join_prefiltered, interval_bound, rank_limit, rank_first_to_many, rank_direction,
        rank_order_column, rank_order_added, rank_partition_added, rank_partition_replaced, rank_partition_constant,
        rank_number_read, union_branch_removed, union_branches_swapped, union_branch_doubled, union_distinct,
        over_frame, over_range, over_added, over_order, limit_added, exists_negated, insert_order, insert_removed,
        match_within, match_pattern, match_measure,
    )
}  # fmt: skip

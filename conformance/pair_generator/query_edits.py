"""Edits of windows, joins, rankings, unions, frames, patterns and INSERTs."""

from __future__ import annotations

import re
from random import Random

from aggregate_edits import grouped_block
from matched_text import matched
from sql_places import Made, Places


def window_size(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"INTERVAL '\d+' (HOUR|MINUTE)(?=\)\)|\) AS|\) *GROUP|\),|\)\s*;)",
        "INTERVAL '2' HOUR",
        "INTERVAL '30' MINUTE",
    )


def window_type(places: Places, random: Random) -> Made:
    sizes = r"(?: INTERVAL '10' MINUTE,)? INTERVAL '1' HOUR\)\)"
    pattern = rf"\b(?:HOP|CUMULATE|TUMBLE)\(TABLE (\w+), DESCRIPTOR\((\w+)\),{sizes}"
    return matched(places, random, pattern,
        r"TUMBLE(TABLE \1, DESCRIPTOR(\2), INTERVAL '1' HOUR))",
        r"HOP(TABLE \1, DESCRIPTOR(\2), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))",
        r"CUMULATE(TABLE \1, DESCRIPTOR(\2), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))")  # fmt: skip


def window_offset(places: Places, random: Random) -> Made:
    pattern = r"(TUMBLE\(TABLE \w+, DESCRIPTOR\(\w+\), INTERVAL '1' HOUR)(?=\))"
    return matched(places, random, pattern, r"\1, INTERVAL '5' MINUTE")


def window_time(places: Places, random: Random) -> Made:
    return matched(places, random, r"DESCRIPTOR\(ts\)", "DESCRIPTOR(proctime)")


def window_field_filtered(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    if block is None or not any(token.text == "window_start" for key in block.keys for token in key):
        return None
    if "WHERE" in block.clauses:
        end = block.clauses["WHERE"][-1].end
        return places.changed((end, end, " AND window_start > TIMESTAMP '2026-01-01 00:00:00'"))
    end = block.clauses["FROM"][-1].end
    return places.changed((end, end, " WHERE window_start > TIMESTAMP '2026-01-01 00:00:00'"))


def window_legacy_type(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"TUMBLE\((\w+), (INTERVAL '[^']*' \w+)\)", r"SESSION(\1, \2)", r"TUMBLE(\1, INTERVAL '3' HOUR)"
    )


def join_type(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"(?:\b(?:LEFT|INNER|FULL|RIGHT) )?JOIN\b", "LEFT JOIN", "JOIN", "FULL JOIN", "RIGHT JOIN"
    )


def join_key_added(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"ON (\w+)\.(\w+) = (\w+)\.(\w+)",
        r"ON \1.\2 = \3.\4 AND \1.b = \3.b",
        r"ON \1.a = \3.a AND \1.\2 = \3.\4",
    )


def join_key_replaced(places: Places, random: Random) -> Made:
    return matched(places, random, r"ON (\w+)\.(\w+) = (\w+)\.(\w+)", r"ON \1.c = \3.c", r"ON \1.a = \3.a")


def join_condition_added(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"ON (\w+)\.(\w+) = (\w+)\.(\w+)",
        r"ON \1.\2 = \3.\4 AND \1.a > \3.a",
        r"ON \1.\2 = \3.\4 AND \3.b > 2",
    )


def join_sides_swapped(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"FROM (\w+) AS (\w+) ((?:LEFT |INNER )?JOIN) (\w+) AS (\w+) ON",
        r"FROM \4 AS \5 \3 \1 AS \2 ON",
    )


def join_prefiltered(places: Places, random: Random) -> Made:
    return matched(places, random, r"JOIN (\w+) AS (\w+) ON", r"JOIN (SELECT * FROM \1 WHERE a > 2) AS \2 ON")


def interval_bound(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"([+-]) INTERVAL '\d+' (?:MINUTE|HOUR)", r"\1 INTERVAL '45' MINUTE", r"\1 INTERVAL '3' HOUR"
    )


def rank_limit(places: Places, random: Random) -> Made:
    return matched(places, random, r"\brn <= \d+", "rn <= 1", "rn <= 5", "rn <= 9", "rn BETWEEN 2 AND 3")


def rank_first_to_many(places: Places, random: Random) -> Made:
    return matched(places, random, r"\brn = 1\b", "rn <= 2", "rn = 2")


def rank_direction(places: Places, random: Random) -> Made:
    return matched(places, random, r"(ORDER BY \w+)( DESC)?(?=\))", r"\1", r"\1 DESC")


def rank_order_column(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"ORDER BY \w+(?=(?: DESC)?\))", "ORDER BY a", "ORDER BY b", "ORDER BY ts", "ORDER BY proctime"
    )


def rank_order_added(places: Places, random: Random) -> Made:
    return matched(places, random, r"(ORDER BY \w+(?: DESC)?)(?=\))", r"\1, a", r"\1, b DESC")


def rank_partition_added(places: Places, random: Random) -> Made:
    return matched(places, random, r"(PARTITION BY \w+)(?= ORDER)", r"\1, g", r"\1, h")


def rank_partition_replaced(places: Places, random: Random) -> Made:
    return matched(places, random, r"PARTITION BY \w+(?= ORDER)", "PARTITION BY c", "PARTITION BY h", "PARTITION BY a")


def rank_partition_constant(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"(PARTITION BY )(c|k)( ORDER [^()]*\) AS \w+ FROM \w+)(?=\))", r"\1\2\3 WHERE \2 = 'x'"
    )


def rank_number_read(places: Places, random: Random) -> Made:
    match = re.search(r"SELECT (?!\*)([^()]*?) FROM \(SELECT [^()]*ROW_NUMBER", places.text)
    if match is None:
        return None
    end = match.end(1)
    return places.changed((end, end, ", rn")) if "rn" not in match[1] else None


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
            return places.changed((first.end, second.end, ""))
        if how == "swapped":
            return places.changed((first.start, first.end, texts[1]), (second.start, second.end, texts[0]))
        return places.changed((second.end, second.end, f" UNION ALL {texts[0]}"))
    return None


def union_distinct(places: Places, random: Random) -> Made:
    return matched(places, random, r"UNION ALL", "UNION")


def over_frame(places: Places, random: Random) -> Made:
    return matched(
        places, random, r"ROWS BETWEEN \d+ PRECEDING", "ROWS BETWEEN 9 PRECEDING", "ROWS BETWEEN UNBOUNDED PRECEDING"
    )


def over_range(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"(?:ROWS|RANGE) BETWEEN (?:INTERVAL )?\S+(?: HOUR)? PRECEDING",
        "RANGE BETWEEN INTERVAL '2' HOUR PRECEDING",
        "ROWS BETWEEN 4 PRECEDING",
    )


def over_added(places: Places, random: Random) -> Made:
    return matched(
        places,
        random,
        r"(SUM\([^()]*\)( OVER \([^()]*\)) AS \w+)",
        r"\1, COUNT(*)\2 AS added",
        r"\1, MAX(b)\2 AS added",
    )


def over_order(places: Places, random: Random) -> Made:
    return matched(places, random, r"ORDER BY ts(?= ROWS| RANGE)", "ORDER BY proctime")


def limit_added(places: Places, random: Random) -> Made:
    queries = [block for block in places.queries if "LIMIT" not in block.clauses]
    return places.changed((queries[-1].end, queries[-1].end, " LIMIT 10")) if queries else None


def exists_negated(places: Places, random: Random) -> Made:
    return matched(places, random, r"(?<!NOT )\b(EXISTS|IN) \((?=SELECT)", r"NOT \1 (")


def insert_order(places: Places, random: Random) -> Made:
    matches = list(re.finditer(r"INSERT INTO [^;]*;\s*", places.text))
    if len(matches) < 2:
        return None
    first, second = matches[:2]
    return places.changed((*first.span(), second[0]), (*second.span(), first[0]))


def insert_removed(places: Places, random: Random) -> Made:
    matches = list(re.finditer(r"INSERT INTO [^;]*;\s*", places.text))
    return places.changed((*random.choice(matches).span(), "")) if len(matches) > 1 else None


def match_within(places: Places, random: Random) -> Made:
    return matched(places, random, r"(PATTERN \([^()]*\))(?! WITHIN)", r"\1 WITHIN INTERVAL '1' HOUR")


def match_pattern(places: Places, random: Random) -> Made:
    return matched(places, random, r"PATTERN \(A B\)", "PATTERN (A B+ C)", "PATTERN (A B B)")


def match_measure(places: Places, random: Random) -> Made:
    return matched(places, random, r"MEASURES ", "MEASURES LAST(A.d) AS added, ", "MEASURES A.b AS added, ")


QUERY_EDITS = {
    function.__name__.replace("_", "-"): function
    for function in (
        window_size, window_type, window_offset, window_time, window_field_filtered, window_legacy_type,
        join_type, join_key_added, join_key_replaced, join_condition_added, join_sides_swapped,
        join_prefiltered, interval_bound, rank_limit, rank_first_to_many, rank_direction, rank_order_column,
        rank_order_added, rank_partition_added, rank_partition_replaced, rank_partition_constant,
        rank_number_read, union_branch_removed, union_branches_swapped, union_branch_doubled, union_distinct,
        over_frame, over_range, over_added, over_order, limit_added, exists_negated, insert_order,
        insert_removed, match_within, match_pattern, match_measure,
    )
}  # fmt: skip

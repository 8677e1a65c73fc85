"""Edits of aggregates, keys and select lists."""

from __future__ import annotations

import re
from random import Random

from matched_text import matched
from sql_places import AGGREGATES, Block, Made, Places
from sql_tokens import Token


def grouped_block(places: Places, random: Random) -> Block | None:
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
    block = grouped_block(places, random)
    numbers = _numbers(block) if block else []
    if block is None or not numbers:
        return None
    end = _last_item(block)
    call = random.choice(("SUM({0})", "MAX({0})", "AVG({0})", "COUNT({0})", "MIN({0})", "COUNT(DISTINCT {0})"))
    return places.changed((end, end, f", {call.format(random.choice(numbers))} AS added"))


def aggregate_added_first(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    aggregates = _aggregates(block) if block else []
    numbers = _numbers(block) if block else []
    if not aggregates or not numbers:
        return None
    start = aggregates[0][0].start
    return places.changed((start, start, f"SUM({random.choice(numbers)}) AS added, "))


def aggregate_removed(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    aggregates = _aggregates(block) if block else []
    if block is None or len(aggregates) < 2:
        return None
    return _without_item(places, block, random.choice(aggregates))


def _without_item(places: Places, block: Block, item: list[Token]) -> Made:
    place = block.items.index(item)
    if len(block.items) < 2:
        return None
    if place == 0:
        return places.changed((item[0].start, block.items[1][0].start, ""))
    return places.changed((block.items[place - 1][-1].end, item[-1].end, ""))


def aggregates_reordered(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    aggregates = _aggregates(block) if block else []
    if len(aggregates) < 2:
        return None
    return _swapped(places, *random.sample(aggregates, 2))


def _swapped(places: Places, first: list[Token], second: list[Token]) -> Made:
    texts = [places.text[item[0].start : item[-1].end] for item in (first, second)]
    return places.changed((first[0].start, first[-1].end, texts[1]), (second[0].start, second[-1].end, texts[0]))


def aggregate_function(places: Places, random: Random) -> Made:
    return matched(places, random, r"\b(?:SUM|MAX|MIN)\((?=\w)", "SUM(", "MAX(", "MIN(", "AVG(", "COUNT(")


def aggregate_column(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    calls = (
        [item for item in _aggregates(block) if len(item) > 3 and item[2].is_name and item[3].text == ")"]
        if block
        else []
    )
    numbers = _numbers(block) if block else []
    if not calls or not numbers:
        return None
    token = random.choice(calls)[2]
    other = random.choice(numbers)
    return places.changed((token.start, token.end, other)) if other != token.text else None


def aggregate_distinct(places: Places, random: Random) -> Made:
    return matched(places, random, r"\b(SUM|COUNT|AVG)\((?=\w+\)(?! OVER))(?!DISTINCT)", r"\1(DISTINCT ")


def aggregate_filter(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    numbers = _numbers(block) if block else []
    calls = [item for item in _aggregates(block) if len(item) > 3 and item[3].text == ")"] if block else []
    if not calls or not numbers:
        return None
    end = random.choice(calls)[3].end
    return places.changed((end, end, f" FILTER (WHERE {random.choice(numbers)} > {random.randint(1, 9)})"))


def aggregate_count_column(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    match = re.search(r"COUNT\((\*)\)", places.text[block.start : block.end]) if block else None
    if block is None or match is None or not block.columns:
        return None
    start = block.start + match.start(1)
    return places.changed((start, start + 1, random.choice(block.columns).reference))


def aggregate_duplicated(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    aggregates = _aggregates(block) if block else []
    if block is None or not aggregates:
        return None
    item = random.choice(aggregates)
    expression = [token for token in item if token.depth > block.depth or token in item[:2] or token.text == ")"]
    end = _last_item(block)
    return places.changed((end, end, f", {places.text[expression[0].start : expression[-1].end]} AS again"))


def key_added(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    if block is None or not block.keys:
        return None
    taken = {key[0].text for key in block.keys}
    others = [column.reference for column in block.columns if column.reference not in taken]
    end = block.keys[-1][-1].end
    return places.changed((end, end, f", {random.choice(others)}")) if others else None


def key_removed(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    if block is None or len(block.keys) < 2:
        return None
    shown = {token.text for item in block.items for token in item}
    unread = [place for place, key in enumerate(block.keys) if not shown & {token.text for token in key}]
    if not unread:
        return None
    place = random.choice(unread)
    if place == 0:
        return places.changed((block.keys[0][0].start, block.keys[1][0].start, ""))
    return places.changed((block.keys[place - 1][-1].end, block.keys[place][-1].end, ""))


def keys_reordered(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
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
                return places.changed((key.start, key.end, other), (item.start, item.end, f"{other} AS {key.text}"))
    return None


def key_wrapped(places: Places, random: Random) -> Made:
    for block in random.sample(places.blocks, len(places.blocks)):
        texts = {column.reference for column in block.columns if column.type in ("STRING", "VARCHAR")}
        for key in block.keys:
            items = [item for item in block.items if len(item) == 1 and item[0].text == key[0].text]
            if len(key) == 1 and key[0].text in texts and items:
                changed = f"UPPER({key[0].text})"
                item = items[0][0]
                return places.changed(
                    (key[0].start, key[0].end, changed), (item.start, item.end, f"{changed} AS {key[0].text}")
                )
    return None


def key_constant(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    if block is None or "WHERE" in block.clauses or "FROM" not in block.clauses:
        return None
    texts = {column.reference for column in block.columns if column.type in ("STRING", "VARCHAR")}
    keys = [key[0].text for key in block.keys if key[0].text in texts]
    end = block.clauses["FROM"][-1].end
    return places.changed((end, end, f" WHERE {keys[0]} = 'x'")) if keys else None


def having_added(places: Places, random: Random) -> Made:
    block = grouped_block(places, random)
    if block is None or "HAVING" in block.clauses or "GROUP" not in block.clauses:
        return None
    end = block.clauses["GROUP"][-1].end
    return places.changed((end, end, f" HAVING COUNT(*) > {random.randint(1, 9)}"))


def output_added(places: Places, random: Random) -> Made:
    found = [block for block in places.blocks if not block.is_grouped and block.columns and not block.is_distinct]
    if not found:
        return None
    block = random.choice(found)
    end = _last_item(block)
    return places.changed((end, end, f", {random.choice(block.columns).reference} AS added"))


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
    return places.changed((select.end, select.end, " DISTINCT")) if select else None


AGGREGATE_EDITS = {
    function.__name__.replace("_", "-"): function
    for function in (
        aggregate_added_last, aggregate_added_first, aggregate_removed, aggregates_reordered,
        aggregate_function, aggregate_column, aggregate_distinct, aggregate_filter, aggregate_count_column,
        aggregate_duplicated, key_added, key_removed, keys_reordered, key_replaced, key_wrapped, key_constant,
        having_added, output_added, output_removed, output_reordered, distinct_added,
    )
}  # fmt: skip

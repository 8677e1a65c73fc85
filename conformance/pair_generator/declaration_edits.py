"""Edits of what stands around queries: declarations, options, hints, settings."""

from __future__ import annotations

from random import Random

from sql_places import DeclaredTable, Made, Places


def _read_tables(places: Places) -> list[DeclaredTable]:
    """Tables that no INSERT names."""
    tokens = places.tokens
    sinks = {tokens[index + 2].name for index in range(len(tokens) - 2) if tokens[index].word == "INSERT"}
    return [table for name, table in places.tables.items() if name not in sinks and table.physical]


def _a_table(places: Places, random: Random) -> DeclaredTable | None:
    tables = _read_tables(places)
    return random.choice(tables) if tables else None


def column_added_first(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    return (
        places.changed((table.physical[0][0].start, table.physical[0][0].start, "new_column INT, ")) if table else None
    )


def column_added_last(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    return (
        places.changed((table.physical[-1][-1].end, table.physical[-1][-1].end, ", new_column INT")) if table else None
    )


def column_dropped(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None or len(table.physical) < 2:
        return None
    entry = random.choice(table.physical[:-1])
    after = table.entries[table.entries.index(entry) + 1]
    return places.changed((entry[0].start, after[0].start, ""))


def columns_reordered(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None or len(table.physical) < 2:
        return None
    first, second = random.sample(table.physical, 2)
    texts = [places.text[entry[0].start : entry[-1].end] for entry in (first, second)]
    return places.changed((first[0].start, first[-1].end, texts[1]), (second[0].start, second[-1].end, texts[0]))


def type_widened(places: Places, random: Random) -> Made:
    wider = {"INT": "BIGINT", "BIGINT": "DOUBLE", "STRING": "VARCHAR(20)", "BOOLEAN": "STRING"}
    table = _a_table(places, random)
    entries = [entry for entry in table.physical if entry[1].word in wider] if table else []
    if not entries:
        return None
    entry = random.choice(entries)
    return places.changed((entry[1].start, entry[1].end, wider[entry[1].word]))


def not_null_added(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    entries = [entry for entry in table.physical if len(entry) == 2] if table else []
    if not entries:
        return None
    entry = random.choice(entries)
    return places.changed((entry[1].end, entry[1].end, " NOT NULL"))


def not_null_dropped(places: Places, random: Random) -> Made:
    for table in _read_tables(places):
        for entry in table.physical:
            if len(entry) == 4 and entry[2].word == "NOT":
                return places.changed((entry[2].start, entry[3].end, ""))
    return None


def computed_column_added(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None:
        return None
    entry = table.physical[-1]
    return places.changed((entry[-1].end, entry[-1].end, f", computed AS COALESCE({entry[0].text}, {entry[0].text})"))


def primary_key_added(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None or any(entry[0].word == "PRIMARY" for entry in table.entries):
        return None
    solid = [column for column in table.columns if column.not_null]
    entry = table.entries[-1]
    key = f", PRIMARY KEY ({solid[0].reference}) NOT ENFORCED" if solid else ""
    return places.changed((entry[-1].end, entry[-1].end, key)) if key else None


def watermark_delay(places: Places, random: Random) -> Made:
    for table in _read_tables(places):
        for entry in table.entries:
            interval = [token for token in entry if token.kind == "text"]
            if entry[0].word == "WATERMARK" and interval:
                return places.changed((interval[0].start, interval[0].end, f"'{random.randint(2, 40)}'"))
    return None


def watermark_removed(places: Places, random: Random) -> Made:
    for table in _read_tables(places):
        for index, entry in enumerate(table.entries):
            if entry[0].word == "WATERMARK" and index:
                return places.changed((table.entries[index - 1][-1].end, entry[-1].end, ""))
    return None


def table_renamed(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None:
        return None
    uses = [token for token in places.tokens if token.is_name and token.name == table.name]
    before = {token.start: places.tokens[index - 1].text for index, token in enumerate(places.tokens) if index}
    named = [token for token in uses if before.get(token.start) != "."]
    declared = {column.name for column in table.columns}
    if table.name in declared:
        return None
    return places.changed(*((token.start, token.end, "renamed_table") for token in named))


def _option(places: Places, random: Random, key: str, values: tuple[str, ...]) -> Made:
    for table in random.sample(_read_tables(places), len(_read_tables(places))):
        for option in table.options:
            if option[0].text == f"'{key}'":
                others = [value for value in values if option[-1].text != f"'{value}'"]
                return places.changed((option[-1].start, option[-1].end, f"'{random.choice(others)}'"))
    return None


def option_topic(places: Places, random: Random) -> Made:
    return _option(places, random, "topic", ("events", "orders"))


def option_connector(places: Places, random: Random) -> Made:
    return _option(places, random, "connector", ("kafka", "datagen", "mysql-cdc"))


def option_format(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None or not table.options or any(option[0].text == "'format'" for option in table.options):
        return _option(places, random, "format", ("csv", "debezium-json", "canal-json"))
    value = random.choice(("debezium-json", "canal-json", "json"))
    return places.changed((table.options[-1][-1].end, table.options[-1][-1].end, f", 'format' = '{value}'"))


def option_added(places: Places, random: Random) -> Made:
    table = _a_table(places, random)
    if table is None or not table.options:
        return None
    end = table.options[-1][-1].end
    return places.changed((end, end, ", 'scan.startup.mode' = 'earliest-offset'"))


def _set(places: Places, text: str) -> Made:
    return places.text, f"SET {text};\n{places.text}"


def set_ttl(places: Places, random: Random) -> Made:
    return _set(places, f"'table.exec.state.ttl' = '{random.choice(('1 h', '2 d'))}'")


def set_mini_batch(places: Places, random: Random) -> Made:
    text = "SET 'table.exec.mini-batch.allow-latency' = '2 s';\nSET 'table.exec.mini-batch.size' = '1000';\n"
    return places.text, f"{text}SET 'table.exec.mini-batch.enabled' = 'true';\n{places.text}"


def set_parallelism(places: Places, random: Random) -> Made:
    return _set(places, "'table.exec.resource.default-parallelism' = '4'")


def set_time_zone(places: Places, random: Random) -> Made:
    return _set(places, "'table.local-time-zone' = 'Asia/Tokyo'")


def set_uids(places: Places, random: Random) -> Made:
    return _set(places, "'table.exec.uid.generation' = 'ALWAYS'")


def set_reuse(places: Places, random: Random) -> Made:
    return _set(places, "'table.optimizer.reuse-sub-plan-enabled' = 'false'")


def set_one_phase(places: Places, random: Random) -> Made:
    return _set(places, "'table.optimizer.agg-phase-strategy' = 'ONE_PHASE'")


def set_multi_join(places: Places, random: Random) -> Made:
    return _set(places, "'table.optimizer.multi-join.enabled' = 'true'")


def set_distinct_split(places: Places, random: Random) -> Made:
    return _set(places, "'table.optimizer.distinct-agg.split.enabled' = 'true'")


def hint_ttl(places: Places, random: Random) -> Made:
    blocks = [block for block in places.blocks if block.relations and block.relations[0][0]]
    if not blocks:
        return None
    block = random.choice(blocks)
    select = block.clauses["SELECT"][0]
    return places.changed((select.end, select.end, f" /*+ STATE_TTL('{block.relations[0][0]}' = '1 d') */"))


def hint_options(places: Places, random: Random) -> Made:
    for block in places.blocks:
        for _, relation in block.relations:
            if relation[0].name in places.tables and len(relation) == 1:
                end = relation[0].end
                return places.changed((end, end, " /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */"))
    return None


DECLARATION_EDITS = {
    function.__name__.replace("_", "-"): function
    for function in (
        column_added_first, column_added_last, column_dropped, columns_reordered, type_widened, not_null_added,
        not_null_dropped, computed_column_added, primary_key_added, watermark_delay, watermark_removed, table_renamed,
        option_topic, option_connector, option_format, option_added, set_ttl, set_mini_batch, set_parallelism,
        set_time_zone, set_uids, set_reuse, set_one_phase, set_multi_join, set_distinct_split, hint_ttl, hint_options,
    )
}  # fmt: skip

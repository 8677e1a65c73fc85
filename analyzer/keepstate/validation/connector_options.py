"""Options of the connectors that come with Flink: those that their factories take, and those that they need.

Measured on Flink 1.20 and 2.3, which agree. A factory sees the options when a statement reads or fills the table, so a
table that no statement uses is taken. Of other connectors nothing is known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from keepstate.plan.catalog import Catalog, Option, TableDefinition
from keepstate.plan.types.logical_types import LogicalType

_WATERMARKS = frozenset(
    """property-version scan.watermark.alignment.group scan.watermark.alignment.max-drift
    scan.watermark.alignment.update-interval scan.watermark.emit.strategy scan.watermark.idle-timeout""".split()
)
_PRINT = _WATERMARKS | {"connector", "print-identifier", "sink.parallelism", "standard-error"}
_BLACKHOLE = _WATERMARKS | {"connector"}
_FILESYSTEM = _WATERMARKS | frozenset(
    """auto-compaction compaction.file-size connector format partition.default-name partition.time-extractor.class
    partition.time-extractor.kind partition.time-extractor.timestamp-formatter
    partition.time-extractor.timestamp-pattern path sink.parallelism sink.partition-commit.delay
    sink.partition-commit.policy.class sink.partition-commit.policy.class.parameters sink.partition-commit.policy.kind
    sink.partition-commit.success-file.name sink.partition-commit.trigger sink.partition-commit.watermark-time-zone
    sink.rolling-policy.check-interval sink.rolling-policy.file-size sink.rolling-policy.inactivity-interval
    sink.rolling-policy.rollover-interval sink.shuffle-by-partition.enable source.monitor-interval
    source.path.regex-pattern source.report-statistics""".split()
)
_DATAGEN = frozenset("connector number-of-rows rows-per-second scan.parallelism".split())
_WITHOUT_BUCKETS = frozenset({"print", "blackhole", "filesystem", "kafka", "upsert-kafka", "jdbc"})
_WITHOUT_METADATA = frozenset({"print", "blackhole", "filesystem"})
"""Connectors that write no metadata; of these only filesystem overwrites."""
_READABLE_METADATA = {
    "datagen": frozenset[str](),
    "filesystem": frozenset({"file.path", "file.name", "file.size", "file.modification-time"}),
}
"""The metadata that sources give."""
_NEEDED = {"filesystem": ("path", "format")}

_SEQUENCE = frozenset({"kind", "start", "end"})
_OF_NUMBERS = frozenset({"kind", "min", "max", "null-rate"})
_OF_TEXTS = frozenset({"kind", "length", "null-rate", "var-len"})
_RANDOM: dict[str, frozenset[str]] = {
    **dict.fromkeys("TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL".split(), _OF_NUMBERS),
    **dict.fromkeys("VARCHAR VARBINARY".split(), _OF_TEXTS),
    **dict.fromkeys("CHAR BINARY".split(), _OF_TEXTS - {"var-len"}),
    "BOOLEAN": frozenset({"kind", "null-rate"}),
    "TIMESTAMP": frozenset({"kind", "max-past", "null-rate"}),
    "TIMESTAMP_LTZ": frozenset({"kind", "max-past", "null-rate"}),
    "DATE": frozenset({"kind"}),
    "TIME": frozenset({"kind"}),
}
"""Fields that ``fields.NAME.`` takes for a random column, by the root of its type."""


def refusal_of_source(table: TableDefinition, catalog: Catalog, hint: Sequence[Option]) -> str | None:
    """The reason why the connector of a table that is read refuses its options, or those of a hint; ``None`` if there
    is none.
    """
    options = {**catalog.options_of(table), **{option.key: option for option in hint}}
    connector = _value(options, "connector")
    reason = _refusal_of_metadata(table, catalog, connector)
    if reason is not None:
        return reason
    if connector == "datagen":
        return next(_of_datagen(table, options, catalog), None)
    return _refusal(table, options, _FILESYSTEM) if connector == "filesystem" else None


def refusal_of_write(table: TableDefinition, catalog: Catalog, overwrites: bool, is_batch: bool) -> str | None:
    """The reason why a connector does not write a table as an INSERT asks for; ``None`` if there is none. What it
    writes of a row are columns that are not VIRTUAL, even if the INSERT does not name them.
    """
    connector = _value(catalog.options_of(table), "connector")
    if connector not in _WITHOUT_METADATA:
        return None
    if overwrites and connector != "filesystem":
        return f"{connector} overwrites nothing: write INSERT INTO."
    if overwrites and not is_batch:
        return "filesystem overwrites in batch mode only."
    columns, _ = catalog.columns_of(table)
    name = next((column.name for column in columns if column.metadata is not None and not column.virtual), None)
    if name is None:
        return None
    return f"{connector} writes no metadata, and {name} of {table.name} is METADATA. VIRTUAL leaves it out."


def _refusal_of_metadata(table: TableDefinition, catalog: Catalog, connector: str) -> str | None:
    readable = _READABLE_METADATA.get(connector)
    columns, _ = catalog.columns_of(table)
    keys = [column.metadata for column in columns if column.metadata is not None]
    key = next((key for key in keys if key not in readable), None) if readable is not None else None
    return f"{connector} has no metadata {key}, which {table.name} declares." if key is not None else None


def refusal_of_sink(table: TableDefinition, options: Mapping[str, Option]) -> str | None:
    """The same for a table that is filled with these ``options``, those of a hint included."""
    connector, tree = _value(options, "connector"), table.statement.tree
    if connector in _WITHOUT_BUCKETS and tree is not None and tree.args.get("distributed_by") is not None:
        return f"{connector} writes no buckets, and {table.name} is DISTRIBUTED."
    keys = {"print": _PRINT, "blackhole": _BLACKHOLE, "filesystem": _FILESYSTEM}.get(connector)
    return _refusal(table, options, keys) if keys is not None else None


def _refusal(table: TableDefinition, options: Mapping[str, Option], keys: frozenset[str]) -> str | None:
    connector, format_ = _value(options, "connector"), _value(options, "format")
    for key in options:
        if key in keys or _is_template(key) or (format_ and key.startswith(f"{format_}.")) or _is_template(format_):
            continue
        return f"{connector} has no option {key}."
    missing = next((key for key in _NEEDED.get(connector, ()) if key not in options), None)
    return f"{connector} needs the option {missing}, and {table.name} has none." if missing is not None else None


def _of_datagen(table: TableDefinition, options: Mapping[str, Option], catalog: Catalog) -> Iterator[str]:
    declared, whole = catalog.columns_of(table)
    if not whole:
        return
    columns = {column.name: column for column in declared if column.expression is None}
    for key in options:
        if key in _DATAGEN or _is_template(key):
            continue
        name, field = _column_of(key, columns)
        if name is None:
            yield f"datagen has no option {key}, neither for itself nor for a column of {table.name}."
            continue
        text = columns[name].type
        type_ = LogicalType.declared(text) if text else None
        kind = _value(options, f"fields.{name}.kind")
        if type_ is None or type_.root not in _RANDOM or _is_template(kind):
            continue
        keys = _RANDOM[type_.root]
        if kind not in ("", "random", "sequence"):
            yield f"datagen makes random values or a sequence, and no {kind}."
        if kind == "sequence":
            keys = _SEQUENCE
            if _RANDOM[type_.root].isdisjoint({"min", "length"}):
                yield f"datagen makes no sequence of {type_}."
            missing = next((each for each in sorted(keys) if f"fields.{name}.{each}" not in options), None)
            if missing is not None:
                yield f"A sequence of datagen needs the option fields.{name}.{missing}."
        if field not in keys:
            yield f"datagen has no option {key} for {kind or 'random'} values of {type_}."


def _column_of(key: str, columns: Mapping[str, object]) -> tuple[str | None, str]:
    """The column of an option ``fields.NAME.FIELD``, and the field; names may have dots."""
    if not key.startswith("fields."):
        return None, ""
    rest = key.removeprefix("fields.")
    name = max((name for name in columns if rest.startswith(f"{name}.")), key=len, default=None)
    return name, rest.removeprefix(f"{name}.")


def _value(options: Mapping[str, Option], key: str) -> str:
    option = options.get(key)
    return option.value if option is not None else ""


def _is_template(text: str) -> bool:
    """Return whether a template may fill in something here."""
    return "{" in text or "$" in text

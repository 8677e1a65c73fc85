"""Values of settings as Flink reads them, and the queries that make it read them.

SET takes any text. Flink reads a value where a query needs it, and then refuses the query. Measured on Flink 1.20, 2.1,
2.2 and 2.3, with a wrong value of each key before 52 shapes of queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from zoneinfo import available_timezones

from keepstate.plan.catalog import Catalog
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    GroupAggregate,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Limit,
    LookupJoin,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    WindowAggregate,
    WindowRank,
)
from keepstate.plan.parameters import (
    ALLOW_LATENESS,
    BATCH_SIZE,
    EARLY_DELAY,
    EARLY_FIRE,
    LATE_DELAY,
    LATE_FIRE,
    MINI_BATCH,
    STATE_TTL,
    milliseconds,
)

Version = tuple[int, int]
_ANY: Version = (0, 0)
_ISO_SINCE: Version = (2, 0)
"""Durations like ``PT1H`` are read since."""
_OFFSET = re.compile(r"GMT[+-](?:\d|(?:0\d|1[0-7])(?::?[0-5]\d)?|18(?::?00)?)")
_FOREIGN_OFFSET = re.compile(r"(?:UTC|UT|Z)?[+-].*")
_NO_REGIONS = frozenset({"EST", "MST", "HST", "ROC", "Factory", "localtime"})
"""Names of the time zone database that Java does not know, or reads as another zone."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class SettingReader(Enum):
    """The queries for which Flink reads a setting."""

    EVERY = "every query"
    SOURCES = "tables, but those of upsert connectors"
    WATERMARKS = "tables with a watermark"
    STATE = "operators whose state may expire"
    GROUPS = "aggregations, apart from windows in GROUP BY"
    WINDOWS = "aggregations in windows"
    GROUP_WINDOWS = "windows in GROUP BY"
    BATCHES = "aggregations and deduplications, which take rows in batches"
    JOINS = "regular joins that give rows of both inputs"
    OVER = "OVER aggregations"
    RANKINGS = "Top-N and LIMIT"
    DEDUPLICATIONS = "deduplications"
    INTERVALS = "interval joins"
    ROWS = "queries without aggregations"

    def reads(self, operators: tuple[Operator, ...], catalog: Catalog) -> bool:
        """Return whether a query with these operators makes Flink read such a setting."""
        if self is SettingReader.ROWS:
            return not any(isinstance(each, (Aggregate, SetOperation, OverAggregate)) for each in operators)
        return any(_reads(self, each, catalog) for each in operators)


def _reads(reader: SettingReader, operator: Operator, catalog: Catalog) -> bool:
    is_group = isinstance(operator, (GroupAggregate, SetOperation))
    is_join = type(operator) is Join
    is_ranking = isinstance(operator, (Rank, Limit)) and not isinstance(operator, WindowRank)
    match reader:
        case SettingReader.EVERY:
            return True
        case SettingReader.SOURCES:
            return isinstance(operator, TableSourceScan) and not _connector(operator, catalog).startswith("upsert-")
        case SettingReader.WATERMARKS:
            return isinstance(operator, TableSourceScan) and _has_watermark(operator, catalog)
        case SettingReader.STATE:
            is_temporal = isinstance(operator, TemporalJoin) and not isinstance(operator, LookupJoin)
            return is_group or is_join or is_ranking or is_temporal or isinstance(operator, OverAggregate)
        case SettingReader.GROUPS:
            return is_group or isinstance(operator, WindowAggregate)
        case SettingReader.WINDOWS:
            return isinstance(operator, (WindowAggregate, GroupWindowAggregate))
        case SettingReader.GROUP_WINDOWS:
            return isinstance(operator, GroupWindowAggregate)
        case SettingReader.BATCHES:
            return is_group or isinstance(operator, Deduplicate)
        case SettingReader.JOINS:
            return is_join and isinstance(operator, Join) and operator.kind not in ("semi", "anti")
        case SettingReader.OVER:
            return isinstance(operator, OverAggregate)
        case SettingReader.RANKINGS:
            return is_ranking and not isinstance(operator, Deduplicate)
        case SettingReader.DEDUPLICATIONS:
            return isinstance(operator, Deduplicate)
        case SettingReader.INTERVALS:
            return isinstance(operator, IntervalJoin)
        case SettingReader.ROWS:
            return True


def _has_watermark(scan: TableSourceScan, catalog: Catalog) -> bool:
    table = catalog.tables.get(scan.table)
    return table is not None and catalog.watermark_place_of(table) is not None


def _connector(scan: TableSourceScan, catalog: Catalog) -> str:
    table = catalog.tables.get(scan.table)
    option = catalog.options_of(table).get("connector") if table is not None else None
    return option.value if option is not None else ""


@dataclass(frozen=True)
class SettingForm:
    """A form of values, in ``words`` with an example. ``is_open`` is true if other engines than Flink may know more."""

    words: str
    takes: Callable[[str, Version], bool]
    is_open: bool = False


@dataclass(frozen=True)
class SettingValue:
    """A setting whose value Flink reads in one form, in versions from ``since`` and before ``until``."""

    key: str
    form: SettingForm
    readers: tuple[SettingReader, ...] = (SettingReader.EVERY,)
    since: Version = _ANY
    until: Version | None = None

    def refusal(self, text: str, flink: Version) -> str | None:
        """Why a version of Flink does not read a value; ``None`` if it does.

        >>> ttl = next(each for each in SETTING_VALUES if each.key == "table.exec.state.ttl")
        >>> ttl.refusal("soon", (2, 3)), ttl.refusal("1 d", (2, 3))
        ("table.exec.state.ttl takes a length of time, such as 1 d, and not 'soon'.", None)
        """
        in_force = self.since <= flink and (self.until is None or flink < self.until)
        if not in_force or self.form.takes(text, flink):
            return None
        return f"{self.key} takes {self.form.words}, and not '{text}'."


def _is_duration(text: str, flink: Version) -> bool:
    is_iso = text.strip()[:1].upper() == "P"
    return milliseconds(text) is not None and (flink >= _ISO_SINCE or not is_iso)


def whole(words: str, bits: int, least: int | None = None, most: int | None = None) -> SettingForm:
    """The form of whole numbers of so many bits, within bounds.

    >>> [whole("a small number", 32, 1, 9).takes(text, (2, 3)) for text in ("9", "10", "1.0")]
    [True, False, False]
    """
    lowest = -(2 ** (bits - 1)) if least is None else least
    highest = 2 ** (bits - 1) - 1 if most is None else most
    return SettingForm(words, lambda text, _: bool(_WHOLE.fullmatch(text)) and lowest <= int(text) <= highest)


def one_of(*words: str) -> SettingForm:
    """The form of one of some words, in any case.

    >>> one_of("AUTO", "NONE").words, one_of("AUTO").takes("auto", (2, 3))
    ('AUTO or NONE', True)
    """
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    return SettingForm(listed, lambda text, _: text.upper() in words, is_open=True)


def _is_expansion(text: str, flink: Version) -> bool:
    return all(not each or each.upper() in _HIDDEN_COLUMNS for each in text.split(";"))


def is_zone(text: str) -> bool:
    """Return whether Flink takes a text for a time zone: a region of the time zone database, or an offset from GMT.

    >>> [text for text in ("Europe/Berlin", "GMT+8", "UTC", "UTC+8", "+08:00", "PST", "asia/tokyo") if is_zone(text)]
    ['Europe/Berlin', 'GMT+8', 'UTC']
    """
    if text == "default" or _OFFSET.fullmatch(text) is not None:
        return True
    # A machine without the database cannot say which regions there are.
    return text in _regions() if _regions() else _FOREIGN_OFFSET.fullmatch(text) is None


@cache
def _regions() -> frozenset[str]:
    return frozenset(available_timezones()) - _NO_REGIONS


SWITCH = SettingForm("true or false", lambda text, _: text.upper() in ("TRUE", "FALSE"))
DURATION = SettingForm("a length of time, such as 1 d", _is_duration)
NUMBER = whole("a whole number", 32)
LONG_NUMBER = whole("a whole number", 64)
_ZONE = SettingForm("a time zone, such as Europe/Berlin or GMT+08:00", lambda text, _: is_zone(text))
_CHECKPOINTS = SettingForm(
    "a length of time of 10 ms or more",
    lambda text, flink: _is_duration(text, flink) and (milliseconds(text) or 0) >= 10,
)
_HIDDEN_COLUMNS = ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", "EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS")
_EXPANSIONS = SettingForm(f"{' or '.join(_HIDDEN_COLUMNS)}", _is_expansion, is_open=True)
_FROM_2_0: Version = (2, 0)
_FROM_2_1: Version = (2, 1)
_READER = SettingReader
_ASYNCHRONOUS = (_READER.JOINS, _READER.RANKINGS)

SETTING_VALUES: tuple[SettingValue, ...] = (
    SettingValue("table.local-time-zone", _ZONE),
    SettingValue(STATE_TTL, DURATION, (_READER.STATE,)),
    SettingValue(MINI_BATCH, SWITCH),
    SettingValue(BATCH_SIZE, LONG_NUMBER, (_READER.BATCHES, _READER.GROUP_WINDOWS)),
    SettingValue("table.exec.source.idle-timeout", DURATION, (_READER.WATERMARKS,)),
    SettingValue("table.optimizer.agg-phase-strategy", one_of("AUTO", "ONE_PHASE", "TWO_PHASE"), (_READER.GROUPS,)),
    SettingValue("table.optimizer.distinct-agg.split.enabled", SWITCH, (_READER.GROUPS,)),
    SettingValue("table.optimizer.join-reorder-enabled", SWITCH),
    SettingValue("table.optimizer.reuse-sub-plan-enabled", SWITCH),
    SettingValue("table.optimizer.reuse-source-enabled", SWITCH),
    SettingValue("table.optimizer.reuse-sink-enabled", SWITCH, since=_FROM_2_1),
    SettingValue("table.optimizer.source.predicate-pushdown-enabled", SWITCH, until=_FROM_2_0),
    SettingValue("table.optimizer.non-deterministic-update.strategy", one_of("TRY_RESOLVE", "IGNORE")),
    SettingValue("table.optimizer.multi-join.enabled", SWITCH, (_READER.JOINS,), since=_FROM_2_1),
    SettingValue("table.optimizer.delta-join.strategy", one_of("AUTO", "FORCE", "NONE"), since=_FROM_2_1),
    SettingValue("table.exec.simplify-operator-name-enabled", SWITCH),
    SettingValue("table.exec.resource.default-parallelism", NUMBER),
    SettingValue("table.exec.sink.not-null-enforcer", one_of("ERROR", "DROP")),
    SettingValue("table.exec.sink.type-length-enforcer", one_of("IGNORE", "TRIM_PAD", "ERROR")),
    SettingValue("table.exec.sink.upsert-materialize", one_of("NONE", "AUTO", "FORCE")),
    SettingValue("table.exec.sink.keyed-shuffle", one_of("NONE", "AUTO", "FORCE")),
    SettingValue("table.exec.sink.rowtime-inserter", one_of("ENABLED", "DISABLED")),
    SettingValue("table.exec.legacy-cast-behaviour", one_of("ENABLED", "DISABLED"), (_READER.ROWS,)),
    SettingValue("table.exec.uid.generation", one_of("PLAN_ONLY", "ALWAYS", "DISABLED")),
    SettingValue("table.exec.async-state.enabled", SWITCH, _ASYNCHRONOUS, since=_FROM_2_0),
    SettingValue("table.exec.rank.topn-cache-size", LONG_NUMBER, (_READER.RANKINGS,)),
    SettingValue("table.exec.deduplicate.insert-update-after-sensitive-enabled", SWITCH, (_READER.DEDUPLICATIONS,)),
    SettingValue("table.exec.deduplicate.mini-batch.compact-changes-enabled", SWITCH, (_READER.DEDUPLICATIONS,)),
    SettingValue("table.exec.interval-join.min-cleanup-interval", DURATION, (_READER.INTERVALS,)),
    SettingValue(EARLY_FIRE, SWITCH, (_READER.WINDOWS,)),
    SettingValue(LATE_FIRE, SWITCH, (_READER.WINDOWS,)),
    SettingValue(EARLY_DELAY, DURATION, (_READER.GROUP_WINDOWS,)),
    SettingValue(LATE_DELAY, DURATION, (_READER.GROUP_WINDOWS,)),
    SettingValue(ALLOW_LATENESS, DURATION, (_READER.GROUP_WINDOWS,)),
    SettingValue("table.exec.unbounded-over.version", NUMBER, (_READER.OVER,), since=_FROM_2_1),
    SettingValue("table.column-expansion-strategy", _EXPANSIONS),
    SettingValue("table.exec.source.cdc-events-duplicate", SWITCH, (_READER.SOURCES,)),
    SettingValue("table.generated-code.max-length", NUMBER),
    SettingValue("parallelism.default", NUMBER),
    SettingValue("pipeline.max-parallelism", whole("a whole number from 1 to 32768", 32, 1, 32768)),
    SettingValue("pipeline.auto-watermark-interval", DURATION),
    SettingValue("pipeline.object-reuse", SWITCH),
    SettingValue("pipeline.operator-chaining.enabled", SWITCH),
    SettingValue("pipeline.auto-generate-uids", SWITCH),
    SettingValue("pipeline.generic-types", SWITCH),
    SettingValue("execution.checkpointing.interval", _CHECKPOINTS),
    SettingValue("execution.buffer-timeout", DURATION),
    SettingValue("execution.buffer-timeout.interval", DURATION),
    SettingValue("execution.checkpointing.mode", one_of("EXACTLY_ONCE", "AT_LEAST_ONCE")),
    SettingValue("execution.state-recovery.ignore-unclaimed-state", SWITCH),
    SettingValue("execution.savepoint.ignore-unclaimed-state", SWITCH),
)

"""Facts about connectors and formats: the options that decide how a source reads, and the changes that a source sends.

Names are those of the connectors of Flink, Flink CDC and the platform. An unknown fact is ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from keepstate.plan.catalog import Option


class SourceConcern(Enum):
    """Aspect of a source that an option decides, as far as its state depends on it (spec SRC-05 to SRC-07)."""

    CONNECTOR = "connector"
    SNAPSHOT = "how its snapshot is read in pieces"
    CHANGELOG = "which changes it sends"
    DATA = "which rows there are"


_SNAPSHOT = re.compile(
    r"chunk\.key-column$|snapshot\.split\.column$|partition\.column$|incremental\.snapshot\.enabled$"
)
_CHANGELOG = re.compile(r"^cdcmode$|^binlog$|^source\.binlog$|change-?log|upsert|retract")
_OF_SINKS = re.compile(r"^sink[.-]")
_ADDRESS = re.compile(
    r"(^|\.)bootstrap\.servers$|^properties\.|^(hostname|hosts?|port|user|username)$"
    r"|password|secret|token|credential|access[-.]?key"
)
_NO_LETTER = re.compile(r"[^a-z0-9]")

# Without dots, dashes and capital letters, in which connectors differ.
_TOPICS = frozenset({"topic", "topics"})
_DATA = _TOPICS | frozenset(
    """topicpattern topicspattern table tablename catalogtable database databasename dbname catalogdatabase schemaname
    path sourcepathregexpattern url collection collectionname index indices indexname stream streamname streamarn queue
    project logstore instancename""".split()
)
_DATA_OF_CONNECTORS = {"odps": {"partition"}, "maxcompute": {"partition"}, "rocketmq": {"tag"}, "mq": {"tag"}}

_DEFAULTS = {
    "binlog": "false",
    "cdcmode": "false",
    "changelog-mode": "all",
    "changelog.enabled": "false",
    "scan.full-changelog": "false",
    "scan.read-changelog-as-append-only.enabled": "false",
}

_FORMATS = ("value.format", "format")
_CHANGE_FORMATS = ("debezium", "canal", "maxwell", "ogg", "changelog")
_PLAIN_FORMATS = frozenset({"json", "csv", "avro", "avro-confluent", "raw", "protobuf", "parquet", "orc"})
_CHANGE_CONNECTORS = frozenset({"mysql", "postgres", "upsert-kafka", "mongodb", "paimon", "polardbx"})
_PLAIN_CONNECTORS = frozenset({"datagen", "faker", "nexmark", "filesystem", "sls", "datahub", "pulsar", "rocketmq"})
_BY_FORMAT = frozenset({"kafka", "filesystem", "pulsar", "rocketmq", "kinesis"})


def concern_of(key: str, connector: str = "") -> SourceConcern | None:
    """Return the aspect of a source that an option decides; ``None`` for options without an effect on its state.

    >>> concern_of("topic"), concern_of("changelog-mode")
    (<SourceConcern.DATA: 'which rows there are'>, <SourceConcern.CHANGELOG: 'which changes it sends'>)
    >>> concern_of("sink.parallelism") is None
    True
    """
    name = key.lower()
    if name == "connector":
        return SourceConcern.CONNECTOR
    if _OF_SINKS.search(name):
        return None
    if _SNAPSHOT.search(name):
        return SourceConcern.SNAPSHOT
    if _CHANGELOG.search(name):
        return SourceConcern.CHANGELOG
    bare = _bare(key)
    return SourceConcern.DATA if bare in _DATA or bare in _DATA_OF_CONNECTORS.get(connector, ()) else None


def is_address(key: str) -> bool:
    """Return whether an option of a catalog is the address of its servers or the account, and not the content.

    >>> is_address("properties.bootstrap.servers"), is_address("topic")
    (True, False)
    """
    return _ADDRESS.search(key.lower()) is not None


def value_of(options: Mapping[str, Option], key: str, primary_key: tuple[str, ...] = ()) -> str | None:
    """The value that an option has, whether written or by default, in one spelling.

    >>> options = catalog("CREATE TABLE t (a INT) WITH ('topic' = 'b; a')").tables["t"].options
    >>> value_of(options, "topic"), value_of(options, "changelog-mode")
    ('a;b', 'all')
    """
    option = options.get(key)
    if option is not None:
        value = option.value.strip()
        if _bare(key) in _TOPICS:
            # A list of topics has no order.
            return ";".join(sorted({topic.strip() for topic in re.split("[;,]", value)}))
        return value.lower() if value.lower() in ("true", "false") else value
    if key.lower().endswith("chunk.key-column") and primary_key:
        return primary_key[0]
    return _DEFAULTS.get(key.lower())


def connector_of(options: Mapping[str, Option]) -> str:
    """Return the name of a source's connector; empty without that option.

    >>> declared = catalog()
    >>> [connector_of(declared.options_of(declared.tables[name])) for name in ("orders", "buyers")]
    ['kafka', 'upsert-kafka']
    """
    return options["connector"].value.strip().lower() if "connector" in options else ""


def format_of(options: Mapping[str, Option]) -> Option | None:
    """The option that names the format of a source's values.

    >>> declared = catalog()
    >>> [format_of(declared.options_of(declared.tables[name])).key for name in ("orders", "buyers")]
    ['format', 'value.format']
    """
    return next((options[key] for key in _FORMATS if key in options), None)


def is_change_format(name: str) -> bool:
    """Return whether a format carries updates and deletions.

    >>> is_change_format("debezium-json"), is_change_format("json")
    (True, False)
    """
    return name.strip().lower().partition("-")[0] in _CHANGE_FORMATS


def sends_upserts(options: Mapping[str, Option]) -> bool:
    """Return whether a source sends the new row of a key without the former one.

    Flink then stores the last row of every key behind the source (ChangelogNormalize), in order to emit the former row.

    >>> declared = catalog("CREATE TABLE c (a INT) WITH ('connector' = 'mysql-cdc')")
    >>> [name for name, table in declared.tables.items() if sends_upserts(declared.options_of(table))]
    ['buyers']
    """
    connector = connector_of(options)
    if connector.startswith("upsert-"):
        return True
    if connector in ("postgres", "postgres-cdc"):
        return value_of(options, "changelog-mode") == "upsert"
    return connector in ("mongodb", "mongodb-cdc") and value_of(options, "scan.full-changelog") != "true"


def sends_updates(options: Mapping[str, Option]) -> bool | None:
    """Return whether a source sends updates or deletions; ``None`` if its connector is unknown.

    >>> own = catalog("CREATE TABLE own (a INT) WITH ('connector' = 'written-by-us')")
    >>> {name: sends_updates(own.options_of(table)) for name, table in own.tables.items()}
    {'orders': False, 'buyers': True, 'own': None}
    """
    connector = connector_of(options)
    if connector in _CHANGE_CONNECTORS or connector.endswith("-cdc"):
        return value_of(options, "scan.read-changelog-as-append-only.enabled") != "true"
    format_option = format_of(options)
    if format_option is not None and is_change_format(format_option.value):
        return True
    if connector in _BY_FORMAT and format_option is not None:
        return False if format_option.value.strip().lower() in _PLAIN_FORMATS else None
    return False if connector in _PLAIN_CONNECTORS else None


def _bare(key: str) -> str:
    return _NO_LETTER.sub("", key.lower())

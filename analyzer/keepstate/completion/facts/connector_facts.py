"""Connectors and formats of Flink, and their options that jobs set most.

Names, meanings and values are those of Flink's documentation of its connectors and formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

CONNECTORS: dict[str, str] = {
    "blackhole": "takes all rows and writes none",
    "datagen": "rows made by chance or in sequence",
    "filesystem": "files in a folder",
    "jdbc": "a table of a database",
    "kafka": "a Kafka topic, as a stream of rows",
    "print": "writes rows to the log of the task managers",
    "upsert-kafka": "a Kafka topic, as changes by key",
}
FORMATS = (
    "avro avro-confluent canal-json csv debezium-avro-confluent debezium-json json maxwell-json ogg-json orc parquet "
    "protobuf raw"
).split()

_FORMAT_OPTIONS = """
format  the format of rows =FORMAT
json.fail-on-missing-field  fail where a field is missing =true false
json.ignore-parse-errors  skip rows that cannot be read =true false
json.timestamp-format.standard  SQL, or ISO-8601 =SQL ISO-8601
csv.field-delimiter  the sign between two fields, by default a comma
csv.ignore-parse-errors  skip rows that cannot be read =true false
csv.allow-comments  skip lines that begin with # =true false
avro-confluent.url  the address of the schema registry
debezium-json.schema-include  the messages have their schema =true false
debezium-json.ignore-parse-errors  skip rows that cannot be read =true false
"""
_KAFKA = """
topic  the topic, or several with semicolons between them
properties.bootstrap.servers  the brokers, with commas between them
properties.group.id  the consumer group
key.format  the format of the key =FORMAT
value.format  the format of the value =FORMAT
key.fields  columns of the key, with semicolons between them
key.fields-prefix  what names of key columns begin with
value.fields-include  are columns of the key in the value, too? =ALL EXCEPT_KEY
sink.parallelism  the number of parallel writers
sink.delivery-guarantee  how often a row may arrive =at-least-once exactly-once none
sink.transactional-id-prefix  what ids of transactions begin with
"""
_OPTIONS: dict[str, str] = {
    "kafka": f"""
{_KAFKA}
topic-pattern  a pattern for the names of topics
scan.startup.mode  where reading begins without state =earliest-offset latest-offset group-offsets timestamp \
specific-offsets
scan.startup.specific-offsets  offsets by partition, such as partition:0,offset:42
scan.startup.timestamp-millis  the time from which on it is read
scan.bounded.mode  where reading ends =unbounded latest-offset group-offsets timestamp specific-offsets
scan.bounded.timestamp-millis  the time up to which it is read
scan.topic-partition-discovery.interval  how often new partitions are looked for
scan.parallelism  the number of parallel readers
scan.watermark.emit.strategy  when watermarks are sent =on-periodic on-event
scan.watermark.idle-timeout  the time after which a silent partition holds up no watermark
sink.partitioner  the partition of a row =default fixed round-robin
{_FORMAT_OPTIONS}""",
    "upsert-kafka": f"""
{_KAFKA}
sink.buffer-flush.max-rows  the number of rows that are held back at most
sink.buffer-flush.interval  how long rows are held back at most
scan.bounded.mode  where reading ends =unbounded latest-offset group-offsets timestamp specific-offsets
{_FORMAT_OPTIONS}""".replace("format  the format of rows =FORMAT\n", ""),
    "filesystem": f"""
path  the folder or file
source.monitor-interval  how often new files are looked for; without it the files are read once
source.path.regex-pattern  a pattern for the paths that are read
source.report-statistics  which statistics the planner gets =all none
partition.default-name  the folder of rows without a partition
partition.time-extractor.kind  how the time of a partition is found =default custom
partition.time-extractor.timestamp-pattern  the time of a partition, made of its columns
sink.partition-commit.trigger  the clock by which partitions are done =process-time partition-time
sink.partition-commit.delay  the time after which a partition is done
sink.partition-commit.policy.kind  what is done with a finished partition =metastore success-file custom
sink.rolling-policy.file-size  the size at which a file is finished
sink.rolling-policy.rollover-interval  the time after which a file is finished
sink.rolling-policy.check-interval  how often that is looked at
auto-compaction  make few files of many =true false
compaction.file-size  the size of the files that this makes
sink.parallelism  the number of parallel writers
{_FORMAT_OPTIONS}""",
    "datagen": """
rows-per-second  rows in a second; 10000 by default
number-of-rows  all rows; without it there is no end
scan.parallelism  the number of parallel readers
fields.COLUMN.kind  how values of a column are made =random sequence
fields.COLUMN.min  the smallest random value
fields.COLUMN.max  the largest random value
fields.COLUMN.max-past  how far back random timestamps go
fields.COLUMN.length  the length of random strings and collections
fields.COLUMN.start  the first value of a sequence
fields.COLUMN.end  the last value of a sequence
fields.COLUMN.null-rate  the share of NULL
""",
    "print": """
print-identifier  the words in front of each row
standard-error  write to the error output =true false
sink.parallelism  the number of parallel writers
""",
    "blackhole": "",
    "jdbc": """
url  the address of the database
table-name  the table there
driver  the class of the driver
username  the user
password  the password
connection.max-retry-timeout  the longest wait for a connection
scan.partition.column  the column by which reading is divided
scan.partition.num  the number of parts
scan.partition.lower-bound  the smallest value of the first part
scan.partition.upper-bound  the largest value of the last part
scan.fetch-size  the number of rows that are fetched at once
scan.auto-commit  commit while reading =true false
lookup.cache  the cache of lookup joins =NONE PARTIAL
lookup.partial-cache.max-rows  the number of rows that are kept
lookup.partial-cache.expire-after-write  how long a row is kept after it was read
lookup.partial-cache.expire-after-access  how long a row is kept after its last use
lookup.partial-cache.cache-missing-key  keep that there is no such row =true false
lookup.max-retries  how often a failed lookup is tried again
sink.buffer-flush.max-rows  the number of rows that are held back at most
sink.buffer-flush.interval  how long rows are held back at most
sink.max-retries  how often a failed write is tried again
sink.parallelism  the number of parallel writers
""",
}


@dataclass(frozen=True)
class ConnectorOption:
    """An option of WITH. ``values`` are all that it can have, if they are few."""

    key: str
    meaning: str
    values: tuple[str, ...] = ()


def _read(table: str) -> Iterator[ConnectorOption]:
    for line in filter(None, map(str.strip, table.splitlines())):
        head, _, values = line.partition(" =")
        key, _, meaning = head.partition("  ")
        yield ConnectorOption(key, meaning, tuple(FORMATS) if values == "FORMAT" else tuple(values.split()))


_CONNECTOR = ConnectorOption("connector", "the connector", tuple(CONNECTORS))
OPTIONS: dict[str, tuple[ConnectorOption, ...]] = {
    name: (_CONNECTOR, *_read(table)) for name, table in _OPTIONS.items()
}
"""The options of each connector."""


def options_of(connector: str | None, columns: tuple[str, ...] = ()) -> tuple[ConnectorOption, ...]:
    """The options of a connector; those of a column once for each of ``columns``. Without a connector it is the only
    option, since the others depend on it.

    >>> [option.key for option in options_of("datagen", ("a",)) if option.key.startswith("fields")][:2]
    ['fields.a.kind', 'fields.a.min']
    """
    options: list[ConnectorOption] = []
    for option in OPTIONS.get(connector or "", (_CONNECTOR,)):
        if "COLUMN" in option.key:
            options += (
                ConnectorOption(option.key.replace("COLUMN", column), option.meaning, option.values)
                for column in columns
            )
        else:
            options.append(option)
    return tuple(options)

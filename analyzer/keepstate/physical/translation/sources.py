"""Push-downs into a source, by connector: projections and watermarks.

They decide whether a projection (Calc) or a WatermarkAssigner stands between source and state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepstate.plan.catalog import Option

_READS_ALL_COLUMNS = frozenset(
    "datagen faker kafka kinesis nexmark pulsar rabbitmq rocketmq socket upsert-kafka".split()
    + "db2-cdc mongodb-cdc mysql-cdc oceanbase-cdc oracle-cdc postgres-cdc sqlserver-cdc tidb-cdc vitess-cdc".split()
)
_READS_SOME_COLUMNS = frozenset({"filesystem", "hive", "iceberg", "jdbc", "mongodb", "paimon"})
_MAKES_WATERMARKS = frozenset({"kafka", "kinesis", "pulsar", "upsert-kafka"})
_LEAVES_WATERMARKS = _READS_ALL_COLUMNS - _MAKES_WATERMARKS | frozenset({"filesystem", "hive", "jdbc", "mongodb"})


@dataclass(frozen=True)
class Abilities:
    """Push-downs of a connector; ``None`` for an unknown one. ``name`` is the connector, empty where none is named."""

    name: str
    prunes_columns: bool | None
    makes_watermarks: bool | None

    @staticmethod
    def of(options: Mapping[str, Option]) -> Abilities:
        name = options["connector"].value.strip().lower() if "connector" in options else ""
        prunes = False if name in _READS_ALL_COLUMNS else True if name in _READS_SOME_COLUMNS else None
        marks = True if name in _MAKES_WATERMARKS else False if name in _LEAVES_WATERMARKS else None
        return Abilities(name, prunes, marks)

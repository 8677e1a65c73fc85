"""The computed state of a trial on a real Flink: the script of the plan on Spark, over the former rows of a table."""

from __future__ import annotations

import json
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import keepstate
from keepstate.cutover.table_names import last_name, parts_of
from keepstate_flink.errors import FlinkMissing, NotRunnable
from keepstate_flink.handovers.handover_trials import Handovers
from keepstate_spark.cutovers.results import Computer
from keepstate_spark.errors import PipelineError


def require_spark() -> None:
    """Raise ``FlinkMissing`` where there is no PySpark to compute a state with."""
    if find_spec("pyspark") is None:
        raise FlinkMissing(
            "A computed state is proved with Spark, which is not installed.", keepstate.install_words("spark")
        )


def state_rows(spark: Computer, script: str, table: str, handovers: Handovers, wall: int) -> list[dict[str, Any]]:
    """The rows of the state that a script computes from the rows of a table before ``wall``.

    Raises:
        NotRunnable: Spark does not run it.
    """
    name = parts_of(table)[-1]
    records = handovers.rows_before(last_name(table), wall)
    if not records:
        # Without former rows there is no state, and Spark has nothing to read.
        return []
    with tempfile.TemporaryDirectory(prefix="keepstate-cutover-") as folder:
        rows = Path(folder, "rows.jsonl")
        rows.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
        try:
            computed = spark.queries(script, {name: rows}, {})
            return [
                dict(zip(computed.names(query), values, strict=True))
                for query in computed.queries
                for values in computed.rows(query)
            ]
        except PipelineError as error:
            raise NotRunnable(f"Spark does not compute the state: {error.sentence}") from error

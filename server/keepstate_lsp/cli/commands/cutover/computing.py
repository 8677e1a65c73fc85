"""The computed state of a trial: ``keepstate run`` on Spark, in a process of its own, as a person would run it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import keepstate
from keepstate.cutover.table_names import last_name, parts_of
from keepstate_flink.errors import FlinkMissing, NotRunnable
from keepstate_flink.handovers.trials import Handovers


def require_spark() -> None:
    """Raise ``FlinkMissing`` where there is no PySpark to compute a state with."""
    if find_spec("pyspark") is None:
        raise FlinkMissing(
            "A computed state is proved with Spark, which is not installed.", keepstate.install_words("spark")
        )


def state_rows(script: str, table: str, handovers: Handovers, wall: int) -> list[dict[str, Any]]:
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
        query, rows = Path(folder, "bootstrap.sql"), Path(folder, "rows.jsonl")
        query.write_text(script, "utf-8")
        rows.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
        command = [sys.executable, "-m", "keepstate_lsp.cli.main", "run", str(query), "--data", f"{name}={rows}"]
        done = subprocess.run([*command, "--format", "jsonl", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = next(iter(reversed(done.stderr.strip().splitlines())), "no reason is given")
        raise NotRunnable(f"Spark does not compute the state: {reason}")
    header, *lines = (json.loads(line) for line in done.stdout.splitlines())
    return [dict(zip(header["columns"], line, strict=True)) for line in lines]

"""Queries through Spark Connect, with the rows that Flink gave: a server on this machine, a client of the same version.

``make ranges`` runs this with each version of Spark that is supported; it needs the packages of ``pyspark[connect]``.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest

from keepstate_spark.session import spark_session
from test_flink_queries import ANSWERS, comparable

pytest.importorskip("grpc", reason="Spark Connect needs the packages of pyspark[connect], which make ranges installs")

CLIENT = Path(__file__).with_name("connected_queries.py")
PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """The answers of the client by queries, and those to its other questions."""
    if tuple(int(part) for part in pyspark.__version__.split(".")[:2]) < (4, 3):
        pytest.skip("Sessions of Spark Connect are refused before 4.3.")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.plugins": PLUGIN,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false",
    }
    with spark_session(cores="2", quick=True, settings=settings):
        command = [sys.executable, str(CLIENT), f"sc://127.0.0.1:{port}"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    answers: dict[str, Any] = json.loads(run.stdout)
    return answers


@pytest.mark.timeout(2000)
@pytest.mark.parametrize("number", range(len(ANSWERS)), ids=[answer["sql"] for answer in ANSWERS])
def test_result_is_that_of_flink(number: int, found: dict[str, Any]) -> None:
    assert comparable(found["queries"][number]) == comparable(ANSWERS[number]["rows"])


def test_dataframes_settings_and_windows_are_those_of_a_classic_session(found: dict[str, Any]) -> None:
    assert found["kept"] is True
    assert found["sums"] == [["ann", 12], ["bob", 1]]
    assert found["hours"] == [["2026-03-01 10:00:00", "2026-03-01 11:00:00", 13]]
    assert found["differences"] == [["buyer = ann", "12", "7"]]

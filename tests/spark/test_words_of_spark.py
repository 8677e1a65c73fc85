"""Errors of Spark in one sentence: of a worker or master that ended, the sentence says so."""

from __future__ import annotations

import pytest

from keepstate_spark.spark_errors import said_by_spark

STARTED = """An error occurred while calling o1.parquet.
: org.apache.spark.SparkException: Job aborted.
Caused by: org.apache.spark.SparkException:
Error from python worker:
  worker: out of memory
  no fork
PYTHONPATH was:
  /a/b
org.apache.spark.SparkException: No port number in pyspark.daemon's stdout
"""
RESET = """An error occurred while calling o1.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure.
Caused by: java.net.SocketException: Connection reset
\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:318)
\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext(PythonRunner.scala:1)
"""
CRASHED = """: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)
\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator$$anonfun$1.applyOrElse(PythonRunner.scala:550)
Caused by: java.io.EOFException
"""
ELSEWHERE = """: org.apache.spark.SparkException: Job aborted.
Caused by: java.net.SocketException: Connection reset
\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:318)
"""
ENDED = "A Python process of Spark ended before its work was done; there may have been too little memory."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (STARTED, "Spark could not start Python: no fork."),
        (STARTED.replace("  worker: out of memory\n  no fork\n", ""), "Spark could not start Python: it said nothing."),
        (RESET, ENDED),
        (CRASHED, ENDED),
        (ELSEWHERE, "Connection reset."),
        (
            "An error occurred while calling None.org.JavaSparkContext.\n"
            ": org.apache.spark.SparkException: Could not parse Master URL: 'foo'\n\tat org.apache",
            "Could not parse Master URL: 'foo'.",
        ),
        (
            "An error occurred while calling None.org.SparkSession.\n: java.lang.IllegalStateException: Cannot call "
            "methods on a stopped SparkContext.\nThis stopped SparkContext was created at:",
            "The Spark application ended; its master did not answer, or the cluster ended it.",
        ),
        ("[USER_RAISED_EXCEPTION] The rows differ. SQLSTATE: P0001", "The rows differ."),
    ],
)
def test_one_sentence_out_of_pages_of_java(text: str, sentence: str) -> None:
    assert said_by_spark(RuntimeError(text)) == sentence

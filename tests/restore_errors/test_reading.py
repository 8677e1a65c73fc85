"""Exceptions that Flink threw at restarts from savepoints, and what each is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate_lsp.restore_errors import CAUSES, read_error

TRACES = Path(__file__).parent / "traces"
SHARED = ("group-aggregate", "over-aggregate", "top-n", "deduplication", "source")
"""The queries that run in Flink's KeyedProcessOperator and have a key."""

OBSERVED = {
    "flink-1.20-deduplication-column": ("state-serializer", ("deduplication",)),
    "flink-1.20-join-to-left": ("state-serializer", ("regular-join",)),
    "flink-1.20-log": ("time-to-live", ("group-aggregate",)),
    "flink-1.20-max-parallelism": ("max-parallelism", ()),
    "flink-1.20-rocksdb-group-window-key": ("key-serializer", ("group-window",)),
    "flink-1.20-sink-column": ("state-serializer", ("sink",)),
    "flink-1.20-ttl-on": ("time-to-live", ("group-aggregate",)),
    "flink-1.20-unmapped": ("unmapped-operator", ()),
    "flink-1.20-unreadable": ("unreadable-savepoint", ()),
    "flink-1.20-window-key": ("key-serializer", ("window-tvf", "window-top-n", "window-deduplication")),
    "flink-1.20-window-kind": ("namespace-serializer", ("group-window",)),
    "flink-1.20-window-top-n-column": ("state-serializer", ("window-top-n",)),
    "flink-2.3-empty-folder": ("missing-savepoint", ()),
    "flink-2.3-group-key-removed": ("key-serializer", SHARED),
    "flink-2.3-interval-join-column": ("state-serializer", ("interval-join",)),
    "flink-2.3-missing": ("missing-savepoint", ()),
    "flink-2.3-over-column": ("state-serializer", ("over-aggregate",)),
    "flink-2.3-partition-gone": ("key-gone", ()),
    "flink-2.3-rocksdb-aggregate-added": ("state-serializer", ("group-aggregate",)),
    "flink-2.3-temporal-join-column": ("state-serializer", ("temporal-join",)),
    "flink-2.3-top-n-order": ("state-serializer", ("top-n",)),
    "flink-2.3-unmapped": ("unmapped-operator", ()),
    "flink-2.3-window-aggregate-added": ("state-serializer", ("window-tvf",)),
    "flink-2.3-window-deduplication-column": ("state-serializer", ("window-deduplication",)),
    "flink-2.3-window-join-column": ("state-serializer", ("window-join",)),
    "flink-2.3-window-top-n-column": ("state-serializer", ("window-top-n",)),
}
"""Facts of each exception; the name of the file names the change."""


def trace(name: str) -> str:
    return (TRACES / f"{name}.txt").read_text("utf-8")


def test_all_traces_are_looked_at() -> None:
    assert {path.stem for path in TRACES.iterdir()} == set(OBSERVED)


@pytest.mark.parametrize("name", OBSERVED)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_observed(name: str, ends: str) -> None:
    error = read_error(trace(name).replace("\n", ends))
    cause, kinds = OBSERVED[name]
    assert (error.cause and error.cause.id) == cause
    assert tuple(kind.id for kind in error.kinds) == kinds


def test_what_the_messages_say_themselves() -> None:
    assert read_error(trace("flink-1.20-max-parallelism")).facts == (("was", "128"), ("now", "64"))
    assert read_error(trace("flink-2.3-missing")).fact("path") == "file:///nowhere/savepoint-1"
    assert read_error(trace("flink-2.3-empty-folder")).fact("path") == "file:/savepoints/empty-savepoint"
    unmapped = read_error(trace("flink-2.3-unmapped"))
    assert unmapped.operator_id == "c27dcf7b54ef6bfd6cff02ca8870b681"
    assert unmapped.savepoint == "file:/savepoints/savepoint-4d7f53-a0bfb5faa712"
    assert read_error(trace("flink-2.3-group-key-removed")).operator_id == "90bea66de1c231edf33913ecd54406c1"
    assert read_error(trace("flink-1.20-log")).task == "GroupAggregate[4] -> Sink: oracle_result[5]"


def test_the_task_of_a_log_tells_what_the_class_leaves_open() -> None:
    reported = trace("flink-2.3-group-key-removed")
    line = (
        "WARN  Task - Deduplicate[4] -> Sink: out[5] (1/1)#0 (22ef) switched from INITIALIZING to FAILED with cause:\n"
    )
    assert [kind.id for kind in read_error(line + reported).kinds] == ["deduplication"]


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (
            "org.apache.flink.util.StateMigrationException: The new state typeSerializer for operator state must not "
            "be incompatible.",
            "operator-state-serializer",
        ),
        (
            "java.lang.IllegalStateException: The state for task Join[3] can not be restored. The maximum parallelism "
            "(128) of the restored state is lower than the configured parallelism (200).",
            "parallelism-too-high",
        ),
        ("java.io.IOException: Could not find class 'com.example.MedianAccumulator' in classpath.", "missing-class"),
        ("java.lang.ClassNotFoundException: com.example.Median", "missing-class"),
        (
            "java.lang.IllegalStateException: Unexpected state handle type, expected one of: class "
            "org.apache.flink.runtime.state.KeyGroupsStateHandle, but found: class "
            "org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle. This can mostly happen when a different "
            "StateBackend from the one that was used for taking a checkpoint/savepoint is used when restoring.",
            "state-backend",
        ),
    ],
)
def test_messages_of_one_line(message: str, cause: str) -> None:
    error = read_error(message)
    assert error.cause is not None and error.cause.id == cause


@pytest.mark.parametrize(
    "text",
    [
        "",
        "org.apache.flink.runtime.client.JobInitializationException: Could not start the JobMaster.",
        "java.lang.OutOfMemoryError: Java heap space",
        "Recovery is suppressed by NoRestartBackoffTimeStrategy",
        "the new state serializer is fine",
    ],
)
def test_what_is_not_known_is_not_guessed(text: str) -> None:
    error = read_error(text)
    assert error.cause is None
    assert error.is_trace == ("Exception" in text or "Error" in text)


def test_every_cause_is_complete() -> None:
    assert len({cause.id for cause in CAUSES}) == len(CAUSES)
    for cause in CAUSES:
        assert cause.title.endswith(".") and cause.happened.endswith(".") and cause.steps

"""The JVM of Flink: its errors are those of Java, and objects of an ended one that Python still holds go without a
word, wherever Python collects garbage.
"""

from __future__ import annotations

import gc
import logging

import pytest
from py4j import java_gateway  # type: ignore[import-untyped]
from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]

from keepstate_flink.installation import installed
from keepstate_flink.jvm import jvm

VERSIONS = installed()
pytestmark = [
    pytest.mark.skipif(not VERSIONS, reason="no Flink is installed: make flink"),
]


def test_objects_that_outlive_their_jvm_ask_it_for_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="py4j")
    with jvm(VERSIONS[-1]) as (gateway, _):
        held = [gateway.jvm.java.util.ArrayList() for _ in range(3)]
        assert [each.size() for each in held] == [0, 0, 0]
    caplog.clear()
    held.append(held)
    del held
    gc.collect()
    assert [record.getMessage() for record in caplog.records] == []


def test_errors_are_those_of_py4j_beside_a_session_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session puts code of its own in place of py4j's, which asks the JVM of Spark about each error."""
    captured = pytest.importorskip("pyspark.errors.exceptions.captured")
    monkeypatch.setattr(java_gateway, "get_return_value", java_gateway.get_return_value)
    captured.install_exception_handler()
    with jvm(VERSIONS[-1]) as (gateway, _):
        numbers = gateway.jvm.java.util.ArrayList()
        numbers.add(1)
        assert list(numbers) == [1]
        with pytest.raises(Py4JJavaError, match="NumberFormatException"):
            gateway.jvm.java.lang.Integer.parseInt("one")
        with pytest.raises(Py4JError, match="does not exist in the JVM"):
            gateway.jvm.java.lang.Integer.parse("one")

"""An ended JVM of Flink: objects of it that Python still holds go without a word, wherever Python collects garbage."""

from __future__ import annotations

import gc
import logging

import pytest

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

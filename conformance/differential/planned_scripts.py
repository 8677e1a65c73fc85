"""The plans of scripts by a real Flink, without running them."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from flink_jvm import planner
from script_jobs import job_of, line_of

VERSION = "2.3.0"
_SETTINGS = {"parallelism.default": "1", "table.local-time-zone": "UTC"}


@dataclass(frozen=True)
class PlannedScript:
    """``plan`` is the compiled plan, ``operators`` those with keys and the sources; ``error`` where Flink refuses."""

    plan: dict[str, Any] | None = None
    operators: tuple[dict[str, Any], ...] = ()
    error: str = ""


class Planner:
    """Plans scripts in one JVM."""

    def __init__(self, java: Any) -> None:
        self._java = java
        self._numbers = itertools.count(1)
        self.planned = lru_cache(maxsize=64)(self._planned)

    def _planned(self, script: str) -> PlannedScript:
        api = self._java.org.apache.flink.table.api
        given = self._java.org.apache.flink.configuration.Configuration()
        for key, value in _SETTINGS.items():
            given.setString(key, value)
        run = f"plan{next(self._numbers)}"
        try:
            settings = api.EnvironmentSettings.newInstance().withConfiguration(given).inStreamingMode()
            environment = api.TableEnvironment.create(settings.build())
            environment.loadModule("keepstate", self._java.keepstate.conformance.Plans(run))
            job, sinks = job_of(self._java, environment, script)
            if not sinks:
                return PlannedScript(error="no query")
            answer = json.loads(self._java.keepstate.conformance.Plans.of(environment, job))
        except Py4JJavaError as error:
            return PlannedScript(error=line_of(error))
        return PlannedScript(answer["plan"], tuple(answer["operators"]))


@contextlib.contextmanager
def planning() -> Iterator[Planner]:
    with planner(VERSION) as java:
        yield Planner(java)

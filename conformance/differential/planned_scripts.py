"""The plans of scripts by a real Flink, without running them."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from keepstate_flink.cluster import planner, table_environment
from keepstate_flink.errors import NotRunnable
from keepstate_flink.installation import install
from keepstate_flink.scripts import ScriptLoader, line_of

VERSION = "2.3.0"
_PLANS = Path(__file__).with_name("Plans.java")
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
        run = f"plan{next(self._numbers)}"
        try:
            environment = table_environment(self._java, _SETTINGS, self._java.keepstate.conformance.Plans(run))
            jobs = ScriptLoader(self._java, environment).load(script).jobs
            if not jobs:
                return PlannedScript(error="no query")
            answer = json.loads(self._java.keepstate.conformance.Plans.of(environment, jobs[0].statements))
        except NotRunnable as error:
            return PlannedScript(error=error.sentence)
        except Py4JJavaError as error:
            return PlannedScript(error=line_of(error))
        return PlannedScript(answer["plan"], tuple(answer["operators"]))


@contextlib.contextmanager
def planning() -> Iterator[Planner]:
    version = install(VERSION, lambda sentence: print(sentence, file=sys.stderr, flush=True))
    with planner(version, (_PLANS,)) as java:
        yield Planner(java)

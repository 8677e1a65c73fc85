"""Archives of the classes that Spark loads: with one a JVM starts without reading each class from a jar.

Java writes an archive as a process ends, and starts without it where it does not fit. Its name changes with the Java
and with the jars of Spark.
"""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from keepstate_spark.java import Java

_MOST = 3
"""Archives that stay: each has some 100 MB."""
WRITING_SECONDS = 600.0
"""Seconds that Java may take to write one. No command waits for it."""


def shared_classes(java: Java, folder: Path | None) -> list[str]:
    """The options with which ``java`` takes classes from its archive in ``folder``; none if there is no archive."""
    path = None if folder is None else _archive(java, folder)
    return [f"-XX:SharedArchiveFile={path}"] if path is not None and path.is_file() else []


class ClassArchive:
    """The archive of a JVM of ``java`` in ``folder``. If there is none, that JVM writes it as it ends; without a folder
    there is no archive.
    """

    def __init__(self, java: Java, folder: Path | None) -> None:
        self.options: list[str] = shared_classes(java, folder)
        self._path: Path | None = None
        """The missing archive."""
        if folder is not None and not self.options:
            folder.mkdir(parents=True, exist_ok=True)
            self._path = _archive(java, folder)
            self._draft = self._path.with_suffix(f".{os.getpid()}")
            self.options = [f"-XX:ArchiveClassesAtExit={self._draft}"]

    @property
    def is_missing(self) -> bool:
        """Return whether the JVM is to write it."""
        return self._path is not None

    def keep(self) -> None:
        """Give a whole archive its name, after the end of its JVM. Of several the newest stay."""
        if self._path is not None and self._draft.is_file():
            self._draft.replace(self._path)
            others = sorted(self._path.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in others[_MOST:]:
                path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what a JVM that was killed has written of it."""
        if self._path is not None:
            self._draft.unlink(missing_ok=True)


def _archive(java: Java, folder: Path) -> Path:
    spec = find_spec("pyspark")
    home = Path(spec.origin or "").parent if spec is not None else Path()
    jars = [(jar.name, jar.stat().st_size, jar.stat().st_mtime_ns) for jar in sorted((home / "jars").glob("*.jar"))]
    of_java = (str(java.program), java.version, java.program.stat().st_mtime_ns)
    digest = hashlib.sha256(repr((of_java, str(home), jars)).encode()).hexdigest()
    return folder / f"spark-classes-{digest[:16]}.jsa"

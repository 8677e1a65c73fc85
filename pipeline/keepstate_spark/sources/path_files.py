"""The files below a path, as Flink's filesystem connector finds them: in all folders, but for hidden ones.

Flink reads every file, and fails over a README. Files that plainly hold no rows are left out here, and reported.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from keepstate_spark.errors import PipelineError

ENDINGS = {
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
"""Formats that are read, by the endings of files."""
OTHER_ENDINGS = {
    ".avro": "Avro",
    ".avsc": "Avro",
    ".orc": "ORC",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".xml": "XML",
    ".xls": "Excel",
    ".xlsx": "Excel",
    ".proto": "Protobuf",
    ".pb": "Protobuf",
    ".db": "a database",
    ".sqlite": "a database",
    ".duckdb": "a database",
}
"""Formats with rows that are not read."""
PACKED = frozenset({".gz", ".bz2", ".zst", ".snappy", ".lz4", ".deflate"})
_PACKED_OTHERWISE = frozenset({".zip", ".xz", ".gzip", ".7z", ".tar", ".tgz", ".rar", ".z", ".br"})
_DOCUMENTS = re.compile(
    r"(readme|licen[cs]e|notice|changelog|changes|copying|authors|contributing|todo|makefile|dockerfile)([._-].*)?"
    r"|.*\.(md|markdown|rst|adoc|html?|pdf|docx?|png|jpe?g|gif|svg|sql|py|sh|java|scala|ipynb|toml|ya?ml|ini|cfg|lock)"
    r"|thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)
"""Names of files that describe rows or make them."""
_LAKES = {"metadata": "Iceberg", ".hoodie": "Hudi"}
_SNAPSHOT = re.compile(r"(?:.*\.metadata\.json(?:\.gz)?|.*\.gz\.metadata\.json|version-hint\.text)")


@dataclass(frozen=True)
class Files:
    """The files of a folder: those with rows, and those that are ``aside``, in the order of their names."""

    rows: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


def is_hidden(name: str) -> bool:
    """Return whether Flink and Spark skip a file or folder of that name."""
    return name.startswith((".", "_"))


def files_below(path: str) -> Files:
    """Return the files below a folder of this machine, or the one file at ``path``.

    Raises ``PipelineError`` for a folder that cannot be listed, for pipes and devices, and for names that are no text,
    which no JVM can open.
    """
    rows: list[str] = []
    aside: list[str] = []
    for file, mode in _walk(path, frozenset()) if os.path.isdir(path) else [(path, os.stat(path).st_mode)]:
        name = os.path.basename(file)
        if not stat.S_ISREG(mode):
            raise PipelineError(f"{file} is a pipe, a socket or a device, and no file with rows.", "Take it away.")
        if not _is_text(file):
            raise PipelineError(f"{file!a} has a name that is no text, and Spark reads no such file.", "Rename it.")
        described = file != path and format_of(name) is None and _DOCUMENTS.fullmatch(name)
        (aside if described else rows).append(file)
    return Files(tuple(rows), tuple(aside))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _walk(folder: str, above: frozenset[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """Files with their modes. ``above`` are the folders around, for a link may lead back to one of them."""
    try:
        own = os.stat(folder)
        within = above | {(own.st_dev, own.st_ino)}
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        for entry in entries:
            if is_hidden(entry.name):
                continue
            status = entry.stat()
            if not stat.S_ISDIR(status.st_mode):
                yield entry.path, status.st_mode
            elif (status.st_dev, status.st_ino) not in within:
                yield from _walk(entry.path, within)
    except OSError as error:
        raise PipelineError(f"{error.filename or folder} cannot be read: {error.strerror}.") from error


def lake_at(path: str) -> str | None:
    """The table format of a folder, if it is none that is read: its data files are not its rows."""
    for name, lake in _LAKES.items():
        inside = Path(path, name)
        if inside.is_dir() and (name.startswith(".") or any(_SNAPSHOT.fullmatch(file) for file in os.listdir(inside))):
            return lake
    return "Paimon" if Path(path, "schema", "schema-0").is_file() else None


def format_of(name: str) -> str | None:
    """Return the format by the ending of a file; ``None`` for a format that is not read."""
    return ENDINGS.get(_ending(name))


def other_format_of(name: str) -> str | None:
    """Return the format by the ending of a file, in words, if it is not read; else ``None``."""
    suffixes = Path(name).suffixes
    if suffixes and suffixes[-1].lower() in _PACKED_OTHERWISE:
        return f"packed files ({suffixes[-1].lower()})"
    return OTHER_ENDINGS.get(_ending(name))


def _ending(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() not in PACKED]
    return suffixes[-1] if suffixes else ""

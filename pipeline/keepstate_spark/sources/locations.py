"""Where the rows of a table lie, and in which format: what the DDL says, unless somebody names another path."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate_spark.errors import NoRows, PipelineError

_ENDINGS = {
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
FORMATS = ("csv", "delta", "json", "parquet")
_PACKED = frozenset({".gz", ".bz2", ".zst", ".snappy", ".lz4", ".deflate"})
_REMOTE = re.compile(r"^[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_LARGE = 64 * 1024 * 1024
_LARGE_IF_PACKED = 16 * 1024 * 1024
"""Bytes of about a million rows, as text and in files that pack them."""


@dataclass(frozen=True)
class Location:
    """Files of one format. ``path`` is a file, a folder or a URL; ``options`` are those of the table, by their keys."""

    path: str
    format: str
    options: Mapping[str, str]

    @property
    def upserts(self) -> bool:
        """Whether a row takes the place of an earlier one of the same key."""
        return self.options.get("connector") == "upsert-kafka"

    @property
    def is_local(self) -> bool:
        return not _REMOTE.match(self.path)

    def first_file(self) -> Path | None:
        """One of the local files."""
        return next(_files(Path(self.path)), None) if self.is_local else None

    @property
    def large(self) -> bool:
        """Whether there is so much that a JVM that computes faster makes up for its slower start."""
        if not self.is_local:
            return True
        total = 0.0
        for file in _files(Path(self.path)):
            packed = self.format in ("parquet", "delta") or file.suffix.lower() in _PACKED
            total += file.stat().st_size / (_LARGE_IF_PACKED if packed else _LARGE)
            if total > 1:
                return True
        return False


def location(table: TableDefinition, catalog: Catalog, given: Mapping[str, str], folder: Path) -> Location:
    """Where the rows of ``table`` lie. ``given`` are the paths that somebody named by tables, ``folder`` is that of the
    script, which relative paths of the DDL start from.

    Raises ``NoRows`` if nothing tells, and ``PipelineError`` if nothing is there, or nothing that can be read.
    """
    options = {key: option.value for key, option in catalog.options_of(table).items()}
    named = given.get(table.name)
    if named is None:
        if options.get("connector") != "filesystem" or "path" not in options:
            words = f"has the connector '{options['connector']}'" if "connector" in options else "has no path"
            raise NoRows(
                f"The table {table.name} {words}, and nobody said where its rows are.",
                f"Name files with its rows: --data {table.name}=PATH",
            )
        named = _from_ddl(options["path"], folder)
    if not _REMOTE.match(named) and not os.path.exists(named):
        raise PipelineError(
            f"The table {table.name} is to be read from {named}, and there is nothing.",
            f"Name another place: --data {table.name}=PATH",
        )
    if not _REMOTE.match(named):
        # Spark runs in a folder of its own.
        named = os.path.abspath(named)
    format_ = _format(table.name, named, None if table.name in given else options.get("format"), options.get("format"))
    return Location(named, format_, options)


def _from_ddl(path: str, folder: Path) -> str:
    if path.startswith("file:"):
        path = re.sub(r"^file:(//(?=/))?", "", path)
    if _REMOTE.match(path) or os.path.isabs(path):
        return path
    beside = folder / path
    return str(beside if beside.exists() or not os.path.exists(path) else path)


def _format(table: str, path: str, declared: str | None, fallback: str | None) -> str:
    """The format that files are in: as declared, else by their names, else as the DDL has it."""
    if not _REMOTE.match(path) and os.path.isdir(os.path.join(path, "_delta_log")):
        return "delta"
    found = declared
    if found is None:
        names = (
            [Path(path)]
            if _REMOTE.match(path)
            else [file for _, file in zip(range(100), _files(Path(path)), strict=False)]
        )
        endings = {ending for name in names if (ending := _ending(name)) is not None}
        found = endings.pop() if len(endings) == 1 else fallback
    if found == "raw" or found is None or found not in FORMATS:
        what = f"has the format '{found}'" if found else "has files of no format that their names tell"
        raise PipelineError(
            f"The table {table} {what}, and only {', '.join(FORMATS)} can be read.",
            f"Name files in one of these formats: --data {table}=PATH",
        )
    return found


def _ending(name: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in name.suffixes if suffix.lower() not in _PACKED]
    return _ENDINGS.get(suffixes[-1]) if suffixes else None


def _files(path: Path) -> Iterator[Path]:
    """The files with rows below a path: no hidden ones, and none that jobs keep for themselves."""
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            if name[0] not in "._":
                yield Path(folder, name)

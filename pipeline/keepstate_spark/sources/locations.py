"""Location and format of the rows of a table: those of the DDL, unless another path is given."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate_spark.errors import NoRows, PipelineError
from keepstate_spark.sources.path_files import (
    PACKED,
    Files,
    files_below,
    format_of,
    is_hidden,
    lake_at,
    other_format_of,
)
from keepstate_spark.sources.texts.forms import TextForm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = ("csv", "delta", "json", "parquet")
CHANGE_FORMATS = frozenset({"debezium-json", "canal-json", "maxwell-json", "ogg-json"})
"""Formats of JSON lines that are changes of rows: insertions, updates and deletions."""
_LAKE = "Its own package of Spark reads it: give that DataFrame to keepstate_spark.run."
DATAFRAME = "DataFrame"
"""The format of rows that a caller gives."""
STORES = frozenset("abfs abfss adl cos cosn gs hdfs obs oss s3 s3a s3n viewfs wasb wasbs".split())
"""Schemes of URLs that rows are read from, if they are named on the command line. A script names none: it would make
this machine ask another one.
"""
_URL = re.compile(r"^([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_LARGE = 64 * 1024 * 1024
_LARGE_IF_PACKED = 16 * 1024 * 1024
"""Bytes of about a million rows, as text and in files that pack them."""
_COLUMNAR = ("parquet", "delta")
_PATTERN = "source.path.regex-pattern"


@dataclass(frozen=True)
class Location:
    """Files of one format. ``path`` is a file, a folder or a URL; ``options`` are those of the table, by their keys.

    ``files`` are those at a path of this machine; at a URL Spark lists them. With ``declared`` the table itself names
    the path, so that its columns of PARTITIONED BY (``keys``) are the names of folders. ``of_versions``: lines that are
    changes give the versions of rows, for FOR SYSTEM_TIME AS OF.
    """

    path: str
    format: str
    options: Mapping[str, str]
    files: Files | None = None
    keys: tuple[str, ...] = ()
    declared: bool = False
    of_versions: bool = False

    @property
    def upserts(self) -> bool:
        """Return whether a row replaces an earlier one of the same key."""
        return self.options.get("connector") == "upsert-kafka"

    @property
    def changes(self) -> str | None:
        """The format of its lines, if each of them is a change of a row."""
        format_ = _declared_format(self.options)
        return format_ if self.format == "json" and format_ in CHANGE_FORMATS else None

    def of_format(self, option: str) -> str | None:
        """An option of its format."""
        key = f"{self.changes or self.format}.{option}"
        return self.options.get(key, self.options.get(f"value.{key}"))

    @property
    def is_tolerant(self) -> bool:
        """Return whether values that cannot be read are NULL, and lines that cannot be read are left out."""
        return (self.of_format("ignore-parse-errors") or "").lower() == "true"

    @property
    def form(self) -> TextForm:
        """The form of its texts."""
        iso = (self.of_format("timestamp-format.standard") or "").upper() == "ISO-8601"
        return TextForm(self.format == "json", self.is_tolerant, iso)

    @property
    def is_local(self) -> bool:
        return not _URL.match(self.path)

    @property
    def large(self) -> bool:
        """Return whether the table is so large that a JVM with faster code makes up for its slower start."""
        return self._exceeds(1)

    @property
    def looked_through(self) -> bool:
        """Return whether a pass over the times of the table costs less than a query that looks for late rows by itself.

        Of a text each line would be parsed twice for it.
        """
        return self._exceeds(1 / 4 if self.format in _COLUMNAR else 1)

    def _exceeds(self, share: float) -> bool:
        """Return whether the files have more than this share of the bytes of a large table."""
        if self.files is None:
            return True
        total = 0.0
        for file in self.files.rows:
            packed = self.format in _COLUMNAR or Path(file).suffix.lower() in PACKED
            total += os.stat(file).st_size / (_LARGE_IF_PACKED if packed else _LARGE)
            if total > share:
                return True
        return False

    def with_files(self, session: SparkSession, table: str) -> Location:
        """The same with its files. Raises ``PipelineError`` for files of other formats."""
        if self.files is not None:
            return self
        # To Spark, a listing is a table of files, of whose contents nothing is read.
        rows = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(self.path)
        files = Files(tuple(sorted(row["path"] for row in rows.select("path").collect())))
        return replace(self, files=files, format=_format(table, self.path, files, None, self.format))


def location_of_frame(table: TableDefinition, catalog: Catalog) -> Location:
    """The location of a table whose rows are those of a DataFrame."""
    options = {key: option.value for key, option in catalog.options_of(table).items()}
    return Location("the DataFrame", DATAFRAME, options)


def location(
    table: TableDefinition, catalog: Catalog, paths: Mapping[str, str], folder: Path, listed: dict[str, Files]
) -> Location:
    """Return the location of the rows of ``table``.

    ``paths`` are paths by tables, which override those of the DDL. ``folder`` is that of the script, the base of
    relative paths in the DDL. ``listed`` caches the files of paths.

    Raises ``NoRows`` if no path is given, and ``PipelineError`` if there is nothing at the path, or nothing readable.
    """
    options = {key: option.value for key, option in catalog.options_of(table).items()}
    path = paths.get(table.name)
    declared = path is None
    if path is None:
        if options.get("connector") != "filesystem" or "path" not in options:
            words = f"has the connector '{options['connector']}'" if "connector" in options else "has no path"
            raise NoRows(
                f"The table {table.name} {words}, and nothing says where its rows are.",
                f"Name files with its rows: --data {table.name}=PATH",
            )
        if _PATTERN in options:
            raise PipelineError(
                f"The table {table.name} has the option '{_PATTERN}', which is not applied here.",
                f"Name the files that it means: --data {table.name}=PATH",
            )
        if not _without_scheme(options["path"]):
            raise PipelineError(
                f"The table {table.name} has an empty path, which stands for no folder.",
                f"Name files with its rows: --data {table.name}=PATH",
            )
        path = _from_ddl(options["path"], folder)
    else:
        path = _without_scheme(path)
    url = _URL.match(path)
    if url is not None:
        if declared:
            raise PipelineError(
                f"The table {table.name} is at {path}, which is not on this machine, and nothing is read from there "
                "because a script says so.",
                f"Name the place yourself: --data {table.name}=PATH",
            )
        if url[1].lower() not in STORES:
            raise PipelineError(f"The table {table.name} is to be read from {path}; no rows are read by {url[1]}.")
    if url is None:
        if "\0" in path or not os.path.exists(path):
            raise PipelineError(
                f"The table {table.name} is to be read from {path}, and there is nothing.",
                f"Name another place: --data {table.name}=PATH",
            )
        # Spark runs in a folder of its own, and takes what follows two slashes for a host.
        path = os.path.abspath(path)
        if os.name != "nt":
            path = re.sub("^//+", "/", path)
        _refuse_hidden(table.name, path, declared)
    files = None
    if url is None and path not in listed:
        listed[path] = files_below(path)
    if url is None:
        files = listed[path]
    declared_format = _declared_format(options)
    if declared_format in CHANGE_FORMATS:
        declared_format = "json"
    format_ = _format(table.name, path, files, declared_format if declared else None, declared_format)
    if files is not None and format_ != "delta":
        for file in files.rows:
            if ":" in os.path.basename(file):
                raise PipelineError(f"{file} has a colon in its name, and Spark reads no such file.", "Rename it.")
    return Location(path, format_, options, files, catalog.partition_keys_of(table), declared)


def _declared_format(options: Mapping[str, str]) -> str | None:
    return options.get("format", options.get("value.format"))


def _refuse_hidden(table: str, path: str, declared: bool) -> None:
    if is_hidden(os.path.basename(path)) and (declared or not os.path.isdir(path)):
        raise PipelineError(
            f"The table {table} is to be read from {path}, and what begins with . or _ is hidden: neither Flink nor "
            "Spark reads it.",
            "Rename it.",
        )


def _from_ddl(path: str, folder: Path) -> str:
    path = _without_scheme(path)
    if _URL.match(path) or os.path.isabs(path) or "\0" in path:
        return path
    beside = folder / path
    return str(beside if beside.exists() or not os.path.exists(path) else path)


def _without_scheme(path: str) -> str:
    """A path without ``file:``. One that names a host (``file://host/...``) stays a URL."""
    return re.sub(r"^file:(?://(?=/)|(?!//))", "", path)


def _format(table: str, path: str, files: Files | None, declared: str | None, fallback: str | None) -> str:
    """The format that files are in: as declared, else by their names, else as the DDL has it.

    Raises ``PipelineError`` for formats that are not read, and for files of several.
    """
    hint = f"Name files in one of these formats: --data {table}=PATH"
    readable = f"only {', '.join(FORMATS)} can be read"
    if not _URL.match(path) and os.path.isdir(path):
        if os.path.isdir(os.path.join(path, "_delta_log")):
            return "delta"
        lake = lake_at(path)
        if lake is not None:
            raise PipelineError(f"The table {table} is at {path}, which is a table of {lake}, and {readable}.", _LAKE)
    names: Sequence[str] = (path,) if files is None else files.rows
    for name in names:
        other = other_format_of(name)
        if other is not None:
            raise PipelineError(f"The table {table} is at {path}, which has {other}: {name}; {readable}.", hint)
    by_name = {format_: name for name in reversed(names) if (format_ := format_of(name)) is not None}
    format_name = declared
    if format_name is None:
        format_name = next(iter(by_name)) if len(by_name) == 1 else fallback
    if format_name is None or format_name not in FORMATS:
        fault = (
            f"has the format '{format_name}'"
            if format_name is not None
            else "has files of no format that their names tell"
        )
        raise PipelineError(f"The table {table} {fault}, and {readable}.", hint)
    for format_, name in by_name.items():
        if format_ != format_name:
            raise PipelineError(
                f"The table {table} is read as {format_name}, and {name} is {format_} by its name.",
                f"Put it elsewhere, or name other files: --data {table}=PATH",
            )
    return format_name

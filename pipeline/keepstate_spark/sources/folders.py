"""Columns whose values are the names of folders: ``dt=2026-03-01/part-0.json`` is a row's ``dt``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pyspark.sql import Column

from keepstate_spark.errors import PipelineError
from keepstate_spark.lowering.spark_columns import choice, function_call, nothing, text, whole

_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")
TYPES = frozenset("CHAR VARCHAR BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DATE TIMESTAMP".split())
"""The types of columns that Flink reads from the names of folders."""
DEFAULT_NAME = "partition.default-name"
NO_VALUE = "__DEFAULT_PARTITION__"
"""Name of the folder for rows without a value in Flink, unless the table sets another one."""
HIVE_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The same name in Hive, Spark and Delta."""


@dataclass(frozen=True)
class FolderColumn:
    """The column ``name``, which folders spell ``spelled``; folders called like one of ``no_value`` have none."""

    name: str
    spelled: str
    no_value: tuple[str, ...]

    def value(self, file_path: Column) -> Column:
        """The text of the column for a row of the file at ``file_path``: the innermost folder that has it counts."""
        behind = function_call("substring_index", file_path, text(f"/{self.spelled}="), whole(-1))
        folder_text = _unescaped(function_call("substring_index", behind, text("/"), whole(1)))
        for name in self.no_value:
            folder_text = choice(folder_text == name, nothing(), folder_text)
        return folder_text


def decoded(file_path: Column) -> Column:
    """Return a path without the URL escapes of Spark."""
    return _unescaped(file_path)


def _unescaped(value: Column) -> Column:
    # A plus sign stands for itself in paths, and not for a space as in forms.
    plain = function_call("try_url_decode", function_call("replace", value, text("+"), text("%2B")))
    return function_call("coalesce", plain, value)


def declared_columns(
    table: str, root: str, files: Iterable[str], keys: Sequence[str], no_value: str
) -> tuple[FolderColumn, ...]:
    """The columns of PARTITIONED BY. Raises ``PipelineError`` for files that are not in folders of all of them, which
    Flink does not read either.
    """
    spelled: dict[str, set[str]] = {key: set() for key in keys}
    for file in files:
        folders = _folders(file, root)
        entries = [_partition_column(folder) for folder in folders[: len(keys)]]
        if [name for name, _ in entries] != list(keys):
            pattern = "/".join(f"{key}=..." for key in keys)
            raise PipelineError(
                f"{file} is in no folder {pattern} of {root}, and the table {table} is PARTITIONED BY "
                f"({', '.join(keys)}); Flink does not read it either."
            )
        for name, spelling in entries:
            spelled[name].add(spelling)
    return tuple(FolderColumn(key, _only(spelled[key], key), (no_value,)) for key in keys)


def found_columns(root: str, files: Sequence[str], columns: Iterable[str], no_value: str) -> tuple[FolderColumn, ...]:
    """Return the columns, among ``columns``, that the folders of all files name."""
    if not files:
        return ()
    entries = [dict(map(_partition_column, _folders(file, root))) for file in files]
    return tuple(
        FolderColumn(column, _only({names[column] for names in entries}, column), (no_value, HIVE_NO_VALUE))
        for column in columns
        if all(column in names for names in entries)
    )


def _folders(file: str, root: str) -> tuple[str, ...]:
    return PurePosixPath(file[len(root) :].lstrip("/")).parts[:-1] if file.startswith(root) else ()


def _partition_column(folder: str) -> tuple[str, str]:
    """The column that a folder names, and how; the column is empty if it names none."""
    spelling, equals, value = folder.partition("=")
    if not (spelling and equals and value):
        return "", ""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), spelling), spelling


def _only(spellings: set[str], column: str) -> str:
    if len(spellings) > 1:
        raise PipelineError(f"Folders spell the column {column} in several ways: {', '.join(sorted(spellings))}.")
    return next(iter(spellings), column)

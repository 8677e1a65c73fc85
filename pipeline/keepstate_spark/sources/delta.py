"""Current files of a Delta folder: those that its log added and did not remove."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from keepstate_spark.errors import PipelineError
from keepstate_spark.sources.readers import exact_reader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Action = Mapping[str, Any]
"""An ``add`` or a ``remove`` of the log, under that name."""


def delta_files(path: str, session: SparkSession) -> list[str]:
    """The files of the newest version. Raises ``PipelineError`` for a log that cannot be followed."""
    active: dict[str, None] = {}
    for action in _actions(path, session):
        addition, removal = action.get("add"), action.get("remove")
        if addition is not None:
            active[_file(path, addition)] = None
            if addition.get("deletionVector"):
                raise PipelineError(f"{path} has deletion vectors, which are not read here.")
        elif removal is not None:
            active.pop(_file(path, removal), None)
    return list(active)


def _file(path: str, action: Action) -> str:
    """The file that an action is about. Raises ``PipelineError`` if it names none of this machine."""
    name = action.get("path")
    if not isinstance(name, str) or "://" in name:
        raise PipelineError(f"The Delta log of {path} names a file that is not read: {name}.")
    return os.path.join(path, unquote(name))


def _actions(path: str, session: SparkSession) -> Iterator[Action]:
    """Yield the actions of the log, in order: from the last checkpoint on, which sums up all before, else from the
    beginning.
    """
    log = Path(path, "_delta_log")
    commits = sorted(file for file in log.glob("*.json") if file.stem.isdecimal())
    checkpoints = sorted(file for file in log.glob("*.checkpoint*.parquet") if file.name.partition(".")[0].isdecimal())
    first = 0
    if checkpoints:
        version = checkpoints[-1].name.partition(".")[0]
        first = int(version) + 1
        parts = [str(file) for file in checkpoints if file.name.startswith(f"{version}.")]
        rows = exact_reader(session).parquet(*parts)
        if "sidecar" in rows.columns and not rows.where(rows["sidecar"].isNotNull()).isEmpty():
            raise PipelineError(f"The checkpoint of {path} has sidecar files, which are not read here.")
        for row in rows.where(rows["add"].isNotNull()).select("add").collect():
            yield {"add": row["add"].asDict()}
    later = [file for file in commits if int(file.stem) >= first]
    if [int(file.stem) for file in later] != list(range(first, first + len(later))) or (first == 0 and not later):
        raise PipelineError(
            f"The Delta log of {path} is not complete: versions are missing, and no checkpoint makes up for them.",
            "Name a folder of Parquet files instead.",
        )
    for commit in later:
        try:
            lines = commit.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise PipelineError(f"The Delta log {commit} cannot be read: {error}.") from error
        for line in lines:
            if not line.strip():
                continue
            try:
                action = json.loads(line)
            except ValueError as error:
                raise PipelineError(f"The Delta log {commit} cannot be read: {error}.") from error
            if not isinstance(action, dict):
                raise PipelineError(f"The Delta log {commit} cannot be read: {line[:80]} is no action.")
            yield action

"""Which files of a Delta folder hold its rows now: what its log added and did not remove."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import unquote

from keepstate_spark.errors import PipelineError


def delta_files(path: str) -> list[str]:
    """The files of the newest version. Raises ``PipelineError`` for a log that cannot be followed."""
    log = Path(path, "_delta_log")
    commits = sorted(file for file in log.glob("*.json") if file.stem.isdecimal())
    if not commits or int(commits[0].stem) != 0:
        raise PipelineError(
            f"The Delta log of {path} does not begin with its first version, and checkpoints are not read here.",
            "Name a folder of Parquet files instead.",
        )
    active: dict[str, None] = {}
    for commit in commits:
        for line in commit.read_text("utf-8").splitlines():
            action = json.loads(line)
            if "add" in action:
                if action["add"].get("deletionVector"):
                    raise PipelineError(f"{path} has deletion vectors, which are not read here.")
                active[unquote(action["add"]["path"])] = None
            elif "remove" in action:
                active.pop(unquote(action["remove"]["path"]), None)
    if not active:
        raise PipelineError(f"The Delta table at {path} has no rows.")
    return [os.path.join(path, name) for name in active]

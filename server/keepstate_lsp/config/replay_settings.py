"""The table ``[replay]`` of a configuration file.

.. code-block:: toml

    [replay]
    restart-at = 2026-03-01T10:20:00
    data = { orders = "samples/orders" }      # files or folders with the rows of tables, relative to the file
    arrival = { orders = "received_at" }      # columns that tell when the rows came
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from keepstate_lsp.config.restart_times import restart_time

REPLAY_KEYS = ("data", "arrival", "restart-at")
_STORE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):[/\\]|(jdbc):|([/\\]{2})", re.IGNORECASE)
"""A URL with or without a host, the name of a database, or a host of a network; no path with the letter of a drive."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class ReplaySettings:
    """``data`` are absolute paths, ``arrival`` columns, both by tables; ``restart_at`` is as it was written."""

    data: Mapping[str, str] = field(default_factory=dict)
    arrival: Mapping[str, str] = field(default_factory=dict)
    restart_at: str | None = None


class ReplayFault(ValueError):
    """A value is not understood: a sentence for a person, and where it stands below ``[replay]``."""

    def __init__(self, sentence: str, *path: str) -> None:
        super().__init__(sentence)
        self.path = path


def replay_settings(table: Mapping[str, Any], folder: Path) -> ReplaySettings:
    """Read a table of known keys; ``folder`` is the folder that its paths are relative to.

    Raises:
        ReplayFault: a value is not understood.
    """
    data = located(_texts(table, "data"), folder)
    return ReplaySettings(data, _texts(table, "arrival"), _time(table.get("restart-at")))


def located(data: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Paths by tables, made absolute.

    >>> located({"orders": "rows.json"}, Path("/repository")) == {"orders": os.path.normpath("/repository/rows.json")}
    True

    Raises:
        ReplayFault: one of them names a store. A file of a repository never has the network asked.
    """
    for table, path in data.items():
        if _STORE.match(path.strip()):
            sentence = (
                f"data of {table} must be on this machine, and {path!r} names a store; on the command line --data "
                "takes URLs."
            )
            raise ReplayFault(sentence, "data", table)
    return {table: os.path.normpath(folder.absolute() / path) for table, path in data.items()}


def _texts(table: Mapping[str, Any], name: str) -> dict[str, str]:
    entries = table.get(name, {})
    if not isinstance(entries, dict):
        raise ReplayFault(f"{name} must be a table, by names of tables.", name)
    for key, value in entries.items():
        if not isinstance(value, str) or not value or _CONTROL.search(value):
            raise ReplayFault(f"{name} of {key} must be a text.", name, key)
    return dict(entries)


def _time(value: Any) -> str | None:
    if value is None:
        return None
    # TOML has times of its own.
    text = str(value) if isinstance(value, date) else value
    try:
        return restart_time(text if isinstance(text, str) else "")
    except ValueError as error:
        raise ReplayFault(f"restart-at: {error}", "restart-at") from error

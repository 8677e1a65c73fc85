"""The event that a build on GitHub Actions, Gitea or Forgejo is of: a file of JSON that a variable names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.files.small_files import read_bounded

EVENT = "GITHUB_EVENT_PATH"
EVENT_NAME = "GITHUB_EVENT_NAME"
_LARGEST_EVENT = 32 * 1024 * 1024
"""Bytes; GitHub sends at most 25 MB."""


def event_of(environment: Mapping[str, str], name: str) -> Mapping[str, Any]:
    """The event, if it is one of ``name``; else, and without a file, an empty one.

    Raises:
        UsageError: the file cannot be read.
    """
    path = environment.get(EVENT, "").strip()
    if not path or environment.get(EVENT_NAME) != name:
        return {}
    # Most runs have no event.
    import json

    try:
        event: Any = json.loads(read_bounded(Path(path), _LARGEST_EVENT))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"The event that {EVENT} names cannot be read: {error}.") from error
    return event if isinstance(event, dict) else {}

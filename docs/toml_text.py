"""TOML texts, read with what this Python has for it."""

from __future__ import annotations

import sys
from typing import Any

from keepstate.rules.page_format import BadPage

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(text: str, name: str) -> dict[str, Any]:
    """The tables of a text.

    Raises:
        BadPage: it is no TOML; ``name`` says which.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPage(f"{name}: {error}") from error

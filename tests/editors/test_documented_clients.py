"""Configurations of clients in pages about editors: in formats that parse, with commands and settings of the server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.config.client_settings import read_settings
from keepstate_lsp.lsp.server import language_server

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

DOCUMENTATION = Path(__file__).parents[2] / "docs"
PAGES = ["helix.md", "other-editors.md"]
NO_COMMANDS = {"keepstate.baseline", "keepstate.config", "keepstate.inlayHints", "keepstate.toml"}


def blocks(page: str, language: str) -> list[str]:
    text = (DOCUMENTATION / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def settings_in(value: Any) -> Iterator[Any]:
    """Everything that stands under ``keepstate`` as settings, nested or with dots."""
    if isinstance(value, Mapping):
        dotted = {key.partition(".")[2]: entry for key, entry in value.items() if key.startswith("keepstate.")}
        if dotted:
            yield dotted
        for key, entry in value.items():
            if key == "keepstate" and not (isinstance(entry, Mapping) and "command" in entry):
                yield entry
            else:
                yield from settings_in(entry)


def parsed(page: str) -> list[Any]:
    return [*map(json.loads, blocks(page, "json")), *map(tomllib.loads, blocks(page, "toml"))]


@pytest.mark.parametrize("page", PAGES)
def test_settings_are_known(page: str) -> None:
    found = [settings for value in parsed(page) for settings in settings_in(value)]
    assert found
    for settings in found:
        read, problems = read_settings(settings)
        assert problems == ()
        assert read.baseline == "HEAD"


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_there(page: str) -> None:
    named = set(re.findall(r"\bkeepstate\.[a-z][a-zA-Z]+\b", (DOCUMENTATION / page).read_text())) - NO_COMMANDS
    assert named
    assert named <= set(language_server(KeepstateAnalyzer()).protocol.fm.commands)


def test_helix_and_others_start_the_same_command() -> None:
    (languages,) = (value for value in parsed("helix.md") if "language-server" in value)
    server = languages["language-server"]["keepstate"]
    assert [server["command"], *server["args"]] == ["keepstate", "lsp"]
    (language,) = languages["language"]
    assert language["language-servers"] == ["keepstate"] and {"sql", "fql"} <= set(language["file-types"])
    commands = re.findall(r'"command": (\[.*?\])', "".join(blocks("other-editors.md", "json")))
    assert commands and all(json.loads(command) == ["keepstate", "lsp"] for command in commands)

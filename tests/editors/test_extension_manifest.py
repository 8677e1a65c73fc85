"""The manifest of the extension for VS Code fits the server, and its own files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from keepstate.report import Effect, Verdict
from keepstate_lsp.config.client_settings import ENGINES, TRACES, read_settings
from keepstate_lsp.config.severity import INVALID_SQL, LEVELS, PRESETS
from keepstate_lsp.version import VERSION

CLIENT = Path(__file__).parents[2] / "vscode-client"
MANIFEST: dict[str, Any] = json.loads((CLIENT / "package.json").read_text("utf-8"))
CONTRIBUTED = MANIFEST["contributes"]
SETTINGS = {
    name.removeprefix("keepstate."): schema for name, schema in CONTRIBUTED["configuration"]["properties"].items()
}
OF_THE_EXTENSION = {"server.path", "server.args", "python"}


def test_the_server_knows_every_setting_and_its_default() -> None:
    settings = {
        "trace" if name == "trace.server" else name: schema["default"] or None
        for name, schema in SETTINGS.items()
        if name not in OF_THE_EXTENSION
    }
    assert read_settings(settings)[1] == ()


def test_the_choices_of_a_setting_are_those_of_the_server() -> None:
    assert set(SETTINGS["preset"]["enum"]) == set(PRESETS)
    assert set(SETTINGS["engine"]["enum"]) == {"", *ENGINES}
    assert set(SETTINGS["trace.server"]["enum"]) == set(TRACES)
    severity = SETTINGS["severity"]
    verdicts = {one.value for one in (*Verdict, *Effect)} - {Effect.EXACT.value}
    assert set(severity["properties"]) == {*verdicts, INVALID_SQL}
    assert all(tuple(one["enum"]) == LEVELS for one in severity["properties"].values())
    assert tuple(severity["additionalProperties"]["enum"]) == LEVELS


def test_every_setting_of_the_server_is_passed_on() -> None:
    passed_on = re.search(r"PASSED_ON = \{(.*?)\}", (CLIENT / "src" / "settings.ts").read_text("utf-8"), re.DOTALL)
    assert passed_on is not None
    assert set(re.findall(r'"([\w.]+)"', passed_on[1])) == set(SETTINGS) - OF_THE_EXTENSION


def test_what_may_be_said_in_an_untrusted_workspace() -> None:
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {name.removeprefix("keepstate.") for name in restricted} == {*OF_THE_EXTENSION, "docsUrl"}


def test_whatever_is_offered_is_there() -> None:
    commands = {command["command"] for command in CONTRIBUTED["commands"]}
    (walkthrough,) = CONTRIBUTED["walkthroughs"]
    texts = json.dumps([CONTRIBUTED["menus"], walkthrough])
    others = {"keepstate.isFlinkSql", "keepstate.alone", "keepstate.baseline"}
    assert set(re.findall(r"keepstate\.\w+", texts)) <= commands | others
    media = {step["media"]["markdown"] for step in walkthrough["steps"]}
    assert media == {path.relative_to(CLIENT).as_posix() for path in (CLIENT / "media").iterdir()}


def test_the_extension_and_the_server_have_one_version() -> None:
    assert MANIFEST["version"] == VERSION
    lock = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))
    assert lock["version"] == lock["packages"][""]["version"] == VERSION

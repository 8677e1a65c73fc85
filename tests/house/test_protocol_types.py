"""Allowed places of the types of the protocol, and the parts of the analyzer that the server may use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server/keepstate_lsp"
FACADE = {"keepstate", "keepstate.report", "keepstate.text"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def server_modules() -> list[Path]:
    """The modules of the server that are neither command line nor git."""
    return [path for path in SERVER.rglob("*.py") if path.relative_to(SERVER).parts[0] not in ("cli", "baselines")]


def test_the_protocol_stays_in_the_server() -> None:
    others = [
        *(ROOT / "analyzer").rglob("*.py"),
        *(SERVER / "cli").rglob("*.py"),
        *(SERVER / "baselines").rglob("*.py"),
    ]
    assert not [path for path in others if packages(path) & {"lsprotocol", "pygls"}]


def test_types_of_the_protocol_and_of_the_analyzer_meet_where_they_are_converted() -> None:
    both = {path.name for path in server_modules() if packages(path) >= {"lsprotocol", "keepstate"}}
    assert both == {"convert.py", "diagnostics.py", "ranges.py"}


def test_the_server_knows_the_facade_only() -> None:
    for path in server_modules():
        inner = {name for name in imported(path) if name.split(".")[0] == "keepstate"} - FACADE
        assert not inner, f"{path.name} imports {inner}"

"""Parts of the analyzer that the server may use; import-linter holds where types of the protocol may appear."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server/keepstate_lsp"
FACADE = {
    "keepstate.cutover.past",
    "keepstate.cutover.cutover_plan",
    "keepstate.cutover.positions",
    "keepstate.cutover.cutover_options",
    "keepstate.cutover.table_names",
    "keepstate.cutover.times",
    "keepstate.embedded",
    "keepstate.hosts",
    "keepstate.plan_view",
    "keepstate.project",
    "keepstate.report",
    "keepstate.reporting",
    "keepstate.restart_effects",
    "keepstate.structure.query_lines",
    "keepstate.text",
}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def is_facade(name: str) -> bool:
    return name == "keepstate" or any(name == part or name.startswith(f"{part}.") for part in FACADE)


def test_the_server_knows_the_facade_only() -> None:
    inner = [
        f"{path.relative_to(SERVER)} imports {name}"
        for path in SERVER.rglob("*.py")
        for name in imported(path)
        if name.split(".")[0] == "keepstate" and not is_facade(name)
    ]
    assert not inner

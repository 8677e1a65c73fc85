"""Jobs whose tables other files declare, in a real VS Code and a real Neovim."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import shops
from repositories import GitRepository
from test_neovim import configuration, nvim
from test_neovim import play as play_in_neovim
from vscode_sessions import ROOT, bare_path, play, programs

__all__ = ["bare_path", "configuration", "nvim", "programs"]

SOURCES = os.pathsep.join(str(ROOT / part) for part in ("analyzer", "server", "pipeline"))
SERVER = ["/usr/bin/env", f"PYTHONPATH={SOURCES}", sys.executable, "-m", "keepstate_lsp"]
"""The server of this checkout."""
PAYMENTS = shops.ORDERS.replace("orders", "payments")
PAID = "INSERT INTO revenue\nSELECT shop, SUM(amount) AS total\nFROM payments\nGROUP BY shop;\n"
FILES: dict[str, str | bytes] = {
    **shops.shop(),
    "ddl/paid_by.sql": "CREATE VIEW paid_by AS SELECT shop, amount AS paid FROM orders;\n",
    "jobs/chain.sql": shops.REVENUE.replace("orders", "paid_by").replace("amount", "paid"),
    "flat/payments.sql": PAYMENTS,
    "flat/paid.sql": PAID,
}
AMOUNT = {"line": 4, "text": "amount"}
NOTE = {"line": 5, "text": "note"}
TIME = {"line": 6, "text": "ts"}


def test_scenarios_in_vscode(programs: None, repository: GitRepository, tmp_path: Path, bare_path: str) -> None:
    repository.commit(FILES)
    steps: list[dict[str, Any]] = [
        # The type of a summed column, and a chain of views.
        {
            "file": "orders.sql",
            "edit": {**AMOUNT, "typed": "amount DOUBLE,"},
            "squiggles": ["amount DOUBLE"],
            "lens": "read by 3 jobs: 2 incompatible, 1 compatible",
            "hover": {"line": 4, "text": "DOUBLE", "says": "in 2 jobs"},
        },
        {"file": "revenue.sql", "squiggles": ["orders"], "lens": "with ddl/orders.sql"},
        {"file": "chain.sql", "squiggles": ["paid_by"], "lens": "Incompatible"},
        {"file": "hourly.sql", "squiggles": [], "lens": "Same meaning"},
        # A declaration that is broken while it is typed.
        {
            "file": "orders.sql",
            "edit": {**NOTE, "typed": "note STRING ((,"},
            "squiggles": ["amount DOUBLE", "("],
        },
        {"file": "revenue.sql", "squiggles": ["orders", "orders"], "lens": "from the last text that was compared"},
        {"file": "orders.sql", "edit": {**NOTE, "typed": "note STRING,"}, "squiggles": ["amount DOUBLE"]},
        {"file": "revenue.sql", "squiggles": ["orders"], "lens": "1 finding;"},
        # Back to what is committed, then the time column, which one job reads.
        {"file": "orders.sql", "edit": {**AMOUNT, "typed": "amount DECIMAL(10, 2),"}, "squiggles": []},
        {"file": "revenue.sql", "squiggles": [], "lens": "Same meaning"},
        {
            "file": "orders.sql",
            "edit": {**TIME, "typed": "ts TIMESTAMP_LTZ(3),"},
            "squiggles": ["ts TIMESTAMP_LTZ(3)"],
            "lens": "read by 3 jobs: 1 incompatible, 2 compatible",
        },
        {"file": "hourly.sql", "squiggles": ["orders"], "lens": "Incompatible"},
        # A comment moves the finding along.
        {
            "file": "orders.sql",
            "edit": {"line": 1, "text": "Orders", "typed": "-- Orders\n-- of all shops."},
            "squiggles": ["ts TIMESTAMP_LTZ(3)"],
        },
        # A table that no configuration names.
        {
            "file": "payments.sql",
            "edit": {**AMOUNT, "typed": "amount DOUBLE,"},
            "squiggles": ["amount DOUBLE"],
            "lens": "read by 1 job: 1 incompatible",
        },
        {
            "file": "paid.sql",
            "squiggles": ["payments"],
            "lens": "assumed: payments from flat/payments.sql",
            "fix": {
                "line": 3,
                "text": "payments",
                "title": "Write context",
                "writes": str(repository.folder / "keepstate.toml"),
                "says": "flat/payments.sql",
            },
        },
    ]
    seen = play(
        "files.mjs",
        "files",
        tmp_path / "vscode",
        repository.folder,
        searchPath=bare_path,
        settings={"keepstate.server.path": SERVER, "files.autoSave": "off"},
        steps=steps,
    )
    assert [each["squiggles"] for each in seen["steps"]] == [step["squiggles"] for step in steps]
    assert seen["steps"][-1]["written"] == 'context = ["flat/payments.sql", "ddl/*.sql"]\n'


def test_a_changed_declaration_in_neovim(
    nvim: str, configuration: Path, repository: GitRepository, surroundings: dict[str, str]
) -> None:
    repository.commit(shops.shop())
    seen = play_in_neovim(
        nvim,
        configuration,
        repository.folder / "ddl" / "orders.sql",
        {**surroundings, "PYTHONPATH": SOURCES},
        "neovim_files.lua",
        job=str(repository.folder / "jobs" / "revenue.sql"),
        old=shops.TYPE[0],
        new=shops.TYPE[1],
    )
    assert seen["declaration"] == ["amount DOUBLE"]
    assert seen["job"] == ["orders"]
    assert seen["definition"] == "orders.sql"
    assert seen["undone"] == {"declaration": 0, "job": 0}

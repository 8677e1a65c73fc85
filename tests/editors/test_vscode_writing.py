"""The help of the packaged extension while a query is written, and for a newcomer, in a real VS Code."""

from __future__ import annotations

from pathlib import Path

from repositories import GitRepository
from vscode_sessions import EDITED, bare_path, line_of, play, programs, shop

__all__ = ["bare_path", "programs", "shop"]


def test_the_walkthrough_has_a_page_for_each_step(
    programs: None, shop: GitRepository, tmp_path: Path, bare_path: str
) -> None:
    seen = play(
        "newcomer.mjs",
        "newcomer",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
    )
    assert len(seen["steps"]) == 4
    assert seen["steps"][0] == "Edit a job" and seen["media"][0] == "What is underlined"
    assert len(set(seen["media"])) == 4


def test_help_with_writing(programs: None, shop: GitRepository, tmp_path: Path, bare_path: str) -> None:
    """The help that comes up by itself while a query is written."""
    seen = play(
        "writing.mjs",
        "writing",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
        at={"line": EDITED.rstrip().count("\n") + 1, "text": "place"},
        select="SELECT ",
        column="amount",
        function="ROUND",
        symbol="revenue",
        **{"from": " FROM orders AS o;"},
    )
    assert seen["columns"] == ["category", "product", "amount", "order_time"]
    assert seen["signature"].startswith("ROUND(number[, digits])") and seen["parameter"] == "digits"
    assert {"orders", "category", "revenue", "best_sellers"} <= {name.strip() for name in seen["symbols"]}


def test_a_name_and_what_another_one_costs(programs: None, shop: GitRepository, tmp_path: Path, bare_path: str) -> None:
    """The definition of a column, and its rename: the verdict is there before anything is applied."""
    seen = play(
        "naming.mjs",
        "naming",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
        use={"line": line_of("SUM(amount) AS gmv\nFROM"), "text": "amount"},
        declared=f"Ln {line_of('amount DECIMAL')}, Col 3",
        newName="price",
        places=3,
        verdict="incompatible",
    )
    assert seen["placeholder"] == "amount"
    assert seen["warning"].startswith("Rename orders.amount to price: incompatible: ")
    assert seen["saved"] == EDITED.replace("amount", "price")

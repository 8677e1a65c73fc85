"""The how-tos of docs/cutover.md as a reader follows them, up to the plan."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from how_tos import HowTo, deployed_shop, edit, how_tos
from keepstate_lsp.cli.main import main

HOW_TOS = tuple(how_tos())
WAYS = ("boundary", "bootstrap", "replay")
MARK = "keepstate deployed mark jobs/revenue.sql jobs/orders_per_city.sql jobs/largest_orders.sql"


def test_there_is_one_for_each_way() -> None:
    assert len(HOW_TOS) == len(WAYS)
    assert [any("--prove" in command for command in how_to.commands) for how_to in HOW_TOS] == [True, True, False]


@pytest.mark.parametrize(("how_to", "way"), [*zip(HOW_TOS, WAYS, strict=True)], ids=[each.title for each in HOW_TOS])
def test_the_plan_is_the_one_of_the_page(
    how_to: HowTo, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = deployed_shop(tmp_path / "shop-jobs")
    monkeypatch.chdir(shop.folder)
    assert main(shlex.split(MARK)[1:]) == 0
    edit(shop, how_to)
    capsys.readouterr()
    plan, *_ = how_to.commands
    assert main(shlex.split(plan)[1:]) == 0
    assert capsys.readouterr().out == how_to.shown[0]
    (folder,) = (shop.folder / "cutover").iterdir()
    document = json.loads((folder / "plan.json").read_text("utf-8"))
    assert (document["approach"], document["exact"]) == (way, True)
    page = (folder / "PLAN.md").read_text("utf-8")
    assert all(text in page.replace("   ", "") for text in how_to.on_page)

"""The packaged extension in a real VS Code: sessions of an engineer, then a look at what was on the screen."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from keepstate_flink.installation import NEWEST, full_version
from keepstate_flink.installation import cache as flinks
from repositories import GitRepository
from shop import JOB
from vscode_sessions import EDITED, bare_path, line_of, play, programs, shop

__all__ = ["bare_path", "programs", "shop"]

FLINK, FLINKS = full_version(NEWEST), flinks()
REVENUE = """\
CREATE TABLE orders (
  shop STRING,
  amount INT,
  paid DOUBLE
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

CREATE TABLE revenue (shop STRING, total DOUBLE) WITH ('connector' = 'print');

INSERT INTO revenue
SELECT shop, SUM(amount) AS total
FROM orders
GROUP BY shop;
"""
ORDERS = [
    {"category": "ab"[n % 2], "product": f"p{n % 5}", "amount": 100 - n, "order_time": f"2026-03-01 10:{n // 3:02}:00"}
    for n in range(60)
]
"""Rows of the job, three a minute, two windows long."""


def test_a_session(programs: None, shop: GitRepository, tmp_path: Path, bare_path: str) -> None:
    """The view of an engineer from opening the edited job to committing it, with the server inside of the extension."""
    sold, longer = line_of("COUNT(*)"), line_of("<= 10")
    seen = play(
        "session.mjs",
        "session",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
        squiggles=2,
        words=["CREATE", "WATERMARK"],
        hover={"line": longer, "text": "10", "says": "Incompatible"},
        lenses=2,
        lens="Incompatible",
        sides=["place <= 3", "place <= 10"],
        documents=[
            {"name": "baseline", "command": "Keepstate: Show Baseline", "says": "place <= 3"},
            {"name": "planText", "command": "Keepstate: Show Plan as Text", "says": "WindowAggregate"},
        ],
        drawing={"command": "Keepstate: Show Plan", "tab": "Plan: shop.sql", "box": "state lost"},
        changedSettings={"keepstate.severity": {"partial": "information"}, "keepstate.inlayHints": True},
        inlay="starts empty",
        fix={"line": longer, "text": "10", "title": "place <= 3", "leaves": "Partly compatible"},
    )
    new_metric = {"severity": "warning", "line": sold, "text": "COUNT(*)"}
    longer_ranking = {"severity": "error", "line": longer, "text": "place <= 10"}
    assert seen["squiggles"] == [new_metric, longer_ranking]
    assert seen["language"] == "MS SQL"
    assert seen["colour"].startswith("rgb(")

    head = shop.git("rev-parse", "HEAD~1")
    assert len(seen["lenses"]) == 2
    for lens, verdict in zip(seen["lenses"], ("Partly compatible", "Incompatible"), strict=True):
        assert lens.startswith(verdict) and head[:7] in lens
    assert seen["statusBar"].strip() == "Incompatible · HEAD"
    assert f"Incompatible with HEAD ({head[:7]}), 2 findings." in seen["statusBarTooltip"]

    for part in (
        "Incompatible",
        "rank-range-changed",
        "place <= 3",
        "ranks 1 to 10",
        "the state of the ranking is lost",
    ):
        assert part in seen["hover"]

    comparison = seen["comparison"]
    assert "place <= 3" in comparison["baseline"] and "COUNT(*)" not in comparison["baseline"]
    assert "place <= 10" in comparison["current"] and "COUNT(*)" in comparison["current"]
    assert head[:7] in comparison["title"]
    assert seen["comparisonByPalette"] == comparison["title"]

    assert "place <= 3" in seen["baseline"]
    assert "WindowAggregate" in seen["planText"]
    drawing = seen["drawing"]
    assert drawing["tab"] == "Plan: shop.sql"
    assert drawing["heading"] == "shop.sql" and head[:7] in drawing["verdict"]
    assert drawing["sides"][:2] == [f"HEAD ({head[:7]})", "Now"]
    assert any("ranks 1 to 3 → ranks 1 to 10" in box for box in drawing["boxes"])
    # What the policy of the page refuses would be said in the console.
    assert drawing["refused"] == []
    assert drawing["overlapping"] == 0
    assert drawing["focused"] == "BUTTON"
    clause = EDITED[EDITED.index("ROW_NUMBER") : EDITED.index(" AS place")]
    assert drawing["selected"].startswith(f"Ln {line_of('ROW_NUMBER')}, ")
    assert drawing["selected"].endswith(f"({len(clause)} selected)")

    assert seen["squigglesAfterSetting"] == [{**new_metric, "severity": "info"}, longer_ranking]

    assert seen["fixes"][0] == "Restore `place <= 3` from HEAD (partly compatible)"
    assert seen["fixed"] == EDITED.replace("place <= 10", "place <= 3")
    assert seen["squigglesAfterFix"] == [new_metric]
    assert seen["statusBarAfterFix"].strip() == "Partly compatible · HEAD"
    assert seen["statusBarAfterCommit"].strip() == "Unchanged · HEAD"

    # How long it took is a figure of the benchmarks.
    answer = r"that came with the extension, run by python3 on PATH .*answered after \d+(\.\d+)? s"
    assert re.search(answer, seen["server"]), seen["server"]


def test_the_status_bar_leads_to_report_and_baselines(
    programs: None, shop: GitRepository, tmp_path: Path, bare_path: str
) -> None:
    """Two jobs, of which only one is opened; a tag, and what is marked as deployed."""
    shop.git("stash", "--quiet")
    shop.commit({"closed.flink.sql": JOB})
    shop.git("tag", "v1")
    shop.commit({"README.md": "jobs"})
    shop.git("stash", "pop", "--quiet")
    shop.write("closed.flink.sql", EDITED)
    head = shop.git("rev-parse", "HEAD")
    seen = play(
        "choices.mjs",
        "choices",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
        verdict="Incompatible",
        finding="closed.flink.sql",
        problem="rank-range-changed",
        typedBaseline="HEAD~1",
        offeredBaseline="v1",
    )
    assert seen["menu"] == [
        "Show Report",
        "Compare with Baseline",
        "Choose Baseline...",
        "Mark as Deployed...",
        "Show Plan",
        "Replay a Restart...",
        "Verify on Real Flink...",
        "Plan a Cutover...",
        "Show Output",
    ]
    # The server inside of the extension has no Spark, and says so before it asks anything.
    assert "pip install '.[spark]'" in seen["replay"]
    for part in ("2 jobs: 2 incompatible", "closed.flink.sql", "shop.sql", "rank-range-changed", head[:7]):
        assert part in seen["report"]
    assert int(seen["lineOfLink"]) in (line_of("COUNT(*)"), line_of("<= 10"))
    assert seen["baselines"] == ["HEAD", "v1"]
    shown = [text.strip() for text in seen["statusBar"]]
    assert shown == ["Incompatible · HEAD", "Incompatible · HEAD~1", "Incompatible · v1"]
    assert seen["settings"] == {"keepstate.baseline": "v1"}
    assert "shop.sql is recorded as deployed in staging" in seen["marked"]
    assert shop.git("for-each-ref", "--format=%(refname)", "refs/keepstate") == "refs/keepstate/deployed/staging"
    assert any("rank-range-changed" in problem for problem in seen["problems"])


def test_a_replayed_restart(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    """With the server of this checkout, which has Spark."""
    if os.environ.get("KEEPSTATE_EDITORS") != "required":
        pytest.skip("Spark in VS Code takes a minute: make test-editors runs it")
    shop.write("orders.jsonl", "".join(f"{json.dumps(row)}\n" for row in ORDERS))
    settings = "[replay]\nrestart-at = 2026-03-01T10:05:00\ndata = { orders = 'orders.jsonl' }\n"
    shop.write("keepstate.toml", settings)
    seen = play(
        "replay.mjs",
        "replay",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        settings={"keepstate.server.path": [sys.executable, "-m", "keepstate_lsp"]},
        verdict="Incompatible",
    )
    assert seen["proposed"] == "2026-03-01 10:05:00"
    assert seen["cancels"] == "Cancel"
    assert seen["said"].startswith("shop.sql, restart at 2026-03-01 10:05:00: ") and "% of the results" in seen["said"]
    assert "INSERT INTO revenue" in seen["report"] and seen["pictures"] > 0


def test_a_restart_on_a_real_flink(programs: None, repository: GitRepository, tmp_path: Path) -> None:
    """With the server of this checkout, which has what reaches Flink."""
    if os.environ.get("KEEPSTATE_EDITORS") != "required" or FLINK is None:
        pytest.skip("Flink in VS Code takes a minute: make flink, and make test-editors runs it")
    repository.commit({"revenue.fql": REVENUE, "keepstate.toml": 'engine = "flink"\n'})
    repository.write("revenue.fql", REVENUE.replace("SUM(amount)", "SUM(paid)"))
    scratch = tmp_path / "vscode"
    (scratch / ".cache").mkdir(parents=True)
    (scratch / ".cache" / FLINKS.name).symlink_to(FLINKS)
    seen = play(
        "verify.mjs",
        "verify",
        scratch,
        repository.folder,
        file=str(repository.folder / "revenue.fql"),
        settings={"keepstate.server.path": [sys.executable, "-m", "keepstate_lsp"]},
        verdict="Incompatible",
        hover={"line": 10, "text": "paid", "says": f"Measured on Flink {FLINK}"},
    )
    assert seen["cancels"] == "Cancel"
    assert f"revenue.fql on Flink {FLINK}: INSERT INTO revenue: does not start." in seen["said"]
    assert seen["lens"].endswith(f"Measured on Flink {FLINK}: does not start")


def test_what_leads_out_of_the_file(programs: None, shop: GitRepository, tmp_path: Path, bare_path: str) -> None:
    """Both texts side by side, the configuration, the ledger, and a new metric in a file of its own."""
    reported = "[parameters]\n'table.exec.mini-batch.enabled' = false\n"
    idle = '[[accepted]]\nrule = "group-key-added"\nchange = "ffeeddccbbaa0099"\nbecause = "so"\n'
    totals = "INSERT INTO totals SELECT category, SUM(amount) AS gmv FROM orders GROUP BY category;\n"
    shop.git("stash", "--quiet")
    shop.commit({"keepstate.toml": reported, "keepstate.accepted.toml": idle, "totals.fql": totals})
    shop.git("stash", "pop", "--quiet")
    shop.write("keepstate.toml", reported.replace("false", "true"))
    seen = play(
        "beside.mjs",
        "beside",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={},
        hover={"line": line_of("<= 10"), "text": "10", "says": "Incompatible"},
        metric={"line": line_of("COUNT(*)"), "text": "COUNT(*)"},
        configuration={"name": "keepstate.toml", "line": 2, "text": "true"},
        ledger={"name": "keepstate.accepted.toml", "line": 2, "text": "rule"},
        created=str(shop.folder / "shop_sold.sql"),
    )
    head = shop.git("rev-parse", "--short=7", "HEAD")
    assert seen["link"] == f"Compare with HEAD ({head})"
    assert seen["fromHover"] == seen["fromBaseline"] == f"shop.sql: HEAD ({head}) and now"

    (entry,) = {drawn["text"] for drawn in seen["configuration"]}
    assert entry == "'table.exec.mini-batch.enabled' = true"
    assert "table.exec.mini-batch.enabled" in seen["configurationHover"]

    assert "Remove this acceptance" in seen["ledgerFixes"]
    assert seen["ledger"] == ""

    assert seen["edited"] == EDITED.replace("COUNT(*) AS sold, ", "")
    assert (
        "INSERT INTO revenue_sold\nSELECT window_start, category, '🛒' AS icon, COUNT(*) AS sold\n" in seen["created"]
    )
    unwritten = "Declare revenue_sold ("
    line = seen["created"][: seen["created"].index(unwritten)].count("\n") + 1
    assert seen["toWrite"].startswith(f"Ln {line}, ") and seen["toWrite"].endswith(f"({len(unwritten)} selected)")
    assert seen["lens"].startswith("No baseline")

"""The packaged extension in a real VS Code: one session of an engineer, then a look at what was on the screen.

`tests/editors/vscode/setup.sh` puts VS Code (code-server), a browser and the packaged extension in place, and `make
test-all` runs it. Without them these tests are skipped, or fail where `KEEPSTATE_EDITORS=required` (as `make
test-editors` sets it); `KEEPSTATE_EDITORS=off` leaves them out. The pictures that a session takes stay in
vscode-client/out/pictures.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keepstate_flink.installation import NEWEST, full_version
from keepstate_flink.installation import cache as flinks
from repositories import GitRepository
from shop import JOB, METRIC, RANKING, edited

HERE = Path(__file__).parent / "vscode"
ROOT = Path(__file__).parents[2]
VSIX = ROOT / "vscode-client" / "keepstate.vsix"
BUNDLED = ROOT / "vscode-client" / "bundled"
PICTURES = ROOT / "vscode-client" / "out" / "pictures"
"""Folder of the pictures of the last sessions."""
CACHE = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)

EDITED = edited(METRIC, RANKING)
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


@pytest.fixture(scope="module")
def programs() -> None:
    wish = os.environ.get("KEEPSTATE_EDITORS", "")
    if wish == "off":
        pytest.skip("KEEPSTATE_EDITORS=off")
    missing = [path for path in (CACHE / "ready", VSIX) if not path.is_file()]
    if missing:
        reason = f"no {missing[0]}: run tests/editors/vscode/setup.sh"
        if wish == "required":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def shop(repository: GitRepository) -> GitRepository:
    """A repository whose job was edited after the last commit."""
    repository.commit({"shop.sql": JOB})
    repository.write("shop.sql", EDITED)
    return repository


@pytest.fixture
def bare_path(tmp_path: Path) -> str:
    """A PATH with git and a Python, and no Keepstate: the server that came with the extension is started."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    return os.pathsep.join((str(folder), os.defpath))


def play(script: str, name: str, scratch: Path, folder: Path, **plan: Any) -> dict[str, Any]:
    """Runs a session in VS Code and returns what was seen, also where a step failed."""
    scratch.mkdir(exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    plan_file = scratch / "plan.json"
    places = {"cache": CACHE, "scratch": scratch, "vsix": VSIX, "pictures": PICTURES, "folder": folder}
    plan_file.write_text(json.dumps({"name": name, **{key: str(path) for key, path in places.items()}, **plan}))
    command = [str(CACHE / "node"), str(HERE / script), str(plan_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    print(json.dumps(seen, indent=1, ensure_ascii=False))
    assert "failure" not in seen, f"{seen['failure']}\nsee {PICTURES}/{name}-failure.png"
    return seen


def line_of(part: str) -> int:
    """The number of the line of the edited job that holds ``part``, from 1."""
    return EDITED[: EDITED.index(part)].count("\n") + 1


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

    # The budget is 1.5 s on a machine that has nothing else to do, which is not this one.
    answer = re.search(
        r"that came with the extension, run by python3 on PATH .*answered after ([\d.]+) s", seen["server"]
    )
    assert answer is not None and float(answer[1]) < 10


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


def test_a_server_that_dies_is_started_again(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    server = f"echo $$ > {pid}; exec {sys.executable} -I -S {BUNDLED}"
    shop.git("mv", "shop.sql", "shop.fql")
    seen = play(
        "trouble.mjs",
        "death",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.fql"),
        serverPid=str(pid),
        squiggles=2,
        buttons=2,
        settings={"keepstate.server.path": ["/bin/sh", "-c", server]},
    )
    assert seen["language"] == "Flink SQL"
    assert seen["squigglesOfNextServer"] == seen["squiggles"]
    assert seen["servers"] == 5
    for wait, least in zip(seen["waits"], (1, 2, 4, 8), strict=True):
        assert wait >= least
    assert seen["message"] == "Keepstate does not run. The server ended five times within three minutes."
    assert seen["buttons"] == ["Restart Server", "Show Output"]
    assert "The server ended five times" in seen["status"]
    assert "server is started again by hand" in seen["seconds"]


def test_an_untrusted_workspace_starts_nothing_of_its_own(
    programs: None, shop: GitRepository, tmp_path: Path, bare_path: str
) -> None:
    """The server that came with the extension reads it all the same."""
    trace = tmp_path / "started"
    evil = ["/bin/sh", "-c", f": > {trace}"]
    shop.write(".vscode/settings.json", json.dumps({"keepstate.server.path": evil, "keepstate.python": str(trace)}))
    python = shop.write(".venv/bin/python", f"#!/bin/sh\n: > {trace}\n")
    python.chmod(0o755)
    seen = play(
        "untrusted.mjs",
        "untrusted",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"},
        squiggles=2,
    )
    assert [drawn["text"] for drawn in seen["squiggles"]] == ["COUNT(*)", "place <= 10"]
    assert "Show Report" in seen["menu"] and not {"Mark as Deployed...", "Replay a Restart..."} & set(seen["menu"])
    assert not trace.exists()


LONGER = {
    "typing": {"line": JOB.rstrip().count("\n") + 1, "at": "place", "keys": ["Backspace"], "text": "0;"},
    "hover": {"line": JOB.rstrip().count("\n") + 1, "text": "30", "says": "Incompatible"},
}
"""A breaking change, typed at the end of the job."""


_TABLE, _, _QUERIES = JOB.partition(";\n")
APART = {
    "keepstate.toml": 'context = ["ddl/*.sql"]\n',
    "ddl/orders.sql": f"{_TABLE};\n",
    "shop.fql": "\n" * (_TABLE.count("\n") + 1) + _QUERIES,
}
"""The same job, whose table is declared in another file."""


def check_longer_ranking(seen: dict[str, Any], baseline: str, job: str = JOB) -> None:
    """A ranking of 30 places, typed in place of 3, until its fix."""
    (drawn,) = seen["squiggles"]
    assert drawn["severity"] == "error" and drawn["text"] == "place <= 30"
    assert "rank-range-changed" in seen["hover"] and "Advice:" in seen["hover"] and "place <= 3" in seen["hover"]
    assert seen["lens"] == f"Incompatible with {baseline}, 1 finding" or seen["lens"] == f"Incompatible with {baseline}"
    assert seen["menu"][:3] == ["Compare with Baseline", "Choose Baseline...", "Show Output"]
    assert seen["menu"][3].startswith("More ")
    assert seen["comparison"] == f"{seen['name']}: {baseline} and now"
    assert "place <= 3;" in seen["former"]
    assert seen["fixes"] == ["Restore `place <= 3` (compatible)"]
    assert seen["fixed"] == job
    # Nothing is asked of the network.
    assert seen["foreign"] == []


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "restricted"])
def test_on_a_machine_without_python(programs: None, repository: GitRepository, tmp_path: Path, trusted: bool) -> None:
    """Keepstate runs inside of the editor. A workspace that is not trusted has no git extension either."""
    repository.commit(APART)
    trace = tmp_path / "started"
    evil = repository.write(".venv/bin/python", f"#!/bin/sh\n: > {trace}\nexit 1\n")
    evil.chmod(0o755)
    repository.write("sqlglot.py", f"open({str(trace)!r}, 'w')\n")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "env", "uname", "cat"):
        (folder / name).symlink_to(shutil.which(name) or name)
    old = folder / "python3"
    old.write_text("#!/bin/sh\necho 3.8.10\necho /opt/python3.8\n")
    old.chmod(0o755)
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    head = f"HEAD ({repository.git('rev-parse', '--short=7', 'HEAD')})"
    seen = play(
        "alone.mjs",
        f"alone-{'trusted' if trusted else 'restricted'}",
        tmp_path / "vscode",
        repository.folder,
        file=str(repository.folder / "shop.fql"),
        searchPath=str(folder),
        settings={} if trusted else trust,
        first="Unchanged",
        last="Unchanged",
        message=True,
        running="Keepstate without Python",
        fix="Restore",
        **LONGER,
    )
    baseline = head if trusted else "the file as it was opened"
    check_longer_ranking({**seen, "name": "shop.fql"}, baseline, APART["shop.fql"])
    reason = "The server needs Python 3.10 or newer. Found: 3.8.10 (/opt/python3.8)."
    assert seen["message"].startswith(
        "Keepstate runs without Python: findings, hovers and fixes are there. Missing are "
    )
    assert seen["message"].endswith(reason) and reason in seen["status"]
    assert seen["buttons"] == ["Install Python", "Open Settings", "Try Again"]
    # Nothing of a workspace is run that is not trusted.
    assert trace.exists() is trusted


def test_a_missing_server_is_reported_in_words(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    seen = play(
        "trouble.mjs",
        "missing",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        settings={"keepstate.server.path": "/nowhere/keepstate"},
        buttons=2,
    )
    reason = "The setting `keepstate.server.path` names /nowhere/keepstate, which is not there."
    assert seen["message"] == f"Keepstate does not run. {reason}"
    assert seen["buttons"] == ["Open Settings", "Show Output"]
    assert reason in seen["status"]


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


def test_in_a_browser_alone(programs: None, repository: GitRepository, tmp_path: Path) -> None:
    """In vscode.dev extensions run in a worker of the browser, which can start no program."""
    repository.commit(APART)
    seen = play(
        "alone.mjs",
        "browser",
        tmp_path / "vscode",
        repository.folder,
        file=str(repository.folder / "shop.fql"),
        settings={"remote.extensionKind": {"keepstate.keepstate": ["web"]}},
        first="Unchanged",
        last="Unchanged",
        running="in this browser",
        fix="Restore",
        **LONGER,
    )
    check_longer_ranking({**seen, "name": "shop.fql"}, "the file as it was opened", APART["shop.fql"])
    assert "also has the report on all jobs" in seen["status"]


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

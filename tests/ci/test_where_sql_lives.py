"""docs/where-flink-sql-lives.md: each command of the page is run, with programs that answer as the page shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from keepstate_lsp.cli.parser import parsed
from platforms import ROOT, run_script
from repositories import GitRepository
from shop_jobs import shop_repository

PAGE = (ROOT / "docs" / "where-flink-sql-lives.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(r"(?:^`(?P<file>[\w.]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
OTHERS = ("platform-export", "kubectl", "sql-client.sh", "curl", "confluent", "aws", "dbt")
MODEL = "target/compiled/shop/models/revenue.sql"
ENGINES = {"Realtime Compute and Ververica Cloud": 'engine = "vvr"\n'}


def blocks(section: str, language: str) -> dict[str, str]:
    return {found["file"] or "": found["text"] for found in BLOCK.finditer(section) if found["language"] == language}


def commands(section: str) -> list[str]:
    return [line for text in blocks(section, "sh").values() for line in text.splitlines()]


@pytest.fixture
def shop(isolated_git: None, tmp_path: Path, request: pytest.FixtureRequest) -> GitRepository:
    repository = shop_repository(tmp_path / "shop")
    configuration = (repository.folder / "keepstate.toml").read_text()
    if engine := ENGINES.get(request.getfixturevalue("title")):
        configuration = re.sub(r"^engine = .*\nengine-version = .*\n", engine, configuration)
    repository.commit({"keepstate.toml": configuration, ".gitignore": "target/\n"})
    repository.write(MODEL, (repository.folder / "jobs/revenue.sql").read_text())
    return repository


@pytest.mark.parametrize("title", SECTIONS)
def test_the_commands_record_what_runs(title: str, shop: GitRepository, tmp_path: Path) -> None:
    section = SECTIONS[title]
    lines = commands(section)
    assert lines
    dumps = blocks(section, "json") or blocks(SECTIONS["Realtime Compute and Ververica Cloud"], "json")
    if title == "The same everywhere":
        dumps = blocks(SECTIONS["Confluent Cloud"], "json")
    (dump,) = dumps.values()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "dump").write_text(dump)
    for name in OTHERS:
        (programs / name).write_text(f"#!/bin/sh\n[ {name} = dbt ] || cat {programs}/dump\n")
        (programs / name).chmod(0o755)
    if not any(line.split()[0] in OTHERS for line in lines):
        (name,) = dumps
        shop.write(name, dump)
    script = f"export PATH={shlex.quote(str(programs))}:$PATH\n" + "\n".join(lines)
    ran = run_script(script, shop.folder, {"TOKEN": "t", "VVP": "v", "CONSOLE": "c"})
    assert ran.status == 0, ran.errors
    environment = "dbt-production" if "dbt-production" in "".join(lines) else "production"
    job = MODEL if title == "dbt" else "jobs/revenue.sql"
    shown = run_script(f"keepstate deployed show {job} --sql -e {environment}", shop.folder, {})
    assert "INTERVAL '10' MINUTES" in shown.output
    record = json.loads(
        run_script(f"keepstate deployed show {job} --format json -e {environment}", shop.folder, {}).output
    )
    assert record["parameters"] == {"pipeline.max-parallelism": "128"}
    # What runs in place of the committed text is another one, and the difference shows.
    if title not in ("dbt", "SQL client and SQL gateway", "The same everywhere"):
        assert_differences_are_seen(lines, shop, programs)


def assert_differences_are_seen(lines: list[str], shop: GitRepository, programs: Path) -> None:
    former = (programs / "dump").read_text()
    (programs / "dump").write_text(former.replace("'10' MINUTES", "'5' MINUTES"))
    for name in re.findall(r"--from-dump (\S+)", " ".join(lines)):
        shop.write(name, (programs / "dump").read_text())
    marking = [line for line in lines if line.startswith("keepstate deployed mark")]
    ran = run_script("\n".join(marking), shop.folder, {})
    assert ran.status == 0 and "HEAD does not have" in ran.output
    compared = run_script("keepstate deployed diff", shop.folder, {})
    assert compared.status == 1 and "window size 5 minutes -> 10 minutes" in compared.output


def test_every_command_is_known() -> None:
    for section in SECTIONS.values():
        for line in commands(section):
            words = shlex.split(line)
            if words[0] == "keepstate":
                parsed([word for word in words[1:] if word != ">"])
            else:
                assert words[0] in OTHERS, line


def test_every_platform_says_what_a_verdict_asks_for_and_its_source() -> None:
    for title, section in SECTIONS.items():
        assert "keepstate deployed mark" in section, title
        if title != "The same everywhere":
            assert re.search(r"^\| verdict \|", section, re.MULTILINE) or title in (
                "dbt",
                "StreamPark, Dinky and other consoles",
            )
            assert re.search(r"\*[A-Za-z][^*]+\.\*", section) or title.startswith("StreamPark"), title

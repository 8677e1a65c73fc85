"""``keepstate cutover`` as a person runs it: the folder, the page, exit statuses, and wrong usage."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from cutover_changes import TABLES, grouped, total, tumble
from keepstate_lsp.cli.main import main
from keepstate_lsp.reporting import cutover_folder
from planned_cutovers import job
from repositories import GitRepository

SVG = "{http://www.w3.org/2000/svg}"


def test_a_plan_is_a_folder_for_a_merge_request(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--at", "2026-03-01 10:00", "--output", "plan"]
    assert main(["cutover", "jobs/sums.sql", *options]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Exact: the running job gives all results up to 2026-03-01 10:00:00 (event time)")
    folder = repository.folder / "plan"
    assert {file.name for file in folder.iterdir()} == {"PLAN.md", "plan.json", "timeline.svg", "new.sql"}
    page = (folder / "PLAN.md").read_text()
    for words in (
        "# Cutover of jobs/sums.sql",
        "| INSERT INTO results | incompatible: loses the state | hand over at a boundary, exact |",
        "not yet 2026-03-01 10:10:00: that leaves 10 minutes.",
        "SELECT MAX(t) FROM results;",
        "keepstate cutover jobs/sums.sql --output plan --at '<that time>'",
        "## Going back",
    ):
        assert words in page
    assert "WHERE t > TIMESTAMP '2026-03-01 10:00:00'" in (folder / "new.sql").read_text()
    document = json.loads((folder / "plan.json").read_text())
    assert (document["approach"], document["exact"], document["boundary"]["time"]) == (
        "boundary",
        True,
        "2026-03-01 10:00:00",
    )
    words = "".join(ET.fromstring((folder / "timeline.svg").read_text()).itertext())
    assert "2026-03-01 10:00:00" in words


def test_a_second_plan_takes_the_place_of_the_first(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["cutover", "jobs/sums.sql", "--output", "plan"])
    repository.commit({"jobs/totals.sql": job(total("SUM(amount)"), "totals")})
    repository.write("jobs/totals.sql", job(total("LAST_VALUE(amount)"), "totals"))
    assert main(["cutover", "jobs/totals.sql", "--output", "plan"]) == 1
    names = {file.name for file in (repository.folder / "plan").iterdir()}
    assert names == {"PLAN.md", "plan.json", "timeline.svg", "shadow.sql"}
    assert "No state is computed: LAST\\_VALUE" in (repository.folder / "plan" / "PLAN.md").read_text()


def test_scripts_of_several_states_give_way_too(repository: GitRepository) -> None:
    joined = "SELECT o.shop, r.amount FROM orders AS o JOIN refunds AS r ON o.id = r.id{}"
    pairs = "CREATE TABLE pairs (shop STRING, amount DECIMAL(10, 2)) WITH ('connector' = 'kafka', 'topic' = 'pairs');\n"
    repository.commit({"jobs/pairs.sql": job(joined.format(""), "pairs", pairs)})
    repository.write("jobs/pairs.sql", job(joined.format(" AND o.shop = r.shop"), "pairs", pairs))
    assert main(["cutover", "jobs/pairs.sql", "--output", "plan"]) == 0
    names = {file.name for file in (repository.folder / "plan").glob("bootstrap*")}
    assert len(names) == 2
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 0
    assert not list((repository.folder / "plan").glob("bootstrap*"))


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        ("sql-client", "STOP JOB '<job id>' WITH SAVEPOINT;"),
        ("kubernetes", '{"spec": {"job": {"state": "suspended", "upgradeMode": "savepoint"}}}'),
        ("ververica", "restore strategy to NONE"),
        ("realtime-compute", "without states"),
    ],
)
def test_commands_are_those_of_the_platform(
    repository: GitRepository, platform: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cutover", "jobs/sums.sql", "--platform", platform]) == 0
    assert words in capsys.readouterr().out


def test_a_kept_state_with_former_results_in_the_sink_is_not_exact(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write("was.sql", job(total("SUM(amount)"), "totals"))
    repository.write("now.sql", job(f"{total('SUM(amount)')} HAVING SUM(amount) > 9", "totals"))
    assert main(["cutover", "now.sql", "--against", "file:was.sql", "--output", "plan"]) == 1
    assert capsys.readouterr().out.startswith("No cutover is needed for the state, but former results stay in the sink")
    page = (repository.folder / "plan" / "PLAN.md").read_text()
    assert "restart from a savepoint, **not exact**" in page and "## What is not exact" in page


@pytest.mark.parametrize(
    ("now", "status", "approach"),
    [
        (job(grouped(tumble(10))), 0, "restart"),
        (job(grouped(tumble(30))), 0, "boundary"),
        (
            job(grouped(tumble(30))).replace("'connector' = 'kafka', 'topic' = 'orders'", "'connector' = 'datagen'"),
            1,
            "boundary",
        ),
        (job("SELECT shop, ts, amount FROM orders"), 0, "replay"),
    ],
)
def test_the_status_says_whether_the_plan_is_exact(
    repository: GitRepository, now: str, status: int, approach: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for side in ("now", "was"):
        text = now if side == "now" else job(grouped(tumble(10)))
        if "datagen" in now:
            text = re.sub(r"'connector' = 'kafka', 'topic' = 'orders'[^)]*", "'connector' = 'datagen'", text)
            text = re.sub(r"'connector' = 'datagen'[^)]*", "'connector' = 'datagen'", text)
        repository.write(f"{side}.sql", text)
    found = main(["cutover", "now.sql", "--against", "file:was.sql", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (found, document["approach"], document["exact"]) == (status, approach, status == 0)


def test_without_rows_of_the_past_there_is_no_plan(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, query in (("was", "SUM(amount)"), ("now", "MAX(amount)")):
        text = job(total(query), "totals")
        repository.write(
            f"{side}.sql", re.sub(r"'connector' = 'kafka', 'topic' = 'orders'[^)]*", "'connector' = 'datagen'", text)
        )
    assert main(["cutover", "now.sql", "--against", "file:was.sql"]) == 2
    assert "There is no exact plan: the rows of the past cannot be read again." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["jobs/sums.sql", "--at", "soon"], "'soon' is no time: write it as '2026-03-01 10:00'"),
        (["jobs/sums.sql", "--at", "2026-03-01T10:00+02:00"], "names a zone"),
        (["jobs/sums.sql", "--at", "0001-01-01 00:00"], "is no time of a running job"),
        (["jobs/sums.sql", "--at", "9999-12-31 23:59"], "is no time of a running job"),
        (["jobs/sums.sql", "--at", "2026-03-01", "--next"], "--next"),
        (["jobs/sums.sql", "--platform", "moon"], "moon"),
        (["jobs/sums.sql", "--data", "orders=rows.csv"], "rows.csv cannot be read: No such file or directory."),
        (
            ["jobs/sums.sql", "--data", "refunds=rows.csv"],
            "The job does not read refunds, which --data names: it reads orders.",
        ),
        (["jobs/sums.sql", "--rows-per-second", "0"], "'0' is no number of rows: write it as 5000"),
        (["jobs/sums.sql", "--rows-per-second", "many"], "'many' is no number of rows: write it as 5000"),
        (["jobs/sums.sql", "--data", "orders=rows.csv", "--data", "Orders=rows.csv"], "--data names orders twice."),
        (
            ["jobs/sums.sql", "--retention", "orders=1 d", "--retention", "orders=2 d"],
            "--retention names orders twice.",
        ),
        (["jobs/sums.sql", "--retention", "order=1 d"], "The job does not read order, which --retention names"),
        (["jobs/sums.sql", "--retention", "orders"], "'orders' is not of the form TABLE=TIME"),
        (["jobs/sums.sql", "--retention", "orders=soon"], "'soon' is no length of time: write it as '7 d'"),
        (["jobs/none.sql"], "none.sql"),
        (["jobs/sums.sql", "--against", "nowhere"], "nowhere"),
        (["jobs/sums.sql", "--output", "jobs"], "jobs holds other files, and no plan."),
        (["broken.sql", "--against", "file:jobs/sums.sql"], "is no job that Flink starts"),
        (["jobs/sums.sql", "--against", "file:broken.sql"], "The former version is no job that Flink starts"),
        (["zone.sql", "--against", "file:jobs/sums.sql"], "and not 'Mars/Olympus'"),
    ],
)
def test_wrong_usage_is_one_sentence(
    repository: GitRepository, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write("broken.sql", job("SELECT nothing FROM orders"))
    repository.write("zone.sql", job(grouped(tumble(20)), head="SET 'table.local-time-zone' = 'Mars/Olympus';\n"))
    before = sorted(path.name for path in (repository.folder / "jobs").iterdir())
    assert main(["cutover", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert sorted(path.name for path in (repository.folder / "jobs").iterdir()) == before


def test_the_command_on_the_page_has_all_options(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    """A second plan, for the time that was read, is one for the same engine, platform and settings."""
    repository.write("own.toml", "")
    repository.write("rows.csv", "ts\n2026-03-01 09:00:00\n2026-03-01 10:00:00\n")
    options = [
        *("--against", "HEAD", "--platform", "kubernetes", "--rows-per-second", "9", "--flink", "2.3.0"),
        *("--engine", "flink", "--engine-version", "2.3", "--baseline-engine-version", "2.2", "--config", "own.toml"),
        *("--parameter", "table.exec.state.ttl=1 h", "--baseline-parameter", "table.exec.state.ttl=2 h"),
        *("--data", "orders=rows.csv", "--retention", "orders=86400000 ms"),
        *("--function", "norm(STRING) RETURNS STRING"),
    ]
    main(["cutover", "jobs/sums.sql", *options, "--at", "2026-03-01 10:00"])
    page = capsys.readouterr().out
    (line,) = (line for line in page.splitlines() if "keepstate cutover" in line)
    words = shlex.split(line)
    assert words[:3] == ["keepstate", "cutover", "jobs/sums.sql"] and words[-2:] == ["--at", "<that time>"]
    pairs = [list(pair) for pair in zip(words[3:-2:2], words[4:-2:2], strict=True)]
    assert sorted(pairs) == sorted(list(pair) for pair in zip(options[::2], options[1::2], strict=True))


NAMES = ["a_b*c.sql", "a\nb.sql", "a\n```\n# Mine\n.sql", "it's $HOME & `id`.sql", "\x1b[31m.sql", "\udcff.sql"]


@pytest.mark.skipif(sys.platform == "win32", reason="such names are none there")
@pytest.mark.parametrize("name", NAMES)
def test_names_of_files_are_names_everywhere(
    repository: GitRepository, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for file, minutes in (("was.sql", 10), (name, 30)):
        repository.write(file, job(grouped(tumble(minutes))))
    assert main(["cutover", name, "--against", "file:was.sql", "--output", "plan"]) == 0
    folder = repository.folder / "plan"
    page = (folder / "PLAN.md").read_text("utf-8")
    # A shell gets the same words out of the command.
    (line,) = (line for line in page.splitlines() if "keepstate cutover" in line)
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line.strip()}"], capture_output=True, check=True)
    words = [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]
    assert words == [
        *("keepstate", "cutover", name, "--against", "file:was.sql", "--output", "plan", "--at", "<that time>")
    ]
    assert not any(line.lstrip().startswith("# Mine") for line in page.splitlines())
    assert len(re.findall(r"(?m)^ *```", page)) % 2 == 0
    assert "\x1b" not in page
    ET.fromstring((folder / "timeline.svg").read_text("utf-8"))
    assert json.loads((folder / "plan.json").read_text("utf-8"))["exact"]


def test_a_link_is_no_folder_for_a_plan(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (repository.folder / "real").mkdir()
    (repository.folder / "plan").symlink_to("real")
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 2
    assert "plan is a link, through which no plan is written." in capsys.readouterr().err
    assert not list((repository.folder / "real").iterdir())


FOREIGN = [
    "{}",
    "[]",
    "no json",
    '{"tool": {"name": "other"}, "file": "jobs/sums.sql", "files": ["clean.sql"]}',
    '{"tool": {"name": "keepstate"}, "file": "jobs/sums.sql", "files": null}',
]


@pytest.mark.parametrize("document", FOREIGN)
def test_a_document_of_another_program_is_no_former_plan(
    repository: GitRepository, document: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"plan.json": document, "clean.sql": "mine", "bootstrap-orders.sql": "mine"}
    for name, text in files.items():
        repository.write(f"plan/{name}", text)
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 2
    assert "plan holds other files, and no plan." in capsys.readouterr().err
    assert {path.name: path.read_text() for path in (repository.folder / "plan").iterdir()} == files


def test_a_plan_removes_no_file_but_those_of_the_former_plan(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 0
    folder = repository.folder / "plan"
    document = json.loads((folder / "plan.json").read_text())
    # A document from elsewhere may name more than a plan writes.
    document["files"] += ["../jobs/sums.sql", "notes.txt", "/etc/hosts", "bootstrap-../x.sql"]
    (folder / "plan.json").write_text(json.dumps(document))
    for name in ("notes.txt", "clean.sql", "bootstrap-mine.sql"):
        (folder / name).write_text("mine")
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 0
    assert {path.name for path in folder.iterdir()} == {
        *("PLAN.md", "plan.json", "timeline.svg", "new.sql"),
        *("notes.txt", "clean.sql", "bootstrap-mine.sql"),
    }
    assert (repository.folder / "jobs" / "sums.sql").exists()
    # A script that the plan would write over is refused as well.
    (folder / "shadow.sql").write_text("mine")
    repository.write("was.sql", job("SELECT shop, ts, amount FROM orders"))
    repository.write("now.sql", job("SELECT shop, MAX(ts), LAST_VALUE(amount) FROM orders GROUP BY shop"))
    capsys.readouterr()
    assert main(["cutover", "now.sql", "--against", "file:was.sql", "--output", "plan"]) == 2
    assert "plan holds shadow.sql, which is of no plan." in capsys.readouterr().err
    assert (folder / "shadow.sql").read_text() == "mine"


@pytest.mark.parametrize("failing", range(6))
def test_a_failed_write_leaves_the_former_plan_whole(
    repository: GitRepository, failing: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk is full at one of the files, or one of them cannot move to its place."""
    folder = repository.folder / "plan"
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    calls = iter(range(100))

    def full(source: object, target: object = None, *rest: object) -> Any:
        if next(calls) == failing % 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(source, target, *rest)

    place, name = (cutover_folder, "write_whole") if failing < 3 else (Path, "rename")
    real = getattr(place, name)
    monkeypatch.setattr(place, name, full)
    assert main(["cutover", "jobs/sums.sql", "--output", "plan", "--at", "2026-03-01 10:00"]) == 2
    assert "plan cannot be written: No space left on device." in capsys.readouterr().err
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_failed_write_leaves_no_new_folder(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cutover_folder, "write_whole", full)
    assert main(["cutover", "jobs/sums.sql", "--output", "plan"]) == 2
    assert not (repository.folder / "plan").exists()


def test_the_table_of_a_state_stays_in_a_plan_of_several_ways(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, minutes, metric in (("was", 10, "SUM(amount)"), ("now", 30, "MAX(amount)")):
        both = f"INSERT INTO results {grouped(tumble(minutes))};\nINSERT INTO totals {total(metric)};"
        repository.write(f"{side}.sql", f"{TABLES}BEGIN STATEMENT SET;\n{both}\nEND;\n")
    main(["cutover", "now.sql", "--against", "file:was.sql"])
    page = capsys.readouterr().out
    assert "hand over at a boundary" in page and "start with a computed state" in page
    changed, left = page.index("Let readers change over"), page.index("Leave the table of the state in.")
    assert changed < left < page.index("## Going back")


def test_a_new_file_has_nothing_to_lose(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("new.sql", job(grouped(tumble(10))))
    assert main(["cutover", "new.sql"]) == 0
    assert "no state that a restart could lose" in capsys.readouterr().err


@pytest.mark.parametrize("sink", ["a|b", "x`](http://e)", "<script>alert(1)</script>", "```", "it's"])
def test_names_of_a_script_are_names_everywhere(
    repository: GitRepository, sink: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "`{}`".format(sink.replace("`", "``"))
    for side, minutes in (("was", 10), ("now", 30)):
        text = job(grouped(tumble(minutes)), name).replace("CREATE TABLE results", f"CREATE TABLE {name}")
        repository.write(f"{side}.sql", text)
    assert main(["cutover", "now.sql", "--against", "file:was.sql", "--output", "plan"]) == 0
    page = (repository.folder / "plan" / "PLAN.md").read_text()
    prose = "".join(page.split("```")[::2]) if sink != "```" else ""
    assert "<script>" not in prose
    assert not re.search(r"(?<!\\)\]\(http", prose)
    assert f"SELECT MAX(t) FROM {name};" in page
    table = next(line for line in page.splitlines() if "INSERT INTO" in line and line.startswith("|"))
    assert len(re.findall(r"(?<!\\)\|", table)) == 4
    ET.fromstring((repository.folder / "plan" / "timeline.svg").read_text())

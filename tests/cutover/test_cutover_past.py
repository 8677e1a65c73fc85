"""Rows of the past: the conditions of a plan that they hold or break, and the time to read them again."""

from __future__ import annotations

import json
from datetime import timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import keepstate
from cutover_changes import TABLES, grouped, hop, session, total, tumble
from keepstate import JobVersion
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.times import moment_words
from keepstate_lsp.cli.commands.cutover import past_rows
from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase
from keepstate_lsp.cli.commands.cutover.proving import proof_of
from keepstate_lsp.cli.main import main

if TYPE_CHECKING:
    from keepstate_flink.running_jobs import Jobs

STAMPED = "qty INT, rec TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', p INT METADATA FROM 'partition', ts TIMESTAMP(3)"
IDLE = "SET 'table.exec.source.idle-timeout' = '30 s';\n"
BOUNDARY = ("--at", "2026-03-01 10:00")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job(query: str, sink: str = "results", head: str = "") -> str:
    return f"{head}{TABLES}INSERT INTO {sink} {query};\n".replace("qty INT, ts TIMESTAMP(3)", STAMPED, 1)


def planned(
    was: str, now: str, rows: str | None, capsys: pytest.CaptureFixture[str], *options: str, name: str = "orders.csv"
) -> dict[str, Any]:
    """``plan.json`` of a plan with these rows of the orders."""
    for file, text in (("was.sql", was), ("now.sql", now), (name, rows)):
        if text is not None:
            Path(file).write_text(text, "utf-8")
    data = [] if rows is None else ["--data", f"orders={name}"]
    arguments = ["now.sql", "--against", "file:was.sql", "--format", "json", "--engine", "flink", *data, *options]
    status = main(["cutover", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert status == (0 if document["exact"] else 1)
    return document  # type: ignore[no-any-return]


def csv(*lines: str) -> str:
    """Rows of a time, a timestamp of the record, a partition and a shop each: ``10:00:00 10:00:01 0 a``. A time may
    have a day before it: ``2020-05-01T10:00:00``.
    """
    found = ["ts,rec,p,shop"]
    for line in lines:
        time, stamped, partition, shop = [*line.split(" "), "", "", ""][:4]
        day = "2026-03-01 "
        moment = time.replace("T", " ") if "T" in time else day + time
        found.append(f"{moment if time != '-' else ''},{day + stamped if stamped else ''},{partition},{shop}")
    return "\n".join(found) + "\n"


def checked(document: dict[str, Any], check: str) -> tuple[str, str, int | None]:
    (found,) = (each["checked"] for each in document["assumptions"] if each["check"] == check)
    return found["status"], found["words"], found["row"]


WINDOWS = (grouped(tumble(60)), grouped(tumble(30)))
SESSIONS = (grouped(session(10)), grouped(session(30)))
TOTALS = (total("SUM(amount)"), total("MAX(amount)"))
KEYS = (total("SUM(amount)", key="CAST(id AS STRING)"), total("SUM(amount)"))


@pytest.mark.parametrize(
    ("queries", "check", "rows", "status", "words"),
    [
        (WINDOWS, "record-time", csv("09:58:00 09:57:00"), "held", "at most 1 minute before"),
        (WINDOWS, "record-time", csv("09:58:00 09:56:59"), "broken", "row 1 has a timestamp 1 minute 1 second before"),
        (WINDOWS, "record-time", csv("09:58:00 12:00:00"), "held", "at most 0 seconds before"),
        (WINDOWS, "record-time", csv("09:58:00"), "not checked", "do not have the timestamps of their records"),
        (WINDOWS, "record-time", csv("- 09:58:00"), "not checked", "no row has an event time"),
        (WINDOWS, "retention", csv("09:59:00", "10:00:00"), "held", "begin at 2026-03-01 09:59:00 UTC"),
        (WINDOWS, "retention", csv("09:59:01", "10:00:00"), "broken", "1 second after the start"),
        (WINDOWS, "retention", csv("-"), "not checked", "no row has an event time"),
        (WINDOWS, "retention", csv("2020-05-01T10:00:00"), "not checked", "end at 2020-05-01 10:00:00 UTC, before"),
        (WINDOWS, "retention", csv("09:58:59"), "not checked", "end at 2026-03-01 09:58:59 UTC, before the start"),
        (WINDOWS, "retention", csv("09:59:00"), "held", "begin at 2026-03-01 09:59:00 UTC"),
        (WINDOWS, "retention", csv("2020-05-01T10:00:00", "2026-05-01T10:00:00"), "held", "begin at 2020-05-01"),
        (WINDOWS, "retention", csv("2030-03-01T10:00:00"), "broken", "1461 days 1 minute after the start"),
        (WINDOWS, "zone", csv("10:00:00"), "not checked", "do not have the timestamps of their records"),
        (WINDOWS, "zone", csv("10:00:00 18:00:00", "10:00:00 10:14:59"), "held", "14 minutes 59 seconds away"),
        (WINDOWS, "zone", csv("10:00:00 18:00:00", "10:00:00 10:15:00"), "not checked", "15 minutes or more away"),
        (TOTALS, "zone", csv("09:00:00 09:00:01"), "held", "1 second away"),
        (
            WINDOWS,
            "idle",
            csv("10:00:00  0", "10:00:20  1", "10:00:30  0"),
            "held",
            "2 partitions, quiet for 30 seconds",
        ),
        (
            WINDOWS,
            "idle",
            csv("10:00:00  0", "10:00:20  1", "10:00:31  0"),
            "broken",
            "row 3 comes after its partition",
        ),
        # A partition that falls silent, and one that comes late, with the last row of the file in another one.
        (
            WINDOWS,
            "idle",
            csv("10:00:00  1", "10:00:20  0", "10:00:31  0"),
            "broken",
            "nothing follows row 1 in its partition, while others go on for 31 seconds",
        ),
        (WINDOWS, "idle", csv("10:00:00  1", "10:00:20  0", "10:00:30  0"), "held", "quiet for 30 seconds"),
        (
            WINDOWS,
            "idle",
            csv("10:00:00  0", "10:00:20  0", "10:00:31  1"),
            "broken",
            "row 3 comes after its partition was quiet for 31 seconds",
        ),
        (WINDOWS, "idle", csv("10:00:00", "10:01:00"), "not checked", "do not have the partitions of their records"),
        (TOTALS, "no-null-time", csv("10:00:00"), "held", "no NULL"),
        (TOTALS, "no-null-time", csv("10:00:00", "-", "-"), "broken", "row 2 has no event time, and 1 more"),
        (TOTALS, "history", csv("09:00:00", "10:00:00"), "not checked", "they begin at 2026-03-01 09:00:00 UTC"),
        (TOTALS, "history", csv("09:00:00", "09:59:59"), "not checked", "end at 2026-03-01 09:59:59 UTC, before"),
        (TOTALS, "history", csv("10:00:00"), "broken", "none of them is former"),
        (SESSIONS, "sessions", csv("09:29:59", "10:00:00"), "held", "no row came for 30 minutes before the boundary"),
        (SESSIONS, "sessions", csv("09:30:00", "10:00:00"), "broken", "no time in the rows is without an open session"),
        (
            SESSIONS,
            "sessions",
            csv("06:00:00", "07:00:00", "09:59:00", "10:00:00"),
            "broken",
            "after 2026-03-01 07:30:00 UTC, until 2026-03-01 09:59:00 UTC",
        ),
        (SESSIONS, "sessions", csv("10:00:00"), "not checked", "begin at 2026-03-01 10:00:00 UTC, too late to show"),
        (SESSIONS, "sessions", csv("2030-03-01T10:00:00"), "not checked", "too late to show what is open"),
        (SESSIONS, "sessions", csv("2020-03-01T10:00:00", "10:00:00"), "held", "no row came for 30 minutes"),
        (SESSIONS, "sessions", csv("07:00:00"), "not checked", "the rows end at 2026-03-01 07:00:00 UTC"),
        (SESSIONS, "whole-history", csv("07:00:00"), "not checked", "they begin at 2026-03-01 07:00:00 UTC"),
    ],
)
def test_each_condition_is_held_or_broken_by_rows(
    queries: tuple[str, str], check: str, rows: str, status: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sink, head = ("totals" if queries is TOTALS else "results"), (IDLE if check == "idle" else "")
    was, now = (job(query, sink, head) for query in queries)
    document = planned(was, now, rows, capsys, *BOUNDARY)
    found = checked(document, check)
    assert found[0] == status
    assert words in found[1]
    is_flawed = any(each["flaws"] for each in document["pipelines"])
    # Plans with sessions have flaws anyway: a test of their own looks at the page.
    assert is_flawed is (queries is SESSIONS)
    assert document["exact"] is (
        not is_flawed and all(each["checked"]["status"] != "broken" for each in document["assumptions"])
    )


def test_an_open_session_makes_a_plan_less_exact(capsys: pytest.CaptureFixture[str]) -> None:
    for rows, is_open in ((csv("09:29:59", "10:00:00"), False), (csv("09:30:00", "10:00:00"), True)):
        planned(*(job(query) for query in SESSIONS), rows, capsys, *BOUNDARY)
        main(["cutover", "now.sql", "--against", "file:was.sql", "--data", "orders=orders.csv", *BOUNDARY])
        page = capsys.readouterr().out
        inexact = page[page.index("## What is not exact") : page.index("## Files")]
        assert ("a session is open at the boundary" in inexact) is is_open


TWO = (
    "CREATE DATABASE d2;\n"
    + TABLES.split(";")[0].replace("CREATE TABLE orders", "CREATE TABLE d2.orders").strip()
    + ";\n"
)
OF_TWO = f"{grouped(tumble(30))} UNION ALL {grouped(tumble(30, 'd2.orders'))}"


def two(*options: str) -> list[str]:
    """The options for a plan of a job that reads two tables of one last name, whose files have other rows."""
    for name, minutes in (("was.sql", 60), ("now.sql", 30)):
        Path(name).write_text(job(OF_TWO.replace("'30'", f"'{minutes}'"), head=TWO), "utf-8")
    Path("first.csv").write_text("ts\n2026-03-01 09:00:00\n2026-03-01 10:00:00\n", "utf-8")
    return ["cutover", "now.sql", "--against", "file:was.sql", "--engine", "flink", *BOUNDARY, *options]


@pytest.mark.parametrize(
    ("name", "table"), [("d2.orders", "d2.orders"), ("`d2`.`Orders`", "d2.orders"), ("orders", "orders")]
)
def test_rows_are_those_of_one_table(name: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([*two("--data", f"{name}=first.csv"), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert [each["table"] for each in document["rows"]] == [table]
    found = {
        each["table"]: each["checked"]["status"] for each in document["assumptions"] if each["check"] == "retention"
    }
    assert found == {each: "held" if each == table else "not checked" for each in ("orders", "d2.orders")}


@pytest.mark.parametrize(("name", "flawed"), [("d2.orders", "d2.orders"), ("default_database.orders", "orders")])
def test_a_retention_is_that_of_one_table(name: str, flawed: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([*two("--retention", f"{name}=30 s"), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    flaws = [flaw for each in document["pipelines"] for flaw in each["flaws"] if "keeps" in flaw]
    assert flaws and all(flaw.startswith(f"{flawed} ") for flaw in flaws)


def test_two_tables_of_one_last_name_are_not_proved() -> None:
    """The trials hand out rows by last names: one table would get those of the other."""
    two()
    now, was = (JobVersion(Path(name).read_text("utf-8")) for name in ("now.sql", "was.sql"))
    plan = keepstate.analyse(now, was, "flink").cutover(CutoverOptions(0, timezone.utc))
    case = ProofCase(plan, lambda _: plan, now, was, timezone.utc)
    proof = proof_of(case, [("d2.orders", "first.csv")], "2.3.0", cast("Jobs", None))
    assert (proof.trials, proof.reason) == (
        (),
        "Several tables have the last name orders, by which rows are handed out.",
    )


def test_each_condition_names_the_start_of_its_own_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Windows of an hour read orders from an hour before, totals refunds behind a state. The sentence of a table is the
    same on the page and in the document.
    """
    for name, minutes, metric in (("was.sql", 60, "SUM(amount)"), ("now.sql", 120, "MAX(amount)")):
        windows = f"INSERT INTO results {grouped(hop(60, minutes))};"
        totals = f"INSERT INTO totals {total(metric).replace('orders', 'refunds')};"
        Path(name).write_text(f"{TABLES}BEGIN STATEMENT SET;\n{windows}\n{totals}\nEND;\n", "utf-8")
    arguments = ["cutover", "now.sql", "--against", "file:was.sql", "--engine", "flink", *BOUNDARY]
    main([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    starts = {each["table"]: each["millis"] for each in document["sources"]}
    assert starts["orders"] < starts["refunds"]
    sentences = {each["table"]: each["sentence"] for each in document["assumptions"] if each["check"] == "retention"}
    main(arguments)
    page = capsys.readouterr().out.replace("\\", "")
    for table, start in starts.items():
        assert f"kept from {moment_words(start)} on" in sentences[table]
        assert f"[ ] {sentences[table]}" in page


@pytest.mark.parametrize("option", ["--data", "--retention"])
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("d3.orders",), "The job does not read d3.orders, which {} names: it reads d1.orders, d2.orders."),
        (("orders",), "{} orders may be d1.orders or d2.orders: write the whole name."),
        (("d2.orders", "`d2`.orders"), "{} names d2.orders twice."),
    ],
)
def test_a_name_that_means_no_table_or_several_is_refused(
    option: str, names: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value = "first.csv" if option == "--data" else "1 d"
    arguments = two(*(word for name in names for word in (option, f"{name}={value}")))
    for name in ("was.sql", "now.sql"):
        text = Path(name).read_text("utf-8")
        text = text.replace("CREATE TABLE orders", "CREATE DATABASE d1;\nCREATE TABLE d1.orders")
        Path(name).write_text(text.replace("TABLE orders,", "TABLE d1.orders,"), "utf-8")
    assert main(arguments) == 2
    assert words.format(option) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "status"), [('{"ID": 1, "shop": "a"}', "held"), ('{"id": 2}', "broken"), ('{"shop": null}', "broken")]
)
def test_keys_are_read_from_json_lines(line: str, status: str, capsys: pytest.CaptureFixture[str]) -> None:
    was, now = (job(query, "totals") for query in KEYS)
    rows = f'{{"id": 1, "Shop": "b", "ts": "2026-03-01T09:00:00Z"}}\n\n{line}\n'
    found = checked(planned(was, now, rows, capsys, *BOUNDARY, name="orders.jsonl"), "keys")
    assert found == (status, *(("no NULL in the rows", None) if status == "held" else ("row 2 has no shop", 2)))


def test_an_empty_text_is_a_key_and_an_empty_number_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    was, now = (job(query, "totals") for query in KEYS)
    assert checked(planned(was, now, csv("10:00:00"), capsys, *BOUNDARY), "keys")[0] == "held"
    now = now.replace("totals SELECT shop,", "totals SELECT qty,").replace("GROUP BY shop", "GROUP BY qty")
    now = now.replace("totals (a STRING,", "totals (a INT,")
    rows = "ts,qty\n2026-03-01 10:00:00,\n"
    assert checked(planned(was, now, rows, capsys, *BOUNDARY), "keys")[0] == "broken"


def test_rows_that_are_too_late_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = csv("09:00:00  0", "10:00:10  1", "10:00:05  1", "10:00:04  1", "10:00:03  1", "09:00:01  0")
    document = planned(*(job(query) for query in WINDOWS), rows, capsys, *BOUNDARY)
    assert document["exact"]
    # Of one source each job drops the same ones; partitions have a watermark each.
    assert document["rows"] == [
        {
            "table": "orders",
            "rows": 6,
            "first_ms": 1772355600000,
            "last_ms": 1772359210000,
            "without_time": 0,
            "too_late": {"rows": 2, "worst_row": 5, "worst_ms": 7000},
        }
    ]


def test_late_rows_of_two_sources_break_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    union = f"{grouped(tumble(30))} UNION ALL {grouped(tumble(30, 'refunds'))}"
    was, now = job(union.replace("'30'", "'60'")), job(union)
    Path("refunds.csv").write_text("ts\n2026-03-01 09:00:10\n2026-03-01 09:00:00\n", "utf-8")
    refunds = ("--data", "refunds=refunds.csv")
    document = planned(was, now, csv("09:00:10", "09:00:05"), capsys, *BOUNDARY, *refunds)
    assert [each["checked"]["status"] for each in document["assumptions"] if each["check"] == "lateness"] == [
        "held"
    ] * 2
    assert document["exact"]
    document = planned(was, now, csv("09:00:10", "09:00:04"), capsys, *BOUNDARY, *refunds)
    assert not document["exact"]
    # Without rows of a table nothing is said about it.
    document = planned(was, now, csv("09:00:10"), capsys, *BOUNDARY)
    found = [each["checked"]["words"] for each in document["assumptions"] if each["table"] == "refunds"]
    assert set(found) == {"no rows of refunds are given"}


def test_a_computed_event_time_is_in_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    was, now = (job(query).replace(STAMPED, "qty INT, said STRING, ts AS TO_TIMESTAMP(said)") for query in WINDOWS)
    document = planned(was, now, "said\n2026-03-01 10:00:00\n", capsys, *BOUNDARY)
    assert checked(document, "retention")[1] == "the script computes its event time, so the rows do not have it"


def test_without_rows_nothing_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    document = planned(*(job(query) for query in WINDOWS), None, capsys)
    assert {each["checked"] for each in document["assumptions"]} == {None}


def test_the_page_marks_what_holds_and_says_what_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    planned(*(job(query) for query in WINDOWS), csv("09:00:00 08:00:00", "10:00:00 10:00:00"), capsys)
    assert main(["cutover", "now.sql", "--against", "file:was.sql", "--data", "orders=orders.csv", *BOUNDARY]) == 1
    page = capsys.readouterr().out
    assert page.split("\n")[2].startswith("**Not exact")
    broken = "Broken by the rows given: row 1 has a timestamp 1 hour before its event time."
    assert broken in page[page.index("## What is not exact") : page.index("## Before you begin")]
    assert "- [x] orders: its records are kept from 2026-03-01 09:59:00 UTC on" in page
    assert "- orders: 2 rows, from 2026-03-01 09:00:00 UTC to 2026-03-01 10:00:00 UTC." in page


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("ts\nsoon\n", "orders.csv, row 1: 'soon' is no time for orders.ts."),
        ("ts\n2026-03-01 10:00:00+02:00\n", "orders.csv, row 1: '2026-03-01 10:00:00+02:00' is no time for orders.ts."),
        ("ts\n", "orders.csv has no rows."),
        ("ts\n2026-03-01 10:00:00\n\x00\n", "orders.csv"),
    ],
)
def test_rows_that_cannot_be_read_get_one_sentence(rows: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, query in zip(("was.sql", "now.sql"), WINDOWS, strict=True):
        Path(name).write_text(job(query), "utf-8")
    Path("orders.csv").write_text(rows, "utf-8")
    assert main(["cutover", "now.sql", "--against", "file:was.sql", "--data", "orders=orders.csv"]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert not captured.out


@pytest.mark.parametrize(("rows", "status"), [(3, 0), (4, 2)])
def test_as_many_rows_as_are_read(
    rows: int, status: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_rows, "MOST_READ", 3)
    for name, query in zip(("was.sql", "now.sql"), WINDOWS, strict=True):
        Path(name).write_text(job(query), "utf-8")
    Path("orders.csv").write_text(csv(*["09:00:00"] * rows), "utf-8")
    arguments = ["now.sql", "--against", "file:was.sql", "--data", "orders=orders.csv", *BOUNDARY]
    assert main(["cutover", *arguments]) == status
    said = "orders.csv has more than 3 rows, the most that are read here. Try: Name a part of them."
    assert (said in capsys.readouterr().err) is (status == 2)


# ---- the time to read them again

REPLAYED = (total("SUM(amount)"), total("STDDEV_POP(qty)"))


def hour(rows: int) -> str:
    """Rows over an hour, one at each end of it."""
    return csv("09:00:00", *["09:30:00"] * (rows - 2), "10:00:00")


def estimated(rows: str | None, capsys: pytest.CaptureFixture[str], *options: str, start: str = "") -> dict[str, Any]:
    was, now = (job(query, "totals") for query in REPLAYED)
    if start:
        now = now.replace("'scan.startup.mode' = 'earliest-offset'", start, 1)
    document = planned(was, now, rows, capsys, *options)
    assert document["approach"] == "replay"
    return document["estimate"]  # type: ignore[no-any-return]


def test_a_replay_says_when_it_has_caught_up(capsys: pytest.CaptureFixture[str]) -> None:
    # A row a second came: of ten that are read, nine are of the past.
    found = estimated(hour(3600), capsys, "--rows-per-second", "10")
    (table,) = found["tables"]
    assert (table["rows"], table["rows_per_second"]) == (3600, 1.0)
    assert (found["catches_up"], found["seconds_to_catch_up"], found["missing"]) == (True, 400.0, [])


def test_a_replay_that_is_slower_than_its_rows_never_catches_up(capsys: pytest.CaptureFixture[str]) -> None:
    found = estimated(hour(3600), capsys, "--rows-per-second", "1")
    assert (found["catches_up"], found["seconds_to_catch_up"]) == (False, None)
    arguments = ["now.sql", "--against", "file:was.sql", "--data", "orders=orders.csv", "--rows-per-second", "1"]
    main(["cutover", *arguments])
    page = capsys.readouterr().out
    assert "- It never catches up: 3,600 rows at 1 rows a second, while 1 rows come in one." in page


def test_rows_before_the_start_are_not_read_again(capsys: pytest.CaptureFixture[str]) -> None:
    start = "'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1772357400000'"
    found = estimated(hour(3600), capsys, start=start)
    assert found["tables"][0]["rows"] == 3599


@pytest.mark.parametrize(
    ("rows", "options", "missing"),
    [
        (None, ("--rows-per-second", "9"), ["The rows of orders are not given: --data orders=PATH."]),
        (hour(3), (), ["The rows that the new job reads in a second are not given: --rows-per-second N."]),
        (csv("09:00:00"), ("--rows-per-second", "9"), ["The rows of orders do not show the time that they take."]),
        (csv("-", "-"), ("--rows-per-second", "9"), ["The rows of orders do not show the time that they take."]),
    ],
)
def test_what_is_missing_for_an_estimate_is_said(
    rows: str | None, options: tuple[str, ...], missing: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = estimated(rows, capsys, *options)
    assert found["missing"] == missing
    assert (found["catches_up"], found["seconds_to_catch_up"]) == (None, None)
    arguments = ["now.sql", "--against", "file:was.sql", *(["--data", "orders=orders.csv"] if rows else []), *options]
    main(["cutover", *arguments])
    assert f"- The time until it has caught up is not known. {missing[0]}" in capsys.readouterr().out

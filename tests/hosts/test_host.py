"""The contract for hosts without a server: the same JSON as the command line, places in files, clear refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keepstate.hosts.host import QUESTIONS, Host
from keepstate_lsp.version import VERSION

DDL = "CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'kafka');\n"
SUM = "INSERT INTO s SELECT b, SUM(a) AS c FROM t GROUP BY b;\n"
MAX = SUM.replace("SUM", "MAX")


def side(text: str, **members: Any) -> dict[str, Any]:
    return {"files": {"job.sql": text}, "job": "job.sql", **members}


def asked(do: str, host: Host | None = None, **members: Any) -> Any:
    request = {"do": do, "engine": "vvr", **members}
    return json.loads((host or Host(VERSION)).answer(json.dumps(request)))


def answered(do: str, host: Host | None = None, **members: Any) -> Any:
    return asked(do, host, **members)["answer"]


TWO = {"current": side(DDL + MAX), "baseline": side(DDL + SUM)}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(
    ("baseline", "current"),
    [
        (DDL + SUM, DDL + MAX),
        (DDL + SUM, DDL + SUM),
        (DDL + SUM, DDL + SUM.replace("SUM(a)", "SUM(nothing)")),
        (DDL + SUM, DDL + SUM + "SELECT ( FROM"),
        (DDL + SUM, DDL),
        (DDL + SUM + "INSERT INTO u SELECT a FROM t;", DDL + "-- \N{GRINNING FACE}\n" + MAX),
    ],
    ids=["changed", "unchanged", "refused", "unread", "ended", "several"],
)
def test_a_check_is_the_document_of_the_command_line(tmp_path: Path, baseline: str, current: str, engine: str) -> None:
    (tmp_path / "was.sql").write_text(baseline, "utf-8")
    (tmp_path / "job.sql").write_text(current, "utf-8")
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "diff", "was.sql", "job.sql", "--engine", engine]
    run = subprocess.run([*command, "--format", "json"], cwd=tmp_path, capture_output=True, check=False)
    members = {"engine": engine, "current": side(current), "baseline": side(baseline), "fixes": True}
    assert answered("check", **members) == json.loads(run.stdout)


def test_fixes_of_a_finding_lead_back() -> None:
    found = answered("fixes", finding=0, **TWO)["fixes"]
    assert found[0]["verdict_after"] == "compatible"
    assert found[0]["edits"][0]["new_text"] == "SUM"


def test_a_hover_is_about_the_finding_else_about_what_the_clause_keeps() -> None:
    at = {"line": 1, "character": MAX.index("MAX") + 1}
    on_finding = answered("hover", position=at, **TWO)
    assert [each["rule"] for each in on_finding["findings"]] == ["all-aggregates-replaced"]
    assert on_finding["findings"][0]["state"]
    alone = answered("hover", position=at, current=TWO["current"])
    assert alone["findings"] == [] and alone["notes"][0]["operator"] == "GroupAggregate"
    assert answered("hover", position={"line": 0, "character": 3}, **TWO)["range"] is None


def test_places_are_those_of_the_files() -> None:
    def project(ddl: str, job: str) -> dict[str, Any]:
        return {"files": {"ddl/t.sql": ddl, "jobs/a.sql": job}, "job": "jobs/a.sql"}

    members = {"current": project(f"\n\n{DDL}", MAX), "baseline": project(DDL, SUM)}
    (file,) = answered("check", **members)["files"]
    (finding,) = file["findings"]
    assert (finding["file"], finding["range"]["start"]["line"]) == ("jobs/a.sql", 0)
    assert file["files"] == [{"path": "ddl/t.sql", "role": "context"}, {"path": "jobs/a.sql", "role": "script"}]
    hover = answered("hover", position=finding["range"]["start"], **members)
    assert hover["findings"][0]["range"] == finding["range"]
    assert answered("hover", position={"line": 0, "character": 0}, file="ddl/t.sql", **members)["range"] is None


def test_answers_about_one_version() -> None:
    now = {"current": side(DDL + SUM)}
    notes = answered("notes", **now)
    assert [each["name"] for each in notes["pipelines"]] == ["INSERT INTO s"]
    assert notes["pipelines"][0]["range"]["start"]["line"] == 1
    assert {each["operator"] for each in notes["notes"]} == {"GroupAggregate"}
    assert [each["name"] for each in answered("plan", **now)["pipelines"]] == ["INSERT INTO s"]
    assert answered("validate", **now)["validity"] == "undecided"
    place = {"line": 1, "character": SUM.index("SUM(a)") + 4}
    assert "a" in [each["label"] for each in answered("complete", position=place, **now)["proposals"]]


def test_the_plans_of_two_versions_have_their_differences() -> None:
    plans = answered("plan", **TWO)
    assert plans["verdict"] == "incompatible"
    assert "facts.aggregates" in {each["part"] for each in plans["pipelines"][0]["differences"]}


@pytest.mark.parametrize("today", ["2026-01-31", "2026-02-01"])
def test_an_acceptance_holds_until_its_day(today: str) -> None:
    comment = "-- keepstate: accept all-aggregates-replaced until 2026-01-31 because it may go\n"
    members = {**TWO, "current": side(DDL + comment + MAX), "today": today}
    (finding,) = answered("check", **members)["files"][0]["findings"]
    assert (finding["accepted"] is not None) is (today == "2026-01-31")


def test_a_session_answers_as_a_new_host_does() -> None:
    host = Host(VERSION)
    for text in (SUM, MAX, SUM.replace("GROUP BY b", "GROUP BY b, c"), MAX):
        members = {"current": side(DDL + text), "baseline": side(DDL + SUM)}
        assert answered("check", host, **members) == answered("check", **members)


@pytest.mark.parametrize(
    ("request_text", "sentence"),
    [
        ("{", "The request is no JSON: Expecting property name"),
        ("[" * 100_000, "The request is no JSON: "),
        ("[]", "The request is no object."),
        ('{"do": "eat"}', '"do" is "eat", and not one of check, '),
        ('{"do": "check", "sql": 1}', 'There is no member "sql" in the request.'),
        ('{"do": "check"}', '"engine" is null, and not one of vvr, flink.'),
    ],
)
def test_what_is_no_request_gets_a_sentence(request_text: str, sentence: str) -> None:
    error = json.loads(Host(VERSION).answer(request_text))["error"]
    assert error.startswith(sentence)


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"current": side("", job="no.sql")}, '"job" of "current" is "no.sql", and not one of its files'),
        ({"current": {"files": {}, "job": "a"}}, '"files" of "current" is no mapping from paths to texts.'),
        ({"current": {"files": {"a": 1}, "job": "a"}}, '"files" of "current" is no mapping from paths to texts.'),
        ({"current": side("", ttl="1 d")}, 'There is no member "ttl" in "current".'),
        ({"current": side("", parameters={"a": 1})}, '"parameters" of "current" is no mapping from keys to texts.'),
        ({"current": side("", jobs="each")}, '"jobs" is "each", and not one of script, each-insert.'),
        ({"current": side("")}, 'check compares two versions: "baseline" is missing.'),
        ({**TWO, "file": "x" * 200}, '"file" is "' + "x" * 99 + "..., which"),
        ({**TWO, "fixes": 1}, '"fixes" is 1, and not true or false.'),
        ({**TWO, "today": "soon"}, '"today" is "soon", and no day such as 2027-01-31.'),
        ({**TWO, "do": "hover"}, 'hover is about a place: "position" is missing.'),
        (
            {**TWO, "position": {"line": -1, "character": 0}},
            '"position" is {"line": -1, "character": 0}, and no object',
        ),
        ({**TWO, "do": "fixes", "finding": 1}, '"finding" is 1, and the report has 1.'),
        ({**TWO, "do": "fixes", "finding": True}, '"finding" is true, and no index.'),
    ],
)
def test_a_wrong_member_gets_a_sentence(members: dict[str, Any], sentence: str) -> None:
    answer = json.loads(Host(VERSION).answer(json.dumps({"do": "check", "engine": "vvr", "id": "x", **members})))
    assert answer["error"].startswith(sentence)
    assert answer["id"] == "x"


@pytest.mark.parametrize("do", QUESTIONS)
def test_no_text_stops_an_answer(do: str) -> None:
    strange = "SELECT \ud800 '\u2028 \N{GRINNING FACE}; (" * 3
    members = {"current": side(strange), "baseline": side(DDL + SUM), "position": {"line": 0, "character": 9}}
    assert "answer" in asked(do, **members)

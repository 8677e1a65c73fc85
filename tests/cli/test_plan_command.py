"""keepstate plan: one plan, or those of both sides, as text, JSON and Graphviz."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from jobs import BROKEN, INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from keepstate_lsp.cli.main import main
from repositories import GitRepository

SECOND = "\nINSERT INTO largest SELECT region, MAX(amount) FROM orders GROUP BY region;\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"base": JOB, "partial": PARTIAL, "size": INCOMPATIBLE, "broken": BROKEN, "reformatted": REFORMATTED}
    for name, text in {**texts, "two": JOB + SECOND}.items():
        (tmp_path / f"{name}.sql").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


def plan(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(["plan", *arguments]) == status
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(plan(capsys, *arguments, "--format", "json"))


class TestText:
    def test_one_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = plan(capsys, "base.sql").splitlines()
        assert lines[:3] == [
            "INSERT INTO daily",
            "|  output: region, window_start, window_end, COUNT(*), SUM(amount)",
            "`- WindowAggregate",
        ]
        assert lines[-1] == "      `- TableSourceScan: orders"

    def test_two_sides_beside_each_other(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = plan(capsys, "base.sql", "partial.sql")
        assert re.search(r"^baseline: base\.sql +current: partial\.sql$", text, re.MULTILINE)
        assert "\nINSERT INTO daily: partial\n" in text
        rows = [(line[:column], line[column], line[column + 1 :]) for line, column in _rows(text)]
        assert [(left.strip(" |"), sign, right.strip(" |")) for left, sign, right in rows if sign != " "] == [
            (
                "output: region, window_start, window_end, COUNT(*), SUM(amount)",
                "~",
                "output: region, window_start, window_end, COUNT(*), SUM(amount), +MAX(amount)",
            ),
            ("`- WindowAggregate", "~", "`- WindowAggregate"),
            ("aggregates: COUNT(*), SUM(amount)", "~", "aggregates: COUNT(*), SUM(amount), +MAX(amount)"),
            ("", "+", "keeps: MAX(amount): the largest value so far"),
        ]
        assert ("", " ", "! aggregate-added: partial") in [(a.strip(" |"), b, c.strip(" |")) for a, b, c in rows]
        assert text.endswith(
            "Partial: 1 of 1 pipeline differs; ~ is changed, + in the current version only, - in the baseline only.\n"
        )

    @pytest.mark.parametrize("columns", [40, 79, 100, 113, 160])
    def test_fits_the_terminal(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        for files in (("two.sql",), ("base.sql", "size.sql"), ("two.sql", "partial.sql"), ("base.sql", "two.sql")):
            text = plan(capsys, *files)
            assert max(cell_len(line) for line in text.splitlines()) <= columns
            assert "TableSourceScan" in text

    def test_one_tree_where_there_is_no_room_for_two(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        narrow = plan(capsys, "base.sql", "size.sql")
        assert narrow.startswith("- baseline: base.sql\n+ current: size.sql\n")
        signs = [line[0] + line[1:].strip(" |") for line in narrow.splitlines() if line[:2] in ("~ ", "- ", "+ ")]
        assert signs[2:] == [
            "~`- WindowAggregate",
            "-window: TUMBLE, time order_time, ~size 1 minute",
            "+window: TUMBLE, time order_time, ~size 2 minutes",
            "~key: region, ~window",
            "~`- WindowTableFunction",
            "-window: TUMBLE, time order_time, ~size 1 minute",
            "+window: TUMBLE, time order_time, ~size 2 minutes",
        ]
        assert plan(capsys, "base.sql", "size.sql", "--layout", "side-by-side") != narrow
        monkeypatch.setenv("COLUMNS", "200")
        assert plan(capsys, "base.sql", "size.sql", "--layout", "unified").startswith("- baseline: base.sql\n")

    def test_colours(self, capsys: pytest.CaptureFixture[str]) -> None:
        plain = plan(capsys, "base.sql", "partial.sql", "--color", "never")
        coloured = plan(capsys, "base.sql", "partial.sql", "--color", "always")
        assert "\x1b[" not in plain
        assert "\x1b[32m" in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain

    def test_equal_plans(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert plan(capsys, "base.sql", "reformatted.sql") == (
            "INSERT INTO daily: compatible, the same plan on both sides\n"
            "Compatible: The plans are the same on both sides.\n"
        )

    def test_equal_plans_that_still_do_not_fit(self, capsys: pytest.CaptureFixture[str]) -> None:
        versions = ("--engine-version", "vvr-11.1-flink-1.20", "--baseline-engine-version", "vvr-8.0.11-flink-1.17")
        text = plan(capsys, "base.sql", "base.sql", *versions)
        assert "the same plan on both sides" in text
        assert "! engine-version-changed: unknown" in text
        assert "Unknown: The plans are the same on both sides." in text

    def test_what_no_plan_shows(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "pulsar.sql").write_text(JOB.replace("'connector' = 'kafka'", "'connector' = 'pulsar'"), "utf-8")
        text = plan(capsys, "base.sql", "pulsar.sql")
        assert text.startswith(
            "INSERT INTO daily: incompatible, the same plan on both sides\n  ! source-connector-changed: incompatible\n"
        )

    def test_only_what_differs_is_drawn(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = plan(capsys, "base.sql", "two.sql")
        assert "INSERT INTO daily: compatible, the same plan on both sides\n" in text
        assert "INSERT INTO largest: incompatible, in the current version only\n" in text
        assert "WindowAggregate" not in text
        assert "INSERT INTO largest: compatible, in the baseline only\n" in plan(capsys, "two.sql", "base.sql")

    def test_no_query(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "empty.sql").write_text("SET 'a' = 'b';\n")
        assert plan(capsys, "empty.sql") == "There is no query in empty.sql.\n"
        assert plan(capsys, "empty.sql", "empty.sql").startswith("There is no query in empty.sql nor in empty.sql.\n")

    def test_text_from_anybody_does_not_steer_the_terminal(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "odd.sql").write_text("SELECT 'a\x1b[31mb', `c\N{RIGHT-TO-LEFT OVERRIDE}d`, COUNT(*) FROM t", "utf-8")
        text = plan(capsys, "odd.sql", "base.sql")
        assert "\x1b" not in text and "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


def _rows(text: str) -> list[tuple[str, int]]:
    """The rows of two trees, and the column in which their signs stand."""
    lines = text.splitlines()
    column = lines[0].index("current: ") - 3
    return [(line.ljust(column + 1), column) for line in lines[3:] if line[:1] in "|` " and line]


class TestJson:
    def test_one_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        answer = document(capsys, "base.sql")
        assert list(answer) == ["version", "tool", "engine", "pipelines", "problems"]
        (pipeline,) = answer["pipelines"]
        root = pipeline["root"]
        assert (pipeline["name"], root["operator"]) == ("INSERT INTO daily", "WindowAggregate")
        assert root["facts"]["groupBy"] == ["region", "window_start", "window_end"]
        assert root["state"] == {
            "title": "one row of accumulators per group and open window",
            "keyed_by": ["region", "window"],
            "keeps": ["COUNT(*): a count", "SUM(amount): a sum and whether there was a value"],
            "states": [],
            "until": "the watermark passes the end of the window",
            "migratable": {
                "keyed_by": [False, False],
                "keeps": [True, True],
                "words": "vvr can migrate the accumulators, as long as an aggregate stays as it is; not the key and "
                "window",
            },
            "not_certain": None,
        }
        (window,) = root["inputs"]
        assert (window["state"], window["inputs"][0]["facts"]) == (None, {"table": ["orders"]})

    def test_states_of_a_format_that_is_known(self, capsys: pytest.CaptureFixture[str]) -> None:
        answer = document(capsys, "base.sql", "partial.sql", "--engine", "flink")
        was, now = (answer[side]["pipelines"][0]["root"]["state"] for side in ("baseline", "current"))
        (accumulators,) = now["states"]
        assert (accumulators["name"], accumulators["form"]) == ("window-aggs", None)
        assert now["keeps"] == accumulators["fields"] and len(now["keeps"]) == len(was["keeps"]) + 1
        assert now["migratable"]["keeps"] == [False] * len(now["keeps"])
        (reported,) = [one for one in answer["pipelines"][0]["differences"] if one["part"] == "state.restart"]
        assert (reported["kind"], reported["baseline_text"]) == ("changed", None)
        assert reported["current_text"].startswith("the savepoint has no ")

    def test_two_sides(self, capsys: pytest.CaptureFixture[str]) -> None:
        answer = document(capsys, "base.sql", "partial.sql")
        assert list(answer) == [
            "version", "tool", "engine", "verdict", "same", "findings", "baseline", "current", "pipelines", "problems",
        ]  # fmt: skip
        assert (answer["verdict"], answer["same"]) == ("partial", False)
        assert (answer["baseline"]["name"], answer["current"]["name"]) == ("base.sql", "partial.sql")
        ids = {side: list(_ids(answer[side]["pipelines"][0]["root"])) for side in ("baseline", "current")}
        assert ids == {"baseline": ["b1", "b2", "b3"], "current": ["c1", "c2", "c3"]}
        (pipeline,) = answer["pipelines"]
        assert [(match["baseline"], match["current"], match["same"]) for match in pipeline["matches"]] == [
            ("b1", "c1", False),
            ("b2", "c2", True),
            ("b3", "c3", True),
        ]
        assert pipeline["matches"][0]["findings"] == [{"rule": "aggregate-added", "verdict": "partial"}]
        assert [(one["kind"], one["baseline"], one["part"]) for one in pipeline["differences"]] == [
            ("changed", None, "output"),
            ("changed", "b1", "facts.aggregates"),
            ("changed", "b1", "state.keeps"),
        ]
        assert pipeline["differences"][1]["baseline_text"] == "COUNT(*), SUM(amount)"
        assert pipeline["differences"][1]["current_text"] == "COUNT(*), SUM(amount), MAX(amount)"

    def test_operators_of_one_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        answer = document(capsys, "base.sql", "two.sql")
        added = answer["pipelines"][1]
        assert (added["baseline"], added["matches"]) == (None, [])
        assert [(one["kind"], one["current"], one["part"]) for one in added["differences"]] == [
            ("added", "c4", "operator"),
            ("added", "c5", "operator"),
        ]

    def test_equal_plans(self, capsys: pytest.CaptureFixture[str]) -> None:
        answer = document(capsys, "base.sql", "reformatted.sql")
        assert answer["same"] and answer["pipelines"][0]["differences"] == []


def _ids(operator: Any) -> Any:
    yield operator["id"]
    for child in operator["inputs"]:
        yield from _ids(child)


class TestDot:
    def test_one_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        graph = plan(capsys, "two.sql", "--format", "dot")
        assert graph.startswith("digraph plan {\n") and graph.endswith("}\n")
        assert "cluster" not in graph
        assert re.findall(r"^ +(\w+) -> (\w+);$", graph, re.MULTILINE) == [
            ("c3", "c2"), ("c2", "c1"), ("c1", "pc0"), ("c5", "c4"), ("c4", "pc1"),
        ]  # fmt: skip

    def test_two_sides(self, capsys: pytest.CaptureFixture[str]) -> None:
        graph = plan(capsys, "base.sql", "partial.sql", "--format", "dot")
        assert re.findall(r"subgraph (\w+)", graph) == ["cluster_baseline", "cluster_current"]
        dashed = re.findall(r"^  (\w+) -> (\w+) \[style=dashed", graph, re.MULTILINE)
        assert dashed == [("b1", "c1"), ("b2", "c2"), ("b3", "c3")]
        coloured = re.findall(r'^ +(\w+) \[.*fillcolor="#ffe08a"\];$', graph, re.MULTILINE)
        assert coloured == ["b1", "c1", "pc0"]
        assert "! aggregate-added: partial" in graph
        assert graph.count("{") == graph.count("}")

    def test_quotes_of_sql_stay_inside_of_labels(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "quotes.sql").write_text("SELECT a FROM t WHERE a = '\"\\'", "utf-8")
        graph = plan(capsys, "quotes.sql", "--format", "dot")
        assert "'\\\"\\\\'" in graph


class TestMermaid:
    def test_two_sides(self, capsys: pytest.CaptureFixture[str]) -> None:
        diagram = plan(capsys, "base.sql", "partial.sql", "--format", "mermaid")
        assert diagram.startswith("flowchart TB\n") and "partial: aggregate-added" in diagram

    def test_plans_that_are_the_same(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["plan", "base.sql", "reformatted.sql", "--format", "mermaid"]) == 0
        assert capsys.readouterr() == ("", "keepstate: No plan differs.\n")

    def test_a_script_without_queries(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "tables.sql").write_text("CREATE TABLE t (a INT) WITH ('connector' = 'kafka');", "utf-8")
        assert main(["plan", "tables.sql", "--format", "mermaid"]) == 0
        assert capsys.readouterr() == ("", "keepstate: There is no query in tables.sql.\n")

    def test_unread_statements_are_no_equal_plans(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "unread.sql").write_text("SELECT FROM WHERE;", "utf-8")
        assert main(["plan", "unread.sql", "unread.sql", "--format", "mermaid"]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.startswith("keepstate: No plan that could be read differs.\n")


class TestBaselines:
    def test_a_revision(self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        monkeypatch.chdir(repository.folder)
        commit = repository.commit({"a.sql": JOB})
        repository.write("a.sql", PARTIAL)
        text = plan(capsys, "a.sql", "--against", "HEAD")
        assert f"baseline: HEAD ({commit[:7]}" in text and "current: a.sql" in text
        assert "aggregate-added" in text

    def test_a_new_file_is_drawn_alone(
        self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(repository.folder)
        repository.commit({"a.sql": JOB})
        repository.write("new.sql", JOB)
        assert main(["plan", "new.sql", "--against", "HEAD"]) == 0
        captured = capsys.readouterr()
        assert captured.out.startswith("INSERT INTO daily\n")
        assert "This is the current plan alone." in captured.err

    def test_a_missing_revision(
        self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(repository.folder)
        repository.commit({"a.sql": JOB})
        assert main(["plan", "a.sql", "--against", "v9"]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and "a.sql has no baseline" in captured.err

    def test_parameters_of_each_side(self, capsys: pytest.CaptureFixture[str]) -> None:
        ttl = "table.exec.state.ttl"
        text = plan(capsys, "two.sql", "two.sql", "--parameter", f"{ttl}=1 h", "--baseline-parameter", f"{ttl}=2 h")
        assert f"it was not written to for 1 hour ({ttl})" in text
        assert f"it was not written to for 2 hours ({ttl})" in text

    def test_usage(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        for arguments in ([], ["base.sql", "partial.sql", "--against", "HEAD"], ["-", "-"], ["-", "--against", "HEAD"]):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(JOB.encode())))
            assert main(["plan", *arguments]) == 2
            captured = capsys.readouterr()
            assert captured.out == "" and captured.err
        for flag in ("--fail-on", "--quiet", "--unified"):
            assert main(["plan", "base.sql", flag]) == 2
        assert main(["plan", "base.sql", "--engine", "nobody"]) == 2


def test_what_cannot_be_read_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    assert main(["plan", "-"]) == 2
    assert capsys.readouterr().err.startswith("keepstate: -:12:")
    assert main(["plan", "broken.sql", "base.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("keepstate: broken.sql:12:") and captured.err.endswith("(in the baseline)\n")
    (problem,) = json.loads(captured.out)["problems"]
    assert (problem["path"], problem["side"]) == ("broken.sql", "baseline")


def test_output_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(capsys, "base.sql", "partial.sql", "--output", "plan.txt") == ""
    assert "WindowAggregate" in (folder / "plan.txt").read_text("utf-8")

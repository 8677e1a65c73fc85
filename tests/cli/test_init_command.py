"""``keepstate init`` on clones of real layouts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from keepstate_lsp.cli.main import main
from keepstate_lsp.config.file import Configuration, read_toml
from repositories import GitRepository

ORDERS = "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka', 'topic' = 'o');\n"
SINK = "CREATE TABLE revenue (shop STRING, total INT) WITH ('connector' = 'print');\n"
REVENUE = "INSERT INTO revenue SELECT shop, SUM(amount) FROM orders GROUP BY shop;\n"
LAYOUTS: dict[str, tuple[dict[str, str], list[str], dict[str, list[str]]]] = {
    "split": (
        {"sql/ddl/o.sql": ORDERS, "sql/ddl/s.sql": SINK, "sql/dml/revenue.sql": REVENUE},
        ['  "sql/ddl/*.sql",  # 2 files declare what others read, and run no query'],
        {"sql/dml/revenue.sql": ["context sql/ddl/o.sql", "context sql/ddl/s.sql", "script sql/dml/revenue.sql"]},
    ),
    "init and file": (
        {
            "flink/init.sql": ORDERS + SINK,
            "flink/run.sql": REVENUE,
            "run.sh": "#!/bin/sh\nexec bin/sql-client.sh \\\n  -f /opt/flink/run.sql -i /opt/flink/init.sql\n",
        },
        [
            "# run.sh, line 2, runs these files in this order.",
            "[[job]]",
            'script = ["flink/init.sql", "flink/run.sql"]',
        ],
        {"flink/run.sql": ["script flink/init.sql", "script flink/run.sql"]},
    ),
    "compose": (
        {
            "sql/init.sql": ORDERS + SINK,
            "sql/job.sql": REVENUE,
            "compose.yaml": 'command: ["sql-client.sh", "-i", "/sql/init.sql", "-f", "/sql/job.sql"]\n',
        },
        ['script = ["sql/init.sql", "sql/job.sql"]'],
        {"sql/job.sql": ["script sql/init.sql", "script sql/job.sql"]},
    ),
    "numbered": (
        {"sql/00_o.sql": ORDERS, "sql/01_s.sql": SINK, "sql/02_r.sql": REVENUE},
        ["# [[job]]", '# script = ["sql/00_o.sql", "sql/01_s.sql", "sql/02_r.sql"]', '  "sql/00_o.sql",  # declares'],
        {"sql/02_r.sql": ["context sql/00_o.sql", "context sql/01_s.sql", "script sql/02_r.sql"]},
    ),
    "program": (
        {"a/o.sql": ORDERS, "a/s.sql": SINK, "b/r.sql": REVENUE, "J.java": 'x("a/o.sql");\ny("a/s.sql", "b/r.sql");'},
        ["# J.java, line 1, and below name these files", '# script = ["a/o.sql", "a/s.sql", "b/r.sql"]'],
        {"b/r.sql": ["context a/o.sql", "context a/s.sql", "script b/r.sql"]},
    ),
    "Kubernetes": (
        {"k8s/job.yaml": f"spec:\n  job:\n    args:\n      - |\n        {ORDERS}        {SINK}        {REVENUE}"},
        ["# k8s/job.yaml, line 5, holds the SQL of a job.", 'script = ["k8s/job.yaml#/spec/job/args/0"]'],
        {"k8s/job.yaml#/spec/job/args/0": ["script k8s/job.yaml#/spec/job/args/0"]},
    ),
    "Terraform": (
        {
            "main.tf": "".join(
                f'resource "confluent_flink_statement" "{name}" {{\n  statement = <<EOT\n{text}EOT\n}}\n'
                for name, text in {"orders": ORDERS, "revenue": SINK, "sums": REVENUE}.items()
            )
        },
        [
            '  "main.tf#/resource/confluent_flink_statement/orders/statement",  # declares tables, and runs no query',
            'script = ["main.tf#/resource/confluent_flink_statement/sums/statement"]',
        ],
        {
            "main.tf#/resource/confluent_flink_statement/sums/statement": [
                "context main.tf#/resource/confluent_flink_statement/orders/statement",
                "context main.tf#/resource/confluent_flink_statement/revenue/statement",
                "script main.tf#/resource/confluent_flink_statement/sums/statement",
            ]
        },
    ),
    "alternatives": (
        {"dev/o.sql": ORDERS, "prod/o.sql": ORDERS.replace("INT", "BIGINT"), "jobs/r.sql": SINK + REVENUE},
        ["# orders is declared with different meanings in dev/o.sql, prod/o.sql"],
        {"jobs/r.sql": ["script jobs/r.sql"]},
    ),
}


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["init", "--format", "json", *arguments])
    return status, json.loads(capsys.readouterr().out)


@pytest.fixture
def here(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_proposed(here: GitRepository, capsys: pytest.CaptureFixture[str], layout: str) -> None:
    files, lines, jobs = LAYOUTS[layout]
    here.commit(dict(files))
    status, found = answer(capsys)
    assert status == 0
    for line in lines:
        assert any(each.startswith(line) for each in found["toml"].split("\n")), found["toml"]
    composed = {job["path"]: [f"{file['role']} {file['path']}" for file in job["files"]] for job in found["jobs"]}
    assert composed == jobs
    assert not (here.folder / "keepstate.toml").exists()


def test_it_is_written_when_asked_and_replaces_nothing(here: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    here.commit(dict(LAYOUTS["split"][0]))
    status, found = answer(capsys, "--write")
    path = here.folder / "keepstate.toml"
    assert (status, path.read_text("utf-8")) == (0, found["toml"])
    path.write_text("# mine\n", "utf-8")
    assert main(["init", "--write"]) == 2
    assert "exists and is left as it is" in capsys.readouterr().err
    assert path.read_text("utf-8") == "# mine\n"


def test_editors_find_the_schema(here: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    here.commit(dict(LAYOUTS["split"][0]))
    assert main(["init", "--write"]) == 0
    assert "keepstate.schema.json" in capsys.readouterr().err
    written = here.folder / "keepstate.toml"
    first = written.read_text("utf-8").splitlines()[0]
    directive, path = first.split(" ")
    assert (directive, path) == ("#:schema", "./keepstate.schema.json")
    # A path of the directive is relative to the file that has it.
    schema = json.loads((written.parent / path).read_text("utf-8"))
    jsonschema.validate(read_toml(written, "keepstate.toml", written.read_text("utf-8")), schema)
    assert "group-key-added" in schema["properties"]["severity"]["properties"]


def test_a_schema_that_is_there_stays_and_the_doctor_says_its_age(
    here: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    here.commit(dict(LAYOUTS["split"][0]))
    schema = here.write("keepstate.schema.json", "{}")
    assert main(["init", "--write"]) == 0
    assert schema.read_text("utf-8") == "{}"

    def doctors() -> list[str]:
        capsys.readouterr()
        assert main(["doctor"]) == 0
        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        start = next((number for number, line in enumerate(lines) if " schema: " in line), len(lines))
        return lines[start : start + 2]

    remedy = "keepstate config --schema --output keepstate.schema.json"
    assert doctors() == ["warn schema: keepstate.schema.json is that of another version", remedy]
    assert main(remedy.split()[1:]) == 0
    # git may write the line ends of Windows.
    schema.write_bytes(schema.read_bytes().replace(b"\n", b"\r\n"))
    assert doctors()[0] == "ok schema: keepstate.schema.json is that of this version"
    schema.unlink()
    assert doctors() == []
    schema.mkdir()
    assert doctors()[0].startswith("warn schema: keepstate.schema.json cannot be read: ")


ENGINES = {
    "the default": ([], {}, "vvr"),
    "as it is asked": (["--engine", "flink"], {}, "flink"),
    "a manifest of the operator": ([], {"k8s/job.yaml": "apiVersion: flink.apache.org/v1beta1\n"}, "flink"),
    "over a manifest": (["--engine", "vvr"], {"k8s/job.yaml": "apiVersion: flink.apache.org/v1beta1\n"}, "vvr"),
}


@pytest.mark.parametrize("kind", ENGINES)
def test_the_engine_is_chosen_once(here: GitRepository, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    options, files, engine = ENGINES[kind]
    here.commit({"jobs/a.flink.sql": ORDERS + SINK + REVENUE, **files})
    here.write("jobs/a.flink.sql", ORDERS + SINK + REVENUE.replace("SUM", "MAX"))
    main(["check"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("Against HEAD (") and first.endswith("), engine vvr (default; keepstate init chooses).")
    assert main(["init", "--write", *options]) == 0
    capsys.readouterr()
    main(["check"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("Against HEAD (") and first.endswith(f"), engine {engine}.")


def test_an_unknown_engine_is_not_written(here: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    here.commit(dict(LAYOUTS["split"][0]))
    assert main(["init", "--write", "--engine", "flnk"]) == 2
    assert "Did you mean flink?" in capsys.readouterr().err
    assert not (here.folder / "keepstate.toml").exists()


def test_ambiguous_and_undeclared_names_are_shown(here: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    here.commit({**LAYOUTS["alternatives"][0], "jobs/x.sql": REVENUE.replace("revenue", "elsewhere")})
    assert main(["init"]) == 0
    shown = capsys.readouterr().out
    assert "  ambiguous orders: dev/o.sql, prod/o.sql" in shown
    assert "  not declared here: elsewhere" in shown


@pytest.mark.parametrize("name", ['a"b.sql', "a\\b.sql", "ü\u2028.sql", "a b#c.sql", "t\tx.sql"])
def test_strange_names_make_a_file_that_can_be_read(
    here: GitRepository, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    here.commit({f"d/{name}": ORDERS + SINK, "r.sql": REVENUE, "x.py": f"'{name}', 'r.sql'\n"})
    status, found = answer(capsys)
    assert status == 0
    configuration = Configuration.parse(here.folder / "keepstate.toml", found["toml"], "there")
    assert configuration is not None


def test_without_a_repository(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 2
    assert "There is no repository here" in capsys.readouterr().err

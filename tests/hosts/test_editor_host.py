"""Keepstate in an editor without a server: the settings of a document come from texts that its client passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keepstate.hosts.host import Host
from keepstate_lsp.editor_host.host import EditorHost
from keepstate_lsp.version import VERSION

SQL = "SELECT b, SUM(a) FROM t GROUP BY b"
FLINK = "CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');\n"


def asked(**members: Any) -> Any:
    request = {"do": "settings", "id": 3, "path": "jobs/a.sql", "text": SQL, **members}
    return json.loads(EditorHost(VERSION).answer(json.dumps(request)))


def settings(configuration: str | None = None, **members: Any) -> Any:
    name = None if configuration is None else "keepstate.toml"
    return asked(name=name, configuration=configuration, **members)["answer"]


def test_without_a_file_the_defaults_hold() -> None:
    found = settings()
    assert (found["engine"], found["baseline"], found["error"], found["several"]) == ("vvr", "HEAD", None, False)
    alone = {"script": ["jobs/a.sql"], "context": []}
    assert found["current"] == {"engine_version": None, "parameters": {}, "jobs": None, **alone}
    assert found["preset"]["incompatible"] == "error"


@pytest.mark.parametrize(
    ("path", "text", "configuration", "is_flink"),
    [
        ("a.sql", SQL, None, False),
        ("a.sql", FLINK, None, True),
        ("a.fql", SQL, None, True),
        ("a.flink.sql", SQL, None, True),
        ("jobs/a.sql", SQL, 'files = ["jobs/*.sql"]', True),
        ("other/a.sql", SQL, 'files = ["jobs/*.sql"]', False),
    ],
)
def test_what_is_flink_sql(path: str, text: str, configuration: str | None, is_flink: bool) -> None:
    assert settings(configuration, path=path, text=text)["is_flink"] is is_flink


def test_the_file_holds_for_its_jobs_and_the_editor_wins() -> None:
    file = """
engine = "flink"
baseline = "merge-base:main"
preset = "strict"
engine-version = "1.20"
[severity]
partial = "hint"
group-key-added = "off"
[parameters]
'table.exec.state.ttl' = "1 d"
[[job]]
files = ["jobs/*.sql"]
parameters = { "table.exec.state.ttl" = "2 d" }
"""
    found = settings(file, former=file.replace("1.20", "1.19").replace("2 d", "3 d"))
    assert (found["engine"], found["baseline"], found["preset"]["partial"]) == ("flink", "merge-base:main", "error")
    assert found["severity"] == {"invalid-sql": "error", "partial": "hint", "group-key-added": "off"}
    assert found["current"]["parameters"] == {"table.exec.state.ttl": "2 d"}
    assert found["current"]["engine_version"] == "1.20"
    was = found["former"]
    assert (was["engine_version"], was["parameters"]) == ("1.19", {"table.exec.state.ttl": "3 d"})
    mine = {"engine": "flink", "baseline": "HEAD~1", "preset": "advisory", "severity": {"partial": "error"}}
    found = settings(file, client=mine)
    assert (found["baseline"], found["preset"]["incompatible"]) == ("HEAD~1", "warning")
    assert found["severity"]["partial"] == "error"


@pytest.mark.parametrize(
    ("configuration", "sentence"),
    [
        ("engine = ", "keepstate.toml is not TOML: "),
        ("engine = 'spark'", "keepstate.toml: engine must be one of vvr, flink, not 'spark'."),
        ("motor = 'flink'", "keepstate.toml: "),
        ("[severity]\nno-such-rule = 'off'", "keepstate.toml: "),
        ("engine = 'flink'\nengine-version = 'vvr-8.0'", "keepstate.toml: "),
    ],
)
def test_a_wrong_file_is_said_and_nothing_else(configuration: str, sentence: str) -> None:
    found = settings(configuration)
    assert found["error"].startswith(sentence)
    assert "engine" not in found


@pytest.mark.parametrize("table", ['script = ["jobs/a.sql"]\nname = "a"', 'files = ["jobs/*"]\ncontext = ["ddl.sql"]'])
def test_a_job_of_several_files_is_known(table: str) -> None:
    assert settings(f"[[job]]\n{table}")["several"] is True
    assert settings(f"[[job]]\n{table}", path="elsewhere.sql")["several"] is False


FILES = ["ddl/a.sql", "ddl/b.sql", "init.sql", "jobs/a.sql", "jobs/b.sql"]
SCRIPT = '[[job]]\nname = "sums"\nscript = ["init.sql", "jobs/a.sql"]\n'


@pytest.mark.parametrize(
    ("now", "was", "current", "former"),
    [
        ('context = ["ddl/*.sql"]', None, (["jobs/a.sql"], ["ddl/a.sql", "ddl/b.sql"]), None),
        ('context = ["ddl/*.sql"]', "", (["jobs/a.sql"], ["ddl/a.sql", "ddl/b.sql"]), (["jobs/a.sql"], [])),
        (
            '[[job]]\nfiles = ["jobs/a.sql"]\ncontext = ["ddl/a.sql"]',
            'context = ["ddl/b.sql"]',
            (["jobs/a.sql"], ["ddl/a.sql"]),
            (["jobs/a.sql"], ["ddl/b.sql"]),
        ),
        (SCRIPT, None, (["init.sql", "jobs/a.sql"], []), None),
        (
            f'context = ["ddl/a.sql"]\n{SCRIPT}',
            SCRIPT.replace('"init.sql", ', '"init.sql", "ddl/*.sql", '),
            (["init.sql", "jobs/a.sql"], ["ddl/a.sql"]),
            (["init.sql", "ddl/a.sql", "ddl/b.sql", "jobs/a.sql"], []),
        ),
    ],
)
def test_the_files_of_a_job_are_named(now: str, was: str | None, current: Any, former: Any) -> None:
    found = settings(now, former=was, paths=FILES, former_paths=FILES)
    assert found["several"] is False
    assert (found["current"]["script"], found["current"]["context"]) == current
    assert (found["former"]["script"], found["former"]["context"]) == (former or current)


@pytest.mark.parametrize(
    "configuration",
    [
        f'{SCRIPT}[[job]]\nname = "other"\nscript = ["jobs/b.sql", "jobs/a.sql"]',
        'context = ["k8s/a.yaml#/sql"]',
    ],
    ids=["of two jobs", "inside of another file"],
)
def test_some_jobs_need_a_server(configuration: str) -> None:
    assert settings(configuration, paths=FILES, former_paths=FILES)["several"] is True


def test_a_setting_that_means_nothing_is_said() -> None:
    found = settings(client={"engine": "spark", "speed": 1})
    assert found["engine"] == "vvr" and len(found["problems"]) == 2


@pytest.mark.parametrize(
    "members", [{"path": None}, {"path": ""}, {"text": 1}, {"client": "x"}, {"name": 1}, {"paths": [1]}]
)
def test_what_is_no_question_gets_a_sentence(members: dict[str, Any]) -> None:
    answer = asked(**members)
    assert answer["id"] == 3 and answer["error"].endswith(".")


def test_other_questions_are_those_of_every_host() -> None:
    side = {"files": {"a.sql": SQL}, "job": "a.sql"}
    request = json.dumps({"do": "check", "engine": "vvr", "current": side, "baseline": side})
    assert EditorHost(VERSION).answer(request) == Host(VERSION).answer(request)

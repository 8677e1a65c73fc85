"""Jobs of several files in an editor without a server: the findings of the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from keepstate_lsp.editor_host.host import EditorHost
from keepstate_lsp.version import VERSION
from program_starts import KEEPSTATE, ran
from repositories import GitRepository

Texts = Mapping[str, str]
TABLE = "CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'kafka');\n"
OTHER = "CREATE TABLE u (a INT, b STRING) WITH ('connector' = 'kafka');\n"
QUERY = "INSERT INTO s SELECT b, SUM(a) AS c FROM t GROUP BY b;\n"
NOW = QUERY.replace("SUM", "MAX")
CONTEXT = "engine = 'flink'\ncontext = ['ddl/*.sql']\n"
SCRIPT = "engine = 'flink'\n[[job]]\nname = 'sums'\nscript = ['init.sql', 'ddl/t.sql', 'jobs/a.sql']\n"
JOB = "jobs/a.sql"
DECLARED: Texts = {"keepstate.toml": CONTEXT, "ddl/t.sql": TABLE, "ddl/u.sql": OTHER, JOB: QUERY}
SCRIPTED: Texts = {
    "keepstate.toml": SCRIPT,
    "init.sql": "SET 'table.exec.state.ttl' = '1 d';\n",
    "ddl/t.sql": TABLE,
    JOB: f"{QUERY}-- the end\n",
}
CASES: dict[str, tuple[Texts, Texts]] = {
    "a query": (DECLARED, {JOB: NOW}),
    "a declaration": (DECLARED, {"ddl/t.sql": TABLE.replace("a INT", "a BIGINT")}),
    "a declaration that is not read": (DECLARED, {"ddl/u.sql": OTHER.replace("a INT", "a BIGINT")}),
    "a declaration in another file": (DECLARED, {"ddl/t.sql": "", "ddl/moved.sql": TABLE}),
    "a parameter of another file": (SCRIPTED, {"init.sql": "SET 'table.exec.state.ttl' = '2 d';\n"}),
    "a query of a script": (SCRIPTED, {JOB: NOW}),
    "a query in another file of the script": (
        SCRIPTED,
        {"init.sql": f"{TABLE}{NOW}", "ddl/t.sql": "", JOB: "-- moved\n"},
    ),
    "a refused statement": (DECLARED, {"ddl/t.sql": TABLE.replace("a INT", "x INT")}),
    "the configuration": (DECLARED, {"keepstate.toml": CONTEXT.replace("ddl/*.sql", "ddl/t.sql")}),
    "the job is of several files since now": (
        {"keepstate.toml": "engine = 'flink'\n", JOB: f"{TABLE}{QUERY}"},
        {"keepstate.toml": CONTEXT, "ddl/t.sql": TABLE, JOB: NOW},
    ),
}


def side(configured: dict[str, Any], texts: Texts) -> dict[str, Any]:
    """A version of a job as the extension makes it (versionOf in jobFiles.ts)."""
    script, context = configured.pop("script"), configured.pop("context")
    files = {path: texts[path] for path in [*script, *context] if path in texts}
    return {"files": files, "job": [path for path in script if path in files], **configured}


def alone(was: Texts, now: Texts) -> Any:
    """The report of the worker, with the questions of the extension."""
    host = EditorHost(VERSION)

    def ask(**members: Any) -> Any:
        return json.loads(host.answer(json.dumps({"id": 1, **members})))["answer"]

    paths = {"paths": sorted(now), "former_paths": sorted({*now, *was})}
    files = {"name": "keepstate.toml", "configuration": now["keepstate.toml"], "former": was["keepstate.toml"]}
    found = ask(do="settings", path=JOB, text=now[JOB], client={}, **files, **paths)
    assert found["error"] is None and found["several"] is False
    sides = {"current": side(found["current"], now), "baseline": side(found["former"], was)}
    return ask(do="check", engine=found["engine"], **sides)


def answers(report: Any) -> Any:
    """The verdict and the findings of the one job, with their places."""
    (file,) = report["files"]
    keys = ("rule", "verdict", "effect", "message", "file", "range", "baseline_text")
    findings = [{key: finding.get(key) for key in keys} for finding in file["findings"]]
    problems = [(each["path"], each["message"], each["range"], each["side"]) for each in report["problems"]]
    return file["status"], file["verdict"], findings, problems


@pytest.mark.parametrize("case", CASES)
def test_the_findings_are_those_of_the_command_line(repository: GitRepository, case: str) -> None:
    was, edits = CASES[case]
    repository.commit(was)
    now = {**was, **edits}
    for path, text in edits.items():
        repository.write(path, text)
    run = ran(*KEEPSTATE, "check", JOB, "--format", "json", cwd=repository.folder, capture_output=True)
    assert run.returncode in (0, 1, 2), run.stderr
    assert answers(alone(was, now)) == answers(json.loads(run.stdout))

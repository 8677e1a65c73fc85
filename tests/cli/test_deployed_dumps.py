"""keepstate deployed mark --from-dump: records of what a platform says that runs."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate_lsp.cli.commands.deployed import mark_from_dump
from keepstate_lsp.cli.main import main
from keepstate_lsp.jobs.dumps import dump_trees, owners
from repositories import GitRepository

OTHER = JOB.replace("INSERT INTO daily", "INSERT INTO hourly")
A, B = "jobs/a.sql", "jobs/b.sql"
DDL, QUERY = JOB.partition("INSERT")[0], "INSERT" + JOB.partition("INSERT")[2]


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({A: JOB, B: OTHER, "keepstate.toml": 'engine = "flink"\n'})
    return repository


def vvr(name: str | None, sql: str, **more: object) -> dict[str, object]:
    own = {} if name is None else {"name": name}
    return {**own, "artifact": {"kind": "SQLSCRIPT", "sqlArtifact": {"sqlScript": sql}}, **more}


def mark(jobs: GitRepository, dump: object, *options: str) -> int:
    text = dump if isinstance(dump, (str, bytes)) else json.dumps(dump)
    jobs.write("dump.json", text)
    return main(["deployed", "mark", "--from-dump", "dump.json", *options])


def recorded(capsys: pytest.CaptureFixture[str], environment: str = "production") -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    assert main(["deployed", "list", "-e", environment, "--format", "json"]) == 0
    return {entry["path"]: entry for entry in json.loads(capsys.readouterr().out)["deployments"]}


def running(capsys: pytest.CaptureFixture[str], path: str) -> str:
    capsys.readouterr()
    assert main(["deployed", "show", path, "--sql"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "sql", "path", "by"),
    [
        ("a", JOB, A, "by its name"),
        ("a", INCOMPATIBLE, A, "by its name"),
        ("A", INCOMPATIBLE, A, "by its name"),
        ("of-nothing", JOB, A, "by its text"),
        ("of-nothing", f"\ufeff{JOB.replace(chr(10), chr(13) + chr(10))}  \n", A, "by its text"),
        ("of-nothing", JOB.rstrip().rstrip(";"), A, "by its text"),
        ("of-nothing", INCOMPATIBLE, A, "by the tables that it writes"),
        (None, INCOMPATIBLE, A, "by the tables that it writes"),
        (None, OTHER, B, "by its text"),
    ],
)
def test_the_job_of_a_deployment(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], name: str | None, sql: str, path: str, by: str
) -> None:
    assert mark(jobs, vvr(name, sql)) == 0
    assert f"{path}: deployed in production" in (said := capsys.readouterr().out) and by in said
    (entry,) = recorded(capsys).values()
    assert entry["path"] == path
    plain = sql.removeprefix("\ufeff").replace("\r\n", "\n").strip()
    assert running(capsys, path).removeprefix("\ufeff").replace("\r\n", "\n").strip().rstrip(";") == plain.rstrip(";")
    assert (entry["commit"] is not None) == (plain == JOB.strip() or plain == OTHER.strip())


UNDECIDED = {
    "another name than text": ([vvr("b", JOB)], "b has the name of jobs/b.sql and the text of jobs/a.sql."),
    "nothing fits": ([vvr("c", JOB.replace("daily", "never"))], "No job here has the name or the text of c"),
    "two of one job": ([vvr("a", JOB), vvr("x", INCOMPATIBLE)], "a and x are both of jobs/a.sql."),
    "one of two does not fit": ([vvr("a", JOB), vvr("c", "INSERT INTO n SELECT a FROM t")], "of c, or writes"),
    "no deployment": ([{"kind": "Service"}], "Nothing in the dump is a deployment"),
    "an empty list": ([], "holds no deployment"),
    "no JSON": ('{"a": ', "dump.json is no JSON: Expecting value in line 1."),
    "a text": ("just words", "holds no deployment"),
    "nothing": ("", "holds no deployment"),
    "YAML with an alias": ("a: &x\n  b: 1\nc: *x\n", "as YAML it names an alias"),
    "a key twice": ("kind: A\nkind: B\n", "as YAML it has kind twice in one place"),
    "bytes": (b"\xff\xfe{}", "cannot be read"),
    "deep": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_cannot_be_decided_marks_nothing(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    dump, words = UNDECIDED[name]
    assert mark(jobs, dump) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) <= 2, error
    assert recorded(capsys) == {}


def test_a_name_of_several_jobs_is_decided_by_the_text(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"old/a.sql": JOB.replace("daily", "former")})
    assert mark(jobs, vvr("a", INCOMPATIBLE)) == 2
    assert "a has the name of several jobs: jobs/a.sql, old/a.sql." in (error := capsys.readouterr().err)
    assert "--deployment a --job PATH" in error
    assert mark(jobs, vvr("a", JOB)) == 0
    assert mark(jobs, vvr("a", INCOMPATIBLE), "--deployment", "a", "--job", "old/a.sql") == 0
    assert set(recorded(capsys)) == {A, "old/a.sql"}


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_jobs_are_named(jobs: GitRepository, capsys: pytest.CaptureFixture[str], more: int) -> None:
    folders = [f"team{number}" for number in range(owners._MOST_NAMED + more)]
    jobs.git("rm", "--quiet", A)
    jobs.commit({f"{folder}/a.sql": JOB.replace("daily", folder) for folder in folders})
    assert mark(jobs, vvr("a", INCOMPATIBLE)) == 2
    error = capsys.readouterr().err
    assert error.count("/a.sql") == owners._MOST_NAMED and ("and 1 more" in error) == bool(more)


def test_deployments_are_chosen_by_name(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    dump = {"success": True, "data": [vvr("a", JOB), vvr("b", OTHER), vvr("foreign", "INSERT INTO n SELECT a FROM t")]}
    assert mark(jobs, dump, "--deployment", "a", "--deployment", "b") == 0
    assert set(recorded(capsys)) == {A, B}
    assert mark(jobs, dump, "--deployment", "c") == 2
    assert "no SQL of a deployment c. It has a, b, foreign." in capsys.readouterr().err
    assert mark(jobs, dump, "--job", A) == 2
    assert "the dump has 3 deployments with SQL" in capsys.readouterr().err


def test_what_has_no_sql_is_left_out_by_name(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jar = {"name": "payments", "artifact": {"kind": "JAR", "jarArtifact": {}}}
    assert mark(jobs, [vvr("a", JOB), jar]) == 0
    assert "Left out: payments is a deployment of kind JAR, without SQL." in capsys.readouterr().err
    assert mark(jobs, [jar]) == 2
    assert "kind JAR" in capsys.readouterr().err


def test_the_configuration_of_the_deployment(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    toml = 'engine = "vvr"\n[parameters]\n"pipeline.max-parallelism" = 128\n"table.exec.state.ttl" = "1 d"\n'
    jobs.commit({"keepstate.toml": toml})
    conf = {"pipeline": {"max-parallelism": 64}, "execution.checkpointing.interval": "1 min"}
    dump = vvr("a", JOB, engineVersion="vvr-8.0.5-flink-1.17", flinkConf=conf)
    assert mark(jobs, dump) == 0
    entry = recorded(capsys)[A]
    assert entry["engine_version"] == "vvr-8.0.5-flink-1.17"
    assert entry["parameters"] == {"pipeline.max-parallelism": "64", "table.exec.state.ttl": "1 d"}
    own = ("--engine-version", "vvr-11.1-flink-1.20", "--parameter", "pipeline.max-parallelism=32")
    assert mark(jobs, dump, *own) == 0
    entry = recorded(capsys)[A]
    assert (entry["engine_version"], entry["parameters"]["pipeline.max-parallelism"]) == ("vvr-11.1-flink-1.20", "32")
    capsys.readouterr()
    assert main(["deployed", "diff", "--format", "json"]) == 1


def test_a_version_of_another_engine_is_refused(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert mark(jobs, vvr("a", JOB, engineVersion="vvr-8.0.5-flink-1.17")) == 2
    assert "is a version of vvr, not of flink" in capsys.readouterr().err
    assert recorded(capsys) == {}
    assert mark(jobs, vvr("a", JOB, engineVersion="vvr-8.0.5-flink-1.17"), "--engine-version", "1.17") == 0


def operator(arguments: list[str], kind: str = "FlinkDeployment") -> dict[str, object]:
    return {
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": {"flinkVersion": "v1_20", "flinkConfiguration": {}, "job": {"args": arguments}},
    }


MAP = {"kind": "ConfigMap", "metadata": {"name": "sql"}, "data": {"a.sql": INCOMPATIBLE}}


@pytest.mark.parametrize(
    ("dump", "words"),
    [
        ([operator([JOB.replace("1", "1")])], None),
        ([operator(["--sql", INCOMPATIBLE], "FlinkSessionJob")], None),
        ({"kind": "List", "items": [operator(["/opt/flink/a.sql"]), MAP]}, None),
        ({"kind": "FlinkDeploymentList", "items": [operator([JOB])]}, None),
        ([operator(["/opt/flink/a.sql"])], "a reads /opt/flink/a.sql, which no ConfigMap of the dump holds"),
        ([operator(["--verbose"])], "a has no SQL in its arguments."),
        ([operator([JOB, OTHER])], "a has SQL in several places (spec.job.args.0, spec.job.args.1)."),
        ([operator(["/opt/flink/a.sql"]), MAP, MAP], "a has SQL in several places (data.a.sql, data.a.sql)."),
        (
            [{"kind": "Deployment", "metadata": {"name": "a"}, "spec": {"template": {"spec": {}}}}],
            "Nothing in the dump",
        ),
    ],
)
def test_dumps_of_the_operator(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], dump: object, words: str | None
) -> None:
    assert mark(jobs, dump) == (0 if words is None else 2)
    if words is not None:
        assert words in capsys.readouterr().err
        assert recorded(capsys) == {}
        return
    assert recorded(capsys)[A]["engine_version"] == "flink-1.20"


def test_a_dump_of_yaml(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    indented = "".join(f"        {line}\n".rstrip() + "\n" for line in INCOMPATIBLE.splitlines())
    dump = (
        "apiVersion: v1\nkind: List\nitems:\n- kind: FlinkDeployment\n  metadata:\n    name: a\n    annotations:\n"
        "  spec:\n    flinkVersion: v2_0\n    flinkConfiguration:\n      pipeline.max-parallelism: 64\n"
        "    job:\n      args:\n"
        f"      - |\n{indented}      state: running\n    taskManager:\n- kind: Service\n"
    )
    jobs.commit({"keepstate.toml": 'engine = "flink"\n[parameters]\n"pipeline.max-parallelism" = 128\n'})
    assert mark(jobs, dump) == 0
    entry = recorded(capsys)[A]
    assert (entry["engine_version"], entry["parameters"]) == ("flink-2.0", {"pipeline.max-parallelism": "64"})
    assert running(capsys, A) == INCOMPATIBLE


def test_declarations_of_the_text_and_of_the_context(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    """A platform may hold the query alone or the whole script: both are the job."""
    jobs.commit({"ddl/orders.sql": DDL, A: QUERY, "keepstate.toml": 'engine = "flink"\ncontext = ["ddl/*.sql"]\n'})
    jobs.git("rm", "--quiet", B)
    jobs.commit()
    for sql in (QUERY, JOB):
        assert mark(jobs, vvr("a", sql)) == 0
        capsys.readouterr()
        assert main(["deployed", "diff", "--format", "json"]) == 0
        (file,) = json.loads(capsys.readouterr().out)["files"]
        assert (file["path"], file["verdict"], file["findings"]) == (A, "compatible", []), sql
    assert mark(jobs, vvr("a", INCOMPATIBLE)) == 0
    assert main(["deployed", "diff"]) == 1


def test_a_job_of_several_files_is_found_by_its_name(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    toml = 'engine = "flink"\n[[job]]\nname = "Daily Orders"\nscript = ["ddl/orders.sql", "jobs/a.sql"]\n'
    jobs.commit({"ddl/orders.sql": DDL, A: QUERY, "keepstate.toml": toml})
    assert mark(jobs, vvr("daily_orders", JOB)) == 0
    entry = recorded(capsys)[A]
    assert (entry["name"], [file["path"] for file in entry["files"]]) == ("Daily Orders", [A])
    assert main(["deployed", "diff", "production", A, "--format", "json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["status"], file["verdict"]) == ("compared", "compatible") or file["status"] == "unchanged"


def test_a_value_of_a_file_is_marked_at_its_commit(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    indented = "".join(f"  {line}\n" for line in JOB.replace("daily", "other").splitlines())
    jobs.commit(
        {
            "k8s/c.yaml": f"sql: |\n{indented}",
            "keepstate.toml": 'engine = "flink"\n[[job]]\nname = "c"\nscript = ["k8s/c.yaml#/sql"]\n',
        }
    )
    assert mark(jobs, vvr("c", INCOMPATIBLE.replace("daily", "other"))) == 2
    error = capsys.readouterr().err
    assert "keepstate deployed mark 'k8s/c.yaml#/sql' --commit REV" in error
    assert recorded(capsys) == {}


@pytest.mark.parametrize(
    ("path", "dump", "path_of"),
    [
        ("data.statement", {"data": {"name": "a", "statement": INCOMPATIBLE}}, A),
        ("data.*.sql", {"data": [{"name": "b", "sql": OTHER}]}, B),
        ("/data/a.sql", {"metadata": {"name": "a"}, "data": {"a.sql": INCOMPATIBLE}}, A),
        ("sql", {"sql": JOB}, A),
        ("*.sql", [{"sql": OTHER}, {"name": "payments"}], B),
    ],
)
def test_a_path_to_the_sql(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], path: str, dump: object, path_of: str
) -> None:
    assert mark(jobs, dump, "--sql-field", path) == 0
    assert set(recorded(capsys)) == {path_of}


def test_a_path_to_nothing(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert mark(jobs, {"data": {"statement": {}}}, "--sql-field", "data.statement") == 2
    assert "The dump has no text at data.statement." in capsys.readouterr().err


def test_several_documents_and_files(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mark(jobs, f"{json.dumps(vvr('a', JOB))}\n{json.dumps(vvr('b', OTHER))}\n") == 0
    assert set(recorded(capsys)) == {A, B}
    jobs.write("one.json", json.dumps(vvr("a", INCOMPATIBLE)))
    jobs.write("two.yaml", "kind: ConfigMap\ndata:\n  x: y\n")
    assert main(["deployed", "mark", "--from-dump", "one.json", "--from-dump", "two.yaml", "-e", "staging"]) == 0
    assert set(recorded(capsys, "staging")) == {A}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(vvr("b", OTHER)).encode())))
    assert main(["deployed", "mark", "--from-dump", "-", "-e", "test"]) == 0
    assert set(recorded(capsys, "test")) == {B}


CONFLUENT = {"name": "a", "statement": INCOMPATIBLE, "compute_pool": "lfcp-1", "properties": {}}


@pytest.mark.parametrize(
    "dump",
    [
        CONFLUENT,
        [CONFLUENT, {**CONFLUENT, "name": "ddl", "statement": "CREATE TABLE t (a INT)"}],
        {"data": [{"name": "a", "spec": {"statement": INCOMPATIBLE, "properties": {}}}]},
        {
            "apiVersion": "cmf.confluent.io/v1",
            "kind": "Statement",
            "metadata": {"name": "a"},
            "spec": {"statement": JOB},
        },
    ],
)
def test_statements_of_confluent(jobs: GitRepository, capsys: pytest.CaptureFixture[str], dump: object) -> None:
    assert mark(jobs, dump) == 0
    assert set(recorded(capsys)) == {A}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mark"], "FILE is missing."),
        (["mark", A, "--sql-field", "x"], "--sql-field needs --from-dump."),
        (["mark", A, "--job", A], "--job needs --from-dump."),
        (["mark", A, "--deployment", "a"], "--deployment needs --from-dump."),
        (["mark", A, "--from-dump", "dump.json"], "--from-dump does not go together with jobs/a.sql"),
        (["mark", "--from-dump", "dump.json", "--commit", "HEAD"], "--from-dump does not go together with --commit."),
        (["mark", "--from-dump", "nowhere.json"], "There is no file nowhere.json."),
        (["mark", "--from-dump", "jobs"], "jobs cannot be read"),
        (["mark", "--from-dump", ""], "it is empty"),
        (["mark", "--from-dump", "dump.json", "--job", "nowhere.sql"], "There is no file nowhere.sql."),
    ],
)
def test_what_is_asked_wrongly(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    jobs.write("dump.json", json.dumps(vvr("a", JOB)))
    assert main(["deployed", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) <= 2, error


@pytest.mark.parametrize("more", [0, 1])
def test_a_dump_is_as_large_as_it_may_be(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    text = json.dumps(vvr("a", JOB))
    assert len(text) < dump_trees.LARGEST_DUMP
    monkeypatch.setattr(mark_from_dump, "LARGEST_DUMP", len(text))
    assert mark(jobs, text + " " * more) == (2 if more else 0)
    assert ("it has more than" in capsys.readouterr().err) == bool(more)


def test_a_bare_clone_has_no_jobs_to_be_found(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = jobs.folder.parent / "bare"
    jobs.git("clone", "--quiet", "--bare", str(jobs.folder), str(bare))
    monkeypatch.chdir(bare)
    (bare / "dump.json").write_text(json.dumps(vvr("a", JOB)))
    assert main(["deployed", "mark", "--from-dump", "dump.json"]) == 2
    assert "A bare repository has no work tree" in capsys.readouterr().err

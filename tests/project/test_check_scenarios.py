"""Jobs of several files through ``keepstate check``: the file, the clause and the verdict of each edit."""

from __future__ import annotations

import json

import pytest
from tests.project.scenarios import (
    HOURLY,
    IN_A_DATABASE,
    ORDERS,
    PLAIN,
    REVENUE,
    SET,
    SPLIT,
    TWO,
    TYPE,
    VIEWS,
    Check,
    edited,
    without,
)
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main


@pytest.mark.parametrize("paths", [(), ("ddl",), ("ddl/orders.sql",), ("jobs/revenue.sql",), ("jobs",)], ids=str)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_a_type_of_a_summed_column(check: Check, paths: tuple[str, ...], engine: str) -> None:
    """Scenario 1: named by the declaration or by the job, the answer is the same."""
    found = check(SPLIT, edited(SPLIT, "ddl/orders.sql", *TYPE), *paths, "--engine", engine)
    assert found.status == 1
    assert found.verdicts["jobs/revenue.sql"] == "incompatible"
    assert {(job, file, line) for job, _, file, line in found.findings} == {("jobs/revenue.sql", "ddl/orders.sql", 3)}
    assert found.verdicts.get("jobs/hourly.sql", "compatible") in ("compatible", "unchanged")


def in_one_file(files: dict[str, str], job: str) -> str:
    return files["ddl/orders.sql"] + files["ddl/sinks.sql"] + files[job]


@pytest.mark.parametrize(
    "edit",
    [
        ("ddl/orders.sql", *TYPE),
        ("ddl/orders.sql", "  note STRING,\n", ""),
        ("ddl/orders.sql", "  note STRING,\n", "  remark STRING,\n"),
        ("ddl/orders.sql", "  note STRING,\n", "  note STRING,\n  more INT,\n"),
        ("ddl/orders.sql", "ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)"),
        ("ddl/orders.sql", "'5' SECOND", "'30' SECOND"),
        ("ddl/orders.sql", ",\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", ""),
        ("ddl/orders.sql", "'topic' = 'orders'", "'topic' = 'orders-2'"),
        ("ddl/orders.sql", "'kafka'", "'pulsar'"),
        ("ddl/orders.sql", "CREATE TABLE", "-- one row for each order\nCREATE TABLE"),
        ("ddl/sinks.sql", "total DOUBLE", "total DECIMAL(38, 2)"),
        ("ddl/sinks.sql", "PRIMARY KEY (shop) NOT ENFORCED", "PRIMARY KEY (total) NOT ENFORCED"),
        ("jobs/revenue.sql", "SUM", "MAX"),
        ("jobs/hourly.sql", "'1' HOUR", "'2' HOUR"),
    ],
    ids=lambda edit: f"{edit[0]}: {edit[1]}"[:60],
)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_files_say_what_one_file_says(
    check: Check, tmp_path_factory: pytest.TempPathFactory, edit: tuple[str, str, str], engine: str
) -> None:
    """Each edit has the verdict, the rules and the clauses that it has in one file with all statements."""
    import keepstate

    after = edited(SPLIT, *edit)
    found = check(SPLIT, after, "--engine", engine)
    for job in ("jobs/revenue.sql", "jobs/hourly.sql"):
        now, was = (keepstate.JobVersion(in_one_file(files, job)) for files in (after, SPLIT))
        alone = keepstate.check(now, was, engine)
        refused = not alone.is_valid
        wanted = "not-valid" if refused else "unchanged" if alone.unchanged else alone.verdict.value
        assert found.verdicts.get(job, "unchanged") == wanted
        rules = {finding.rule for finding in alone.findings}
        assert {rule for path, rule, *_ in found.findings if path == job} == rules
        if not rules and not refused:
            continue
        places = {file for path, _, file, _ in found.findings if path == job}
        assert places <= {edit[0], job}


def test_columns_that_nothing_reads(check: Check) -> None:
    """Scenario 2."""
    after = edited(
        edited(SPLIT, "ddl/orders.sql", "note STRING", "remark STRING"), "ddl/orders.sql", "  ts", "  x INT,\n  ts"
    )
    found = check(SPLIT, after)
    assert found.status == 0 and not found.findings


def test_a_time_column(check: Check) -> None:
    """Scenario 3: the window feels it, the sum does not."""
    found = check(SPLIT, edited(SPLIT, "ddl/orders.sql", "ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)"))
    assert found.status == 1
    assert found.findings == {("jobs/hourly.sql", "window-time-attribute-changed", "ddl/orders.sql", 5)}


def test_a_watermark_that_went(check: Check) -> None:
    """Scenario 3: the window has no time attribute any more, and Flink refuses the query."""
    found = check(
        SPLIT,
        edited(SPLIT, "ddl/orders.sql", ",\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", ""),
        "--engine",
        "flink",
    )
    assert found.status == 2
    assert found.verdicts["jobs/hourly.sql"] == "not-valid"
    assert found.verdicts.get("jobs/revenue.sql", "unchanged") in ("unchanged", "compatible")


def test_a_declaration_says_which_jobs_read_it(check: Check) -> None:
    """Scenarios 2 and 16: without a reader it is not called compatible."""
    found = check(SPLIT, edited(SPLIT, "ddl/orders.sql", "note STRING", "remark STRING"))
    assert "ddl/orders.sql: Its tables are read by 2 jobs: jobs/hourly.sql, jobs/revenue.sql." in found.errors
    assert "ddl/orders.sql" not in found.verdicts
    alone = without(SPLIT, "jobs/revenue.sql", "jobs/hourly.sql")
    unread = check(alone, edited(alone, "ddl/orders.sql", *TYPE))
    assert unread.status == 0 and not unread.verdicts
    assert "no job known here reads them" in unread.errors
    assert "what changed in ddl/orders.sql changes no job" in unread.document["nothing_compared"]


@pytest.mark.parametrize("layout", ["one folder", "beside"])
def test_without_a_configuration(check: Check, layout: str) -> None:
    """Scenarios 5 and 6: declarations are assumed, and named."""
    before = without(SPLIT, "keepstate.toml")
    if layout == "one folder":
        before = {path.replace("ddl/", "jobs/"): text for path, text in before.items()}
    ddl = "jobs/orders.sql" if layout == "one folder" else "ddl/orders.sql"
    found = check(before, edited(before, ddl, *TYPE))
    assert found.status == 1
    assert {(job, file) for job, _, file, _ in found.findings} == {("jobs/revenue.sql", ddl)}
    assert ("orders", ddl) in found.assumed("jobs/revenue.sql")


def test_a_query_file_without_a_construct_of_flink(check: Check) -> None:
    """Scenario 6."""
    before = without(SPLIT, "keepstate.toml")
    found = check(before, edited(before, "jobs/revenue.sql", "SUM(amount)", "COUNT(*)"))
    assert found.status == 1
    assert found.verdicts == {"jobs/revenue.sql": "incompatible"}


def test_two_declarations_that_differ(check: Check) -> None:
    """Scenario 7: none of them is taken."""
    found = check(TWO, edited(TWO, "dev/orders.sql", *TYPE))
    assert found.status == 1
    assert found.verdicts["jobs/revenue.sql"] == "unknown"
    assert ("jobs/revenue.sql", "ambiguous-declaration", "dev/orders.sql", 3) in found.findings


def test_the_configuration_says_which_of_two(check: Check) -> None:
    """Scenario 7."""
    named = {**TWO, "keepstate.toml": 'context = ["prod/*.sql", "sinks.sql"]\n'}
    found = check(named, edited(named, "dev/orders.sql", *TYPE))
    assert found.status == 0 and not found.findings


@pytest.mark.parametrize(
    "other",
    [
        ORDERS,
        ORDERS.replace("CREATE TABLE orders", "create table `orders`").replace("  shop STRING", "  `shop`  string"),
        ORDERS.replace("'topic' = 'orders'", "'topic' = 'dev-orders'"),
    ],
    ids=["the same text", "another spelling", "another topic"],
)
def test_two_declarations_of_one_meaning(check: Check, other: str) -> None:
    """Scenario 8: they stand for each other until one of them changes."""
    before = {**TWO, "prod/orders.sql": other}
    found = check(before, edited(before, "jobs/revenue.sql", "SUM", "MAX"))
    assert {rule for _, rule, *_ in found.findings} == {"all-aggregates-replaced"}


def test_one_of_two_equal_declarations_changes(check: Check) -> None:
    """Scenario 8."""
    before = {**TWO, "prod/orders.sql": ORDERS}
    found = check(before, edited(before, "dev/orders.sql", *TYPE))
    assert found.verdicts["jobs/revenue.sql"] == "unknown"
    assert "ambiguous-declaration" in {rule for _, rule, *_ in found.findings}


def test_an_assumption_excuses_nothing(check: Check) -> None:
    """Scenario 9: what only the declaration would make compatible stays unknown until the configuration names it."""
    job = "INSERT INTO revenue\nSELECT shop, COUNT(*) FROM orders WHERE amount > 1 GROUP BY shop, amount + {};\n"
    before = {**SPLIT, "jobs/revenue.sql": job.format("CAST(1 AS DECIMAL(10, 2))")}
    after = {**SPLIT, "jobs/revenue.sql": job.format("CAST(1.00 AS DECIMAL(10, 2))")}
    named = check(before, after).verdicts["jobs/revenue.sql"]
    bare = check(without(before, "keepstate.toml"), without(after, "keepstate.toml")).verdicts["jobs/revenue.sql"]
    ranks = ["unchanged", "compatible", "partial", "unknown", "incompatible"]
    assert ranks.index(bare) >= ranks.index(named)


@pytest.mark.parametrize("configured", [True, False])
def test_a_chain_of_views(check: Check, configured: bool) -> None:
    """Scenario 11."""
    before = VIEWS if configured else without(VIEWS, "keepstate.toml")
    found = check(before, edited(before, "ddl/orders.sql", *TYPE))
    assert {(job, file, line) for job, _, file, line in found.findings} == {("jobs/revenue.sql", "ddl/orders.sql", 3)}


def test_a_filter_of_a_view_in_another_file(check: Check) -> None:
    found = check(VIEWS, edited(VIEWS, "views/v2.sql", "WHERE shop <> ''", "WHERE shop <> 'x'"))
    assert {file for _, _, file, _ in found.findings} == {"views/v2.sql"}


def test_like_across_files(check: Check) -> None:
    before = {
        **SPLIT,
        "ddl/copy.sql": "CREATE TABLE copies LIKE orders;\n",
        "jobs/revenue.sql": REVENUE.replace("FROM orders", "FROM copies"),
    }
    found = check(before, edited(before, "ddl/orders.sql", *TYPE))
    assert {(job, file) for job, _, file, _ in found.findings} == {("jobs/revenue.sql", "ddl/orders.sql")}


@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize(("ddl", "job"), [("ddl/orders.sql", "jobs/revenue.sql"), ("ddl/other.sql", "jobs/second.sql")])
def test_names_by_the_database_in_use(check: Check, ddl: str, job: str, configured: bool) -> None:
    """Scenario 10: an edit in one database is the matter of the jobs that read it, in whatever spelling."""
    before = IN_A_DATABASE if configured else without(IN_A_DATABASE, "keepstate.toml")
    found = check(before, edited(before, ddl, *TYPE))
    assert {(path, file) for path, _, file, _ in found.findings} == {(job, ddl)}


def test_an_insert_more_is_a_job_more(check: Check) -> None:
    """Scenario 13."""
    found = check(PLAIN, {**PLAIN, "run.sql": REVENUE + HOURLY}, "--engine", "flink")
    assert found.status == 0 and not found.findings


def test_jobs_that_are_put_into_one_set(check: Check) -> None:
    """Scenario 13: their savepoints cannot be joined."""
    before = {**PLAIN, "run.sql": REVENUE + HOURLY}
    after = {**PLAIN, "run.sql": f"EXECUTE STATEMENT SET\nBEGIN\n{REVENUE}{HOURLY}END;\n"}
    found = check(before, after, "--engine", "flink")
    assert found.status == 1
    assert "jobs-joined" in {rule for _, rule, *_ in found.findings}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_a_statement_set_over_files(check: Check, engine: str) -> None:
    """Scenario 12: the files are one job, with one block."""
    found = check(SET, edited(SET, "set/2_revenue.sql", "SUM", "MAX"), "--engine", engine)
    assert list(found.verdicts) == ["set/4_end.sql"]
    assert {(file, line) for _, _, file, line in found.findings} == {("set/2_revenue.sql", 2)}


def test_the_composition_changes(check: Check) -> None:
    """Scenario 14: each side is composed by its own configuration; nothing that the job reads changed."""
    before = {**SET, "ddl/more.sql": "CREATE TABLE more (a INT) WITH ('connector' = 'kafka');\n"}
    after = edited(before, "keepstate.toml", '"init.sql"', '"init.sql", "ddl/more.sql"')
    found = check(before, after)
    assert found.status == 0 and not found.findings
    assert "set/4_end.sql" not in found.verdicts


def test_a_query_less_in_the_composition(check: Check) -> None:
    """A query that the script does not name any more is gone from the job."""
    found = check(SET, edited(SET, "keepstate.toml", '"set/*.sql"', '"set/1_begin.sql", "set/2*.sql", "set/4*.sql"'))
    assert "pipeline-removed" in {rule for _, rule, *_ in found.findings}


def test_a_declaration_that_moved(check: Check) -> None:
    """Scenario 15: byte for byte, and the job renamed in the same commit."""
    after = without(SPLIT, "ddl/orders.sql", "jobs/revenue.sql")
    after |= {
        "ddl/sales/orders.sql": ORDERS,
        "jobs/sales/revenue.sql": REVENUE,
        "keepstate.toml": 'context = ["ddl/**/*.sql"]\n',
    }
    found = check(SPLIT, after)
    assert found.status == 0 and not found.findings
    moved = check(after, edited(after, "ddl/sales/orders.sql", *TYPE))
    assert {file for _, _, file, _ in moved.findings} == {"ddl/sales/orders.sql"}


def test_a_declaration_that_was_moved_and_edited(check: Check) -> None:
    """Scenario 15."""
    after = without(SPLIT, "ddl/orders.sql")
    after["ddl/sales.sql"] = ORDERS.replace(*TYPE)
    found = check(SPLIT, after)
    (one,) = (one for file in found.document["files"] for one in file["findings"])
    assert (one["file"], one["baseline_text"]) == ("ddl/sales.sql", "amount DECIMAL(10, 2)")


def test_a_declaration_that_is_deleted(check: Check) -> None:
    """Scenario 16: what still reads it is not compatible."""
    found = check(SPLIT, without(SPLIT, "ddl/orders.sql"))
    assert found.status == 1
    assert found.verdicts["jobs/revenue.sql"] == "unknown"


@pytest.mark.parametrize("configured", [True, False])
def test_a_broken_declaration(check: Check, configured: bool) -> None:
    """Scenario 17: the jobs that read it are not compared, and the place is in its file."""
    before = SPLIT if configured else without(SPLIT, "keepstate.toml")
    found = check(before, edited(before, "ddl/orders.sql", "amount DECIMAL(10, 2)", "amount DECIMAL(10, 2"))
    assert found.status == 2
    # Whether the job reads an assumed declaration is not known, so the job may be valid.
    said = {"not-valid", "not-compared"} if configured else {"unknown"}
    assert {found.verdicts[job] for job in ("jobs/revenue.sql", "jobs/hourly.sql")} <= said
    assert "ddl/orders.sql:" in found.errors


def test_a_staged_part(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scenario 19: all files of the index or all of the work tree, never a mixture."""
    monkeypatch.chdir(repository.folder)
    repository.commit(dict(SPLIT))
    repository.write("ddl/orders.sql", ORDERS.replace(*TYPE))
    repository.git("add", "ddl/orders.sql")
    repository.write("jobs/revenue.sql", REVENUE.replace("SUM", "MAX"))

    def places(*arguments: str) -> set[str]:
        capsys.readouterr()
        assert main(["check", *arguments, "--format", "json"]) == 1
        files = json.loads(capsys.readouterr().out)["files"]
        return {one["file"] for file in files for one in file["findings"]}

    assert places("--staged") == {"ddl/orders.sql"}
    assert "jobs/revenue.sql" in places()


@pytest.mark.parametrize("key", ["context", "script"])
@pytest.mark.parametrize("glob", ["../**", "/etc/*", "~/x.sql", "a/../../b.sql"])
def test_nothing_outside_is_read(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    key: str,
    glob: str,
) -> None:
    """Scenario 24."""
    monkeypatch.chdir(repository.folder)
    repository.commit(dict(SPLIT))
    repository.write("keepstate.toml", f'{"[[job]]" if key == "script" else ""}\n{key} = ["{glob}"]\n')
    assert main(["check"]) == 2
    assert "leads out of the folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "config",
    ['context = ["dll/*.sql"]', 'context = ["ddl/*.sql", "views.sql"]', '[[job]]\nscript = ["init.sql", "jobs/*.sql"]'],
    ids=["a glob", "one of two", "a script"],
)
def test_an_entry_that_no_file_matches(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: str
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({**SPLIT, "keepstate.toml": f"{config}\n"})
    repository.write("jobs/revenue.sql", REVENUE.replace("SUM", "MAX"))
    assert main(["check"]) == 2
    assert "No file matches" in capsys.readouterr().err


FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_names_the_file_of_the_clause(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(dict(SPLIT))
    repository.write("ddl/orders.sql", ORDERS.replace(*TYPE))
    capsys.readouterr()
    assert main(["check", "--format", form]) == 1
    said = capsys.readouterr().out
    assert "ddl/orders.sql" in said and "jobs/revenue.sql" in said
    wanted = {
        "text": "ddl/orders.sql:3:3",
        "json": '"file": "ddl/orders.sql"',
        "sarif": '"uri": "ddl/orders.sql"',
        "github": "file=ddl/orders.sql,line=3",
        "gitlab": '"path": "ddl/orders.sql"',
        "junit": "ddl/orders.sql",
        "markdown": "ddl/orders.sql",
    }
    assert wanted[form] in said


def test_fifty_jobs_over_one_table(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scenario 4: a block for each job, and the text of the finding once."""
    monkeypatch.chdir(repository.folder)
    jobs = {f"jobs/{number:02}.sql": REVENUE for number in range(50)}
    repository.commit({**without(SPLIT, "jobs/revenue.sql", "jobs/hourly.sql"), **jobs})
    repository.write("ddl/orders.sql", ORDERS.replace(*TYPE))
    capsys.readouterr()
    assert main(["check"]) == 1
    said = capsys.readouterr().out
    assert said.count("incompatible with HEAD") == 50
    assert " ".join(said.split()).count("no former aggregate stays") == 1
    assert said.count("As in jobs/00.sql") == 49
    assert "49 other jobs below" in said

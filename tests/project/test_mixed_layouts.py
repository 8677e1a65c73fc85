"""Jobs over files of several kinds at once: init files, numbered files, contexts, pointers into YAML, INSERTs by
themselves.

``«before|after»`` is the edit, in one file or in several. A job whose state or whose tables changed is never silent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from tests.project.scenarios import Check

TABLE = (
    "(shop STRING, amount {}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'o');\n"
)
ORDERS = f"CREATE TABLE orders {TABLE.format('«INT|BIGINT»')}"
STILL = ORDERS.replace("«INT|BIGINT»", "INT")
SINK = "CREATE TABLE sums (shop STRING, total BIGINT) WITH ('connector' = 'blackhole');\n"
COUNTS = "CREATE TABLE counts (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');\n"
SUM = "INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop;\n"
COUNT = (
    "INSERT INTO counts SELECT window_start, COUNT(*)\n"
    "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;\n"
)
CATALOG = "CREATE CATALOG c WITH ('type' = 'generic_in_memory');\nUSE CATALOG c;\nCREATE DATABASE d;\nUSE d;\n"
BATCHES = (
    "SET 'table.exec.mini-batch.enabled' = '«false|true»';\n"
    "SET 'table.exec.mini-batch.allow-latency' = '5 s';\nSET 'table.exec.mini-batch.size' = '100';\n"
)
YAML = "spec:\n  args:\n    - |\n"


def in_yaml(text: str) -> str:
    return YAML + "".join(f"      {line}\n" for line in text.splitlines())


def script(*files: str, more: str = "") -> str:
    return f"{more}[[job]]\nscript = [{', '.join(map(repr, files))}]\n".replace("'", '"')


@dataclass(frozen=True)
class Case:
    files: dict[str, str]
    verdicts: dict[str, str]
    """Of each job that is not unchanged; several words that are right are parted by ``|``."""
    at: tuple[str, int] | None = None
    """The file and line of the first finding."""
    engine: str = "flink"
    words: str = ""
    """Words of the answer."""
    more: dict[str, str] = field(default_factory=dict)
    """Files of the current revision alone."""


INIT = {"init.sql": CATALOG + ORDERS + SINK}
CASES = {
    # ---- init files
    "an init file with USE, a job without": Case(
        {**INIT, "jobs/a.sql": SUM}, {"jobs/a.sql": "unknown"}, ("init.sql", 5)
    ),
    "an init file with USE as a script": Case(
        {**INIT, "a.sql": SUM, "keepstate.toml": script("init.sql", "a.sql")},
        {"a.sql": "incompatible"},
        ("init.sql", 5),
    ),
    "an init file in a context, full names": Case(
        {
            "init.sql": CATALOG + ORDERS,
            "sinks.sql": SINK,
            "jobs/a.sql": SUM.replace("orders", "c.d.orders"),
            "keepstate.toml": 'context = ["*.sql"]\n',
        },
        {"jobs/a.sql": "incompatible"},
        ("init.sql", 5),
    ),
    "a catalog that begins with its own database": Case(
        {
            "catalogs/c.sql": "CREATE CATALOG c WITH ('type' = 'generic_in_memory');\n",
            "ddl/o.sql": "CREATE TABLE c.`default`.orders " + TABLE.format("«INT|BIGINT»") + SINK,
            "jobs/a.sql": "USE CATALOG c;\n" + SUM.replace("INTO sums", "INTO default_catalog.default_database.sums"),
            "keepstate.toml": 'context = ["catalogs/*.sql", "ddl/*.sql"]\n',
        },
        {"jobs/a.sql": "incompatible"},
        ("ddl/o.sql", 1),
    ),
    "the type of a catalog that is assumed": Case(
        {
            "catalogs/c.sql": "CREATE CATALOG c WITH ('type' = '«paimon|hive»', 'warehouse' = 's3://a');\n",
            "ddl/s.sql": SINK,
            "jobs/a.sql": SUM.replace("orders", "c.d.orders"),
        },
        {"jobs/a.sql": "unknown"},
        words="'catalog c', from catalogs/c.sql",
    ),
    "the address of a catalog": Case(
        {
            "catalogs/c.sql": "CREATE CATALOG c WITH ('type' = 'paimon', 'hostname' = '«a|b»');\n",
            "ddl/s.sql": SINK,
            "jobs/a.sql": SUM.replace("orders", "c.d.orders"),
        },
        {},
    ),
    "two catalogs of one name, one changes": Case(
        {
            "dev/c.sql": "CREATE CATALOG c WITH ('type' = '«paimon|hive»');\n",
            "prod/c.sql": "CREATE CATALOG c WITH ('type' = 'jdbc');\n",
            "ddl/s.sql": SINK,
            "jobs/a.sql": SUM.replace("orders", "c.d.orders"),
        },
        {"jobs/a.sql": "unknown"},
        ("dev/c.sql", 1),
    ),
    "a catalog that moved to another file": Case(
        {
            "«init|setup».sql": "CREATE CATALOG c WITH ('type' = 'paimon');\n",
            "ddl/s.sql": SINK,
            "jobs/a.sql": SUM.replace("orders", "c.d.orders"),
        },
        {},
    ),
    # ---- parameters of init files
    "SET of an assumed init file": Case(
        {"init.sql": BATCHES + STILL + SINK, "a.sql": SUM}, {"a.sql": "incompatible|unknown"}
    ),
    "SET of a context": Case(
        {
            "conf/s.sql": BATCHES,
            "ddl/o.sql": STILL + SINK,
            "jobs/a.sql": SUM,
            "keepstate.toml": 'context = ["conf/*.sql", "ddl/*.sql"]\n',
        },
        {"jobs/a.sql": "incompatible|unknown"},
        ("conf/s.sql", 1),
    ),
    "SET of a context that comes": Case(
        {"ddl/o.sql": STILL + SINK, "jobs/a.sql": SUM, "keepstate.toml": 'context = ["conf/*.sql", "ddl/*.sql"]\n'},
        {"jobs/a.sql": "incompatible|unknown"},
        more={"conf/s.sql": BATCHES},
    ),
    "SET of the job over that of the init file": Case(
        {
            "init.sql": BATCHES + STILL + SINK,
            "a.sql": "SET 'table.exec.mini-batch.enabled' = 'false';\n" + SUM,
        },
        {},
    ),
    "RESET in an init file": Case(
        {
            "init.sql": BATCHES.replace("«false|true»", "true")
            + "«|RESET 'table.exec.mini-batch.enabled';»\n"
            + STILL
            + SINK,
            "a.sql": SUM,
        },
        {"a.sql": "incompatible|unknown"},
    ),
    "SET of a job that declares for another one": Case(
        {"b.sql": BATCHES + STILL + SINK + "INSERT INTO sums SELECT shop, 1 FROM orders;\n", "a.sql": SUM}, {}
    ),
    "SET of a file whose tables no job reads": Case(
        {"init.sql": BATCHES + STILL.replace("orders", "other"), "ddl.sql": STILL + SINK, "a.sql": SUM}, {}
    ),
    # ---- declarations in force
    "IF NOT EXISTS twice, the first changes": Case(
        {
            "01.sql": ORDERS.replace("TABLE", "TABLE IF NOT EXISTS"),
            "02.sql": STILL.replace("TABLE", "TABLE IF NOT EXISTS"),
            "03.sql": SINK + SUM,
            "keepstate.toml": script("*.sql"),
        },
        {"03.sql": "incompatible"},
        ("01.sql", 1),
    ),
    "IF NOT EXISTS twice, the second changes": Case(
        {
            "01.sql": STILL.replace("TABLE", "TABLE IF NOT EXISTS"),
            "02.sql": ORDERS.replace("TABLE", "TABLE IF NOT EXISTS"),
            "03.sql": SINK + SUM,
            "keepstate.toml": script("*.sql"),
        },
        {},
    ),
    "RENAME in a numbered file": Case(
        {
            "01.sql": ORDERS.replace("orders", "arrived"),
            "02.sql": "ALTER TABLE arrived RENAME TO orders;\n",
            "03.sql": SINK + SUM,
            "keepstate.toml": script("0*.sql"),
        },
        {"03.sql": "incompatible"},
        ("01.sql", 1),
    ),
    "ALTER in another file than the declaration": Case(
        {
            "ddl/01.sql": STILL,
            "ddl/02.sql": "ALTER TABLE orders MODIFY amount «INT|BIGINT»;\n" + SINK,
            "jobs/a.sql": SUM,
            "keepstate.toml": 'context = ["ddl/*.sql"]\n',
        },
        {"jobs/a.sql": "incompatible"},
        ("ddl/02.sql", 1),
    ),
    "a temporary table in the job over that of the context": Case(
        {"ddl/o.sql": ORDERS + SINK, "jobs/a.sql": STILL.replace("TABLE", "TEMPORARY TABLE") + SUM}, {}
    ),
    "DROP and CREATE between INSERTs": Case(
        {
            "01.sql": STILL + SINK + SUM,
            "02.sql": "DROP TABLE orders;\n" + ORDERS + SINK.replace("sums", "more") + SUM.replace("sums", "more"),
            "keepstate.toml": script("0*.sql"),
        },
        {"02.sql": "incompatible"},
        ("02.sql", 2),
    ),
    # ---- pointers
    "YAML behind an init file": Case(
        {
            "init.sql": CATALOG + ORDERS + SINK,
            "k8s/a.yaml": in_yaml(SUM),
            "keepstate.toml": script("init.sql", "k8s/a.yaml#/spec/args/0"),
        },
        {"k8s/a.yaml": "incompatible"},
        ("init.sql", 5),
    ),
    "YAML over a context": Case(
        {
            "ddl/o.sql": STILL + SINK,
            "k8s/a.yaml": in_yaml(SUM.replace("SUM(amount)", "«SUM(amount)|MAX(amount)»")),
            "keepstate.toml": script("k8s/a.yaml#/spec/args/0", more='context = ["ddl/*.sql"]\n'),
        },
        {"k8s/a.yaml": "incompatible"},
        ("k8s/a.yaml", 4),
    ),
    "SET in YAML in front of a job": Case(
        {
            "k8s/conf.yaml": in_yaml(BATCHES),
            "a.sql": STILL + SINK + SUM,
            "keepstate.toml": script("k8s/conf.yaml#/spec/args/0", "a.sql"),
        },
        {"a.sql": "incompatible|unknown"},
        ("k8s/conf.yaml", 4),
    ),
    # ---- each INSERT
    "two jobs of one script, one reads what changed": Case(
        {
            "init.sql": ORDERS + SINK + COUNTS,
            "run.sql": COUNT + SUM,
            "keepstate.toml": 'jobs = "each-insert"\n' + script("init.sql", "run.sql"),
        },
        {"run.sql": "incompatible"},
        ("init.sql", 1),
    ),
    "an INSERT more over an init file": Case(
        {
            "init.sql": CATALOG + STILL + SINK + COUNTS,
            "run.sql": SUM + f"«|{COUNT}»",
            "keepstate.toml": 'jobs = "each-insert"\n' + script("init.sql", "run.sql"),
        },
        {"run.sql": "compatible"},
    ),
    "INSERTs of numbered files put into one set": Case(
        {
            "00.sql": STILL + SINK + COUNTS,
            "01.sql": "«|EXECUTE STATEMENT SET BEGIN\n»" + SUM,
            "02.sql": COUNT + "«|END;»\n",
            "keepstate.toml": script("0*.sql"),
        },
        {"02.sql": "unknown|incompatible"},
    ),
    "SET between INSERTs, each a job": Case(
        {
            "init.sql": STILL + SINK + COUNTS,
            "run.sql": COUNT + BATCHES + SUM,
            "keepstate.toml": 'jobs = "each-insert"\n' + script("init.sql", "run.sql"),
        },
        {"run.sql": "incompatible|unknown"},
    ),
    # ---- places
    "a watermark that goes": Case(
        {
            "ddl/o.sql": STILL.replace(", WATERMARK FOR ts AS ts", "«, WATERMARK FOR ts AS ts|»") + COUNTS,
            "jobs/a.sql": COUNT,
            "keepstate.toml": 'context = ["ddl/*.sql"]\n',
        },
        {"jobs/a.sql": "not-valid"},
        words="ddl/o.sql:1:",
    ),
    "a watermark that goes, assumed": Case(
        {
            "ddl/o.sql": STILL.replace(", WATERMARK FOR ts AS ts", "«, WATERMARK FOR ts AS ts|»") + COUNTS,
            "jobs/a.sql": COUNT,
        },
        {"jobs/a.sql": "unknown"},
        words="if the job uses counts from ddl/o.sql and orders from ddl/o.sql",
    ),
    "a declaration that the baseline refuses": Case(
        {
            "ddl/o.sql": ORDERS + SINK.replace("total BIGINT", "total BYTES"),
            "jobs/a.sql": SUM,
        },
        {"jobs/a.sql": "unknown"},
    ),
    # ---- configurations
    "a context that an existing configuration gets": Case(
        {"ddl/o.sql": STILL + SINK, "jobs/a.sql": SUM, "keepstate.toml": '«|context = ["ddl/*.sql"]»\n'}, {}
    ),
    "a context that goes, and an edit": Case(
        {"ddl/o.sql": ORDERS + SINK, "jobs/a.sql": SUM, "keepstate.toml": '«context = ["ddl/*.sql"]|»\n'},
        {"jobs/a.sql": "incompatible"},
        ("ddl/o.sql", 1),
    ),
    "a context that comes, and an edit": Case(
        {"ddl/o.sql": ORDERS + SINK, "jobs/a.sql": SUM, "keepstate.toml": '«|context = ["ddl/*.sql"]»\n'},
        {"jobs/a.sql": "incompatible"},
        ("ddl/o.sql", 1),
    ),
}
_EDIT = re.compile("«(.*?)\\|(.*?)»", re.DOTALL)


def _sides(case: Case) -> list[dict[str, str]]:
    return [
        {_EDIT.sub(rf"\{side}", name): _EDIT.sub(rf"\{side}", text) for name, text in files.items()}
        for side, files in ((1, case.files), (2, {**case.files, **case.more}))
    ]


@pytest.mark.parametrize("name", CASES)
def test_a_job_that_changed_is_never_silent(check: Check, name: str) -> None:
    case = CASES[name]
    before, after = _sides(case)
    found = check(before, after, "--engine", case.engine)
    said = {path: verdict for path, verdict in found.verdicts.items() if verdict not in ("unchanged", "deleted")}
    said = {path: verdict for path, verdict in said.items() if path in case.verdicts or verdict != "compatible"}
    assert said.keys() == case.verdicts.keys(), (said, found.findings)
    assert all(said[path] in wanted.split("|") for path, wanted in case.verdicts.items()), (said, found.findings)
    worst = [*said.values(), "compatible"]
    assert found.status == (2 if "not-valid" in worst else 1 if {"unknown", "incompatible"} & {*worst} else 0)
    if case.at is not None:
        assert case.at in {(file, line) for _, _, file, line in found.findings}
    assert case.words in " ".join(f"{found.errors} {found.document}".replace("'path': '", "from ").split())

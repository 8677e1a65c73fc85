"""Files of jobs that read the tables of other files, and the answer of a check of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ORDERS = """\
CREATE TABLE orders (
  shop STRING,
  amount DECIMAL(10, 2),
  note STRING,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
"""
SINKS = """\
CREATE TABLE revenue (shop STRING, total DOUBLE, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE per_hour (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');
"""
REVENUE = "INSERT INTO revenue\nSELECT shop, CAST(SUM(amount) AS DOUBLE) FROM orders GROUP BY shop;\n"
HOURLY = """\
INSERT INTO per_hour
SELECT window_start, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
"""
CONTEXT = 'context = ["ddl/*.sql"]\n'
SPLIT = {
    "ddl/orders.sql": ORDERS,
    "ddl/sinks.sql": SINKS,
    "jobs/revenue.sql": REVENUE,
    "jobs/hourly.sql": HOURLY,
    "keepstate.toml": CONTEXT,
}
TYPE = ("amount DECIMAL(10, 2)", "amount DOUBLE")


def without(files: dict[str, str], *names: str) -> dict[str, str]:
    return {name: text for name, text in files.items() if name not in names}


def edited(files: dict[str, str], path: str, old: str, new: str) -> dict[str, str]:
    assert old in files[path]
    return {**files, path: files[path].replace(old, new)}


@dataclass
class Checked:
    """The answer of a run in JSON."""

    status: int
    document: dict[str, Any]
    errors: str

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each job; its status where it was not compared with a baseline."""
        return {
            file["path"]: file["verdict"] if file["status"] == "compared" else file["status"]
            for file in self.document["files"]
        }

    @property
    def findings(self) -> set[tuple[str, str, str, int]]:
        """Job, rule, file and line (from 1) of each finding."""
        return {
            (file["path"], one["rule"], one["file"], one["range"]["start"]["line"] + 1)
            for file in self.document["files"]
            for one in file["findings"]
        }

    def assumed(self, path: str) -> set[tuple[str, str]]:
        file = next(file for file in self.document["files"] if file["path"] == path)
        return {(one["name"], one["path"]) for one in file.get("assumed", [])}


Check = Callable[..., Checked]


TWO = {
    "dev/orders.sql": ORDERS,
    "prod/orders.sql": ORDERS.replace("note STRING", "note INT"),
    "sinks.sql": SINKS,
    "jobs/revenue.sql": REVENUE,
}
VIEWS = {
    "ddl/orders.sql": ORDERS,
    "ddl/sinks.sql": SINKS,
    "views/v1.sql": "CREATE VIEW v1 AS SELECT shop, amount FROM orders;\n",
    "views/v2.sql": "CREATE VIEW v2 AS SELECT shop, amount FROM v1 WHERE shop <> '';\n",
    "jobs/revenue.sql": REVENUE.replace("orders", "v2"),
    "keepstate.toml": 'context = ["ddl/*.sql", "views/*.sql"]\n',
}

IN_A_DATABASE = {
    "ddl/orders.sql": f"USE CATALOG c;\nUSE d;\n{ORDERS}",
    "ddl/other.sql": f"USE CATALOG c;\nUSE d2;\n{ORDERS.replace('note STRING', 'remark STRING')}",
    "ddl/sinks.sql": SINKS,
    "jobs/revenue.sql": REVENUE.replace("FROM orders", "FROM c.d.orders"),
    "jobs/second.sql": "USE CATALOG c;\nUSE d2;\n"
    + REVENUE.replace("INTO revenue", "INTO default_catalog.default_database.revenue"),
    "keepstate.toml": CONTEXT,
}

PLAIN = {
    "init.sql": ORDERS + SINKS,
    "run.sql": REVENUE,
    "keepstate.toml": '[[job]]\nscript = ["init.sql", "run.sql"]\n',
}

SET = {
    "init.sql": ORDERS + SINKS,
    "set/1_begin.sql": "EXECUTE STATEMENT SET\nBEGIN\n",
    "set/2_revenue.sql": REVENUE,
    "set/3_hourly.sql": HOURLY,
    "set/4_end.sql": "END;\n",
    "keepstate.toml": '[[job]]\nname = "both"\nscript = ["init.sql", "set/*.sql"]\n',
}

JOB = "      INSERT INTO revenue\n      SELECT shop, CAST(SUM(amount) AS DOUBLE) FROM orders GROUP BY shop;\n"
IN_YAML = {
    "ddl/orders.sql": ORDERS,
    "ddl/sinks.sql": SINKS,
    "k8s/revenue.yaml": f"spec:\n  job:\n    args:\n    - |\n{JOB}",
    "keepstate.toml": f'{CONTEXT}[[job]]\nname = "revenue"\nscript = ["k8s/revenue.yaml#/spec/job/args/0"]\n',
}
BARE = without(SPLIT, "keepstate.toml")
MORE = {**SET, "ddl/more.sql": "CREATE TABLE more (a INT) WITH ('connector' = 'kafka');\n"}
MOVED = {
    **without(SPLIT, "ddl/orders.sql"),
    "ddl/sales/orders.sql": ORDERS,
    "keepstate.toml": 'context = ["ddl/**/*.sql"]\n',
}
LASTING = edited(SPLIT, "ddl/orders.sql", "CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
ON_FLINK = {**PLAIN, "run.sql": REVENUE + HOURLY, "keepstate.toml": 'engine = "flink"\n' + PLAIN["keepstate.toml"]}
CAST = "INSERT INTO revenue\nSELECT shop, COUNT(*) FROM orders WHERE amount > 1 GROUP BY shop, amount + {};\n"
EXCUSED = ("CAST(1 AS DECIMAL(10, 2))", "CAST(1.00 AS DECIMAL(10, 2))")

EDITS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "01 the type of a summed column": (SPLIT, edited(SPLIT, "ddl/orders.sql", *TYPE)),
    "02 a column that no query reads": (SPLIT, edited(SPLIT, "ddl/orders.sql", "note STRING", "remark STRING")),
    "03 a time column": (SPLIT, edited(SPLIT, "ddl/orders.sql", "ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")),
    "03 a watermark that went": (
        SPLIT,
        edited(SPLIT, "ddl/orders.sql", ",\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", ""),
    ),
    "05 no configuration": (BARE, edited(BARE, "ddl/orders.sql", *TYPE)),
    "06 a query without a construct of Flink": (BARE, edited(BARE, "jobs/revenue.sql", "SUM(amount)", "COUNT(*)")),
    "07 two declarations that differ": (TWO, edited(TWO, "dev/orders.sql", *TYPE)),
    "07 the configuration names one": (
        {**TWO, "keepstate.toml": 'context = ["prod/*.sql", "sinks.sql"]\n'},
        edited({**TWO, "keepstate.toml": 'context = ["prod/*.sql", "sinks.sql"]\n'}, "dev/orders.sql", *TYPE),
    ),
    "08 one of two equal declarations": (
        {**TWO, "prod/orders.sql": ORDERS},
        edited({**TWO, "prod/orders.sql": ORDERS}, "dev/orders.sql", *TYPE),
    ),
    "09 an assumption excuses nothing": (
        {**BARE, "jobs/revenue.sql": CAST.format(EXCUSED[0])},
        {**BARE, "jobs/revenue.sql": CAST.format(EXCUSED[1])},
    ),
    "09 the configuration names it": (
        {**SPLIT, "jobs/revenue.sql": CAST.format(EXCUSED[0])},
        {**SPLIT, "jobs/revenue.sql": CAST.format(EXCUSED[1])},
    ),
    "10 names by the database in use": (IN_A_DATABASE, edited(IN_A_DATABASE, "ddl/orders.sql", *TYPE)),
    "10 in another database": (IN_A_DATABASE, edited(IN_A_DATABASE, "ddl/other.sql", *TYPE)),
    "11 a chain of views": (VIEWS, edited(VIEWS, "ddl/orders.sql", *TYPE)),
    "12 a statement set over files": (SET, edited(SET, "set/2_revenue.sql", "SUM", "MAX")),
    "13 an INSERT more": ({**ON_FLINK, "run.sql": REVENUE}, ON_FLINK),
    "13 put into one set": (
        ON_FLINK,
        {**ON_FLINK, "run.sql": f"EXECUTE STATEMENT SET\nBEGIN\n{REVENUE}{HOURLY}END;\n"},
    ),
    "14 a file more in the composition": (
        MORE,
        edited(MORE, "keepstate.toml", '"init.sql"', '"init.sql", "ddl/more.sql"'),
    ),
    "15 a declaration that moved": (SPLIT, MOVED),
    "15 moved and edited": (SPLIT, edited(MOVED, "ddl/sales/orders.sql", *TYPE)),
    "16 a declaration that is deleted": (SPLIT, without(SPLIT, "ddl/orders.sql")),
    "16 a job that is deleted": (SPLIT, without(SPLIT, "jobs/revenue.sql")),
    "17 a broken declaration": (
        SPLIT,
        edited(SPLIT, "ddl/orders.sql", "amount DECIMAL(10, 2)", "amount DECIMAL(10, 2"),
    ),
    "19 both files": (
        SPLIT,
        edited(edited(SPLIT, "ddl/orders.sql", *TYPE), "jobs/hourly.sql", "'1' HOUR", "'2' HOUR"),
    ),
    "21 a lasting catalog": (LASTING, edited(LASTING, "ddl/orders.sql", *TYPE)),
    "22 a value of a YAML file": (IN_YAML, edited(IN_YAML, "k8s/revenue.yaml", "SUM(amount)", "MAX(amount)")),
    "22 a table that a value reads": (IN_YAML, edited(IN_YAML, "ddl/orders.sql", *TYPE)),
}
"""Scenarios as files of the baseline and of the work tree; 4, 18, 20, 23 and 24 are no edits of files."""

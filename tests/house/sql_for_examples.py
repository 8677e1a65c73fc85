"""The names that examples in docstrings of the plan and the differ may use beside those of their module.

They make a value of the plan of a line of SQL, so that an example shows what its function does and not how a plan is
built. Each text stands behind the declarations of ``TABLES``.
"""

from __future__ import annotations

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.operators import Operator
from keepstate.syntax.script import ParsedStatement, parse_script

TABLES = """
CREATE TABLE orders (id BIGINT, buyer STRING, price DECIMAL(10, 2), rowtime TIMESTAMP(3), proctime AS PROCTIME(),
  WATERMARK FOR rowtime AS rowtime - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE buyers (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'value.format' = 'json');
"""


def job(sql: str) -> Job:
    """The job of a script over ``orders``, which only grow, and ``buyers``, whose rows change."""
    return Job.of(parse_script(TABLES + sql), {})


def pipeline(sql: str) -> Pipeline:
    """The last query of a script with all that it reads."""
    return job(sql).pipelines[-1]


def plan(sql: str) -> Plan:
    """The plan of the last query of a script."""
    return pipeline(sql).plan


def root(sql: str) -> Operator:
    """The operator that gives the rows of the last query."""
    return plan(sql).root


def expr(sql: str) -> Expr:
    """An expression over the columns of ``orders``."""
    return plan(f"SELECT {sql} FROM orders").output[0]


def statement(sql: str) -> ParsedStatement:
    """The last statement of a script."""
    return parse_script(sql).statements[-1].parsed


def catalog(sql: str = "") -> Catalog:
    """The declarations of a script."""
    return job(sql).catalog


NAMES = {
    "catalog": catalog,
    "expr": expr,
    "job": job,
    "pipeline": pipeline,
    "plan": plan,
    "root": root,
    "statement": statement,
}
"""The names that examples use without an import."""

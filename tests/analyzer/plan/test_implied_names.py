"""Names of select items without aliases, as plans that Flink 2.3.0 compiled have them."""

from __future__ import annotations

import pytest

from keepstate.api import validate
from keepstate.job_version import JobVersion, job_of

TABLE = """\
CREATE TABLE t (id INT, l ARRAY<ROW<sku STRING, r ROW<x INT>>>, m MAP<STRING, ROW<v INT>>,
who ROW<name STRING, addr ROW<city STRING, geo ROW<lat INT, deep ROW<z INT>>>>) WITH ('connector' = 'kafka');
"""
NAMES = {
    "id": "id",
    "t.id": "id",
    "(id)": "id",
    "who.addr.city": "city",
    "t.who.addr.geo.lat": "lat",
    "who.addr.geo.deep.z": "z",
    "(who).name": "EXPR$0",
    "l[1].sku": "EXPR$0",
    "l[1].r.x": "EXPR$0",
    "(l[1]).sku": "EXPR$0",
    "m['a'].v": "EXPR$0",
    "id + 1": "EXPR$0",
}


@pytest.mark.parametrize(("item", "name"), NAMES.items(), ids=NAMES)
def test_a_path_has_the_name_of_its_end_and_a_call_a_number(item: str, name: str) -> None:
    (pipeline,) = job_of(JobVersion(f"{TABLE}SELECT {item} FROM t")).pipelines
    assert pipeline.plan.names == (name,)
    outer = JobVersion(f"{TABLE}SELECT `{name}` FROM (SELECT {item} FROM t);", engine_version="2.3")
    assert validate(outer).problems == ()

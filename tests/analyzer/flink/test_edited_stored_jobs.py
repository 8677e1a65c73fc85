"""The job as Flink stores it, patched at edited queries: it is the one that is made of the text from nothing."""

from __future__ import annotations

import random

import pytest

from keepstate.job_version import JobVersion
from keepstate.physical.graph import JobIds
from keepstate.physical.stored_job import StoredJob
from keepstate.syntax.memo import Memo
from keepstate.workspace import Workspace

TABLES = """\
CREATE TABLE t (k STRING, v BIGINT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE u (k STRING, name STRING, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'u', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE shared (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 's', 'key.format' = 'json', 'value.format' = 'json');
CREATE TEMPORARY VIEW big AS SELECT k, v, ts FROM t WHERE v > 10;
"""
QUERIES = (
    "SELECT k, SUM(v) FROM t GROUP BY k",
    "SELECT k, MAX(v) FROM t GROUP BY k",
    "SELECT k, MAX(v) FROM t WHERE v > 10 GROUP BY k",
    "SELECT k, MAX(v) FROM t WHERE 10 < v GROUP BY k",
    "SELECT k, SUM(v + 1) FROM big GROUP BY k",
    "SELECT k, COUNT(*) FROM big GROUP BY k",
    "SELECT k, SUM(w) FROM t GROUP BY k",
    "SELECT t.k, COUNT(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
    "SELECT k, v FROM t WHERE v > 1",
    "SELECT k, v FROM t UNION ALL SELECT k, v + 1 FROM big",
    "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE big, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
    "GROUP BY window_start, window_end, k",
    "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE big, DESCRIPTOR(ts), INTERVAL '2' HOUR)) "
    "GROUP BY window_start, window_end, k",
    "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM t) WHERE n <= 3",
)
SINKS = ("a", "b", "c", "d", "shared", "shared")


def text_of(queries: list[str], limit: int = 10, seconds: int = 5) -> str:
    tables = TABLES.replace("v > 10", f"v > {limit}").replace("'5' SECOND", f"'{seconds}' SECOND")
    inserts = [f"INSERT INTO {sink} {query};\n" for sink, query in zip(SINKS, queries, strict=True)]
    return f"{tables}EXECUTE STATEMENT SET BEGIN\n{''.join(inserts)}END;\n"


def content_of(stored: StoredJob) -> object:
    """The ids of all nodes, and all that is filed under them."""
    ids = {digest: (id_.value, id_.doubt) for digest, id_ in stored.by_node.items()}
    return ids, stored.ids, stored.tables_by_id, stored.filed.places


@pytest.mark.parametrize("version", [None, "1.20.5", "2.3.0"])
@pytest.mark.parametrize("seed", range(12))
def test_an_edited_job_is_stored_as_one_from_nothing(seed: int, version: str | None) -> None:
    chance = random.Random(seed)
    workspace, queries, limit, seconds = Workspace(), [chance.choice(QUERIES) for _ in SINKS], 10, 5
    for _ in range(14):
        match chance.randrange(8):
            case 0:
                limit = chance.choice((1, 10, 99))
            case 1:
                seconds = chance.choice((5, 6))
            case 2:
                queries = [chance.choice(QUERIES), *queries[1:-1], chance.choice(QUERIES)]
            case _:
                queries[chance.randrange(len(queries))] = chance.choice(QUERIES)
        current = JobVersion(text_of(queries, limit, seconds), engine_version=version)
        kept, anew = StoredJob.of(workspace.job(current)), StoredJob.of(Workspace(Memo()).job(current))
        assert content_of(kept) == content_of(anew)


def test_most_edits_keep_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, made = Workspace(), []
    of = JobIds.of
    monkeypatch.setattr(JobIds, "of", staticmethod(lambda *each: made.append(each) or of(*each)))
    # Statements that share a sink, and scans of other columns each, are stored as a whole.
    sums, maxima, plain = QUERIES[0], QUERIES[1], QUERIES[8]
    queries = [sums, maxima, plain, sums, maxima, plain]
    for number in range(1, 6):
        queries[0] = f"SELECT k, SUM(v + {number}) FROM t GROUP BY k"
        StoredJob.of(workspace.job(JobVersion(text_of(queries), engine_version="1.20.5")))
    assert len(made) == 1

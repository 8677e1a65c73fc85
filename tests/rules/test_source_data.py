"""The rows that a source reads, and its options without meaning where nothing keeps state (SRC-04, SRC-06, SRC-10)."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Effect, Report, Verdict

QUERY = "INSERT INTO o SELECT a, COUNT(*) AS n FROM w GROUP BY a;\n"
FLAT = "INSERT INTO o SELECT UPPER(a) AS a FROM w WHERE b > 3;\n"
KEYED_SINK = "CREATE TABLE o (a STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'jdbc');\n"


def table(options: str, key: str = "", name: str = "w") -> str:
    return f"CREATE TABLE {name} (a STRING, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts{key}) WITH ({options});\n"


KAFKA = "'connector' = 'kafka', 'format' = 'json', {}"
READ = {
    "kafka": (KAFKA, "'topic' = 'x'", "'topic' = 'y'"),
    "kafka, one topic more": (KAFKA, "'topic' = 'x'", "'topic' = 'x;y'"),
    "kafka, pattern": (KAFKA, "'topic-pattern' = 'x.*'", "'topic-pattern' = 'y.*'"),
    "upsert-kafka": ("'connector' = 'upsert-kafka', {}", "'topic' = 'x'", "'topic' = 'y'"),
    "pulsar": ("'connector' = 'pulsar', 'format' = 'json', {}", "'topics' = 'x'", "'topics' = 'y'"),
    "kinesis": ("'connector' = 'kinesis', 'format' = 'json', {}", "'stream' = 'x'", "'stream' = 'y'"),
    "kinesis, arn": ("'connector' = 'kinesis', 'format' = 'json', {}", "'stream.arn' = 'x'", "'stream.arn' = 'y'"),
    "filesystem": ("'connector' = 'filesystem', 'format' = 'csv', {}", "'path' = 's3://a'", "'path' = 's3://b'"),
    "jdbc, table": ("'connector' = 'jdbc', 'url' = 'jdbc:x', {}", "'table-name' = 'x'", "'table-name' = 'y'"),
    "jdbc, url": ("'connector' = 'jdbc', 'table-name' = 'x', {}", "'url' = 'jdbc:a'", "'url' = 'jdbc:b'"),
    "mysql-cdc, table": ("'connector' = 'mysql-cdc', {}", "'table-name' = 'x'", "'table-name' = 'y'"),
    "mysql-cdc, database": ("'connector' = 'mysql-cdc', {}", "'database-name' = 'x'", "'database-name' = 'y'"),
    "postgres-cdc, schema": ("'connector' = 'postgres-cdc', {}", "'schema-name' = 'x'", "'schema-name' = 'y'"),
    "mongodb-cdc": ("'connector' = 'mongodb-cdc', {}", "'collection' = 'x'", "'collection' = 'y'"),
    "hbase": ("'connector' = 'hbase-2.2', {}", "'table-name' = 'x'", "'table-name' = 'y'"),
    "elasticsearch": ("'connector' = 'elasticsearch-7', {}", "'index' = 'x'", "'index' = 'y'"),
    "hologres": ("'connector' = 'hologres', {}", "'tablename' = 'x'", "'tablename' = 'y'"),
    "sls, project": ("'connector' = 'sls', {}", "'project' = 'x'", "'project' = 'y'"),
    "sls, store": ("'connector' = 'sls', {}", "'logStore' = 'x'", "'logStore' = 'y'"),
    "datahub": ("'connector' = 'datahub', {}", "'topic' = 'x'", "'topic' = 'y'"),
    "odps": ("'connector' = 'odps', {}", "'tableName' = 'x'", "'tableName' = 'y'"),
    "odps, partition": ("'connector' = 'odps', {}", "'partition' = 'ds=1'", "'partition' = 'ds=2'"),
    "rocketmq, tag": ("'connector' = 'rocketmq', {}", "'tag' = 'x'", "'tag' = 'y'"),
    "iceberg": ("'connector' = 'iceberg', {}", "'catalog-table' = 'x'", "'catalog-table' = 'y'"),
    "unheard of": ("'connector' = 'house', {}", "'topic' = 'x'", "'topic' = 'y'"),
}
UPSERTS = ("upsert-kafka", "mongodb-cdc")
UPSERT_OPTIONS = tuple(READ[name][0] for name in UPSERTS)
BEHIND = {
    "aggregation": QUERY,
    "window": "INSERT INTO o SELECT a, COUNT(*) FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
    "GROUP BY a, window_start, window_end;\n",
    "ranking": "INSERT INTO o SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS n FROM w) "
    "WHERE n <= 3;\n",
    "join": "INSERT INTO o SELECT w.a FROM w JOIN v ON w.a = v.a;\n",
    "view": f"CREATE TEMPORARY VIEW seen AS SELECT * FROM w;\n{QUERY.replace('FROM w', 'FROM seen')}",
    "union": "INSERT INTO o SELECT a, COUNT(*) FROM (SELECT a FROM w UNION ALL SELECT a FROM v) GROUP BY a;\n",
    "one of two": f"{FLAT}{QUERY.replace('INTO o', 'INTO p')}",
}
V = table("'connector' = 'kafka', 'topic' = 'v', 'format' = 'json'", name="v")


def report(was: str, now: str, engine: str = "vvr") -> Report:
    found = check(JobVersion(now), JobVersion(was), engine)
    assert (found.problems, found.baseline_problems) == ((), ())
    return found


def reported(found: Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.current.text) for finding in found.findings]


@pytest.mark.spec("SRC-10")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("options", "was", "now"), READ.values(), ids=READ)
def test_other_rows_are_a_notice(options: str, was: str, now: str, engine: str) -> None:
    key = ", PRIMARY KEY (a) NOT ENFORCED" if options in UPSERT_OPTIONS else ""
    found = report(table(options.format(was), key) + QUERY, table(options.format(now), key) + QUERY, engine)
    assert (found.verdict, found.effect, found.unchanged) == (Verdict.COMPATIBLE, Effect.EXACT, False)
    assert reported(found) == [("source-data-changed", now)]
    (finding,) = found.findings
    assert "goes on with other rows" in finding.consequence


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("options", "was", "now"), [READ[name] for name in READ if name not in UPSERTS])
def test_where_nothing_keeps_state_nothing_is_reported(options: str, was: str, now: str, engine: str) -> None:
    found = report(table(options.format(was)) + FLAT, table(options.format(now)) + FLAT, engine)
    assert (found.verdict, reported(found)) == (Verdict.COMPATIBLE, [])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", BEHIND.values(), ids=BEHIND)
def test_whatever_keeps_state(query: str, engine: str) -> None:
    was, now = (V + table(KAFKA.format(f"'topic' = '{topic}'")) + query for topic in "xy")
    assert reported(report(was, now, engine)) == [("source-data-changed", "'topic' = 'y'")]


@pytest.mark.parametrize(("options", "was", "now"), [READ[name] for name in UPSERTS])
def test_kept_rows_of_a_source_of_upserts_are_state(options: str, was: str, now: str) -> None:
    found = report(table(options.format(was)) + FLAT, table(options.format(now)) + FLAT)
    assert reported(found) == [("source-data-changed", now)]


@pytest.mark.parametrize(
    ("was", "now", "clause"),
    [
        ("", " /*+ OPTIONS('topic' = 'y') */", "'topic' = 'y'"),
        (" /*+ OPTIONS('topic' = 'z') */", " /*+ OPTIONS('topic' = 'y') */", "'topic' = 'y'"),
    ],
)
def test_in_a_hint(was: str, now: str, clause: str) -> None:
    declared = table(KAFKA.format("'topic' = 'x'"))
    sides = [declared + QUERY.replace("FROM w", f"FROM w{hint}") for hint in (was, now)]
    assert reported(report(sides[0], sides[1])) == [("source-data-changed", clause)]


def test_taken_over_by_like() -> None:
    like = "CREATE TABLE w WITH ('scan.parallelism' = '2') LIKE base;\n"
    was, now = (table(KAFKA.format(f"'topic' = '{topic}'"), name="base") + like + QUERY for topic in "xy")
    assert reported(report(was, now)) == [("source-data-changed", "'topic' = 'y'")]
    own = like.replace("'scan", "'topic' = 'z', 'scan")
    assert reported(report(was.replace(like, own), now.replace(like, own))) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (KAFKA.format("'topic' = 'x;y'"), KAFKA.format("'topic' = 'y; x'")),
        (KAFKA.format("'topic' = 'x'"), KAFKA.format("'topic' = 'x', 'properties.group.id' = 'g'")),
        (KAFKA.format("'topic' = 'x'"), KAFKA.format("'topic' = 'x', 'scan.startup.mode' = 'latest-offset'")),
        (KAFKA.format("'topic' = '${t}'"), KAFKA.format("'topic' = 'orders'")),
        ("'connector' = 'datagen'", "'connector' = 'datagen', 'rows-per-second' = '5'"),
        ("'connector' = 'sls', 'startTime' = '1'", "'connector' = 'sls', 'startTime' = '2'"),
    ],
)
def test_the_same_rows_are_silent(was: str, now: str) -> None:
    for one, other in ((was, now), (now, was)):
        found = report(table(one) + QUERY, table(other) + QUERY)
        assert (found.verdict, reported(found)) == (Verdict.COMPATIBLE, [])


def test_a_lost_source_reads_other_rows_anyway() -> None:
    was = table(KAFKA.format("'topic' = 'x'")) + QUERY
    pulsar = table("'connector' = 'pulsar', 'format' = 'json', 'topics' = 'y'") + QUERY
    assert [rule for rule, _ in reported(report(was, pulsar))] == ["source-connector-changed"]
    renamed = was.replace("TABLE w", "TABLE w9").replace("FROM w", "FROM w9").replace("'x'", "'y'")
    assert [rule for rule, _ in reported(report(was, renamed))] == ["source-renamed"]


def test_a_table_that_is_only_looked_up_is_silent() -> None:
    join = "INSERT INTO o SELECT w.a, COUNT(*) FROM w JOIN d FOR SYSTEM_TIME AS OF w.p AS d ON w.a = d.a GROUP BY w.a;"
    read = "CREATE TABLE w (a STRING, p AS PROCTIME()) WITH ('connector' = 'kafka');\n"
    was, now = (
        f"{read}CREATE TABLE d (a STRING) WITH ('connector' = 'jdbc', 'url' = '{url}');\n{join}" for url in "ab"
    )
    assert reported(report(was, now)) == []


CANAL = KAFKA.format("'topic' = 'x'").replace("json", "canal-json")
FREE = {
    "format of changes": (table(KAFKA.format("'topic' = 'x'")), table(CANAL)),
    "mode": (
        table("'connector' = 'hologres', 'binlog' = 'true', 'cdcMode' = 'true'"),
        table("'connector' = 'hologres', 'binlog' = 'true', 'cdcMode' = 'false'"),
    ),
    "key": (table(CANAL), table(CANAL, ", PRIMARY KEY (b) NOT ENFORCED")),
}
FELT = ("source-changelog-changed", "source-primary-key-changed")


@pytest.mark.spec("SRC-04", "SRC-06")
@pytest.mark.parametrize(("was", "now"), FREE.values(), ids=FREE)
def test_updates_and_keys_mean_nothing_where_nothing_keeps_state(was: str, now: str) -> None:
    for engine in ENGINES:
        found = report(was + FLAT, now + FLAT, engine)
        assert (found.verdict, reported(found)) == (Verdict.COMPATIBLE, [])
    for query in (QUERY, BEHIND["one of two"]):
        found = report(was + query, now + query)
        assert found.verdict is Verdict.UNKNOWN
        assert {rule for rule, _ in reported(found)} <= set(FELT)


@pytest.mark.spec("SNK-06")
@pytest.mark.parametrize(("was", "now"), FREE.values(), ids=FREE)
def test_a_sink_with_a_primary_key_may_keep_rows(was: str, now: str) -> None:
    found = report(was + KEYED_SINK + FLAT, now + KEYED_SINK + FLAT)
    assert (found.verdict, {rule for rule, _ in reported(found)} <= set(FELT)) == (Verdict.UNKNOWN, True)


@pytest.mark.spec("OL-02")
@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("INSERT INTO o SELECT f(a) FROM w;", Verdict.COMPATIBLE),
        ("INSERT INTO o SELECT a FROM w WHERE f(a) = 'x';", Verdict.COMPATIBLE),
        (f"INSERT INTO p SELECT f(a) FROM w;\n{QUERY}", Verdict.COMPATIBLE),
        ("INSERT INTO o SELECT f(a), COUNT(*) FROM w GROUP BY f(a);", Verdict.UNKNOWN),
        ("INSERT INTO o SELECT a, f(b) FROM w GROUP BY a;", Verdict.UNKNOWN),
        (
            "CREATE TEMPORARY VIEW x AS SELECT f(a) AS a FROM w;\nINSERT INTO o SELECT DISTINCT a FROM x;",
            Verdict.UNKNOWN,
        ),
    ],
)
def test_another_class_matters_where_a_query_keeps_state(query: str, verdict: Verdict) -> None:
    function = "CREATE FUNCTION f AS 'x.{}' LANGUAGE JAVA;\n"
    declared = table(KAFKA.format("'topic' = 'x'"))
    for engine in ENGINES:
        found = report(function.format("A") + declared + query, function.format("B") + declared + query, engine)
        assert found.verdict is verdict


CATALOG = "CREATE CATALOG c WITH ({});\nINSERT INTO o SELECT a, COUNT(*) FROM c.d.w GROUP BY a;\n"


@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        ("'type' = 'kafka', 'properties.bootstrap.servers' = 'a'",
         "'properties.bootstrap.servers' = 'b', 'type' = 'kafka'", Verdict.COMPATIBLE),
        ("'type' = 'kafka'", "'type' = 'kafka', 'properties.security.protocol' = 'SSL'", Verdict.COMPATIBLE),
        ("'type' = 'mysql', 'hostname' = 'a', 'password' = 'x'", "'type' = 'mysql', 'hostname' = 'b', 'password' = 'y'",
         Verdict.COMPATIBLE),
        ("'type' = 'kafka'", "'type' = 'pulsar'", Verdict.UNKNOWN),
        ("'type' = 'jdbc', 'default-database' = 'a'", "'type' = 'jdbc', 'default-database' = 'b'", Verdict.UNKNOWN),
        ("'type' = 'jdbc', 'base-url' = 'a'", "'type' = 'jdbc', 'base-url' = 'b'", Verdict.UNKNOWN),
        ("'type' = 'paimon', 'warehouse' = 'a'", "'type' = 'paimon', 'warehouse' = 'b'", Verdict.UNKNOWN),
    ],
)  # fmt: skip
def test_the_address_of_a_catalog_is_what_it_is_for_a_table(was: str, now: str, verdict: Verdict) -> None:
    for engine in ENGINES:
        assert report(CATALOG.format(was), CATALOG.format(now), engine).verdict is verdict


def test_an_address_that_is_altered() -> None:
    was = CATALOG.format("'type' = 'kafka'")
    for options, verdict in (
        ("'properties.bootstrap.servers' = 'b'", Verdict.COMPATIBLE),
        ("'a' = 'b'", Verdict.UNKNOWN),
    ):
        assert report(was, was.replace("INSERT", f"ALTER CATALOG c SET ({options});\nINSERT")).verdict is verdict

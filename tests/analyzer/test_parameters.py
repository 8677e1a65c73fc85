"""Job parameters: what values mean, what holds where, what a change of one costs and where it is shown."""

from __future__ import annotations

from decimal import Decimal

import pytest

from keepstate import JobVersion, check, fixes
from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.job import Job
from keepstate.plan.metadata.time_to_live import times_to_live
from keepstate.plan.parameters import PARAMETERS, STATE_TTL, known_parameter, milliseconds, parameter_of
from keepstate.report import Report
from keepstate.syntax.script import parse_script

TOTALS = "INSERT INTO totals SELECT shop, SUM(amount) AS turnover FROM orders GROUP BY shop;\n"
HOURS = "INSERT INTO hours SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop, TUMBLE(placed, INTERVAL '1' HOUR);\n"
COPY = "INSERT INTO copies SELECT shop, amount FROM orders;\n"
JOIN = "INSERT INTO joined SELECT {hint}o.id, r.score FROM orders AS o JOIN ratings AS r ON o.id = r.id;\n"
OVER = """CREATE TABLE orders (shop STRING, amount INT, placed TIMESTAMP(3), done AS PROCTIME(),
WATERMARK FOR placed AS placed) WITH ('connector' = 'kafka');
SELECT shop, SUM(amount) OVER (PARTITION BY shop ORDER BY placed) AS turnover FROM orders;
"""
EARLY = "table.exec.emit.early-fire.enabled"
BATCHES = "table.exec.mini-batch.enabled"
GROUPS = "pipeline.max-parallelism"


def setting(key: str, value: object) -> str:
    return f"SET '{key}' = '{value}';\n"


def compared(baseline: str, current: str) -> Report:
    return check(JobVersion(current), JobVersion(baseline))


def found(report: Report) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.verdict.value, finding.current.text) for finding in report.findings]


# As open-source Flink 1.20 and 2.3 read them.
@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1 d", "86400000"),
        ("2 DAYS", "172800000"),
        (" 12h ", "43200000"),
        ("5 m", "300000"),
        ("60 secs", "60000"),
        ("60000", "60000"),
        ("0", "0"),
        ("10 micro", "0.010"),
        ("PT1H", "3600000"),
        ("p1dT12h", "129600000"),
        ("PT0.5S", "500.0"),
    ],
)
def test_lengths_of_time(text: str, length: str) -> None:
    assert milliseconds(text) == Decimal(length)


@pytest.mark.parametrize("text", ["", "1 week", "5 mins", "1.5 h", "1 d 12 h", "-1", "PT", "P", "h"])
def test_what_is_no_length_of_time(text: str) -> None:
    assert milliseconds(text) is None


def test_each_parameter_reads_its_own_default() -> None:
    keys = [key for parameter in PARAMETERS for key in (parameter.key, *parameter.synonyms)]
    assert len(keys) == len(set(keys))
    for parameter in PARAMETERS:
        if parameter.default is not None:
            assert parameter.type.read(parameter.default) is not None
            assert parameter.meaning_of(parameter.default) == parameter.meaning_of(None)
        assert parameter.meaning.endswith(".")
        assert known_parameter(parameter.key) is parameter


@pytest.mark.parametrize(
    ("baseline", "current"),
    [
        (setting(STATE_TTL, "1 d"), setting(STATE_TTL, "86400 s")),
        ("", setting(STATE_TTL, "0 s")),
        (setting(STATE_TTL, "1 d"), "set table.exec.state.ttl = 24h;\n"),
        ("", "-- " + setting(STATE_TTL, "1 d")),
        ("", "/* " + setting(STATE_TTL, "1 d") + "*/"),
        (setting(STATE_TTL, "1 week"), setting(STATE_TTL, "1  WEEK")),
        (setting(STATE_TTL, "${days} d"), setting(STATE_TTL, "${days} d")),
        (setting(STATE_TTL, "2 d") + setting(STATE_TTL, "1 d"), setting(STATE_TTL, "1 d")),
        (setting(STATE_TTL, "1 d"), setting(STATE_TTL, "2 d") + f"RESET '{STATE_TTL}';\n" + setting(STATE_TTL, "1 d")),
        ("", setting(STATE_TTL, "1 d") + "RESET;\n"),
        (setting(BATCHES, "TRUE"), setting(BATCHES, "true")),
        ("", setting(BATCHES, "false")),
        ("", setting("table.optimizer.agg-phase-strategy", "auto")),
        (setting("state.backend", "rocksdb"), setting("state.backend.type", "rocksdb")),
        (setting("pipeline.operator-chaining", "true"), ""),
        ("", setting("parallelism.default", "8")),
        ("", setting("table.optimizer.state-compatibility.ignore-filter", "true")),
        ("", setting("company.owner", "shop")),
        (setting(GROUPS, "256"), ""),
    ],
)
def test_the_same_in_other_words_is_silent(baseline: str, current: str) -> None:
    report = compared(baseline + TOTALS, current + TOTALS)
    assert found(report) == []


@pytest.mark.parametrize(
    "queries",
    [COPY, HOURS.replace("TUMBLE(placed, INTERVAL '1' HOUR)", "placed"), TOTALS],
    ids=["no state", "no group window", "no window"],
)
def test_who_does_not_feel_a_parameter(queries: str) -> None:
    assert found(compared(queries, setting(EARLY, "true") + queries)) == []
    assert found(compared(queries, setting("table.optimizer.distinct-agg.split.enabled", "true") + queries)) == []
    assert found(compared(queries, setting("table.optimizer.join-reorder-enabled", "true") + queries)) == []
    assert found(compared(COPY, setting(BATCHES, "true") + COPY)) == []


def test_synonyms_do_not_count_beside_the_proper_key() -> None:
    proper = setting("state.backend.type", "rocksdb")
    assert found(compared(proper + TOTALS, proper + setting("state.backend", "hashmap") + TOTALS)) == []


def test_a_setting_counts_for_what_follows() -> None:
    between = TOTALS + setting(BATCHES, "{}") + HOURS.replace("hours", "{}")
    report = compared(
        setting(BATCHES, "true") + between.format("true", "hours"),
        setting(BATCHES, "true") + between.format("false", "hours"),
    )
    assert [(finding.pipeline, finding.current.text) for finding in report.findings] == [
        ("INSERT INTO hours", f"SET '{BATCHES}' = 'false'")
    ]
    # One that stands behind all queries may be collected by a platform before it runs anything.
    assert found(compared(TOTALS, TOTALS + setting(BATCHES, "true"))) == [
        ("setting-changed", "unknown", f"SET '{BATCHES}' = 'true'")
    ]
    # But it does not override what was said in front of the query.
    off = setting(BATCHES, "false")
    assert found(compared(off + TOTALS, off + TOTALS + setting(BATCHES, "true"))) == []


def test_reset_goes_back_to_what_was_set_outside_and_is_what_is_shown() -> None:
    external = {STATE_TTL: "1 d"}
    report = check(JobVersion(f"RESET '{STATE_TTL}';\n" + TOTALS, external), JobVersion(TOTALS, external))
    assert found(report) == []
    report = compared(setting(STATE_TTL, "1 d") + TOTALS, setting(STATE_TTL, "1 d") + "RESET;\n" + TOTALS)
    assert found(report) == [("state-ttl-changed", "unknown", "RESET")]


@pytest.mark.parametrize(
    ("baseline", "current", "rule", "verdict"),
    [
        (None, "1 d", "state-ttl-changed", "unknown"),
        ("1 d", None, "state-ttl-changed", "unknown"),
        ("1 d", "2 d", "state-ttl-changed", "unknown"),
        ("${ttl}", "1 d", "state-ttl-changed", "unknown"),
        ("2 d", "1 d", "state-ttl-shortened", "compatible"),
    ],
)
def test_times_to_live(baseline: str | None, current: str | None, rule: str, verdict: str) -> None:
    before, after = ("" if value is None else setting(STATE_TTL, value) for value in (baseline, current))
    report = compared(
        before + TOTALS + TOTALS.replace("totals", "again"), after + TOTALS + TOTALS.replace("totals", "again")
    )
    (finding,) = report.findings
    assert (finding.rule, finding.verdict.value, report.verdict.value) == (rule, verdict, verdict)
    assert finding.removed == (current is None)
    assert finding.current.text == ("INSERT" if current is None else f"SET '{STATE_TTL}' = '{current}'")
    assert [pipeline.findings for pipeline in report.pipelines] == [(0,), (0,)]


@pytest.mark.parametrize(
    ("kind", "rules"),
    [("JOIN", ["setting-changed"]), ("LEFT JOIN", ["setting-changed"]), ("RIGHT JOIN", []), ("FULL JOIN", [])],
)
def test_kinds_of_joins_that_become_one_operator(kind: str, rules: list[str]) -> None:
    join = JOIN.format(hint="").replace("JOIN", kind)
    after = setting("table.optimizer.multi-join.enabled", "true") + join
    assert [rule for rule, _, _ in found(compared(join, after))] == rules


# The inputs that hints are about, as explained by open-source Flink 2.3.
@pytest.mark.parametrize(
    ("query", "lengths"),
    [
        ("SELECT /*+ STATE_TTL('t' = '1d') */ k, SUM(a) FROM t GROUP BY k", [("1 day",)]),
        ("SELECT /*+ STATE_TTL('q' = '1d') */ k, SUM(a) FROM (SELECT * FROM t WHERE a > 1) q GROUP BY k", [("1 day",)]),
        ("SELECT /*+ STATE_TTL('t' = '1d') */ DISTINCT k FROM t", [("1 day",)]),
        ("SELECT /*+ state_ttl('x' = '1d', 'y' = '2d') */ * FROM t x JOIN r y ON x.k = y.k", [("1 day", "2 days")]),
        ("SELECT /*+ STATE_TTL('t' = '1d', 'r' = '2d') */ * FROM t, r WHERE t.k = r.k", [("1 day", "2 days")]),
        (
            "SELECT /*+ STATE_TTL('t' = '1d', 'r' = '2d', 'p' = '3d') */ * "
            "FROM t JOIN r ON t.k = r.k JOIN p ON p.k = r.k",
            [("for ever", "3 days"), ("1 day", "2 days")],
        ),
        (
            "SELECT /*+ STATE_TTL('x' = '1d', 'y' = '2d') */ x.k, SUM(x.a) FROM t x JOIN r y ON x.k = y.k GROUP BY x.k",
            [("for ever",), ("1 day", "2 days")],
        ),
        (
            "SELECT /*+ STATE_TTL('t' = '1d') */ * FROM t JOIN r FOR SYSTEM_TIME AS OF t.ts ON t.k = r.k",
            [("for ever", "for ever")],
        ),
        (
            "SELECT /*+ STATE_TTL('t' = '1d') */ * FROM "
            "(SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS n FROM t) WHERE n <= 3",
            [("for ever",)],
        ),
    ],
)
def test_state_ttl_hints(query: str, lengths: list[tuple[str, ...]]) -> None:
    (pipeline,) = Job.of(parse_script(query), {}).pipelines
    times = [times_to_live(operator, pipeline.settings) for operator in pipeline.plan.operators]
    assert [tuple(time.words for time in of_one) for of_one in times if of_one] == lengths


def test_changed_hints() -> None:
    plain, hinted = JOIN.format(hint=""), JOIN.format(hint="/*+ STATE_TTL('o' = '1 d', 'r' = '24 h') */ ")
    assert found(compared(setting(STATE_TTL, "1 d") + plain, hinted)) == []
    assert [text for _, _, text in found(compared(plain, hinted))] == ["'o' = '1 d'", "'r' = '24 h'"]
    longer = hinted.replace("'24 h'", "'2 d'")
    assert found(compared(hinted, longer)) == [("state-ttl-changed", "unknown", "'r' = '2 d'")]
    assert found(compared(longer, hinted)) == [("state-ttl-shortened", "compatible", "'r' = '24 h'")]
    removed = compared(hinted, plain)
    assert [finding.baseline.text for finding in removed.findings if finding.baseline] == [
        "'o' = '1 d'",
        "'r' = '24 h'",
    ]
    # The parameter stays as it was, so it is not what was edited.
    (finding,) = compared(setting(STATE_TTL, "2 d") + plain, setting(STATE_TTL, "2 d") + hinted).findings[:1]
    assert (finding.rule, finding.current.text, finding.baseline) == ("state-ttl-shortened", "'o' = '1 d'", None)
    # A hint that Flink does not know changes nothing.
    other = JOIN.format(hint="/*+ BROADCAST(r) */ ")
    assert found(compared(plain, other)) == []


@pytest.mark.parametrize(
    ("baseline", "current", "rules"),
    [
        ("256", "512", ["max-parallelism-changed"]),
        (None, "200", ["max-parallelism-changed"]),
        (None, "64", ["max-parallelism-changed"]),
        # What Flink chooses by itself may be this very number.
        (None, "256", ["setting-changed"]),
        ("256", None, []),
        ("256", "256", []),
    ],
)
def test_maximum_parallelism(baseline: str | None, current: str | None, rules: list[str]) -> None:
    before, after = ("" if value is None else setting(GROUPS, value) for value in (baseline, current))
    for queries in (TOTALS, COPY):
        report = compared(before + queries, after + queries)
        assert [finding.rule for finding in report.findings] == rules


def test_emission_counts_where_it_is_in_use() -> None:
    on, delay = setting(EARLY, "true"), "table.exec.emit.early-fire.delay"
    assert found(compared(on + setting(delay, "10 s") + HOURS, on + setting(delay, "10000 ms") + HOURS)) == []
    assert found(compared(on + HOURS, on + setting("table.exec.emit.late-fire.delay", "5 s") + HOURS)) == []
    (changed,) = found(compared(on + setting(delay, "10 s") + HOURS, on + setting(delay, "20 s") + HOURS))
    assert changed == ("emit-strategy-changed", "incompatible", f"SET '{delay}' = '20 s'")
    # Where it is on, any other change of the query is fatal, one of a parameter too.
    report = compared(on + HOURS, on + setting(BATCHES, "true") + HOURS)
    assert [finding.rule for finding in report.findings] == ["emit-strategy-active", "setting-changed"]
    assert report.verdict.value == "incompatible"


def test_parameters_of_the_planner_that_nobody_knows() -> None:
    assert found(compared(TOTALS, setting("table.exec.new-thing", "1") + TOTALS)) == [
        ("setting-changed", "unknown", "SET 'table.exec.new-thing' = '1'")
    ]
    assert parameter_of("table.exec.sort.max-num-file-handles").concern is parameter_of("parallelism.default").concern
    assert found(compared(COPY, setting("table.exec.new-thing", "1") + COPY)) == []


def test_what_is_set_outside() -> None:
    config, baseline_config = {STATE_TTL: "2 d", BATCHES: "true"}, {STATE_TTL: "1 d"}
    report = check(JobVersion(COPY + TOTALS + HOURS, config), JobVersion(COPY + TOTALS + HOURS, baseline_config))
    found_outside = {finding.rule: finding for finding in report.findings}
    assert set(found_outside) == {"setting-changed", "state-ttl-changed"}
    ttl, batches = found_outside["state-ttl-changed"], found_outside["setting-changed"]
    assert ttl.external is not None and (ttl.external.current, ttl.external.baseline) == (STATE_TTL, STATE_TTL)
    assert batches.external is not None and (batches.external.current, batches.external.baseline) == (BATCHES, None)
    # At the first word of the first query that feels it; and no edit of the SQL mends it.
    assert (ttl.current.text, ttl.pipeline) == ("INSERT", "INSERT INTO totals")
    assert fixes(JobVersion(COPY + TOTALS + HOURS, config), JobVersion(COPY + TOTALS + HOURS, baseline_config), 0) == ()
    # The same said at another place is the same.
    assert found(check(JobVersion(setting(STATE_TTL, "24 h") + TOTALS), JobVersion(TOTALS, baseline_config))) == []
    (moved,) = check(
        JobVersion(TOTALS, config), JobVersion(setting(STATE_TTL, "1 d") + setting(BATCHES, "true") + TOTALS)
    ).findings
    assert moved.baseline is not None and moved.baseline.text == f"SET '{STATE_TTL}' = '1 d'"
    assert moved.external is not None and moved.external.key == STATE_TTL


@pytest.mark.parametrize(
    ("baseline", "current", "title"),
    [
        (setting(STATE_TTL, "1 d"), setting(STATE_TTL, "2 d"), "Restore `SET"),
        ("", setting(BATCHES, "true"), "Remove this SET"),
        (setting(BATCHES, "true"), "", "Restore `SET"),
        (setting(BATCHES, "true"), setting(BATCHES, "true") + "RESET;\n", "Remove this RESET"),
    ],
)
def test_a_setting_can_be_taken_back(baseline: str, current: str, title: str) -> None:
    was, now = JobVersion(baseline + TOTALS), JobVersion(current + TOTALS)
    (fix,) = fixes(now, was, 0)
    assert fix.title.startswith(title)
    assert fix.verdict_after.value == "compatible"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("vvr-8.0.11-flink-1.17", "vvr-8.0.9-flink-1.17", True),
        ("vvr-8.0.11-flink-1.17", "vvr-11.1-flink-1.20", False),
        ("vvr-8.0.11", "vvr-8.0.9-flink-1.17", True),
        ("8.0.9", "11.1", False),
        ("1.20", "1.20.5", True),
        ("1.20", "2.0", False),
        ("flink-1.20.1", "v1.20", True),
        ("latest", "LATEST", True),
        ("latest", "1.20", False),
    ],
)
def test_flink_versions(one: str, other: str, same: bool) -> None:
    assert EngineVersion.of(one).has_same_flink(EngineVersion.of(other)) == same
    report = check(JobVersion(TOTALS, {}, other), JobVersion(TOTALS, {}, one))
    assert [finding.rule for finding in report.findings] == ([] if same else ["engine-version-changed"])


def test_an_engine_that_one_side_does_not_tell_is_no_other_one() -> None:
    assert found(check(JobVersion(TOTALS, {}, "1.20"), JobVersion(TOTALS))) == []


def test_windows_that_two_engines_plan_differently() -> None:
    session = (
        "INSERT INTO sessions SELECT shop, COUNT(*) FROM TABLE(SESSION(TABLE orders PARTITION BY (shop), "
        "DESCRIPTOR(placed), INTERVAL '5' MINUTE)) GROUP BY shop, window_start, window_end;\n"
    )
    text = HOURS + session
    report = check(JobVersion(text, {}, "vvr-11.1-flink-1.20"), JobVersion(text, {}, "vvr-8.0.9-flink-1.17"))
    assert [(finding.rule, finding.current.text) for finding in report.findings] == [
        ("engine-version-changed", "INSERT"),
        ("group-window-across-engines", "TUMBLE(placed, INTERVAL '1' HOUR)"),
        ("session-across-engines", "PARTITION BY (shop)"),
    ]
    assert {finding.verdict.value for finding in report.findings} == {"unknown"}
    assert [spec for finding in report.findings for spec in finding.spec] == ["OL-01", "CFG-04", "CFG-05"]
    report = check(JobVersion(text, {}, "vvr-11.2-flink-1.20"), JobVersion(text, {}, "vvr-11.1-flink-1.20"))
    assert report.findings == ()


def test_options_of_hints_count_before_those_of_tables() -> None:
    tables = "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka', 'topic' = 'a');\n"
    tables += "CREATE TABLE totals (shop STRING, turnover INT) WITH ('connector' = 'print');\n"
    read = TOTALS.replace("FROM orders", "FROM orders /*+ OPTIONS('connector' = '{}') */")
    assert found(compared(tables + TOTALS, tables + read.format("kafka"))) == []
    assert found(compared(tables + TOTALS, tables + read.format("pulsar"))) == [
        ("source-connector-changed", "incompatible", "'connector' = 'pulsar'")
    ]
    strict = setting("table.optimizer.state-compatibility.ignore-sink", "false") + tables
    written = TOTALS.replace("INTO totals", "INTO totals /*+ OPTIONS('connector' = 'blackhole') */")
    assert found(compared(tables + TOTALS, tables + written)) == []
    assert found(compared(strict + TOTALS, strict + written)) == [
        ("sink-changed", "incompatible", "'connector' = 'blackhole'")
    ]
    assert found(compared(strict + TOTALS, strict.replace("print", "blackhole") + written)) == [
        ("sink-changed", "incompatible", "'connector' = 'blackhole'")
    ]


def test_lookups_that_may_keep_state() -> None:
    lookup = (
        "INSERT INTO found SELECT {hint}o.id, s.city FROM orders AS o "
        "JOIN shops FOR SYSTEM_TIME AS OF PROCTIME() AS s ON o.shop = s.shop;\n"
    )
    shops = "CREATE TABLE shops (shop STRING, city STRING) WITH ('connector' = 'jdbc'{});\n"
    plain, hinted = lookup.format(hint=""), lookup.format(hint="/*+ LOOKUP('table' = 's', 'async' = 'true') */ ")
    rule = "lookup-join-may-keep-state"
    assert found(compared(shops.format("") + plain, shops.format("") + hinted)) == [
        (rule, "unknown", "'async' = 'true'")
    ]
    assert found(compared(hinted, hinted)) == []
    asks = shops.format(", 'lookup.async' = 'true'")
    assert found(compared(asks + plain, asks + plain.replace("JOIN", "LEFT JOIN"))) == [
        (rule, "unknown", "'lookup.async' = 'true'")
    ]
    retried = lookup.format(hint="/*+ LOOKUP('table' = 's', 'async' = 'false', 'max-attempts' = '3') */ ")
    assert found(compared(asks + retried, asks + retried.replace("JOIN", "LEFT JOIN"))) == []


WINDOW_JOIN = """CREATE TABLE t (k STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
SELECT l.a, r.a FROM (SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))) AS l {} JOIN
(SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))) AS r
ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end;
"""


@pytest.mark.parametrize(("kind", "verdict"), [("INNER", "unknown"), ("LEFT", "unknown"), ("FULL", "compatible")])
def test_one_operator_takes_the_place_of_window_joins_too(kind: str, verdict: str) -> None:
    query = WINDOW_JOIN.format(kind)
    assert compared(query, setting("table.optimizer.multi-join.enabled", "true") + query).verdict.value == verdict

"""Changes of jobs that lose state, with the approach that a cutover takes: families of the catalogue of rules.

Tests plan each of them; ``prove_cutovers.py`` runs the plans on a real Flink.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.cutover.cutover_plan import Approach

_CONNECTION = "'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json'"
_READ = f"'scan.startup.mode' = 'earliest-offset', {_CONNECTION}"
TABLES = f"""\
CREATE TABLE orders (
  id INT, shop STRING, amount DECIMAL(10, 2), qty INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', {_READ});
CREATE TABLE refunds (
  id INT, shop STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'refunds', {_READ});
CREATE TABLE visits (
  id INT, shop STRING, page STRING, ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE
) WITH ('connector' = 'kafka', 'topic' = 'visits', {_READ});
CREATE TABLE results (a STRING, t TIMESTAMP(3), n DECIMAL(38, 2))
WITH ('connector' = 'kafka', 'topic' = 'results', {_CONNECTION});
CREATE TABLE totals (a STRING, n DECIMAL(38, 2), PRIMARY KEY (a) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'totals', 'properties.bootstrap.servers' = 'broker:9092',
  'key.format' = 'json', 'value.format' = 'json');
"""


@dataclass(frozen=True)
class CutoverChange:
    """One change. ``exact`` is false where the plan says that something may be wrong."""

    name: str
    baseline: str
    current: str
    approach: Approach
    exact: bool = True


def tumble(minutes: int, table: str = "orders", more: str = "") -> str:
    return f"TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '{minutes}' MINUTE(4){more})"


def hop(slide: int, minutes: int, table: str = "orders") -> str:
    return f"HOP(TABLE {table}, DESCRIPTOR(ts), INTERVAL '{slide}' MINUTE, INTERVAL '{minutes}' MINUTE(4))"


def cumulate(step: int, minutes: int, table: str = "orders") -> str:
    return f"CUMULATE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '{step}' MINUTE, INTERVAL '{minutes}' MINUTE(4))"


def session(minutes: int) -> str:
    return f"SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '{minutes}' MINUTE(4))"


def grouped(
    window: str,
    metric: str = "SUM(amount)",
    key: str = "shop",
    time: str = "window_end",
    where: str = "",
    having: str = "",
) -> str:
    """A query of a table-valued window."""
    return (
        f"SELECT {key}, {time}, {metric} FROM TABLE({window}) {where} GROUP BY {key}, window_start, window_end {having}"
    ).strip()


def legacy(window: str, metric: str = "SUM(amount)", time: bool = True) -> str:
    """A query with a window function in GROUP BY."""
    end = window.replace("(", "_END(", 1) if time else "CAST(NULL AS TIMESTAMP(3))"
    return f"SELECT shop, {end}, {metric} FROM orders GROUP BY shop, {window}"


def _top(window: str, count: int, order: str = "amount") -> str:
    ranked = f"ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop ORDER BY {order} DESC, id)"
    return f"SELECT shop, window_end, amount FROM (SELECT *, {ranked} AS rn FROM TABLE({window})) WHERE rn <= {count}"


def _first_of(window: str, key: str) -> str:
    """The first row of each key and window."""
    ranked = f"ROW_NUMBER() OVER (PARTITION BY window_start, window_end, {key} ORDER BY ts)"
    return f"SELECT shop, window_end, amount FROM (SELECT *, {ranked} AS rn FROM TABLE({window})) WHERE rn = 1"


def _over(minutes: int, metric: str = "SUM(amount)", key: str = "shop") -> str:
    frame = f"RANGE BETWEEN INTERVAL '{minutes}' MINUTE PRECEDING AND CURRENT ROW"
    return f"SELECT shop, ts, {metric} OVER (PARTITION BY {key} ORDER BY ts {frame}) FROM orders"


def _since(metric: str) -> str:
    return f"SELECT shop, ts, {metric} OVER (PARTITION BY shop ORDER BY ts) FROM orders"


def _window_join(minutes: int) -> str:
    left, right = tumble(minutes), tumble(minutes, "refunds")
    return (
        f"SELECT l.shop, l.window_end, l.amount FROM (SELECT * FROM TABLE({left})) l "
        f"JOIN (SELECT * FROM TABLE({right})) r "
        "ON l.shop = r.shop AND l.window_start = r.window_start AND l.window_end = r.window_end"
    )


def _cascade(inner: int, outer: int) -> str:
    return (
        "CREATE VIEW inner_sums AS SELECT shop, window_time AS t, SUM(amount) AS s "
        f"FROM TABLE({tumble(inner)}) GROUP BY shop, window_start, window_end, window_time;\n"
        "INSERT INTO results SELECT shop, window_end, SUM(s) "
        f"FROM TABLE(TUMBLE(TABLE inner_sums, DESCRIPTOR(t), INTERVAL '{outer}' MINUTE(4))) "
        "GROUP BY shop, window_start, window_end;"
    )


def total(metric: str, key: str = "shop", where: str = "", having: str = "") -> str:
    """A query without windows."""
    return f"SELECT {key}, {metric} FROM orders {where} GROUP BY {key} {having}".strip()


_TEN, _NONE = tumble(10), "CAST(NULL AS TIMESTAMP(3))"
_UNION = "{} UNION ALL {}"
_WINDOW_TIME = "SELECT shop, window_time, {} FROM TABLE({}) GROUP BY shop, window_start, window_end, window_time"
_WITH = "WITH w AS (SELECT * FROM TABLE({}){}) SELECT shop, window_end, SUM(amount) FROM w {}"
_BY_WINDOW = "GROUP BY shop, window_start, window_end"
_OF_VISITS = "SELECT {}, window_end, {} FROM TABLE({}) GROUP BY {}, window_start, window_end"
_AT_BOUNDARY = (
    ("size of TUMBLE", grouped(_TEN), grouped(tumble(30))),
    ("size of TUMBLE, no multiple", grouped(_TEN), grouped(tumble(15))),
    ("offset of TUMBLE", grouped(tumble(60)), grouped(tumble(60, more=", INTERVAL '15' MINUTE"))),
    ("TUMBLE to HOP", grouped(_TEN), grouped(hop(5, 10))),
    ("TUMBLE to CUMULATE", grouped(tumble(60)), grouped(cumulate(15, 60))),
    ("TUMBLE to SESSION", grouped(_TEN), grouped(session(10))),
    ("another aggregate", grouped(_TEN), grouped(_TEN, "MAX(amount)")),
    ("a count instead of a sum", grouped(_TEN), grouped(_TEN, "COUNT(*)")),
    ("DISTINCT", grouped(_TEN, "COUNT(qty)"), grouped(_TEN, "COUNT(DISTINCT qty)")),
    ("argument of an aggregate", grouped(_TEN), grouped(_TEN, "SUM(amount * qty)")),
    ("group key", grouped(_TEN), grouped(_TEN, key="UPPER(shop)")),
    ("filter of the rows, another aggregate", grouped(_TEN), grouped(_TEN, "MIN(amount)", where="WHERE qty > 2")),
    ("filter of the results", grouped(_TEN), grouped(_TEN, "MIN(amount)", having="HAVING COUNT(*) > 1")),
    ("start of the window written", grouped(_TEN, time="window_start"), grouped(tumble(30), time="window_start")),
    ("time of the window written", _WINDOW_TIME.format("SUM(amount)", _TEN), _WINDOW_TIME.format("MAX(amount)", _TEN)),
    ("no time written", grouped(_TEN, time=_NONE), grouped(_TEN, "MAX(amount)", time=_NONE)),
    (
        "no time written, filter of the results",
        grouped(_TEN, time=_NONE),
        grouped(_TEN, "MAX(amount)", time=_NONE, having="HAVING MAX(amount) > 20 OR COUNT(*) > 2"),
    ),
    ("slide of HOP", grouped(hop(5, 10)), grouped(hop(2, 10))),
    ("size of HOP", grouped(hop(5, 10)), grouped(hop(5, 30))),
    ("HOP to TUMBLE", grouped(hop(5, 10)), grouped(_TEN)),
    ("step of CUMULATE", grouped(cumulate(10, 60)), grouped(cumulate(20, 60))),
    ("size of CUMULATE", grouped(cumulate(10, 60)), grouped(cumulate(10, 120))),
    ("aggregate of CUMULATE", grouped(cumulate(10, 60)), grouped(cumulate(10, 60), "MAX(qty)")),
    ("gap of SESSION", grouped(session(10)), grouped(session(30))),
    ("aggregate of SESSION", grouped(session(10)), grouped(session(10), "MAX(qty)")),
    ("SESSION to TUMBLE", grouped(session(10)), grouped(_TEN)),
    ("size of a group window", legacy("TUMBLE(ts, INTERVAL '10' MINUTE)"), legacy("TUMBLE(ts, INTERVAL '30' MINUTE)")),
    (
        "aggregate of a group window",
        legacy("TUMBLE(ts, INTERVAL '10' MINUTE)"),
        legacy("TUMBLE(ts, INTERVAL '10' MINUTE)", "AVG(qty)"),
    ),
    (
        "hopping group window",
        legacy("HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"),
        legacy("HOP(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE)"),
    ),
    (
        "hopping group window, no multiple of its slide",
        legacy("HOP(ts, INTERVAL '10' MINUTE, INTERVAL '15' MINUTE)"),
        legacy("HOP(ts, INTERVAL '10' MINUTE, INTERVAL '35' MINUTE)"),
    ),
    ("session group window", legacy("SESSION(ts, INTERVAL '10' MINUTE)"), legacy("SESSION(ts, INTERVAL '20' MINUTE)")),
    (
        "group window without its time",
        legacy("TUMBLE(ts, INTERVAL '10' MINUTE)", time=False),
        legacy("TUMBLE(ts, INTERVAL '20' MINUTE)", time=False),
    ),
    ("group window to table function", legacy("TUMBLE(ts, INTERVAL '10' MINUTE)"), grouped(_TEN)),
    (
        "windows in the session time zone",
        _OF_VISITS.format("shop", "COUNT(*)", tumble(10, "visits"), "shop"),
        _OF_VISITS.format("page", "COUNT(*)", tumble(10, "visits"), "page"),
    ),
    (
        "days in the session time zone",
        _OF_VISITS.format("shop", "COUNT(*)", cumulate(60, 1440, "visits"), "shop"),
        _OF_VISITS.format("shop", "COUNT(DISTINCT page)", cumulate(60, 1440, "visits"), "shop"),
    ),
    ("more rows of a window Top-N", _top(tumble(30), 1), _top(tumble(30), 3)),
    ("order of a window Top-N", _top(tumble(30), 2), _top(tumble(30), 2, "qty")),
    ("windows of a Top-N", _top(tumble(30), 2), _top(hop(10, 30), 2)),
    ("windows of a window join", _window_join(30), _window_join(60)),
    ("inner windows of a cascade", _cascade(10, 60), _cascade(20, 60)),
    ("outer windows of a cascade", _cascade(10, 60), _cascade(10, 120)),
    ("key of a window deduplication", _first_of(tumble(30), "shop"), _first_of(tumble(30), "shop, qty")),
    (
        "windows on both sides of UNION ALL",
        _UNION.format(grouped(_TEN), grouped(_TEN, "MAX(amount)")),
        _UNION.format(grouped(tumble(20)), grouped(tumble(20), "MAX(amount)")),
    ),
    (
        "windows in WITH",
        _WITH.format(_TEN, "", _BY_WINDOW),
        _WITH.format(tumble(20), " WHERE qty > 1", _BY_WINDOW),
    ),
)
_MIXED = frozenset(
    {"offset of TUMBLE", "TUMBLE to SESSION", "gap of SESSION", "SESSION to TUMBLE", "session group window"}
)
"""Windows that are never all closed: rows around a boundary count in a window of each version, or in none."""
_BY_ROWS = (
    ("frame of OVER", _over(30), _over(60)),
    ("aggregate of OVER", _over(30), _over(30, "MAX(amount)")),
    ("key of OVER", _over(30), _over(30, key="qty")),
)
_BEFORE = total("LAST_VALUE(amount)")
_FROM_STATE = (
    ("sum", total("SUM(amount)")),
    ("count", total("COUNT(*)")),
    ("average of whole numbers", total("AVG(qty)")),
    ("average of decimals", total("AVG(amount)")),
    ("smallest value", total("MIN(amount)")),
    ("different values", total("COUNT(DISTINCT qty)")),
    ("several metrics", total("SUM(amount) FILTER (WHERE qty > 2) + COUNT(DISTINCT qty) + MAX(qty)")),
    ("filter of the rows", total("SUM(amount)", where="WHERE qty > 2")),
    ("filter of the results", total("SUM(amount) - 1", key="UPPER(shop)", having="HAVING COUNT(*) > 2")),
)
_INTERVAL_JOIN = (
    "SELECT o.shop, o.ts, o.amount FROM orders o JOIN refunds r "
    "ON o.id = r.id AND r.ts BETWEEN o.ts AND o.ts + INTERVAL '{}' HOUR"
)
_LATEST = (
    "SELECT k, amount FROM (SELECT {} AS k, amount, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY ts DESC) AS rn "
    "FROM orders) WHERE rn = 1"
)
_LOCAL_LATEST = (
    "SELECT k, id FROM (SELECT {0} AS k, v.*, ROW_NUMBER() OVER (PARTITION BY {0} ORDER BY v.ts DESC) AS rn "
    "FROM visits AS v{1}) WHERE rn = 1"
)
_SEEN = "CREATE TABLE seen (a STRING, n DECIMAL(38, 2)) WITH ('connector' = 'print');\nINSERT INTO seen {};\n"
_RANKED = (
    "CREATE TABLE ranked (a STRING, place BIGINT, n DECIMAL(38, 2), PRIMARY KEY (a, place) NOT ENFORCED)\n"
    "WITH ('connector' = 'upsert-kafka', 'topic' = 'ranked', 'properties.bootstrap.servers' = 'broker:9092',\n"
    "  'key.format' = 'json', 'value.format' = 'json');\n"
    "INSERT INTO ranked SELECT shop, place, amount FROM (SELECT {}, "
    "ROW_NUMBER() OVER (PARTITION BY shop ORDER BY {}, id, ts) AS place FROM orders {}) WHERE place <= {};\n"
)
_JOINED = "SELECT o.shop, o.ts, o.amount FROM orders o JOIN refunds r ON o.id = r.id"
_BOTH = "SELECT COALESCE(o.shop, r.shop), o.amount + r.amount FROM orders o {} JOIN refunds r ON o.id {} r.id"
_FROM_ROWS = (
    ("last row of a key", _LATEST.format("shop", "shop"), _LATEST.format("UPPER(shop)", "UPPER(shop)"), "totals"),
    (
        "last row of a key, of some rows",
        _LATEST.format("shop", "shop"),
        f"{_LATEST.format('shop', 'shop')} AND amount > 5".replace("FROM orders)", "FROM orders WHERE qty > 2)"),
        "totals",
    ),
    (
        "last row of a key in the session time zone",
        _LOCAL_LATEST.format("v.shop", ""),
        _LOCAL_LATEST.format("v.page", " WHERE v.page <> 'x'"),
        "totals",
    ),
    ("more rows of a Top-N", _RANKED.format("*", "amount DESC", "", 2), _RANKED.format("*", "amount DESC", "", 3), ""),
    (
        "order of a Top-N",
        _RANKED.format("shop, amount", "amount DESC", "", 3),
        _RANKED.format("shop, amount", "qty", "WHERE amount > 3", 3),
        "",
    ),
    ("condition of a join", _JOINED, f"{_JOINED} AND o.shop = r.shop", "results"),
    ("outer join", _SEEN.format(_BOTH.format("LEFT", "=")), _SEEN.format(_BOTH.format("FULL", "=")), ""),
    (
        "semi join",
        "SELECT shop, ts, amount FROM orders WHERE id IN (SELECT id FROM refunds)",
        "SELECT shop, ts, amount FROM orders WHERE id IN (SELECT id FROM refunds WHERE amount > 3)",
        "results",
    ),
    (
        "all rows of a table",
        _SEEN.format("SELECT 'all', LAST_VALUE(amount) FROM orders"),
        _SEEN.format("SELECT 'all', MAX(amount) + COUNT(*) FROM orders"),
        "",
    ),
)
_SET_OF = (
    "CREATE TABLE passed (a STRING, t TIMESTAMP(3), n DECIMAL(38, 2))\n"
    "WITH ('connector' = 'kafka', 'topic' = 'passed', 'properties.bootstrap.servers' = 'broker:9092',\n"
    "  'format' = 'json');\nEXECUTE STATEMENT SET BEGIN\n{}END;\n"
)


def _together(*inserts: str) -> str:
    """A statement set, which is one job."""
    return _SET_OF.format("".join(f"INSERT INTO {insert};\n" for insert in inserts))


_PASSED = "passed SELECT shop, ts, amount FROM orders WHERE qty > {}"
_MIXTURES = (
    (
        "windows and totals in one job",
        _together(f"results {grouped(_TEN)}", f"totals {total('SUM(amount)')}"),
        _together(f"results {grouped(tumble(30))}", f"totals {total('MAX(amount)')}"),
        Approach.BOUNDARY,
    ),
    (
        "windows, totals and a filter in one job",
        _together(f"results {grouped(_TEN)}", f"totals {total('SUM(amount)')}", _PASSED.format(1)),
        _together(f"results {grouped(tumble(30))}", f"totals {total('SUM(amount)')}", _PASSED.format(2)),
        Approach.BOUNDARY,
    ),
    (
        "totals and a filter in one job",
        _together(f"totals {total('SUM(amount)')}", _PASSED.format(1)),
        _together(f"totals {total('MIN(amount)')}", _PASSED.format(1)),
        Approach.BOOTSTRAP,
    ),
)
_MATCHES = (
    "SELECT shop, t, a FROM orders MATCH_RECOGNIZE (PARTITION BY shop ORDER BY ts MEASURES B.ts AS t, A.amount AS a "
    "ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A {} B) DEFINE A AS A.qty > 2, B AS B.qty < 3)"
)
_ROWS = (
    "CREATE TABLE found (a STRING, n DECIMAL(10, 2), PRIMARY KEY (a, n) NOT ENFORCED)\n"
    "WITH ('connector' = 'upsert-kafka', 'topic' = 'found', 'properties.bootstrap.servers' = 'broker:9092',\n"
    "  'key.format' = 'json', 'value.format' = 'json');\n"
    "INSERT INTO found SELECT shop, amount FROM orders {} SELECT shop, amount FROM refunds {};\n"
)
_REPLAYED = (
    (
        "first row of a key",
        _LATEST.format("shop", "shop").replace("DESC", "ASC"),
        _LATEST.format("UPPER(shop)", "UPPER(shop)").replace("DESC", "ASC"),
        "totals",
    ),
    ("aggregate without partial results", total("SUM(amount)"), total("LAST_VALUE(amount)"), "totals"),
    ("rows to windows", "SELECT shop, ts, amount FROM orders", grouped(_TEN), "results"),
    (
        "OVER by rows",
        "SELECT shop, ts, SUM(amount) OVER (PARTITION BY shop ORDER BY ts "
        "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM orders",
        "SELECT shop, ts, MAX(amount) OVER (PARTITION BY shop ORDER BY ts "
        "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM orders",
        "results",
    ),
    ("OVER since the beginning", _since("SUM(amount)"), _since("MAX(amount)"), "results"),
    ("join by an interval", _INTERVAL_JOIN.format(1), _INTERVAL_JOIN.format(2), "results"),
    ("pattern", _MATCHES.format(""), _MATCHES.format("C*"), "results"),
    ("rows of both tables", _ROWS.format("INTERSECT", ""), _ROWS.format("EXCEPT", ""), ""),
    (
        "first rows that come",
        "SELECT shop, ts, amount FROM orders LIMIT 3",
        "SELECT shop, ts, amount FROM orders WHERE qty > 1 LIMIT 5",
        "results",
    ),
)


_BY_ARRIVAL = frozenset({"aggregate without partial results", "first rows that come"})
"""Replays that may give other results: the order of arrival decides."""


def _job(query: str, sink: str) -> str:
    return TABLES + (query if query.startswith("CREATE") else f"INSERT INTO {sink} {query};\n")


CHANGES = (
    *(
        CutoverChange(name, _job(was, "results"), _job(now, "results"), Approach.BOUNDARY, name not in _MIXED)
        for name, was, now in _AT_BOUNDARY
    ),
    *(
        CutoverChange(name, _job(was, "results"), _job(now, "results"), Approach.BOUNDARY, exact=False)
        for name, was, now in _BY_ROWS
    ),
    *(
        CutoverChange(f"{name} of a group", _job(_BEFORE, "totals"), _job(now, "totals"), Approach.BOOTSTRAP)
        for name, now in _FROM_STATE
    ),
    *(CutoverChange(name, _job(was, sink), _job(now, sink), Approach.BOOTSTRAP) for name, was, now, sink in _FROM_ROWS),
    *(CutoverChange(name, _job(was, ""), _job(now, ""), approach) for name, was, now, approach in _MIXTURES),
    *(
        CutoverChange(name, _job(was, sink), _job(now, sink), Approach.REPLAY, name not in _BY_ARRIVAL)
        for name, was, now, sink in _REPLAYED
    ),
)

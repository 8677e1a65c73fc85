"""Two spellings of one meaning: no finding at all, in either direction, whatever chain of rewrites lies between."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepstate import JobVersion
from keepstate.report import Verdict
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.tokens import TokenKind, lex
from shared_analyses import check

DDL = """CREATE TABLE bids (
  channel STRING,
  bidder BIGINT,
  price DECIMAL(12, 2),
  url STRING,
  bid_time TIMESTAMP(3),
  WATERMARK FOR bid_time AS bid_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'bids');
"""
TUMBLE = "TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bid_time), INTERVAL '10' MINUTE))"
HOP = "TABLE(HOP(TABLE bids, DESCRIPTOR(bid_time), INTERVAL '1' MINUTE, INTERVAL '10' MINUTE))"
CUMULATE = "TABLE(CUMULATE(TABLE bids, DESCRIPTOR(bid_time), INTERVAL '10' MINUTE, INTERVAL '60' MINUTE))"
SESSION = "TABLE(SESSION(TABLE bids PARTITION BY channel, DESCRIPTOR(bid_time), INTERVAL '10' MINUTE))"
QUERIES = {
    "tumble": f"INSERT INTO s SELECT channel, SUM(price) AS total, COUNT(*) AS n, window_end FROM {TUMBLE} "
    "WHERE price > 0 AND url <> 'x' GROUP BY channel, window_start, window_end",
    "hop": f"INSERT INTO s SELECT channel, bidder, AVG(price) AS mean FROM {HOP} "
    "WHERE price > 0 AND url <> 'x' GROUP BY channel, bidder, window_start, window_end HAVING COUNT(*) > 1",
    "cumulate": f"INSERT INTO s SELECT UPPER(channel) AS c, COUNT(DISTINCT bidder) AS bidders FROM {CUMULATE} "
    "WHERE price > 0 AND url <> 'x' GROUP BY UPPER(channel), window_start, window_end",
    "session": f"INSERT INTO s SELECT channel, MAX(price) FILTER (WHERE bidder > 7) AS best FROM {SESSION} "
    "GROUP BY channel, window_start, window_end",
    "legacy": "INSERT INTO s SELECT channel, TUMBLE_START(bid_time, INTERVAL '10' MINUTE) AS began, MIN(price) AS low "
    "FROM bids WHERE price > 0 AND url <> 'x' GROUP BY channel, TUMBLE(bid_time, INTERVAL '10' MINUTE)",
    "top-n": "INSERT INTO s SELECT channel, total FROM (SELECT *, ROW_NUMBER() OVER "
    "(PARTITION BY window_start, window_end ORDER BY total DESC) AS place FROM "
    f"(SELECT channel, SUM(price) AS total, window_start, window_end FROM {TUMBLE} "
    "WHERE price > 0 AND url <> 'x' GROUP BY channel, window_start, window_end)) WHERE place <= 3",
}

Rewrite = Callable[[str, random.Random], str]


def spaced(text: str, chance: random.Random) -> str:
    """Other white space and comments between the tokens."""
    gaps = (" ", "\n", "\r\n  ", "\t", " /* ; ' */ ", " -- don't; stop\n", " -- 💧\n")
    tokens = lex(text).tokens[:-1]
    pieces: list[str] = []
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        pieces.append(token.text)
        touching = following is not None and token.end == following.start
        if following is not None and (not touching or chance.random() < 0.2):
            pieces.append(chance.choice(gaps))
    return "".join(pieces)


def cased(text: str, chance: random.Random) -> str:
    """Keywords in another case."""
    change = chance.choice((str.lower, str.capitalize))
    pieces, done = [], 0
    for token in lex(text).tokens[:-1]:
        if token.kind is TokenKind.WORD and token.word in RESERVED:
            pieces += (text[done : token.start], change(token.text))
            done = token.end
    return "".join((*pieces, text[done:]))


def quoted(text: str, chance: random.Random) -> str:
    """Columns in backticks."""
    for name in ("channel", "bidder", "price", "window_start", "bid_time"):
        if chance.random() < 0.5 and f"`{name}`" not in text:
            text = _names_replaced(text, name, f"`{name}`")
    return text


def other_units(text: str, _: random.Random) -> str:
    return text.replace("INTERVAL '10' MINUTE", "INTERVAL '600' SECOND(3)").replace("'60' MINUTE", "'1' HOUR")


def turned_conditions(text: str, _: random.Random) -> str:
    return text.replace("price > 0 AND url <> 'x'", "('x' <> url) AND 0 < price").replace("place <= 3", "4 > place")


def behind_a_view(text: str, chance: random.Random) -> str:
    """The table through a view of its own."""
    name = f"v{chance.randrange(10**6)}"
    if "INSERT" not in text or "TABLE bids" not in text.split("INSERT", 1)[1]:
        return text
    before, query = text.split("INSERT", 1)
    view = f"CREATE TEMPORARY VIEW {name} AS SELECT * FROM bids;"
    return f"{before}{view}\nINSERT{query.replace('TABLE bids', f'TABLE {name}')}"


def in_a_subquery(text: str, _: random.Random) -> str:
    for window in (TUMBLE, HOP, CUMULATE, SESSION):
        text = text.replace(f"FROM {window}", f"FROM (SELECT * FROM {window})")
    return text


def lateral_windows(text: str, _: random.Random) -> str:
    """Window functions behind LATERAL, which says nothing in front of a function of whole tables."""
    return text.replace("FROM TABLE(", "FROM LATERAL TABLE(")


def named_arguments(text: str, _: random.Random) -> str:
    return text.replace(
        "TUMBLE(TABLE bids, DESCRIPTOR(bid_time), INTERVAL '10' MINUTE)",
        "TUMBLE(DATA => TABLE bids, TIMECOL => DESCRIPTOR(bid_time), SIZE => INTERVAL '10' MINUTE)",
    )


def other_aliases(text: str, _: random.Random) -> str:
    for name in ("total", "mean", "bidders", "best", "began", "low", "place"):
        text = _names_replaced(text, name, f"{name}_2")
    return text


def with_an_idle_view(text: str, chance: random.Random) -> str:
    return f"CREATE TEMPORARY VIEW idle{chance.randrange(10**6)} AS SELECT 1 AS unit;\n{text}"


def in_a_statement_set(text: str, _: random.Random) -> str:
    if "STATEMENT SET" in text.upper() or "INSERT" not in text:
        return text
    before, query = text.split("INSERT", 1)
    return f"{before}EXECUTE STATEMENT SET\nBEGIN\nINSERT{query};\nEND"


def counted_by_one(text: str, _: random.Random) -> str:
    return text.replace("COUNT(*)", "COUNT(1)")


def _names_replaced(text: str, name: str, other: str) -> str:
    pieces, done = [], 0
    for token in lex(text).tokens[:-1]:
        if token.kind is TokenKind.WORD and token.text == name:
            pieces += (text[done : token.start], other)
            done = token.end
    return "".join((*pieces, text[done:]))


REWRITES: tuple[Rewrite, ...] = (
    other_units,
    turned_conditions,
    named_arguments,
    in_a_subquery,
    lateral_windows,
    behind_a_view,
    other_aliases,
    counted_by_one,
    with_an_idle_view,
    in_a_statement_set,
    quoted,
    cased,
    spaced,
)


@pytest.mark.parametrize(
    "rewrite",
    [
        pytest.param(other_units, marks=pytest.mark.spec("EQ-01")),
        pytest.param(turned_conditions, marks=pytest.mark.spec("EQ-02", "EQ-03", "WTN-12")),
        pytest.param(named_arguments, marks=pytest.mark.spec("STR-03")),
        pytest.param(in_a_subquery, marks=pytest.mark.spec("STR-01", "STR-02")),
        lateral_windows,
        pytest.param(behind_a_view, marks=pytest.mark.spec("STR-01", "AL-02")),
        pytest.param(other_aliases, marks=pytest.mark.spec("AL-01")),
        pytest.param(counted_by_one, marks=pytest.mark.spec("EQ-05")),
        pytest.param(with_an_idle_view, marks=pytest.mark.spec("STR-04")),
        pytest.param(in_a_statement_set, marks=pytest.mark.spec("STR-05")),
        pytest.param(quoted, marks=pytest.mark.spec("FMT-04")),
        pytest.param(cased, marks=pytest.mark.spec("FMT-03")),
        pytest.param(spaced, marks=pytest.mark.spec("FMT-01", "FMT-02", "FMT-06")),
    ],
    ids=lambda rewrite: rewrite.__name__,
)
@pytest.mark.parametrize("kind", QUERIES)
def test_each_rewrite_alone(kind: str, rewrite: Rewrite) -> None:
    _assert_silent(DDL + QUERIES[kind], rewrite(DDL + QUERIES[kind], random.Random(kind)))


def test_every_rewrite_changes_some_query() -> None:
    idle = [
        rewrite.__name__
        for rewrite in REWRITES
        if all(rewrite(DDL + query, random.Random(7)) == DDL + query for query in QUERIES.values())
    ]
    assert idle == []


RANDOMS = st.randoms(use_true_random=True)
"""One seed for each example: to choose each blank by hypothesis takes ten times what the comparison takes."""


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(QUERIES)), st.lists(st.sampled_from(REWRITES), max_size=7), st.booleans(), RANDOMS)
def test_chains_of_rewrites(kind: str, rewrites: list[Rewrite], declared: bool, chance: random.Random) -> None:
    text = (DDL if declared else "") + QUERIES[kind]
    rewritten = text
    # White space, case and backticks come last: the other rewrites look for plain text.
    for rewrite in sorted(rewrites, key=REWRITES.index):
        rewritten = rewrite(rewritten, chance)
    _assert_silent(text, rewritten)


def _assert_silent(one: str, other: str) -> None:
    for baseline, current in ((one, other), (other, one)):
        report = check(JobVersion(current), JobVersion(baseline))
        assert report.problems == (), current
        assert [finding.message for finding in report.findings] == [], f"{baseline}\n----\n{current}"
        assert report.verdict is Verdict.COMPATIBLE

"""A value whose type is not known is unknown, and never certain to be read as another of its type."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Effect, Verdict

ORDERS = (
    "CREATE TABLE orders (u STRING, v STRING, a DECIMAL(10, 2))"
    " WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
    "CREATE FUNCTION score AS 'com.acme.Score';\n"
)


@pytest.mark.parametrize(
    ("was", "now", "effect"),
    [
        ("COUNT(*), SUM(a) FROM orders GROUP BY u", "COUNT(*), SUM(score(a)) FROM orders GROUP BY u",
         Effect.UNDETERMINED),
        ("COUNT(*) FROM orders GROUP BY UPPER(u)", "COUNT(*) FROM orders GROUP BY score(u)", Effect.UNDETERMINED),
        ("COUNT(*), MAX(a) FROM orders GROUP BY u", "COUNT(*), MIN(a) FROM orders GROUP BY u", Effect.WRONG_RESULTS),
    ],
)  # fmt: skip
def test_effect(was: str, now: str, effect: Effect) -> None:
    report = check(JobVersion(f"{ORDERS}SELECT {now}"), JobVersion(f"{ORDERS}SELECT {was}"), "flink")
    assert [finding.effect for finding in report.findings] == [effect]
    assert (report.verdict is Verdict.UNKNOWN) == (effect is Effect.UNDETERMINED)

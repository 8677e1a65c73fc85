"""Words that Flink takes for columns, and the names that it gives to select items: each was put to Flink 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE u (`user` STRING, `USER` INT, `session_user` STRING, `current_catalog` INT, n INT)
WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');
CREATE TABLE p (id INT, k STRING) WITH ('connector' = 'kafka', 'topic' = 'p', 'format' = 'json');
"""
ACCEPTED = [
    "SELECT user, COUNT(*) AS c FROM u GROUP BY user",
    "SELECT USER FROM u",
    "SELECT session_user, current_catalog FROM u WHERE user = 'a'",
    "SELECT user AS x FROM (SELECT user, n FROM u)",
    "SELECT n FROM u GROUP BY n HAVING MAX(user) > 'a'",
    "SELECT (SELECT MAX(user) FROM u) FROM p",
    "CREATE VIEW v AS SELECT user, n FROM u; SELECT user FROM v",
    "SELECT CURRENT_DATE, LOCALTIME FROM p",
    "SELECT `EXPR$2` FROM (SELECT *, UPPER(k) FROM p)",
    "SELECT `EXPR$0`, `EXPR$3` FROM (SELECT UPPER(k), *, id + 1 FROM p)",
]
REFUSED = [
    "SELECT user FROM p",
    "SELECT User FROM u",
    "SELECT CURRENT_USER FROM p",
    "SELECT u.user FROM u",
    "SELECT n AS user FROM u",
    "SELECT a.n FROM u AS a JOIN u AS b USING (user)",
    "SELECT u.n FROM u JOIN p ON u.n = p.id AND p.k = system_user",
    "SELECT `EXPR$1` FROM (SELECT *, UPPER(k) FROM p)",
]
NAMES = {
    "SELECT *, UPPER(k) FROM p": ("id", "k", "EXPR$2"),
    "SELECT UPPER(k), *, id + 1 FROM p": ("EXPR$0", "id", "k", "EXPR$3"),
    "SELECT a.*, b.k AS x, a.id + b.id FROM p AS a JOIN p AS b ON a.id = b.id": ("id", "k", "x", "EXPR$3"),
    "SELECT *, id + 1 FROM (SELECT id, k, id * 2 FROM p)": ("id", "k", "EXPR$2", "EXPR$3"),
    "SELECT *, id + 1 FROM p AS a JOIN (SELECT id, k AS x FROM p) AS b USING (id)": ("id", "k", "x", "EXPR$3"),
    "SELECT user, n + 1 FROM u": ("user", "EXPR$1"),
}


@pytest.mark.parametrize(("query", "accepted"), [*((q, True) for q in ACCEPTED), *((q, False) for q in REFUSED)])
def test_words_are_columns_as_in_flink(query: str, accepted: bool) -> None:
    version = JobVersion(f"{TABLES}{query};")
    assert check(version, version, "flink").is_valid is accepted


@pytest.mark.parametrize(("query", "names"), NAMES.items())
def test_names_count_the_columns_of_a_star(query: str, names: tuple[str, ...]) -> None:
    assert Job.of(parse_script(f"{TABLES}{query};"), {}, None).pipelines[0].plan.names == names


def test_a_group_key_named_user_is_a_column() -> None:
    former, changed = (
        JobVersion(f"{TABLES}SELECT COUNT(*) FROM u GROUP BY {key};") for key in ("user", "session_user")
    )
    assert not check(former, former, "flink").findings
    assert [finding.rule for finding in check(changed, former, "flink").findings] == ["group-key-changed"]

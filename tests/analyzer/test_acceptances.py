"""Accepted findings, in a comment or in a ledger."""

from __future__ import annotations

from datetime import date

import pytest

from keepstate import AcceptancePolicy, JobVersion, check, comment_line
from keepstate.report import Acceptance, Report, Verdict

TABLE = "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'kafka');\n"
BASELINE = TABLE + "INSERT INTO s\nSELECT a, SUM(b) AS b, COUNT(*) AS n\nFROM t\nGROUP BY a;\n"
TODAY = date(2026, 11, 21)


def report(current: str, *ledger: Acceptance, baseline: str = BASELINE) -> Report:
    return check(JobVersion(current), JobVersion(baseline), accepting=AcceptancePolicy(TODAY, ledger))


def query(select: str = "", tail: str = "") -> str:
    return TABLE + f"INSERT INTO s\nSELECT a, SUM(b) AS b, COUNT(*) AS n{select}\nFROM t\nGROUP BY a{tail};\n"


ACCEPT = "-- keepstate: accept group-key-added because the history may go"


@pytest.mark.parametrize(
    "current",
    [
        query().replace("\nGROUP BY a", f"\n{ACCEPT}\nGROUP BY a, c"),
        query(tail=f", c {ACCEPT}\n"),
        query(tail=f",\n  {ACCEPT}\n  -- and another word on it\n\n  c"),
        query(tail=",\n  /* keepstate: accept group-key-added because the history may go */ c"),
        query(tail=",\n  c // KEEPSTATE: ACCEPT Group-Key-Added BECAUSE the history may go\n"),
        query(tail=", c -- keepstate: accept aggregate-added, group-key-added until 2026-11-21 because of ticket 7\n"),
    ],
)
def test_a_comment_beside_the_clause(current: str) -> None:
    found = report(current)
    (finding,) = found.findings
    assert finding.rule == "group-key-added" and finding.accepted is not None
    assert (found.verdict, found.open_verdict) == (Verdict.INCOMPATIBLE, Verdict.COMPATIBLE)


def test_it_holds_for_its_line_and_its_rule_alone() -> None:
    for current in (
        query(tail=", c").replace("INSERT INTO s", f"{ACCEPT}\nINSERT INTO s"),
        query(tail=", c -- keepstate: accept filter-added because so\n"),
        query(tail=", c -- accept group-key-added because so\n"),
        query(tail=", c -- keepstate accept group-key-added because so\n"),
    ):
        found = report(current)
        assert [finding.accepted for finding in found.findings] == [None]
        assert found.open_verdict is Verdict.INCOMPATIBLE


def test_what_is_not_accepted_stays_open() -> None:
    found = report(query(",  -- keepstate: accept aggregate-added because wanted\n  MAX(b) AS m", ", c"))
    assert {finding.rule: finding.accepted is not None for finding in found.findings} == {
        "aggregate-added": False,
        "group-key-added": False,
    }
    found = report(query(",\n  MAX(b) AS m -- keepstate: accept aggregate-added because wanted", ", c"))
    assert {finding.rule for finding in found.findings if finding.accepted} == {"aggregate-added"}
    assert found.open_verdict is Verdict.INCOMPATIBLE
    found = report(query(",\n  MAX(b) AS m", f", c {ACCEPT}\n"))
    assert (found.verdict, found.open_verdict) == (Verdict.INCOMPATIBLE, Verdict.PARTIAL)


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("-- keepstate: accept group-key-added until 2026-11-20 because so", "it ended on 2026-11-20"),
        ("-- keepstate: accept group-key-added until tomorrow because so", "no date"),
        ("-- keepstate: accept group-key-added", "gives no reason"),
        ("-- keepstate: accept because so", "not understood"),
        ("-- keepstate: accept group-key-added because <say why>", "still to be written"),
        ("-- keepstate: ignore group-key-added because so", "not understood"),
        ("-- keepstate: accept group-key-addde because so", "there is no rule"),
        ("-- keepstate: accept filter-added because so", "nothing to accept"),
    ],
)
def test_one_that_accepts_nothing_says_why(comment: str, reason: str) -> None:
    current = query(tail=f", c {comment}\n")
    found = report(current)
    assert [finding.accepted for finding in found.findings] == [None]
    (unused,) = found.unused_acceptances
    assert reason in unused.reason
    assert unused.acceptance.span is not None and unused.acceptance.span.of(current) == comment


def test_it_ends_when_the_change_is_the_baseline() -> None:
    current = query(tail=f", c {ACCEPT}\n")
    found = report(current, baseline=current)
    assert found.unchanged
    (unused,) = found.unused_acceptances
    assert unused.reason == "there is nothing to accept any more"


class TestLedger:
    def entry(self, current: str, until: date | None = None) -> Acceptance:
        (finding,) = report(current).findings
        return Acceptance(finding.rule, "so", until, key=finding.key)

    def test_survives_another_layout_and_other_names(self) -> None:
        entry = self.entry(query(tail=", c"))
        other = (
            query(tail=", c")
            .replace("SELECT a", "select /* of all */\n   x.a")
            .replace("FROM t\nGROUP BY a, c", "from t AS x GROUP BY x.a,\n  x.c")
        )
        found = report(other, entry)
        assert [finding.accepted for finding in found.findings] == [entry]
        assert found.open_verdict is Verdict.COMPATIBLE and found.unused_acceptances == ()

    def test_survives_a_change_elsewhere(self) -> None:
        entry = self.entry(query(tail=", c"))
        found = report(query(", MAX(b) AS m", ", c"), entry)
        assert {finding.rule for finding in found.findings if finding.accepted} == {"group-key-added"}
        assert found.open_verdict is Verdict.PARTIAL

    def test_another_change_is_not_accepted(self) -> None:
        entry = self.entry(query(tail=", c"))
        found = report(query(tail=", b"), entry)
        assert [finding.accepted for finding in found.findings] == [None]
        assert [unused.acceptance for unused in found.unused_acceptances] == [entry]

    def test_ends_on_its_day(self) -> None:
        current = query(tail=", c")
        assert report(current, self.entry(current, TODAY)).open_verdict is Verdict.COMPATIBLE
        late = report(current, self.entry(current, date(2026, 11, 20)))
        assert late.open_verdict is Verdict.INCOMPATIBLE
        assert [unused.reason for unused in late.unused_acceptances] == ["it ended on 2026-11-20"]

    def test_removed_things_have_keys_of_their_own(self) -> None:
        first, second = (self.entry(BASELINE.replace(part, "")) for part in (", SUM(b) AS b", ", COUNT(*) AS n"))
        assert first.rule == second.rule == "aggregate-removed"
        assert first.key != second.key


def test_without_a_day_nothing_is_looked_at() -> None:
    found = check(JobVersion(query(tail=f", c {ACCEPT}\n")), JobVersion(BASELINE))
    assert found.findings[0].accepted is None and found.unused_acceptances == ()
    assert found.open_verdict is found.verdict


def test_the_comment_that_is_written_is_the_comment_that_is_read() -> None:
    line = comment_line("group-key-added", "the history may go", date(2027, 1, 31))
    assert line == "-- keepstate: accept group-key-added until 2027-01-31 because the history may go"
    assert report(query(tail=f",\n{line}\nc")).open_verdict is Verdict.COMPATIBLE

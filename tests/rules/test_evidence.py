"""Measurements on rule pages are those in the measured data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import keepstate
from keepstate.engines.lookup import page_cases
from keepstate.engines.page_table import PAGES
from keepstate.report import Effect
from keepstate.rules import measured_outcomes
from keepstate.rules.measured_outcomes import (
    example_outcomes,
    finding_evidence,
    listed_versions,
    measured_versions,
    pairs_about,
    pairs_named,
)
from keepstate.rules.page_files import page_examples
from measured import OUTCOMES, MeasuredPair, given_pairs, own_pairs
from version_store import by_key

RULES = Path(keepstate.__file__).parent / "rules"
DATA = json.loads((RULES / "evidence.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("part", "pairs"), [("pairs", own_pairs()), ("given", given_pairs("pairs") + given_pairs("pairs-2"))]
)
def test_pairs_are_reported_as_they_were_measured(part: str, pairs: tuple[MeasuredPair, ...]) -> None:
    reported = {(name, at): Effect(was) for name, pair in DATA[part].items() for at, was in pair["measured"].items()}
    # What is exact by luck is no evidence.
    measured = {(pair.id, pair.setting.name): pair.effect for pair in pairs if not pair.note}
    known = {key: effect for key, effect in reported.items() if key in measured}
    assert known
    assert known.items() <= measured.items()
    # Others come from the restarts by version, if these show on the newest version what was measured there before.
    again = by_key()
    newest = measured_versions()[-1]
    for (name, at), effect in reported.items() - known.items():
        assert OUTCOMES[again[name][at].removesuffix("?")] is effect
        assert OUTCOMES[again[name][newest].removesuffix("?")] is measured[name, newest]


@pytest.mark.parametrize(
    ("name", "effect"),
    sorted({(case.measured, case.effect.value) for page in PAGES for case in page_cases(page) if case.measured}),
)
def test_pairs_that_cases_name_had_their_effect(name: str, effect: str) -> None:
    assert Effect(effect) in {outcome for one in pairs_named(name) for outcome in one.outcomes.values()}


def test_a_pair_is_about_one_rule_only() -> None:
    sizes = pairs_about("window-tvf", "window-size-changed")
    assert "hop_tvf/window_size_15" in {one.pair for one in sizes}
    others = {one.pair for one in pairs_about("window-tvf", "aggregate-added")}
    assert not {one.pair for one in sizes} & others


def test_what_was_never_measured_is_said_to_be_so() -> None:
    (page,) = [rule.page for rule in keepstate.find_rules("state-ttl-shortened", "flink")]
    assert re.search(r"^\| `flink` \| \*\*state-dropped\*\* \| never measured \|$", page, re.MULTILINE)


def test_restarted_examples_are_evidence_where_no_pair_is() -> None:
    (page,) = [rule.page for rule in keepstate.find_rules("column-renamed", "flink")]
    assert re.search(r"^\| `flink` \| \*\*exact\*\* \| on .*2\.3\.0.*: examples below \|$", page, re.MULTILINE)
    (page,) = [rule.page for rule in keepstate.find_rules("column-renamed", "flink", "1.17")]
    assert re.search(r"^\| `flink` \| \*\*exact\*\* \| never measured \|$", page, re.MULTILINE)


def test_an_edited_example_has_no_evidence() -> None:
    pages = [page for page in PAGES if page.query_kind == "window-tvf"]
    examples = [example for page in pages for example in page_examples(page.query_kind, page.name)]
    pairs = [(example.baseline.text, example.current.text) for example in examples]
    known = [(was, now) for was, now in pairs if example_outcomes(was, now)]
    assert known
    assert not any(example_outcomes(was, f"{now} -- edited") for was, now in known)


SUMS = (
    "CREATE TABLE t (k STRING, k2 STRING, a INT) WITH ('connector' = 'kafka');\nSELECT {0}, SUM(a) FROM t GROUP BY {0};"
)


@pytest.mark.parametrize(
    ("version", "opening"),
    [
        (None, "on "),
        ("2.3", "on 2.3.0 and 2.3.0 uid ALWAYS: "),
        ("1.20.1", "on 1.20.5: "),
        ("1.17", "not on 1.17, but on "),
        ("2.9", "not on 2.9, "),
    ],
)
def test_evidence_is_that_of_the_version(version: str | None, opening: str) -> None:
    now, was = (keepstate.JobVersion(SUMS.format(key)) for key in ("k, k2", "k"))
    (finding,) = keepstate.check(now, was, "flink").findings
    assert finding_evidence(finding, "flink", version).startswith(opening)
    assert finding_evidence(finding, "vvr", version) == ""


def test_runs_of_versions_have_two_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_outcomes, "measured_versions", lambda: ("1.18.1", "1.19.3", "1.20.5", "2.0.2"))
    assert listed_versions(["2.0.2", "1.18.1"]) == "2.0.2 and 1.18.1"
    assert listed_versions(["1.19.3", "1.20.5"]) == "1.20.5 and 1.19.3"
    assert listed_versions(["2.0.2", "1.19.3", "1.20.5"]) == "1.19.3 to 2.0.2"
    assert listed_versions(["2.0.2", "1.18.1", "1.20.5"]) == "2.0.2, 1.20.5 and 1.18.1"
    assert listed_versions(["2.0.2", "2.0.2 uid ALWAYS"]) == "2.0.2 and 2.0.2 uid ALWAYS"
    assert listed_versions(["1.18.1", "1.19.3", "1.20.5", "9.9 other"]) == "1.18.1 to 1.20.5 and 9.9 other"


@pytest.mark.parametrize(
    ("version", "unmeasured"),
    [
        (None, None),
        ("vvr-8.0.11", "1.17"),
        ("2.3", None),
        ("v2.3.7", None),
        ("1.9", "1.9"),
        ("2.30", "2.30"),
        ("x", None),
    ],
)
def test_versions_without_measurements(version: str | None, unmeasured: str | None) -> None:
    assert measured_outcomes.unmeasured_flink(version) == unmeasured

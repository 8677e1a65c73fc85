"""Settings that Flink cannot read: one problem at the SET, and none where nothing reads the value."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, Workspace, check, validate
from keepstate.report import Verdict
from keepstate.validation.statements.setting_values import SETTING_VALUES, is_zone
from keepstate.validation.validity import Validity

TABLES = """\
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE o (k STRING, v BIGINT) WITH ('connector' = 'blackhole');
"""
COUNT = "INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k;\n"
PLAIN = "INSERT INTO o SELECT k, v FROM t;\n"
ZONE = "SET 'table.local-time-zone' = 'UTC+8';\n"
TTL = "SET 'table.exec.state.ttl' = 'soon';\n"
BATCHES = "SET 'table.exec.mini-batch.enabled' = 'true';\n"


def validity(text: str, engine: str = "flink", version: str | None = None, **parameters: str) -> Validity:
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in parameters.items()}
    return validate(JobVersion(TABLES + text, engine_version=version, parameters=named), engine)


def told(found: Validity) -> list[tuple[int, str]]:
    return [(problem.statement, problem.rule) for problem in found.problems]


def test_a_setting_is_refused_once_at_its_place() -> None:
    found = validity(ZONE + COUNT + PLAIN + COUNT)
    (problem,) = found.problems
    assert problem.span.of(TABLES + ZONE) == ZONE.strip().rstrip(";")
    words = "table.local-time-zone takes a time zone, such as Europe/Berlin or GMT+08:00, and not 'UTC+8'."
    assert (problem.rule, problem.message) == ("setting-value", words)
    assert [(each.statement, each.depends) for each in found.undecided] == [(n, "statement") for n in (4, 5, 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TTL + COUNT, [(3, "setting-value")]),
        (PLAIN + TTL + COUNT, [(4, "setting-value")]),
        (TTL + PLAIN, []),
        (COUNT + TTL, [(4, "setting-value")]),
        (TTL + "RESET 'table.exec.state.ttl';\n" + COUNT, []),
        (TTL + TTL.replace("soon", "1 d") + COUNT, []),
        (TTL.replace("soon", "1 d") + COUNT + TTL + COUNT, [(5, "setting-value")]),
        (TTL.replace("soon", "${ttl}") + COUNT, []),
        (BATCHES + COUNT, [(3, "mini-batch")]),
        (BATCHES + "SET 'table.exec.mini-batch.size' = '{{ size }}';\n" + COUNT, []),
        (BATCHES + COUNT.replace("SELECT k", "SELECT wrong"), [(4, "unknown-column")]),
        ("SET 'execution.runtime-mode' = 'batch';\n" + TTL + COUNT, []),
    ],
)
def test_a_setting_holds_for_the_queries_that_read_it(text: str, expected: list[tuple[int, str]]) -> None:
    assert told(validity(text)) == expected


def test_a_query_of_an_unknown_table_reads_settings_as_well() -> None:
    found = validity(ZONE + "SELECT a FROM elsewhere;\n")
    assert told(found) == [(3, "setting-value")]
    assert [(each.statement, each.rule) for each in found.undecided] == [(4, "unknown-table")]


def test_a_setting_from_outside_is_refused_at_the_query() -> None:
    assert told(validity(PLAIN + COUNT, table__exec__state__ttl="soon")) == [(4, "setting-value")]
    bounds = {"table__exec__mini_batch__allow_latency": "5 s", "table__exec__mini_batch__size": "100"}
    assert told(validity(BATCHES + COUNT, **bounds)) == []


@pytest.mark.parametrize(
    ("setting", "rules"),
    [
        (ZONE, ["setting-value"]),
        (BATCHES, []),
        ("SET 'table.exec.sink.keyed-shuffle' = 'SOMETIMES';\n", []),
        ("SET 'pipeline.object-reuse' = 'yes';\n", ["setting-value"]),
    ],
)
def test_another_engine_may_have_words_and_bounds_of_its_own(setting: str, rules: list[str]) -> None:
    assert [rule for _, rule in told(validity(setting + COUNT, "vvr"))] == rules


@pytest.mark.parametrize(("version", "rules"), [("1.20", ["setting-value"]), ("2.1", []), ("2.3", [])])
def test_iso_durations_are_read_from_2_0_on(version: str, rules: list[str]) -> None:
    found = validity(TTL.replace("soon", "PT1H") + COUNT, version=version)
    assert [rule for _, rule in told(found)] == rules


@pytest.mark.parametrize(
    "hint",
    [
        "LOOKUP('table'='d', 'async'='${async}')",
        "LOOKUP('table'='{{ table }}')",
        "LOOKUP('table'='d', 'timeout'='${seconds} s')",
        "STATE_TTL('t'='${ttl}')",
        "STATE_TTL('{{ table }}'='1 d')",
        "BROADCAST('${table}')",
    ],
)
def test_a_hint_that_a_template_fills_in_is_not_refused(hint: str) -> None:
    query = f"SELECT /*+ {hint} */ t.k FROM t JOIN o AS d ON t.k = d.k;\n"
    assert told(validity(query)) == []
    assert told(validity(query.replace(hint, "LOOKUP('table'='o')"))) == [(3, "hint")]


def test_each_setting_is_listed_once_and_takes_its_words() -> None:
    assert len({each.key for each in SETTING_VALUES}) == len(SETTING_VALUES)
    assert all(not each.form.takes("[]", (2, 3)) for each in SETTING_VALUES)


def test_a_machine_without_time_zones_refuses_offsets_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keepstate.validation.statements.setting_values._regions", frozenset)
    assert [is_zone(text) for text in ("Mars/Phobos", "UTC", "UTC+8", "+08:00", "GMT+8")] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_program_that_does_not_start_is_never_compatible() -> None:
    was, now = (JobVersion(TABLES + text) for text in (COUNT, BATCHES + COUNT))
    assert check(now, was, "flink").verdict is not Verdict.COMPATIBLE


def test_an_edited_setting_gives_another_answer_each_time() -> None:
    workspace, baseline = Workspace(), JobVersion(TABLES + COUNT)
    for value, is_refused in (("1 d", False), ("soon", True), ("2 d", False), ("later", True)):
        now = JobVersion(TABLES + TTL.replace("soon", value) + COUNT)
        assert bool(workspace.analysis(now, baseline, "flink").report().refusals) is is_refused, value

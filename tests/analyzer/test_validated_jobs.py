"""Statements that the engine refuses: they bring no findings, and whatever does not need them is judged as ever."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Report, Verdict
from shared_analyses import check

COMPATIBLE, UNKNOWN, INCOMPATIBLE = Verdict.COMPATIBLE, Verdict.UNKNOWN, Verdict.INCOMPATIBLE
TABLES = """\
CREATE TABLE rides (
  city STRING, driver BIGINT, fare INT, ended TIMESTAMP(3), WATERMARK FOR ended AS ended
) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE counts (city STRING, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE fares (city STRING, most INT) WITH ('connector' = 'print');
CREATE TABLE hours (city STRING, n BIGINT) WITH ('connector' = 'print');
"""
COUNTS = "INSERT INTO counts SELECT city, COUNT(*) FROM rides GROUP BY city;\n"
FARES = "INSERT INTO fares SELECT city, MAX(fare) FROM rides GROUP BY city;\n"
HOURS = (
    "INSERT INTO hours SELECT city, COUNT(*) FROM TABLE(TUMBLE(TABLE rides, DESCRIPTOR(ended), INTERVAL '1' HOUR))"
    " GROUP BY city, window_start, window_end;\n"
)
JOB = TABLES + COUNTS + FARES + HOURS
OTHER_EDIT = (FARES, FARES.replace("MAX", "MIN"))

REFUSED = {
    "syntax": (COUNTS, COUNTS.replace("GROUP BY", "GROUP")),
    "unknown-column": (COUNTS, COUNTS.replace("GROUP BY city", "GROUP BY town")),
    "not-grouped": (COUNTS, COUNTS.replace("SELECT city", "SELECT driver")),
    "sink-columns": (COUNTS, COUNTS.replace("COUNT(*)", "COUNT(*), SUM(fare)")),
    "sink-type": (COUNTS, COUNTS.replace("COUNT(*)", "MAX(city)")),
    "operand-type": (COUNTS, COUNTS.replace("FROM rides", "FROM rides WHERE fare > TRUE")),
    "nested-aggregate": (COUNTS, COUNTS.replace("COUNT(*)", "COUNT(SUM(fare))")),
    "unknown-qualifier": (COUNTS, COUNTS.replace("FROM rides", "FROM rides WHERE r.fare > 1")),
    "set-operation-columns": (COUNTS, COUNTS.replace(";", " UNION ALL SELECT city FROM rides;")),
}
"""For each check the statement of the baseline and one that it refuses on every engine."""
DOUBTED = {
    "window-size": (HOURS, HOURS.replace("'1' HOUR", "'1' HOUR, INTERVAL '2' HOUR")),
    "limit": (FARES, FARES.replace(";", " LIMIT 5, 10;")),
}
"""Edits that open-source Flink refuses, and of which no document of the other engines says anything."""


def report(current: str, baseline: str = JOB, engine: str = "vvr") -> Report:
    return check(JobVersion(current), JobVersion(baseline), engine)


def findings(found: Report) -> list[tuple[str, str, Verdict]]:
    return [(finding.rule, finding.current.text, finding.verdict) for finding in found.findings]


def verdicts(found: Report) -> dict[str, Verdict]:
    return {pipeline.name: pipeline.verdict for pipeline in found.pipelines}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rule", REFUSED)
class TestARefusedStatement:
    def test_brings_no_finding(self, rule: str, engine: str) -> None:
        found = report(JOB.replace(*REFUSED[rule]), engine=engine)
        assert [(refusal.rule, refusal.certain) for refusal in found.refusals] == [(rule, True)]
        assert JOB.replace(*REFUSED[rule]).count("\n", 0, found.refusals[0].span.start) == TABLES.count("\n")
        assert (found.findings, found.problems, found.verdict) == ((), (), UNKNOWN)
        assert (found.is_valid, found.unchanged) == (False, False)
        assert verdicts(found).get("INSERT INTO counts", UNKNOWN) is UNKNOWN
        assert {verdicts(found)[f"INSERT INTO {name}"] for name in ("fares", "hours")} == {COMPATIBLE}

    def test_leaves_the_others_as_they_are_without_it(self, rule: str, engine: str) -> None:
        edited = JOB.replace(*OTHER_EDIT)
        without, beside = report(edited, engine=engine), report(edited.replace(*REFUSED[rule]), engine=engine)
        assert findings(beside) == findings(without) != []
        assert verdicts(beside) | {"INSERT INTO counts": COMPATIBLE} == verdicts(without)
        assert beside.verdict is Verdict.worst((without.verdict, UNKNOWN))

    def test_on_both_sides(self, rule: str, engine: str) -> None:
        refused = JOB.replace(*REFUSED[rule])
        found = report(refused, refused, engine)
        assert [refusal.rule for refusal in (*found.refusals, *found.baseline_refusals)] == [rule, rule]
        assert (found.findings, found.verdict, found.unchanged) == ((), UNKNOWN, False)

    def test_in_the_baseline(self, rule: str, engine: str) -> None:
        found = report(JOB.replace(*OTHER_EDIT), JOB.replace(*REFUSED[rule]), engine)
        assert ([refusal.rule for refusal in found.baseline_refusals], found.refusals) == ([rule], ())
        assert (found.is_valid, found.unchanged) == (True, False)
        assert findings(found) == findings(report(JOB.replace(*OTHER_EDIT), engine=engine))
        assert verdicts(found)["INSERT INTO counts"] is UNKNOWN
        assert verdicts(found)["INSERT INTO hours"] is COMPATIBLE

    def test_is_never_compatible_where_nothing_else_is_there(self, rule: str, engine: str) -> None:
        was, now = REFUSED[rule]
        for current, baseline in ((TABLES + now, TABLES + was), (TABLES + was, TABLES + now), (TABLES + now, TABLES)):
            found = report(current, baseline, engine)
            assert (found.verdict, found.unchanged) == (UNKNOWN, False), (current, baseline)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_refused_view_is_one_refusal_however_many_read_it(engine: str) -> None:
    view = "CREATE VIEW paid AS SELECT city, fare FROM rides WHERE fare > 0;\n"
    readers = "".join(query.replace("FROM rides", "FROM paid") for query in (COUNTS, FARES))
    baseline = TABLES + view + readers + HOURS
    found = report(baseline.replace("fare > 0", "fee > 0"), baseline, engine)
    assert [refusal.rule for refusal in found.refusals] == ["unknown-column"]
    assert found.findings == ()
    assert verdicts(found) == {
        "INSERT INTO counts": UNKNOWN,
        "INSERT INTO fares": UNKNOWN,
        "INSERT INTO hours": COMPATIBLE,
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_an_edited_reader_of_a_refused_declaration_is_judged_with_that_of_the_baseline(engine: str) -> None:
    current = JOB.replace("city STRING, driver BIGINT,", "city STRING, city BIGINT,", 1).replace(*OTHER_EDIT)
    found = report(current, engine=engine)
    assert [refusal.rule for refusal in found.refusals] == ["duplicate-column"]
    assert findings(found) == findings(report(JOB.replace(*OTHER_EDIT), engine=engine))
    assert COMPATIBLE not in verdicts(found).values()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_refused_query_may_be_the_new_version_of_one_that_is_gone(engine: str) -> None:
    current = TABLES + FARES + HOURS + "INSERT INTO shown SELECT town, COUNT(*) FROM rides GROUP BY town;\n"
    found = report(current, engine=engine)
    assert [refusal.rule for refusal in found.refusals] == ["unknown-column"]
    assert (found.findings, found.verdict) == ((), UNKNOWN)
    alone = report(TABLES + FARES + HOURS, engine=engine)
    assert [finding.rule for finding in alone.findings] == ["pipeline-removed"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reserved_word_leaves_the_meaning_clear(engine: str) -> None:
    edited = HOURS.replace("COUNT(*)", "COUNT(*) AS {}").replace("'1' HOUR", "'2' HOUR")
    plain = report(JOB.replace(HOURS, edited.format("n")), engine=engine)
    found = report(JOB.replace(HOURS, edited.format("second")), engine=engine)
    assert [refusal.rule for refusal in found.refusals] == ["reserved-word"]
    assert findings(found) == findings(plain) != []
    assert (found.is_valid, found.verdict) == (False, INCOMPATIBLE)
    renamed = report(JOB.replace("COUNT(*) FROM rides", "COUNT(*) AS second FROM rides"), engine=engine)
    assert (renamed.findings, renamed.verdict, renamed.unchanged) == ((), UNKNOWN, False)


MINUTES = HOURS.replace("INTERVAL '1' HOUR", "INTERVAL '100' MINUTE")
KEPT = "CREATE TABLE kept (city STRING, n INT, PRIMARY KEY (city) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
UPSERTED = "INSERT INTO kept SELECT city, fare FROM rides;\n"
CLEAR = {
    "reserved-word": (
        COUNTS.replace("COUNT(*)", "COUNT(*) AS second"),
        COUNTS.replace("COUNT(*)", "COUNT(*) AS `second`"),
    ),
    "not-equal": (
        COUNTS.replace("GROUP BY", "WHERE fare != 1 GROUP BY"),
        COUNTS.replace("GROUP BY", "WHERE fare <> 1 GROUP BY"),
    ),
    "interval-value": (MINUTES, MINUTES.replace("MINUTE", "MINUTE(3)")),
    "upsert-key": (UPSERTED, UPSERTED.replace(";", " ON CONFLICT DO DEDUPLICATE;")),
}
"""For each check a statement that open-source Flink refuses though its meaning is clear, and the mended one."""


@pytest.mark.parametrize("rule", CLEAR)
def test_a_mended_statement_is_unknown_because_the_former_one_never_ran(rule: str) -> None:
    was, now = CLEAR[rule]
    found = report(TABLES + KEPT + FARES + now, TABLES + KEPT + FARES + was, "flink")
    assert ([refusal.rule for refusal in found.former_refusals], found.refusals) == ([rule], ())
    assert (found.findings, found.verdict, found.unchanged) == ((), UNKNOWN, False)
    assert verdicts(found) == {"INSERT INTO fares": COMPATIBLE, " ".join(now.split()[:3]): UNKNOWN}
    back = report(TABLES + KEPT + FARES + now, TABLES + KEPT + FARES + now, "flink")
    assert (back.former_refusals, back.verdict) == ((), COMPATIBLE)


@pytest.mark.parametrize("rule", DOUBTED)
class TestADoubt:
    def test_counts_on_other_engines_where_it_is_new(self, rule: str) -> None:
        found = report(JOB.replace(*DOUBTED[rule]))
        assert [(refusal.rule, refusal.certain) for refusal in found.refusals] == [(rule, False)]
        assert found.is_valid and not found.unchanged
        assert found.verdict.rank >= UNKNOWN.rank and found.open_verdict.rank >= UNKNOWN.rank
        assert verdicts(found)["INSERT INTO counts"] is COMPATIBLE

    def test_does_not_count_where_the_baseline_has_it(self, rule: str) -> None:
        baseline = JOB.replace(*DOUBTED[rule])
        found = report(baseline + "-- the same\n", baseline)
        assert (found.refusals, found.findings, found.verdict, found.unchanged) == ((), (), COMPATIBLE, True)
        edited = report(baseline.replace("COUNT(*) FROM rides", "COUNT(driver) FROM rides"), baseline)
        assert edited.refusals == () and [finding.rule for finding in edited.findings] != []

    def test_is_a_refusal_of_open_source_flink(self, rule: str) -> None:
        found = report(JOB.replace(*DOUBTED[rule]), engine="flink")
        assert [(refusal.rule, refusal.certain) for refusal in found.refusals] == [(rule, True)]
        assert (found.findings, found.verdict) == ((), UNKNOWN)


HOLES = (
    "{{ query }};",
    "INSERT INTO counts SELECT city, ${n} FROM rides GROUP BY city;",
    "INSERT INTO counts SELECT city, COUNT(*) FROM rides GROUP BY {{ keys }} ) (;",
    "INSERT INTO counts SELECT {{ columns }} FROM rides GROUP {% if a %} BY city {% endif %};",
    "EXECUTE STATEMENT SET BEGIN\n{{ body }}\nEND;",
    "EXECUTE STATEMENT SET BEGIN\nINSERT INTO counts SELECT city, 1 FROM rides;\n{{ more }}\nEND;",
    "{{ begin }}\nINSERT INTO counts SELECT city, 1 FROM rides;\nEND;",
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", HOLES)
def test_what_a_template_fills_in_is_never_refused(text: str, engine: str) -> None:
    for current, baseline in ((TABLES + text, JOB), (JOB, TABLES + text), (TABLES + text, TABLES + text)):
        found = report(current, baseline, engine)
        assert (found.refusals, found.baseline_refusals) == ((), ())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_merge_conflict_is_one_refusal(engine: str) -> None:
    current = f"{TABLES}<<<<<<< ours\n{COUNTS}{FARES}=======\n{FARES}>>>>>>> theirs\n{HOURS}"
    found = report(current, engine=engine)
    (refusal,) = found.refusals
    assert (current[refusal.span.start :].startswith("<<<<<<<"), refusal.rule) == (True, "syntax")
    assert (found.problems, found.verdict, found.is_valid) == ((), UNKNOWN, False)
    assert verdicts(found)["INSERT INTO hours"] is COMPATIBLE

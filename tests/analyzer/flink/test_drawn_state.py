"""Plans, notes and fates under the profile ``flink``: named states with types, as the verdict compares them."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, draw_plans, plan_text, plans_text, state_hovers, state_outcome
from keepstate.plan_view.drawing import DrawnOperator, Mark
from keepstate.report import PartOutcome

TABLES = """\
CREATE TABLE t (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE u (k STRING, a INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE s (k STRING, a INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
"""
SUMS = "INSERT INTO x SELECT k, SUM(a), MAX(a) FROM t GROUP BY k;"
STARTS_NOT = "the job does not start"


def states(query: str) -> list[str]:
    """The lines about what each operator stores, without the branches of the tree."""
    lines = [line.strip(" |`-") for line in plan_text(JobVersion(TABLES + query), "flink").splitlines()]
    left_out = ("until", "flink cannot", "output", "state:")
    return [line for line in lines[1:] if not line.startswith(left_out)]


def changed(was: str, now: str, query: str = TABLES + SUMS) -> tuple[JobVersion, JobVersion]:
    """The current version and the baseline."""
    assert was in query
    return JobVersion(query.replace(was, now)), JobVersion(query)


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        (
            "SELECT k, COUNT(DISTINCT a), AVG(b) FROM t GROUP BY k",
            [
                "key: k STRING",
                "accState: COUNT(DISTINCT a) BIGINT",
                "accState: SUM for AVG(b) BIGINT",
                "accState: COUNT(b) BIGINT",
                "accState: DISTINCT(a) distinctAcc_0<INT>",
            ],
        ),
        (
            "SELECT t.k, u.a FROM t LEFT JOIN u ON t.k = u.k",
            [
                "key: t.k STRING",
                "left-records (map of counts and partners): t.k STRING",
                "right-records (row): u.k STRING NOT NULL, u.a INT",
                "ChangelogNormalize",
                "key: u.k STRING NOT NULL",
                "deduplicate-state: u.k STRING NOT NULL, u.a INT",
            ],
        ),
        (
            "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS n FROM t) WHERE n <= 3",
            [
                "key: k STRING",
                "data-state-with-append (map of lists by sort key): k STRING, a INT",
                "data-state-with-append, sort key: a INT",
            ],
        ),
        (
            "SELECT k FROM t INTERSECT SELECT k FROM u",
            [
                "key: t.k STRING",
                "accState: COUNT(*) BIGINT",
                "Join",
                "key: t.k STRING",
                "left-records (map of counts and partners): t.k STRING",
                "right-records (row): u.k STRING NOT NULL",
                "ChangelogNormalize",
                "key: u.k STRING NOT NULL",
                "deduplicate-state: u.k STRING NOT NULL",
            ],
        ),
        (
            "INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k",
            [
                "SinkUpsertMaterializer",
                "key: SUM(a) INT NOT NULL",
                "sink-upsert-materialize-state (list): k STRING, SUM(a) INT NOT NULL",
                "GroupAggregate",
                "key: k STRING",
                "accState: SUM(a) INT",
            ],
        ),
        (
            "SELECT k, a FROM (SELECT k, a, MAX(b) OVER (PARTITION BY k ORDER BY ts) AS m FROM t) WHERE a > 5",
            [
                "OverAggregate",
                "key: k STRING",
                "accState: MAX(b) INT (not read)",
                "inputState (map of lists by time): k STRING, a INT, b INT (not read), ts TIMESTAMP(3) (not read)",
            ],
        ),
        (
            "SELECT k, COUNT(*) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
            "GROUP BY k, window_start, window_end",
            ["key: k STRING, time window", "window-aggs: COUNT(*) BIGINT", "session-window-mapping: map of windows"],
        ),
    ],
)
def test_states_have_their_names_forms_and_types(query: str, stored: list[str]) -> None:
    found = states(query)
    assert [line for line in stored if line not in found] == []
    assert [line for line in found if line in stored] == stored


def test_accumulators_that_take_rows_back() -> None:
    """The plan is the same on both sides, and what is stored for it is not."""
    current, baseline = changed("'json'", "'debezium-json'")
    (pipeline,) = draw_plans(current, baseline, "flink").pipelines
    assert pipeline.mark is Mark.CHANGED
    text = plans_text(current, baseline, "flink")
    assert "the same plan on both sides" not in text
    assert "+     |    accState: COUNT(a) BIGINT" in text
    (sentence,) = (words for node in pipeline.nodes() if node.current is not None for words in _restart(node.current))
    assert sentence == "rows can be taken back now, and the accumulators are those of rows that only come"


def test_the_same_state_is_drawn_once() -> None:
    current, baseline = changed("SUM(a), MAX(a)", "sum(a) AS total, MAX(a) AS most")
    assert ": compatible, the same plan on both sides\n" in plans_text(current, baseline, "flink")


def test_an_operator_whose_id_another_query_moves_is_changed() -> None:
    more = TABLES + SUMS
    current, baseline = JobVersion(more + "INSERT INTO y SELECT k, COUNT(*) FROM t GROUP BY k;"), JobVersion(more)
    drawing = draw_plans(current, baseline, "flink")
    (node,) = (node for node in drawing.pipelines[0].nodes() if node.mark is Mark.CHANGED)
    assert node.current is not None
    assert _restart(node.current) == ["GROUP BY does not find its state, which is filed under another operator id"]


def test_of_a_job_that_does_not_start_nothing_else_is_said() -> None:
    """The values would be read as others too, if anything read them."""
    current, baseline = changed("SUM(a), MAX(a)", "MIN(b), SUM(CAST(a AS BIGINT))")
    (pipeline,) = draw_plans(current, baseline, "flink").pipelines
    sentences = [words for node in pipeline.nodes() if node.current is not None for words in _restart(node.current)]
    assert len(sentences) == 1 and sentences[0].startswith("the savepoint has ")


def _restart(operator: DrawnOperator) -> list[str]:
    return [item.text for entry in operator.state if entry.name == "restart" for item in entry.items]


def test_each_side_has_its_own_names() -> None:
    """A source that is called otherwise is one change, and each side is written in the words of its own text."""
    join = TABLES + "SELECT t.k, u.a FROM t JOIN u ON t.k = u.k"
    current = JobVersion(
        join.replace("TABLE t ", "TABLE zebras ").replace("t.k", "zebras.k").replace("FROM t", "FROM zebras")
    )
    for one, other, names in ((current, JobVersion(join), "t zebras"), (JobVersion(join), current, "zebras t")):
        (pipeline,) = draw_plans(one, other, "flink").pipelines
        was, now = names.split()
        for operator, own, foreign in (
            (pipeline.forest[0].baseline, was, now),
            (pipeline.forest[0].current, now, was),
        ):
            assert operator is not None and operator.title.text == "Join"
            texts = [item.text for entry in (*operator.facts, *operator.state) for item in entry.items]
            assert any(f"{own}.k" in text for text in texts)
            assert not any(f"{foreign}.k" in text for text in texts)


@pytest.mark.parametrize(
    ("was", "now", "fates"),
    [
        (
            "SUM(a)",
            "MIN(a)",
            [
                PartOutcome("key k STRING", "kept", "goes on"),
                PartOutcome("accState: MIN(a) INT", "accState: SUM(a) INT", "mixed up"),
                PartOutcome("accState: MAX(a) INT", "kept", "goes on"),
            ],
        ),
        (
            "MAX(a)",
            "MAX(a), COUNT(*)",
            [
                PartOutcome("key k STRING", "kept", STARTS_NOT),
                PartOutcome("accState: SUM(a) INT", "kept", STARTS_NOT),
                PartOutcome("accState: MAX(a) INT", "kept", STARTS_NOT),
                PartOutcome("accState: COUNT(*) BIGINT", "-", STARTS_NOT),
            ],
        ),
        (
            ", MAX(a)",
            "",
            [
                PartOutcome("key k STRING", "kept", STARTS_NOT),
                PartOutcome("accState: SUM(a) INT", "kept", STARTS_NOT),
                PartOutcome("accState: MAX(a) INT", "kept", STARTS_NOT),
            ],
        ),
        (
            "FROM t",
            "FROM t WHERE b > 1",
            [
                PartOutcome("key k STRING", "kept", "mixed up"),
                PartOutcome("accState: SUM(a) INT", "kept", "mixed up"),
                PartOutcome("accState: MAX(a) INT", "kept", "mixed up"),
            ],
        ),
    ],
)
def test_fates_go_place_by_place(was: str, now: str, fates: list[PartOutcome]) -> None:
    current, baseline = changed(was, now)
    assert len(check(current, baseline, "flink").findings) == 1
    found = state_outcome(current, baseline, 0, "flink")
    assert found is not None and list(found.parts) == fates


def test_notes_name_states_and_types() -> None:
    notes = {note.title: note for note in state_hovers(JobVersion(TABLES + SUMS), "flink")}
    whole = notes["one row of accumulators per group"]
    assert whole.keeps == ("accState: SUM(a) INT", "accState: MAX(a) INT")
    assert whole.keyed_by == ("k STRING",)
    assert notes["SUM(a) INT"].migration == "flink cannot migrate it"


def test_a_note_at_a_call_has_all_that_is_kept_for_it() -> None:
    notes = state_hovers(JobVersion(TABLES + "SELECT k, AVG(a) FROM t GROUP BY k"), "flink")
    assert [note.title for note in notes if not note.keeps] == ["SUM for AVG(a) BIGINT, COUNT(a) BIGINT"]


def test_a_layout_that_is_not_certain_says_so() -> None:
    pattern = "MATCH_RECOGNIZE (ORDER BY ts MEASURES A.a AS a PATTERN (A B) DEFINE B AS B.a > A.a)"
    text = plan_text(JobVersion(f"SELECT * FROM nowhere {pattern}"), "flink")
    assert "not certain: the script does not declare all columns of the rows that a pattern keeps" in text

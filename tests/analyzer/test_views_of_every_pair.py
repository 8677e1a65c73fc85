"""Every question about two versions of a job has an answer, and the drawing agrees with the verdict.

Asked of every example of the rule pages, every measured pair and every case of the specification, for both engines: of
all of them by night, and of each third one otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from keepstate import (
    ENGINES,
    JobVersion,
    draw_plan,
    plan_text,
    state_hovers,
)
from keepstate.engines.flink.assessment import stored_differences
from keepstate.physical.stored_pairing import PairOfPipelines, pairs_of
from keepstate.plan.job import Pipeline
from keepstate.plan.operators import SetOperation
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.plan_view.drawing import DrawnOperator, DrawnPipeline, DrawnProperty, Mark
from keepstate.report import Effect
from keepstate.state.stored_queries import Numbers
from measured import MeasuredPair, given_pairs, own_pairs, sampled_pairs
from night import by_night
from rule_pages import all_examples
from shared_analyses import MEMORY, analyse, check
from truth import spec_cases

_RESTART = "restart"
"""The entry of an operator that says what differs in its stored state."""
_NO_PART_OF_IT = frozenset({"until"})
"""Entries of a state that are stored nowhere: the time that state is kept."""


@dataclass(frozen=True)
class Pair:
    name: str
    baseline: JobVersion
    current: JobVersion


def _measured(pair: MeasuredPair) -> Pair:
    parameters, version = dict(pair.setting.parameters), pair.setting.engine_version
    return Pair(pair.id, *(JobVersion(text, parameters, version) for text in (pair.baseline, pair.current)))


def every_pair() -> list[Pair]:
    """Each two texts once, whatever settings they were measured under."""
    found = [Pair(example.name, example.baseline, example.current) for example in all_examples()]
    found += map(_measured, (*given_pairs("pairs"), *given_pairs("pairs-2"), *own_pairs(), *sampled_pairs()))
    found += [
        Pair(
            case.id,
            JobVersion(case.baseline, case.parameters, case.baseline_engine_version),
            JobVersion(case.current, case.parameters, case.current_engine_version),
        )
        for case in spec_cases()
    ]
    unique = {(pair.baseline.text, pair.current.text): pair for pair in reversed(found)}
    return list(unique.values())


# Neighbours are edits of one job.
PAIRS = every_pair()[:: by_night(1, 3)]
GROUPS = [PAIRS[start : start + 50] for start in range(0, len(PAIRS), 50)]
each_group = pytest.mark.parametrize("pairs", GROUPS, ids=lambda pairs: f"{pairs[0].name}...{pairs[-1].name}")
each_engine = pytest.mark.parametrize("engine", ENGINES)


@each_engine
@each_group
def test_every_view_has_an_answer(pairs: Sequence[Pair], engine: str) -> None:
    for pair in pairs:
        analysis = analyse(pair.current, pair.baseline, engine)
        report, drawing = analysis.report(), analysis.drawing()
        assert drawing.verdict is report.verdict, pair.name
        shown = {rule.id for rule in drawing.rules}
        for pipeline in drawing.pipelines:
            shown |= {
                rule.id for rules in (pipeline.rules, *(node.rules for node in pipeline.nodes())) for rule in rules
            }
        assert shown == {finding.rule for finding in report.findings}, pair.name
        assert analysis.plans_text()
        for index in range(len(report.findings)):
            fate = analysis.state_outcome(index)
            assert fate is None or fate.parts, pair.name
        notes = state_hovers(pair.current, engine, MEMORY)
        for place in {note.span.start + 1 for note in notes}:
            touched = tuple(note for note in notes if note.span.touches(place))
            assert state_hovers(pair.current, engine, MEMORY, at=place) == touched, pair.name
        plan_text(pair.current, engine, MEMORY)


@each_engine
@each_group
def test_one_version_alone_is_drawn_like_the_same_one_beside_another(pairs: Sequence[Pair], engine: str) -> None:
    """Each operator with all that it stores, wherever what is stored of it does not depend on the other version."""
    for pair in pairs:
        alone = draw_plan(pair.current, engine, MEMORY)
        beside = analyse(pair.current, pair.current, engine).drawing()
        assert [_stored(pipeline) for pipeline in alone.pipelines] == [
            _stored(pipeline) for pipeline in beside.pipelines
        ], pair.name
        assert all(pipeline.mark is Mark.SAME for pipeline in beside.pipelines), pair.name


def _stored(pipeline: DrawnPipeline) -> list[tuple[str, tuple[DrawnProperty, ...]]]:
    operators = (node.current for node in pipeline.nodes())
    return [(operator.title.text, operator.state) for operator in operators if operator is not None]


@each_group
def test_what_is_stored_differs_in_the_drawing_where_it_does_in_the_judgement(pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        if pair.current.jobs is not JobUnit.SCRIPT:
            # Each INSERT has ids of its own there, and `pairs_of` is about the ids of one job.
            continue
        analysis = analyse(pair.current, pair.baseline, "flink")
        comparison, drawing = analysis.comparison, analysis.drawing()
        was, now = comparison.baseline, comparison.current
        compared = [one.pair.compared for one in comparison.judgement.pipelines]
        for stored, sides, pipeline in zip(
            pairs_of(was, now, compared).pairs, compared, drawing.pipelines, strict=True
        ):
            reported = set(_reported(pipeline))
            if stored is None:
                assert not reported, pair.name
                continue
            expected = set(_expected(stored, sides))
            assert reported == expected, pair.name
            if pipeline.mark is Mark.SAME:
                assert not expected, pair.name
            for node in pipeline.nodes():
                for operator in (node.baseline, node.current):
                    assert operator is None or _is_explained(operator, (node.baseline, node.current)), pair.name


def _reported(pipeline: DrawnPipeline) -> Iterator[tuple[str, str]]:
    """The titles of operators, each with a sentence about what differs in its state."""
    for node in pipeline.nodes():
        for operator in (node.baseline, node.current):
            for entry in operator.state if operator is not None else ():
                if entry.name == _RESTART:
                    assert operator is not None and node.mark is not Mark.SAME
                    yield from ((operator.title.text, item.text) for item in entry.items)


def _expected(stored: PairOfPipelines, sides: tuple[Pipeline | None, Pipeline | None]) -> Iterator[tuple[str, str]]:
    """The same of the judgement: of an operator whose job does not start nothing else is said."""
    differences: dict[tuple[Numbers, tuple[str, str]], list[tuple[Effect, str]]] = {}
    for one in stored_differences(stored):
        words = one.difference.reason or f"another {one.difference.part.value}"
        differences.setdefault((one.numbers, one.titles), []).append((one.difference.effect, words))
    for (numbers, titles), found in differences.items():
        fatal = [words for effect, words in found if effect is Effect.DOES_NOT_START]
        for words in fatal or [words for _, words in found]:
            yield _drawn_title(numbers, titles, sides), words


def _drawn_title(numbers: Numbers, titles: tuple[str, str], sides: tuple[Pipeline | None, Pipeline | None]) -> str:
    """The title of a drawn operator, on the current side if it has one: its own title, if the plan has it."""
    side = 1 if numbers[1] is not None else 0
    pipeline, number = sides[side], numbers[side]
    assert pipeline is not None
    operator = pipeline.plan.by_number.get(number) if number is not None else None
    is_added = titles[side] in ("ChangelogNormalize", "SinkUpsertMaterializer")
    is_added |= isinstance(operator, SetOperation) and titles[side] == "Join"
    return operator.title if operator is not None and not is_added else titles[side]


def _is_explained(operator: DrawnOperator, both: tuple[DrawnOperator | None, DrawnOperator | None]) -> bool:
    """Return whether an operator with a state marked as changed shows the difference."""
    if None in both:
        return True
    marked = any(entry.mark is not Mark.SAME for entry in operator.state if entry.name not in _NO_PART_OF_IT)
    reported = any(entry.name == _RESTART for one in both if one is not None for entry in one.state)
    return reported or not marked


TABLES = """\
CREATE TABLE t (a BIGINT, b BIGINT, c STRING, d BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE u (a BIGINT, b BIGINT, c STRING, d BIGINT) WITH ('connector' = 'kafka');
"""
UNION = (
    "SELECT c, COUNT(*) AS n, SUM(y) AS s FROM "
    "(SELECT c, d AS y FROM t{} UNION ALL SELECT c, d AS y FROM u{}) GROUP BY c"
)
ONE, OTHER = " WHERE a > 3", " WHERE b > 1"
VIEW = "CREATE VIEW v AS SELECT c, a FROM t{} UNION ALL SELECT c, b FROM u{}; SELECT c, a FROM v"
JOINED = "SELECT x.c, x.y FROM (SELECT c, d AS y FROM t{} UNION ALL SELECT c, d AS y FROM u{}) x JOIN u ON x.c = u.c"
UNREAD = "SELECT c, a FROM (SELECT c, a{} FROM t) WHERE a > 5"
OVER = ", MAX(b) OVER (PARTITION BY c ORDER BY ts) AS m"
MOVED_FILTERS = [(was, now) for was in ("", ONE, OTHER) for now in ("", ONE, OTHER)]


@each_engine
@pytest.mark.parametrize("query", [UNION, VIEW, JOINED], ids=["aggregate", "view", "join"])
@pytest.mark.parametrize("was", MOVED_FILTERS, ids=str)
@pytest.mark.parametrize("renames", [False, True], ids=["", "renamed"])
def test_filters_come_and_go_below_a_union(query: str, was: tuple[str, str], renames: bool, engine: str) -> None:
    """The inputs of a union stand in the order of what they mean, which is another one in each version."""
    baseline = JobVersion(TABLES + query.format(*was))
    for now in MOVED_FILTERS:
        text = TABLES + query.format(*now)
        current = JobVersion(
            text.replace("TABLE t ", "TABLE first ").replace("FROM t", "FROM first") if renames else text
        )
        for one, other in ((baseline, current), (current, baseline)):
            report = check(one, other, engine)
            analysis = analyse(one, other, engine)
            assert analysis.drawing().verdict is report.verdict
            assert analysis.plans_text()


@each_engine
@pytest.mark.parametrize("windows", [("", OVER), (OVER, ""), (OVER, OVER.replace("MAX", "SUM"))], ids=["+", "-", "~"])
def test_a_window_that_nothing_reads(windows: tuple[str, str], engine: str) -> None:
    """Only open-source Flink plans it, so it has a number that is none of the plan."""
    baseline, current = (JobVersion(TABLES + UNREAD.format(window)) for window in windows)
    report = check(current, baseline, engine)
    analysis = analyse(current, baseline, engine)
    fates = [analysis.state_outcome(index) for index in range(len(report.findings))]
    drawing = analysis.drawing()
    titles = [node.title.text for pipeline in drawing.pipelines for node in _operators(pipeline)]
    assert ("OverAggregate" in titles) is (engine == "flink")
    assert len(fates) == len(report.findings)


def _operators(pipeline: DrawnPipeline) -> Iterator[DrawnOperator]:
    return (one for node in pipeline.nodes() for one in (node.baseline, node.current) if one is not None)

"""Answers of a comparison beside its report: restarts, drawings, acceptances, and the same in another layout."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from itertools import pairwise

from analysis_targets import fresh_of_pairs, seeds_of_pairs
from fuzz_target import Target, texts_of
from keepstate import (
    ENGINES,
    AcceptancePolicy,
    JobVersion,
    analyse,
    check,
    comment_line,
    draw_plans,
    parse_script,
    read_tables,
)
from keepstate.plan_view.drawing import Drawing, Mark
from keepstate.report import Acceptance, Report, Verdict
from keepstate.restart_effects import StateUse
from keepstate.syntax.tokens import lex
from keepstate.text import Edit, Span, apply_edits
from sql_seeds import SQL_WORDS

_LONGEST = 20_000
_TODAY = date(2026, 6, 1)
_LAYOUTS = (" ", "\n", "  \n\t", " /* ; ' */ ", " -- it's\n")


def restart_a_job(data: bytes) -> None:
    """Each query has one use of the state, which agrees with its verdict; and all tables that it reads are its own."""
    was, now = _versions(data)
    for engine in ENGINES:
        restart = analyse(now, was, engine).restart()
        assert restart.report == check(now, was, engine)
        for query in restart.queries:
            if query.use is StateUse.REUSED:
                assert query.verdict is not Verdict.INCOMPATIBLE
            if query.use is StateUse.NEW:
                assert query.baseline is None
            assert set(query.findings) <= set(restart.report.findings)
    names = [table.name for table in read_tables(now)]
    assert len(names) == len(set(names))


def draw_a_comparison(data: bytes) -> None:
    """Every operator of either side is drawn once, under an id of its own, and a plan beside itself is all the same."""
    was, now = _versions(data)
    for engine in ENGINES:
        _check_drawing(draw_plans(now, was, engine))
        alone = draw_plans(now, now, engine)
        _check_drawing(alone)
        if not alone.problems:
            assert all(one.mark is Mark.SAME for one in alone.pipelines), [one.mark for one in alone.pipelines]


def _check_drawing(drawing: Drawing) -> None:
    ids = [
        operator.id
        for pipeline in drawing.pipelines
        for root in pipeline.forest
        for node in root.walk()
        for operator in (node.baseline, node.current)
        if operator is not None
    ]
    assert len(ids) == len(set(ids)), Counter(ids).most_common(3)


def accept_findings(data: bytes) -> None:
    """A ledger of all findings leaves nothing open and changes no verdict, and one that has run out accepts nothing."""
    was, now = _versions(data)
    for engine in ENGINES:
        plain = check(now, was, engine)
        keys = tuple(Acceptance(one.rule, "agreed", key=one.key) for one in plain.findings if one.key)
        report = check(now, was, engine, AcceptancePolicy(_TODAY, keys))
        assert _reported(report) == _reported(plain) and report.verdict is plain.verdict
        assert all(one.accepted is not None for one in report.findings if one.key)
        assert report.open_verdict.rank <= report.verdict.rank
        for finding in plain.findings:
            commented = f"{comment_line(finding.rule, 'agreed', _TODAY)}\n{now.text}"
            check(JobVersion(commented), was, engine, AcceptancePolicy(_TODAY))


def lay_out_anew(data: bytes) -> None:
    """Other blanks and comments between the tokens of either side change nothing that is said."""
    was, now = _versions(data)
    chance = random.Random(data)
    other_was, other_now = (JobVersion(_in_another_layout(version.text, chance)) for version in (was, now))
    for engine in ENGINES:
        plain = check(now, was, engine)
        if plain.problems or plain.baseline_problems or plain.refusals or plain.baseline_refusals:
            return
        for one, other in ((other_now, was), (now, other_was), (other_now, other_was)):
            report = check(one, other, engine)
            assert _reported(report) == _reported(plain), (_reported(plain), _reported(report), one.text, other.text)
            assert report.verdict is plain.verdict
        for one, other in ((now, other_now), (other_now, now)):
            report = check(one, other, engine)
            assert not report.findings and report.verdict is Verdict.COMPATIBLE, (report.findings, one.text, other.text)


def _in_another_layout(text: str, chance: random.Random) -> str:
    """The text with other blanks where it has some between two tokens of a statement."""
    edits: list[Edit] = []
    for statement in parse_script(text).statements:
        tokens = lex(statement.text).tokens
        for one, other in pairwise(tokens):
            gap = statement.text[one.end : other.start]
            if gap and gap.isspace() and chance.random() < 0.3:
                edits.append(Edit(Span(one.end, other.start).shift(statement.span.start), chance.choice(_LAYOUTS)))
    return apply_edits(text, edits)


def _reported(report: Report) -> Counter[tuple[str, ...]]:
    return Counter((one.rule, one.query_kind, one.verdict.value, str(one.effect)) for one in report.findings)


def _versions(data: bytes) -> tuple[JobVersion, JobVersion]:
    was, now = (JobVersion(text[:_LONGEST]) for text in texts_of(data, 2))
    return was, now


TARGETS = (
    Target("restarts", restart_a_job, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("drawings", draw_a_comparison, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("acceptances", accept_findings, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("layouts", lay_out_anew, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
)

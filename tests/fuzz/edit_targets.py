"""Jobs and queries whose edits are known: the findings are right, and a respelling has none.

An input is read as the choices of the generators of ``tests/properties``, so that mutations of the input lead from one
job to its neighbours. The checks here hold for all jobs.
"""

from __future__ import annotations

import random

from analysis_targets import check_report
from catalogue_of_edits import EDITS, ON_FLINK
from flink_edits import NOT_NEUTRAL_ON_FLINK, FlinkEdit
from fuzz_target import Target
from generated_jobs import Job
from keepstate import ENGINES, JobVersion, check
from keepstate.report import Report, Verdict
from kinds import checked, job_of, story
from pending import PENDING_EDITS
from random_row_queries import edited, random_query
from reusable_state import have_the_same_operators, needs_other_state
from row_query_texts import script_of
from spelling import PLAIN, Chance, NothingToPick, Script


class Choices(random.Random):
    """Chance that an input decides on; where the input ends, its bytes are the seed of what follows."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._left = list(reversed(data))

    def random(self) -> float:
        return self._left.pop() / 256 if self._left else super().random()

    def getrandbits(self, bits: int, /) -> int:
        if len(self._left) * 8 < bits:
            return super().getrandbits(bits)
        number = 0
        for _ in range((bits + 7) // 8):
            number = number * 256 + self._left.pop()
        return number >> (-bits % 8)


def edit_a_job(data: bytes) -> None:
    """A job before and after an edit, in both profiles, and the job before in another spelling."""
    source = Choices(data)
    chance = Chance(source, NOT_NEUTRAL_ON_FLINK)
    edit = chance.pick(*EDITS, *ON_FLINK)
    try:
        before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
    except NothingToPick:
        return
    baseline, current = before.script(PLAIN), after.script(chance)
    for engine in ENGINES:
        report = checked(baseline, current, before, after, engine)
        check_report(report, baseline.text, current.text)
        for job, script in ((before, baseline), (after, current)):
            same = checked(script, script, job, job, engine)
            assert same.unchanged and not same.findings, story(same, script, script)
        labelled = "flink" if isinstance(edit, FlinkEdit) else "vvr"
        if engine == labelled and edit.id not in PENDING_EDITS:
            reported = story(report, baseline, current)
            if isinstance(edit, FlinkEdit):
                left_open = report.verdict is Verdict.UNKNOWN and not edit.decided
                assert left_open or report.effect in edit.effects, f"{edit.id}{reported}"
            else:
                assert report.verdict in {edit.verdict, *edit.also}, f"{edit.id}{reported}"
        respelled = before.script(Chance(source, NOT_NEUTRAL_ON_FLINK if engine == "flink" else frozenset()))
        _assert_silent(before, baseline, respelled, engine)


def _assert_silent(job: Job, baseline: Script, respelled: Script, engine: str) -> None:
    for one, other in ((baseline, respelled), (respelled, baseline)):
        report = checked(one, other, job, job, engine)
        if engine == "vvr" or report.verdict is not Verdict.UNKNOWN:
            assert not report.findings, story(report, one, other)


def evaluate_a_query(data: bytes) -> None:
    """Two versions of a query: one that cannot go on with what the other one kept is never compatible."""
    source = Choices(data)
    query = random_query(source)
    for engine in ENGINES:
        other = edited(query, source, tables=engine == "vvr")
        one, another = script_of(query), script_of(other, source)
        report: Report = check(JobVersion(another), JobVersion(one), engine)
        check_report(report, one, another)
        if have_the_same_operators(query, other) and needs_other_state(query, other, engine):
            assert report.verdict is not Verdict.COMPATIBLE, f"{one}\n{another}"


def seeds() -> list[bytes]:
    return [random.Random(number).randbytes(48) for number in range(32)]


def fresh(chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((24, 48, 96)))


TARGETS = (
    Target("edited-jobs", edit_a_job, seeds, fresh=fresh),
    Target("evaluated-queries", evaluate_a_query, seeds, fresh=fresh),
)

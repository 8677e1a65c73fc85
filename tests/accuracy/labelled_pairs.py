"""Pairs of jobs with a label, by number: the expected verdict, rule and clauses.

A pair is made of its number and of the seed of the run alone, so each one can be made again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from catalogue_of_edits import EDITS, ON_FLINK
from combined_edits import declares_twice, edits_of_one_query, edits_of_two_queries
from edits import COMPATIBLE, Edit
from flink_edits import NOT_NEUTRAL_ON_FLINK
from generated_jobs import Job
from keepstate.report import Verdict
from kinds import KINDS, QUERIES, SUNK, job_of
from pending import PENDING_EDITS
from spelling import PLAIN, Chance, Script

NEUTRAL, EDIT, TWO_EDITS, TWO_QUERIES, NEUTRAL_ON_FLINK, EDIT_ON_FLINK = (
    "one job in two spellings", "one edit", "two edits of one query", "edits of two queries",
    "one job in two spellings, profile flink", "one edit, profile flink",
)  # fmt: skip
_SHARES = (
    NEUTRAL, EDIT, TWO_EDITS, EDIT, NEUTRAL, EDIT, EDIT_ON_FLINK, EDIT, NEUTRAL, NEUTRAL_ON_FLINK,
    NEUTRAL, EDIT, TWO_EDITS, EDIT, NEUTRAL, EDIT, EDIT_ON_FLINK, EDIT, TWO_QUERIES, NEUTRAL_ON_FLINK,
)  # fmt: skip
"""Families of pairs, by the number of a pair in a score of pairs."""
_ON_FLINK = frozenset({NEUTRAL_ON_FLINK, EDIT_ON_FLINK})
_ATTEMPTS = 500
_EDITS, _EDITS_ON_FLINK = (tuple(edit for edit in edits if edit.id not in PENDING_EDITS) for edits in (EDITS, ON_FLINK))
"""Edits without those that the product is known to judge wrongly: these are counted apart (``pending``)."""
_OF_ONE_QUERY = ("branches", "below", "aggregates", "keys", "window", "filter", "output", "condition", "partition")
"""Parts of a job whose edits concern one query alone."""


@dataclass(frozen=True)
class LabelledPair:
    """``edits`` are what the second job differs in. ``baseline`` and ``current`` are the texts, with the clauses
    marked that a finding has to touch; ``neutral`` are the ids of the rewrites that make them differ otherwise.
    """

    number: int
    family: str
    kind: str
    edits: tuple[Edit, ...]
    verdict: Verdict
    before: Job
    after: Job
    baseline: Script
    current: Script
    neutral: frozenset[str]

    @property
    def engine(self) -> str:
        return "flink" if self.family in _ON_FLINK else "vvr"

    @property
    def label(self) -> str:
        return " and ".join(edit.id for edit in self.edits) or "nothing"

    def turned(self) -> LabelledPair:
        """The same the other way round: only where nothing changed is it known what to say of that."""
        assert not self.edits
        return replace(self, before=self.after, after=self.before, baseline=self.current, current=self.baseline)


def pair_of(number: int, seed: int = 0) -> LabelledPair:
    """The pair of this number."""
    family = _SHARES[number % len(_SHARES)]
    kept = NOT_NEUTRAL_ON_FLINK if family in _ON_FLINK else frozenset()
    chance = Chance(random.Random(f"{seed}/{number}"), kept)
    return _MAKERS[family](number, family, chance)


def _ordinal(number: int, family: str) -> int:
    """The number of a pair among those of its family."""
    scores, rest = divmod(number, len(_SHARES))
    return scores * _SHARES.count(family) + _SHARES[:rest].count(family)


def _neutral(number: int, family: str, chance: Chance) -> LabelledPair:
    kind = KINDS[_ordinal(number, family) % len(KINDS)]
    job = job_of(kind, chance)
    if kind in QUERIES and chance.pick(False, False, True):
        # A second query has nothing to do with the first one.
        job = replace(job, inserts=(*job.inserts, *_beside(job, chance).inserts))
    return _written(number, family, kind, (), COMPATIBLE, job, job, chance)


def _beside(job: Job, chance: Chance) -> Job:
    other = job_of(chance.pick(*SUNK), chance)
    insert = other.inserts[0]
    return replace(other, inserts=(replace(insert, sink=replace(insert.sink, name="further_results")),))


def _edit(number: int, family: str, chance: Chance) -> LabelledPair:
    edits = _EDITS_ON_FLINK if family == EDIT_ON_FLINK else _EDITS
    edit = edits[_ordinal(number, family) % len(edits)]
    before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
    if family == EDIT and edit.part in _OF_ONE_QUERY and chance.pick(False, False, True):
        before, after = _with_another(before, after, chance)
    return _written(number, family, edit.kind, (edit,), edit.verdict, before, after, chance)


def _with_another(before: Job, after: Job, chance: Chance) -> tuple[Job, Job]:
    """Both versions with a second query of which nothing may be said, if it can stand beside them."""
    if before.settings or after.settings or len(before.inserts) > 1 or len(after.inserts) > 1:
        return before, after
    (insert,) = _beside(before, chance).inserts
    further = replace(insert, unrelated=True)
    wider = [replace(job, inserts=(*job.inserts, further)) for job in (before, after)]
    return (before, after) if any(map(declares_twice, wider)) else (wider[0], wider[1])


def _two_edits(number: int, family: str, chance: Chance) -> LabelledPair:
    made = _first_made(edits_of_one_query, chance)
    return _written(number, family, made.edits[0].kind, made.edits, made.verdict, made.before, made.after, chance)


def _two_queries(number: int, family: str, chance: Chance) -> LabelledPair:
    made = _first_made(edits_of_two_queries, chance)
    kind = " and ".join(edit.kind for edit in made.edits)
    return _written(number, family, kind, made.edits, made.verdict, made.before, made.after, chance)


def _first_made(make: Callable, chance: Chance):  # type: ignore[no-untyped-def, type-arg]
    """Not all edits go together: the first two that do."""
    for _ in range(_ATTEMPTS):
        made = make(chance)
        if made is not None:
            return made
    raise AssertionError("no two edits go together")


def _written(
    number: int, family: str, kind: str, edits: tuple[Edit, ...], verdict: Verdict, before: Job, after: Job,
    chance: Chance,
) -> LabelledPair:  # fmt: skip
    """One side is plain now and then, so that what the other one is spelled like stands out."""
    chance.varied.clear()
    baseline = before.script(chance.pick(PLAIN, chance))
    current = after.script(chance)
    return LabelledPair(
        number, family, kind, edits, verdict, before, after, baseline, current, _named(chance.varied, kind)
    )


def _named(varied: set[str], kind: str) -> frozenset[str]:
    """The ids of the rewrites; some rows say of one kind of query what others say of all."""
    own = {"interval-join": {"JI-05"}, "window-join": {"WJ-02"}}.get(kind, set()) if "EQ-01" in varied else set()
    return frozenset((varied - {"order"}) | own)


_MAKERS = {
    NEUTRAL: _neutral,
    EDIT: _edit,
    TWO_EDITS: _two_edits,
    TWO_QUERIES: _two_queries,
    NEUTRAL_ON_FLINK: _neutral,
    EDIT_ON_FLINK: _edit,
}

"""docs/accuracy.md: what was expected of a run of labelled pairs, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from edits import Edit
from keepstate.report import Verdict
from keepstate.rules.catalogue import RULES
from keepstate.rules.rule import Rule
from keepstate.rules.specification import MEANINGS, SECTIONS
from labelled_pairs import NEUTRAL_ON_FLINK, LabelledPair
from pair_scores import Mistake, Score
from rule_labels import spec_id

INTRODUCTION = """\
<!-- Made by `make accuracy`. -->

# How often the verdicts are right

Pairs of jobs are made at random: queries of every kind that the specification of the `vvr` profile speaks of, in three
vocabularies of tables. The second job of a pair is the first one spelled anew, with or without an edit before. What a
restart has to be told follows from the edit: the label is the row of the specification that speaks of it, with its
verdict, and the clauses that were edited. The generators (`tests/properties`) know nothing of the analyzer. Where a
pair was not right, the specification decided whether product or label was mended; which rules may tell a row beside
its own, and what may follow elsewhere from an edit, stands in `tests/accuracy/rule_labels.py` with its reasons.

A pair is **right** if the verdict is the label's, if a rule that implements the row says so, if that finding touches
the edited clause, and if nothing is said of any other clause. Of a pair without an edit nothing may be said in either
direction, nor of its job beside itself. A **false alarm** is a finding that no edit accounts for, a **miss** is a
verdict that is milder than the label.

Less is asked of some pairs. Of two edits only the verdict of both together is. An edit of a layer below the clause that
it changes (a column computed or declared otherwise) may be told at either place, so its place is not looked at.
"""
_VERDICTS = (Verdict.COMPATIBLE, Verdict.PARTIAL, Verdict.UNKNOWN, Verdict.INCOMPATIBLE)


@dataclass(frozen=True)
class ScoredPair:
    """A pair and its score as plain values, which can travel between processes. ``labels`` are ids of its edits."""

    number: int
    family: str
    kind: str
    engine: str
    label: str
    labels: tuple[str, ...]
    expected: Verdict
    neutral: frozenset[str]
    score: Score

    @staticmethod
    def of(pair: LabelledPair, score: Score) -> ScoredPair:
        labels = tuple(spec_id(edit) for edit in pair.edits)
        return ScoredPair(
            pair.number, pair.family, pair.kind, pair.engine, pair.label, labels, pair.verdict, pair.neutral, score
        )


@dataclass
class _Row:
    """The pairs of one label."""

    expected: set[Verdict] = field(default_factory=set)
    pairs: int = 0
    right: int = 0
    told: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """All scores of a run, as the page needs them."""

    families: dict[str, Counter[str]] = field(default_factory=dict)
    verdicts: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)
    rows: dict[str, _Row] = field(default_factory=dict)
    neutral: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    wrong: list[int] = field(default_factory=list)

    def add(self, pair: ScoredPair) -> None:
        score = pair.score
        family = self.families.setdefault(pair.family, Counter())
        family["pairs"] += 1
        family["left open"] += score.left_open
        family["right"] += not score.mistakes
        for mistake in score.mistakes:
            family[mistake.value] += 1
        if score.mistakes:
            self.wrong.append(pair.number)
        if pair.engine != "vvr":
            return
        self.verdicts[pair.expected, score.verdict] += 1
        self.rules.update(score.rules)
        self.neutral.update(pair.neutral)
        if len(pair.labels) == 1:
            row = self.rows.setdefault(pair.labels[0], _Row())
            row.expected.add(pair.expected)
            row.pairs += 1
            row.right += not score.mistakes
            row.told.update(score.told or ("nothing",))

    @property
    def pairs(self) -> int:
        return sum(family["pairs"] for family in self.families.values())


def page(tally: Tally, seed: int, edits: Iterable[Edit]) -> str:
    """The document."""
    lines = [INTRODUCTION]
    lines += [f"This page was made from {tally.pairs:,} pairs with `make accuracy SEED={seed} PAIRS={tally.pairs}`.\n"]
    lines += ["## Pairs\n", *_families(tally), ""]
    lines += ["## Verdicts\n", "Profile `vvr`; rows are expected, columns are found.\n", *_verdicts(tally), ""]
    lines += ["## Rules\n", _RULES, *_rules(tally), ""]
    lines += ["## Rewrites that mean nothing\n", _NEUTRAL, *_neutral(tally), ""]
    lines += ["## What no pair reaches\n", *_unreached(tally, edits)]
    return "\n".join(lines).rstrip() + "\n"


_RULES = """\
By the row of the specification that labels the edit, with the verdicts that it expects and the rules that spoke (those
whose verdict is that of the report; a rule of each edit is enough where several told the same edit). Pairs of one edit.
"""
_ON_FLINK = """\
With profile `flink`, {left_open} of the pairs that are right were left open: the profile says *unknown*, and why, where
it does not know which columns Flink's planner takes past a view. The order of the inputs of a UNION and of INSERTs is
no rewrite there, since ids of operators follow from it. Edits have no labels on that profile here: what Flink did with
measured pairs stands in [conformance](conformance.md)."""
_NEUTRAL = """\
In how many of the pairs of profile `vvr` a rewrite of this kind was part of the difference, beside others. None of them
was told anywhere in this run, unless the tables above say so.
"""


def _families(tally: Tally) -> Iterator[str]:
    columns = ("pairs", "right", *(mistake.value for mistake in Mistake))
    yield f"| pairs of | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
    for name, counts in tally.families.items():
        yield f"| {name} | {' | '.join(f'{counts[column]:,}' for column in columns)} |"
    left_open = tally.families.get(NEUTRAL_ON_FLINK, Counter())["left open"]
    yield ""
    yield _ON_FLINK.format(left_open=left_open)


def _verdicts(tally: Tally) -> Iterator[str]:
    yield f"| | {' | '.join(verdict.value for verdict in _VERDICTS)} |"
    yield f"|---|{'---:|' * len(_VERDICTS)}"
    for expected in _VERDICTS:
        counts = (tally.verdicts[expected, found] for found in _VERDICTS)
        yield f"| **{expected.value}** | {' | '.join(f'{count:,}' if count else '' for count in counts)} |"


def _rules(tally: Tally) -> Iterator[str]:
    yield "| label | expected | pairs | right | told by |"
    yield "|---|---|---:|---:|---|"
    order = {id_: number for number, id_ in enumerate(id_ for section in SECTIONS for id_ in section.ids)}
    for label in sorted(tally.rows, key=lambda id_: (order.get(id_, len(order)), id_)):
        row = tally.rows[label]
        expected = ", ".join(verdict.value for verdict in _VERDICTS if verdict in row.expected)
        told = ", ".join(f"`{rule}` {count}" for rule, count in row.told.most_common()).replace("`nothing`", "nothing")
        yield f"| {label} | {expected} | {row.pairs} | {row.right} | {told} |"


def _neutral(tally: Tally) -> Iterator[str]:
    yield "| id | pairs |"
    yield "|---|---:|"
    for id_ in sorted(tally.neutral):
        yield f"| {id_} | {tally.neutral[id_]:,} |"


def _unreached(tally: Tally, edits: Iterable[Edit]) -> Iterator[str]:
    spoke = {spec for rule in RULES if _name(rule) in tally.rules for spec in rule.spec}
    labels = {spec_id(edit) for edit in edits} | set(tally.neutral) | spoke
    ids = [id_ for section in SECTIONS for id_ in section.ids if id_ not in labels and id_ not in MEANINGS]
    yield f"Rows of the specification that label no edit, and whose rules spoke of none: {', '.join(ids) or 'none'}."
    yield ""
    missing = [f"`{_name(rule)}`" for rule in RULES if _name(rule) not in tally.rules]
    yield f"{len(missing)} of the {len(RULES)} rules spoke in no pair of this run. They are tested by the examples of"
    yield "their pages and by tests of their own:"
    yield ""
    yield ", ".join(missing) + "."


def _name(rule: Rule) -> str:
    return f"{rule.query.value}/{rule.id}"

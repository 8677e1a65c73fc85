"""docs/accuracy.md: what was expected of a run of labelled pairs, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from edits import Edit
from equivalence_silences import silences
from flink_edits import FlinkEdit
from keepstate.report import Effect, Verdict
from keepstate.rules.catalogue import all_rules
from keepstate.rules.rule import Rule
from keepstate.rules.specification import MEANINGS, SECTIONS
from labelled_pairs import EDIT_ON_FLINK, NEUTRAL_ON_FLINK, LabelledPair
from pair_scores import Mistake, Score
from pending import PENDING_EDITS
from rule_labels import spec_id
from unreached_rules import reason_for

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

Jobs have one query or several: some pairs of an edit have a second query of which nothing may be said, and some have
two or three INSERTs over one view, of which the edit concerns one. Where two rows of the specification tell an edit
differently, either verdict is right. Some compatible edits have to be silent, and others have to be told.

Less is asked of some pairs. Of two edits only the verdict of both together is. An edit of a layer below the clause that
it changes (a column computed or declared otherwise) may be told at either place, so its place is not looked at.

Of the profile `flink` the specification says nothing. There a label is what Flink was seen to do with such an edit when
it restored real savepoints (`tests/properties/flink_edits.py`, `flink_rich_edits.py`; other measurements are those of
[predictions](predictions.md)): right is a report with that end, at the edited clause.
"""
_LIMITS = """\
A mistake that the author of a generator and the author of the analyzer share is in both, and then no number of pairs
shows it. An earlier run of 20,000 pairs had no miss, and yet the product said *compatible* where

* a column of a UNION ALL came from another branch: no generated union had two branches over one table,
* an aggregate that nothing reads came or went below a ranking: both took it for pruned,
* a condition on a window field stood above its aggregation: the generated ones stood below it,
* an INSERT named its columns in another order than its sink: all generated lists were in the order of the sink,
* one argument was spelled in two ways in one query: the generated spellings took turns,
* a lookup join in front of an aggregation changed (profile `flink`): no label was about that.

Each of these has its generators now (`tests/properties/united.py`, `totals.py`, `shared_views.py`, `insert_columns.py`,
`respelled_arguments.py`, `undeclared_tables.py`, `source_edits.py`). The next one has none.

**Wrong labels.** A label is one reading of the specification. For open-source Flink it is what happened to a few jobs
with one set of rows each, on one version, with one backend and without parallelism; other spellings of the same edit
take the label over. Where rows decide what is seen, as with a ranking whose partitions are short, a measurement can say
*exact* of what is not.

**What is never generated.** Rows, arrays and maps with UNNEST; table functions other than one; subqueries in select
lists, and correlated ones other than EXISTS; joins of three inputs, of aggregations with streams, and with several keys
but for added ones; GROUPING SETS with lists of their own; hints; tables by LIKE, ALTER, catalogs and databases; views
that read views of other queries; templates; most functions, and types other than those of three tables; sources of
changes but for a few edits; more than two edits at once; jobs of more than three queries, and long ones. There are
three patterns of MATCH_RECOGNIZE. Nothing is generated of what a person writes by accident.

**What is not looked at.** Sentences, advice and fixes; which of two wrong rules is worse; how long an answer takes.

Three things share no reading with the analyzer, and so find what these pairs cannot.

* `test_union_rows.py` and `test_row_queries.py` (`tests/properties`) evaluate queries by hand on random rows, some of
  them NULL: filters, projections, unions, inner joins, groups with FILTER, DISTINCT and HAVING, rankings, in layers of
  views. A version whose operators lack something in what the former ones kept must not be called compatible, whatever
  the edit is. They know no windows, no OVER, no outer joins and no times, and they ask whether something is told, not
  what.
* The restores of [predictions](predictions.md) are of jobs that were written without these generators.
* So are the versions of real repositories (`make corpus`), which have no labels.
"""
_PENDING = """\
{number} seeded edits make no pairs, since the product is known to tell them wrongly; `tests/properties/pending.py` has
their names and what is wrong.
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
    effects: tuple[Effect, ...] = ()
    """Effects measured on Flink, if these are the label."""

    @staticmethod
    def of(pair: LabelledPair, score: Score) -> ScoredPair:
        measured = [edit for edit in pair.edits if isinstance(edit, FlinkEdit)]
        labels = tuple(edit.name if edit in measured else spec_id(edit) for edit in pair.edits)
        effects = tuple(sorted((effect for edit in measured for effect in edit.effects), key=lambda one: one.value))
        return ScoredPair(
            pair.number, pair.family, pair.kind, pair.engine, pair.label, labels, pair.verdict, pair.neutral, score,
            effects,
        )  # fmt: skip


@dataclass
class _Row:
    """The pairs of one label."""

    expected: set[Verdict] = field(default_factory=set)
    pairs: int = 0
    right: int = 0
    reported: Counter[str] = field(default_factory=Counter)


@dataclass
class _MeasuredRow:
    """The pairs of one measured kind of edit."""

    kinds: set[str] = field(default_factory=set)
    expected: set[Effect] = field(default_factory=set)
    pairs: int = 0
    right: int = 0
    left_open: int = 0
    found: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """All scores of a run, as the page needs them."""

    families: dict[str, Counter[str]] = field(default_factory=dict)
    verdicts: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)
    rows: dict[str, _Row] = field(default_factory=dict)
    measured: dict[str, _MeasuredRow] = field(default_factory=dict)
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
        self.rules.update(score.rules)
        if pair.engine != "vvr":
            self._add_measured(pair)
            return
        self.verdicts[pair.expected, score.verdict] += 1
        self.neutral.update(pair.neutral)
        if len(pair.labels) == 1:
            row = self.rows.setdefault(pair.labels[0], _Row())
            row.expected.add(pair.expected)
            row.pairs += 1
            row.right += not score.mistakes
            row.reported.update(score.reported or ("nothing",))

    def _add_measured(self, pair: ScoredPair) -> None:
        for label in pair.labels:
            row = self.measured.setdefault(label, _MeasuredRow())
            row.kinds.add(pair.kind)
            row.expected.update(pair.effects)
            row.pairs += 1
            row.right += not pair.score.mistakes
            row.left_open += pair.score.left_open
            row.found[pair.score.effect.value] += 1

    @property
    def pairs(self) -> int:
        return sum(family["pairs"] for family in self.families.values())


_SILENT = """\
Of the pairs of [real plans](../tests/truth/equivalence/README.md), these edits change what open-source Flink stores or
its ids, and nothing is said. On `vvr` a row of the specification demands it. On `flink` the results come out right: a
pair of each was restored from a savepoint. A kind without a row here fails a test
(`tests/truth/equivalence_silences.py`).
"""


def page(tally: Tally, seed: int, edits: Iterable[Edit]) -> str:
    """The document."""
    lines = [INTRODUCTION]
    lines += [f"This page was made from {tally.pairs:,} pairs with `make accuracy SEED={seed} PAIRS={tally.pairs}`.\n"]
    lines += ["## Pairs\n", *_families(tally), ""]
    lines += ["## Verdicts\n", "Profile `vvr`; rows are expected, columns are found.\n", *_verdicts(tally), ""]
    lines += ["## Rules\n", _RULES, *_rules(tally), ""]
    lines += ["## Edits on open-source Flink\n", _MEASURED, *_measured(tally), ""]
    lines += ["## Rewrites that mean nothing\n", _NEUTRAL, *_neutral(tally), ""]
    lines += ["## Silent although the state differs\n", _SILENT, *silences()]
    lines += ["## What no pair reaches\n", *_unreached(tally, edits), ""]
    lines += ["## What the generators cannot find\n", _LIMITS]
    if PENDING_EDITS:
        lines += [_PENDING.format(number=len(PENDING_EDITS))]
    return "\n".join(lines).rstrip() + "\n"


_RULES = """\
By the row of the specification that labels the edit, with the verdicts that it expects and the rules that spoke (those
whose verdict is that of the report; a rule of each edit is enough where several told the same edit). Pairs of one edit.
"""
_ON_FLINK = """\
With profile `flink`, {neutral} of the pairs without an edit and {edited} of those with one are right and left open: the
profile says *unknown*, and why, where it does not know which columns Flink's planner takes past a view. The order of
the inputs of a UNION and of INSERTs is no rewrite there, since ids of operators follow from it."""
_MEASURED = """\
Profile `flink`, by the kind of edit. All ends but *exact* are incompatible. Where two are expected, it goes by the rows
that come which of them one sees.
"""
_NEUTRAL = """\
In how many of the pairs of profile `vvr` a rewrite of this kind was part of the difference, beside others. None of them
was told anywhere in this run, unless the tables above say so.

Some kinds only undo a form that the analyzer itself puts expressions into, named beside them. Of these the numbers say
that this form is reached, and nothing about other spellings of the same meaning: for those see what is held against
Flink's plans, below.
"""
RESTATED = {
    "DD-07": "a range of rank numbers",
    "EQ-01": "intervals in one unit",
    "EQ-02": "a range of rank numbers; order and NULLs spelled out",
    "EQ-03": "operands of AND, =, IN in one order; BETWEEN as two comparisons",
    "EQ-04": "one word for each join",
    "EQ-05": "keys without brackets; COUNT(*) for COUNT(1); an aggregate once",
    "JI-05": "intervals in one unit",
    "TN-08": "a range of rank numbers",
    "UA-01": "branches in one order",
    "WH-04": "operands of AND, =, IN in one order; BETWEEN as two comparisons",
    "WJ-02": "intervals in one unit",
    "WTN-12": "a range of rank numbers",
}
"""The canonical form of the analyzer that the rewrites of a row come to, where they do nothing else."""


def _families(tally: Tally) -> Iterator[str]:
    columns = ("pairs", "right", *(mistake.value for mistake in Mistake))
    yield f"| pairs of | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
    for name, counts in tally.families.items():
        yield f"| {name} | {' | '.join(f'{counts[column]:,}' for column in columns)} |"
    neutral, edited = (
        tally.families.get(family, Counter())["left open"] for family in (NEUTRAL_ON_FLINK, EDIT_ON_FLINK)
    )
    yield ""
    yield _ON_FLINK.format(neutral=neutral, edited=edited)


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
        reported = ", ".join(f"`{rule}` {count}" for rule, count in row.reported.most_common()).replace(
            "`nothing`", "nothing"
        )
        yield f"| {label} | {expected} | {row.pairs} | {row.right} | {reported} |"


def _measured(tally: Tally) -> Iterator[str]:
    yield "| edit | queries | Flink | pairs | right | left open | found |"
    yield "|---|---|---|---:|---:|---:|---|"
    for name in sorted(tally.measured):
        row = tally.measured[name]
        expected = " or ".join(sorted(effect.value for effect in row.expected))
        found = ", ".join(f"{effect} {count}" for effect, count in row.found.most_common())
        kinds = ", ".join(sorted(row.kinds))
        yield f"| {name} | {kinds} | {expected} | {row.pairs} | {row.right} | {row.left_open} | {found} |"


def _neutral(tally: Tally) -> Iterator[str]:
    yield "| id | pairs | restates |"
    yield "|---|---:|---|"
    for id_ in sorted(tally.neutral):
        yield f"| {id_} | {tally.neutral[id_]:,} | {RESTATED.get(id_, '')} |"


def _unreached(tally: Tally, edits: Iterable[Edit]) -> Iterator[str]:
    labels = {spec_id(edit) for edit in edits} | set(tally.neutral)
    ids = [id_ for section in SECTIONS for id_ in section.ids if id_ not in labels and id_ not in _ASKED_OF_ALL]
    yield f"Rows of the specification that label no edit and no rewrite: {', '.join(ids) or 'none'}."
    yield "OV-01 to OV-04 say what the verdicts mean; ID-01, CMB-01 and CMB-04 are about all pairs, or all pairs of two"
    yield "edits."
    yield ""
    silent: dict[str, list[str]] = {}
    for rule in all_rules():
        if _name(rule) not in tally.rules:
            silent.setdefault(reason_for(rule), []).append(f"`{_name(rule)}`")
    number = sum(map(len, silent.values()))
    yield f"{number} of the {len(all_rules())} rules spoke in no pair of this run. They are tested by the examples of"
    yield "their pages and by tests of their own:"
    yield ""
    for reason, names in silent.items():
        yield f"* {reason}: {', '.join(names)}."


_ASKED_OF_ALL = frozenset({"ID-01", *MEANINGS})


def _name(rule: Rule) -> str:
    return f"{rule.query.value}/{rule.id}"

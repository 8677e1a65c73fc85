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

Keepstate's verdicts are compared with labels, on random pairs of jobs.

*Basis: labels of `vvr` come from the vendor's documentation (and some inference), labels of `flink` from restarts
measured on Flink.*

**How pairs are made.** Queries are generated of every kind in the specification of the `vvr` profile, in three
vocabularies of tables. The second job of a pair is the first job in other words, edited or not. The generators
(`tests/properties`) share no code with the analyzer.

**Labels.** The label of an edit is its row of the specification, with its verdict and the edited clauses. If a pair
was not right, the specification decided whether product or label was wrong. `tests/accuracy/rule_labels.py` lists,
with reasons, which other rules may report a row, and which other findings an edit may cause.

* **right**: the verdict is the label's, a rule of the row reports it, the finding touches the edited clause, and no
  other clause has a finding. A pair without an edit has no finding in either direction, nor has a job compared with
  itself.
* **false alarm**: a finding without an edit that causes it.
* **miss**: a verdict that is milder than the label.

**Several queries.** Some pairs with an edit have a second query, which must have no finding. Some have two or three
INSERTs over one view, of which the edit concerns one. If two rows of the specification disagree on an edit, either
verdict is right. Some compatible edits have to be silent, and others have to be reported.

**Weaker demands.** Of two edits only the common verdict counts. An edit of a layer below the changed clause (a column
computed or declared otherwise) may be reported at either place, so its place is not checked.

**Profile `flink`.** The specification does not cover it. There a label is the outcome on Flink when it restored real
savepoints after such an edit (`tests/properties/flink_edits.py`, `flink_rich_edits.py`; other measurements are those
of [predictions](predictions.md)). A report is right if it has that outcome, at the edited clause.
"""
_LIMITS = """\
**Shared mistakes.** If a generator and the analyzer have the same mistake, no number of pairs shows it. An earlier
run of 20,000 pairs had no miss, and yet the product said *compatible* in these cases:

* a column of a UNION ALL came from another branch: no generated union had two branches over one table,
* an aggregate that nothing reads came or went below a ranking: both took it for pruned,
* a condition on a window field stood above its aggregation: the generated ones stood below it,
* an INSERT named its columns in another order than its sink: all generated lists were in the order of the sink,
* one argument was spelled in two ways in one query: the generated spellings took turns,
* a lookup join in front of an aggregation changed (profile `flink`): no label was about that.

Each of these cases has its generators now (`tests/properties/united.py`, `totals.py`, `shared_views.py`,
`insert_columns.py`, `respelled_arguments.py`, `undeclared_tables.py`, `source_edits.py`). The next one has none.

**Wrong labels.** A label is one reading of the specification. For open-source Flink it is the outcome for a few jobs
with one set of rows each, on one version, with one backend and without parallelism. Other spellings of the same edit
get the same label. Some rows do not show a difference, as in a ranking with short partitions: then the measurement
says *exact* although the state differs.

**What is never generated.** Rows, arrays and maps with UNNEST; table functions other than one; subqueries in select
lists, and correlated ones other than EXISTS; joins of three inputs, of aggregations with streams, and with several
keys but for added ones; GROUPING SETS with lists of their own; hints; tables by LIKE, ALTER, catalogs and databases;
views that read views of other queries; templates; most functions, and types other than those of three tables; sources
of changes but for a few edits; more than two edits at once; jobs of more than three queries, and long ones; accidents
of a person. There are three patterns of MATCH_RECOGNIZE.

**What is not checked.** Sentences, advice and fixes; which of two wrong rules is worse; the time of an answer.

**Independent checks.** Three others share no reading of the specification with the analyzer, and so find mistakes
that these pairs cannot.

* `test_union_rows.py` and `test_row_queries.py` (`tests/properties`) evaluate queries by hand on random rows, some of
  them NULL: filters, projections, unions, inner joins, groups with FILTER, DISTINCT and HAVING, rankings, in layers
  of views. If operators of the new version need a value that the former ones did not keep, the verdict must not be
  compatible, for any edit. They cover no windows, no OVER, no outer joins and no times, and they check only that
  there is a finding.
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

"""Differences of MATCH_RECOGNIZE: its clauses, and the rows that it stores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import as_written, distinct_texts, names, query_text
from keepstate.diff.operators.partition_keys import PartitionClauses, partition_changes
from keepstate.diff.sequences import at_same_index, compare, either, one_in_the_other, same_use
from keepstate.plan.expressions import Expr, Measure, PatternColumn
from keepstate.plan.operators import Definition, Match
from keepstate.plan.predicates import conjuncts
from keepstate.plan.provenance import Place
from keepstate.plan.types.inference import same_row_types


@dataclass(frozen=True)
class PatternDiff:
    """Compares one MATCH_RECOGNIZE of the baseline with its counterpart."""

    baseline: Match
    current: Match
    locator: Locator

    @staticmethod
    def of(baseline: Match, current: Match, locator: Locator) -> PatternDiff:
        return PatternDiff(_in_words_of(baseline, current), current, locator)

    def changes(self) -> Iterator[Change]:
        yield from self._partition()
        yield from self._order()
        yield from self._measures()
        yield from self._clauses()
        yield from self._define()
        yield from self._row()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, QueryKind.PATTERN, current, baseline, **facts)  # type: ignore[arg-type]

    def _partition(self) -> Iterator[Change]:
        baseline_place, current_place = (
            side.places.partition or side.places.order for side in (self.baseline, self.current)
        )
        keys = self.baseline.partition, self.current.partition
        clauses = PartitionClauses(baseline_place, current_place, current_place)
        yield from partition_changes(QueryKind.PATTERN, *keys, clauses, self.locator)

    def _order(self) -> Iterator[Change]:
        if self.baseline.order == self.current.order:
            return
        places = (self.baseline.places.order, self.current.places.order or self.current.place)
        diff = compare(
            self.baseline.order, self.current.order, (at_same_index(self.baseline.order, self.current.order),)
        )
        for was, now in diff.modified[:1]:
            places = self.locator.modification(*_innermost(was, now), *places)
        yield self._change(
            ChangeKind.PATTERN_ORDER_CHANGED,
            places[1],
            places[0],
            removed=self.current.places.order is None,
            subject="order of the rows",
            baseline_text=query_text(self.baseline.order) or "none",
            current_text=query_text(self.current.order) or "none",
        )

    def _measures(self) -> Iterator[Change]:
        baseline_measures, current_measures = self.baseline.measures, self.current.measures
        diff = compare(
            baseline_measures,
            current_measures,
            (_same_alias, at_same_index(baseline_measures, current_measures), one_in_the_other, either),
        )
        for was, now in diff.modified:
            places = self.locator.modification(was, now, was.place, now.place)
            yield self._measure(places[1], places[0], f"measure {became(*as_written(was, now))}")
        for measure in diff.added:
            yield self._measure(measure.place, None, f"measure {measure} added")
        rest = self.current.places.measures or self.current.places.order or self.current.place
        for measure in diff.removed:
            yield replace(self._measure(rest, measure.place, f"measure {measure} removed"), removed=True)
        if diff.reordered:
            yield self._measure(rest, self.baseline.places.measures, "order of the measures changed")

    def _measure(self, current: Place | None, baseline: Place | None, subject: str) -> Change:
        return self._change(ChangeKind.MEASURES_CHANGED, current, baseline, subject=subject)

    def _clauses(self) -> Iterator[Change]:
        """The clauses that are compared as a whole. One that went is shown at the pattern, beside which it stood."""
        baseline, current = self.baseline, self.current
        whole = current.places.pattern or current.place
        compared = (
            (ChangeKind.ROWS_PER_MATCH_CHANGED, "rows", baseline.rows, current.rows),
            (ChangeKind.AFTER_MATCH_CHANGED, "after", baseline.after, current.after),
            (ChangeKind.PATTERN_CHANGED, "pattern", baseline.pattern, current.pattern),
            (ChangeKind.PATTERN_CHANGED, "subsets", ", ".join(baseline.subsets), ", ".join(current.subsets)),
            (ChangeKind.WITHIN_CHANGED, "within", baseline.within, current.within),
        )
        for kind, clause, was, now in compared:
            if was == now:
                continue
            place = getattr(current.places, clause)
            yield self._change(
                kind,
                place or whole,
                getattr(baseline.places, clause),
                removed=place is None,
                subject=_NAMES[clause],
                baseline_text=str(was or "none"),
                current_text=str(now or "none"),
            )

    def _define(self) -> Iterator[Change]:
        baseline_definitions = {definition.variable: definition for definition in self.baseline.define}
        current_definitions = {definition.variable: definition for definition in self.current.define}
        for variable, was in baseline_definitions.items():
            now = current_definitions.get(variable)
            if now is None:
                rest = self.current.places.define or self.current.places.pattern or self.current.place
                yield self._definition(rest, was.place, query_text([was]), "")
            elif was != now:
                yield from self._modified_definition(was, now)
        for variable, now in current_definitions.items():
            if variable not in baseline_definitions:
                yield self._definition(now.place, None, "", query_text([now]))

    def _modified_definition(self, was: Definition, now: Definition) -> Iterator[Change]:
        """Of conditions that AND joins those that changed, where the definition keeps others."""
        baseline, current = self.locator.modification(was.condition, now.condition, was.place, now.place)
        diff = compare(conjuncts(was.condition), conjuncts(now.condition), (_same_columns, either))
        if current != now.place or not diff.unchanged:
            yield self._definition(current, baseline, *as_written(was, now))
            return
        for before, after in diff.modified:
            yield self._definition(after.place, before.place, *as_written(before, after))
        for condition in diff.added:
            yield self._definition(condition.place, None, "", query_text([condition]))
        for condition in diff.removed:
            yield self._definition(now.place, condition.place, query_text([condition]), "")

    def _definition(self, current: Place | None, baseline: Place | None, was: str, now: str) -> Change:
        return self._change(
            ChangeKind.DEFINE_CHANGED,
            current,
            baseline,
            removed=not now,
            subject=became(was, now),
            baseline_text=was,
            current_text=now,
        )

    def _row(self) -> Iterator[Change]:
        """Compare the stored rows, which fit as long as their columns keep number, order and types, whichever operator
        reads them.
        """
        baseline_row, current_row = self.baseline.row, self.current.row
        if self.baseline.undeclared is not self.current.undeclared:
            yield self._change(
                ChangeKind.PATTERN_INPUT_TYPE_UNKNOWN,
                self.current.places.input,
                self.baseline.places.input,
                subject="undeclared columns",
            )
            return
        diff = compare(
            baseline_row, current_row, (same_use, at_same_index(baseline_row, current_row), one_in_the_other)
        )
        for expr in diff.added:
            yield self._input(self._edited(expr), None, f"column {expr} added")
        if diff.removed:
            text = f"{'column' if len(diff.removed) == 1 else 'columns'} {names(diff.removed)} removed"
            was = self.locator.removal(diff.removed[0]) if len(diff.removed) == 1 else self.baseline.places.input
            yield replace(self._input(self.current.places.input, was, text), removed=True)
        for was_column, now_column in diff.modified:
            same = same_row_types((was_column,), (now_column,))
            if same:
                # Conditions and measures that read the column speak for themselves.
                continue
            places = self.locator.modification(
                was_column, now_column, was_column.place, self._edited(now_column) or now_column.place
            )
            change = self._input(places[1], places[0], f"column {became(*distinct_texts(was_column, now_column))}")
            if same is None:
                change = replace(change, kind=ChangeKind.PATTERN_INPUT_TYPE_UNKNOWN)
            yield change
        if diff.reordered:
            moved_place = next((place for expr in diff.unchanged if (place := self._edited(expr)) is not None), None)
            yield self._input(
                moved_place or self.current.places.input,
                self.baseline.places.input,
                f"columns ({names(baseline_row)}) -> ({names(current_row)})",
            )

    def _input(self, current: Place | None, baseline: Place | None, subject: str) -> Change:
        return self._change(ChangeKind.PATTERN_INPUT_CHANGED, current, baseline, subject=subject)

    def _edited(self, expr: Expr) -> Place | None:
        """Return the select item or column definition that was edited for a column of the input; else the input."""
        places = [place for place in (expr.place, *expr.via) if place is not None]
        edited = (place for place in places if self.locator.counterparts.edited_in_current(place))
        return next(edited, self.current.places.input)


_TOKEN = re.compile(r"\w+|\W")
_NAMES = {
    "rows": "rows per match",
    "after": "AFTER MATCH",
    "pattern": "pattern",
    "subsets": "SUBSET",
    "within": "WITHIN",
}


def _renames(baseline: str, current: str) -> dict[str, str]:
    """The names that pattern variables got, if two patterns are the same but for these."""
    baseline_tokens, current_tokens = _TOKEN.findall(baseline), _TOKEN.findall(current)
    renames: dict[str, str] = {}
    for was, now in zip(baseline_tokens, current_tokens, strict=False):
        if was != now and not (was.isidentifier() and now.isidentifier()):
            return {}
        if was.isidentifier() and renames.setdefault(was, now) != now:
            return {}
    same_form = len(baseline_tokens) == len(current_tokens) and len(set(renames.values())) == len(renames)
    return {was: now for was, now in renames.items() if was != now} if same_form else {}


def _in_words_of(baseline: Match, current: Match) -> Match:
    """The baseline as if its pattern variables had borne their new names all along: that is one change, of the pattern,
    and not one of every clause.
    """
    renames = _renames(baseline.pattern, current.pattern)
    if not renames or renames.keys() & _variables(current):
        return baseline

    def column(node: Expr) -> Expr:
        return (
            replace(node, variable=renames.get(node.variable, node.variable))
            if isinstance(node, PatternColumn)
            else node
        )

    def words(text: str) -> str:
        return "".join(renames.get(token, token) for token in _TOKEN.findall(text))

    define = (
        replace(one, variable=renames.get(one.variable, one.variable), condition=one.condition.rewrite(column))
        for one in baseline.define
    )
    return replace(
        baseline,
        measures=tuple(replace(measure, value=measure.value.rewrite(column)) for measure in baseline.measures),
        after=words(baseline.after),
        subsets=tuple(sorted(map(words, baseline.subsets))),
        define=tuple(sorted(define, key=lambda one: one.variable)),
    )


def _variables(match: Match) -> set[str]:
    """The pattern variables that conditions and measures speak of."""
    nodes = (node for expr in (*match.measures, *match.define) for node in expr.walk())
    return {node.variable for node in nodes if isinstance(node, (Definition, PatternColumn))}


def _innermost(was: Expr, now: Expr) -> tuple[Expr, Expr]:
    """Return the expressions that two elements of ORDER BY sort by."""
    return next(iter(was.children()), was), next(iter(now.children()), now)


def _same_alias(was: Measure, now: Measure) -> bool:
    return was.alias == now.alias != ""


def _same_columns(was: Expr, now: Expr) -> bool:
    """Return whether two conditions read the same columns of the same variables."""
    baseline_columns, current_columns = (
        {node for node in expr.walk() if isinstance(node, PatternColumn)} for expr in (was, now)
    )
    return baseline_columns == current_columns != set()

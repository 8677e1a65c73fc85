"""Differences of the tables that a job writes, and of the keys in front of them (spec section 15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.message_parts import name_list
from keepstate.diff.pipelines import PipelineDiff
from keepstate.plan.catalog import Catalog, Option, TableDefinition
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Pipeline
from keepstate.plan.lowering.sink_columns import InsertTarget
from keepstate.plan.provenance import Place
from keepstate.plan.upsert_keys import SinkInput, is_order_switched_off
from keepstate.syntax.namespace import display_name

_KEY_CHANGES = frozenset(
    {
        ChangeKind.GROUP_KEY_ADDED,
        ChangeKind.GROUP_KEY_REMOVED,
        ChangeKind.GROUP_KEY_CHANGED,
        ChangeKind.PARTITION_KEY_ADDED,
        ChangeKind.PARTITION_KEY_REMOVED,
        ChangeKind.PARTITION_KEY_CHANGED,
        ChangeKind.RANK_RANGE_CHANGED,
        ChangeKind.SET_OPERATION_CHANGED,
        ChangeKind.SET_OPERATION_COLUMNS_CHANGED,
        ChangeKind.STATE_ADDED,
        ChangeKind.STATE_REMOVED,
    }
)
"""Changes that move the upsert key, and report it themselves."""


@dataclass(frozen=True)
class SinkDiff:
    """Compares the sinks of a pipeline that is there on both sides."""

    baseline: Pipeline
    current: Pipeline
    baseline_catalog: Catalog
    current_catalog: Catalog

    def changes(self, query: PipelineDiff, source_changes: tuple[Change, ...]) -> Iterator[Change]:
        """Yield all changes of the sink. ``query`` and ``source_changes`` are the differences in front of it."""
        was, now = self.baseline.target, self.current.target
        if was is None or now is None:
            return
        yield from self._definition(was, now)
        tables = frozenset(self.current.plan.sources)
        if not any(change.kind is ChangeKind.SOURCE_DECLARATION_MOVED for change in _of_tables(source_changes, tables)):
            # Else the sources say already what cannot be known.
            yield from self._declaration(was, now)
        explained = any(change.kind in _KEY_CHANGES for change in query.changes) or any(
            change.kind is ChangeKind.SOURCE_PRIMARY_KEY_CHANGED for change in _of_tables(source_changes, tables)
        )
        if not explained:
            yield from self._upsert_key(was, now)

    def _tables(self, was: InsertTarget, now: InsertTarget) -> tuple[TableDefinition | None, TableDefinition | None]:
        return self.baseline_catalog.tables.get(was.name), self.current_catalog.tables.get(now.name)

    def _definition(self, was: InsertTarget, now: InsertTarget) -> Iterator[Change]:
        baseline_table, current_table = self._tables(was, now)
        if was.name != now.name and display_name(was.name) != display_name(now.name):
            yield _change(
                ChangeKind.SINK_CHANGED,
                current_table.place if current_table is not None else now.place,
                baseline_table.place if baseline_table is not None else was.place,
                subject="sink",
                baseline_text=display_name(was.name),
                current_text=display_name(now.name),
            )
        yield from self._options(was, now, baseline_table, current_table)
        if baseline_table is None or current_table is None:
            return
        yield from self._columns(baseline_table, current_table)
        (was_key, was_place), (now_key, now_place) = (
            self.baseline_catalog.primary_key_of(baseline_table),
            self.current_catalog.primary_key_of(current_table),
        )
        if set(was_key) != set(now_key) and self._may_be_ordered(was, now, was_key, now_key):
            yield _change(
                ChangeKind.SINK_PRIMARY_KEY_CHANGED,
                now_place or current_table.place,
                was_place,
                removed=now_place is None,
                subject=f"primary key of sink {now.name}",
                baseline_text=name_list(was_key),
                current_text=name_list(now_key),
            )

    def _declaration(self, was: InsertTarget, now: InsertTarget) -> Iterator[Change]:
        """The primary key of a sink that only one side declares: for updates by another key Flink stores rows in front
        of the sink (spec SNK-06).
        """
        baseline_table, current_table = self._tables(was, now)
        declared = baseline_table or current_table
        if declared is None or (baseline_table is not None and current_table is not None):
            return
        if is_order_switched_off(self.current.settings):
            return
        if all(each.updates is False for each in self._inputs(was, now)):
            return
        catalog = self.baseline_catalog if current_table is None else self.current_catalog
        key, place = catalog.primary_key_of(declared)
        declared_text = name_list(key) if key else "none"
        is_gone = current_table is None
        yield _change(
            ChangeKind.SINK_PRIMARY_KEY_CHANGED,
            now.place if is_gone else place or declared.place,
            was.place if was.name != now.name or not is_gone else place or declared.place,
            subject=f"primary key of sink {now.name}",
            baseline_text=declared_text if is_gone else "unknown",
            current_text="unknown" if is_gone else declared_text,
        )

    def _options(
        self,
        was_filled: InsertTarget,
        now_filled: InsertTarget,
        baseline_table: TableDefinition | None,
        current_table: TableDefinition | None,
    ) -> Iterator[Change]:
        """Options of the WITH clause, or of a hint at the INSERT, which counts more."""
        if (baseline_table is None) != (current_table is None):
            return
        before = _hinted(
            self.baseline_catalog.options_of(baseline_table) if baseline_table is not None else {}, was_filled
        )
        after = _hinted(self.current_catalog.options_of(current_table) if current_table is not None else {}, now_filled)
        for key in (*after, *(key for key in before if key not in after)):
            was, now = before.get(key), after.get(key)
            if _value(was) == _value(now):
                continue
            yield _change(
                ChangeKind.SINK_CHANGED,
                now.place
                if now is not None
                else current_table.place
                if current_table is not None
                else now_filled.place,
                was.place if was is not None else None,
                removed=now is None,
                subject=f"option {key} of sink {now_filled.name}",
                baseline_text=_value(was) or "not set",
                current_text=_value(now) or "not set",
            )

    def _columns(self, baseline_table: TableDefinition, current_table: TableDefinition) -> Iterator[Change]:
        """Columns that follow the query are no item (spec C-20), but to a sink that counts they are a change."""
        before, after = (
            [(column.name, column.type) for column in catalog.columns_of(table)[0]]
            for catalog, table in ((self.baseline_catalog, baseline_table), (self.current_catalog, current_table))
        )
        if before != after:
            yield _change(
                ChangeKind.SINK_COLUMNS_CHANGED,
                current_table.place,
                baseline_table.place,
                subject=f"sink {current_table.name}",
                baseline_text=", ".join(name for name, _ in before),
                current_text=", ".join(name for name, _ in after),
            )

    # Updates in front of the sink

    def _inputs(self, was: InsertTarget, now: InsertTarget) -> tuple[SinkInput, SinkInput]:
        return (
            SinkInput.of(
                self.baseline.plan,
                self.baseline_catalog,
                was.filled(self.baseline_catalog, self.baseline.plan.names),
            ),
            SinkInput.of(
                self.current.plan, self.current_catalog, now.filled(self.current_catalog, self.current.plan.names)
            ),
        )

    def _may_be_ordered(
        self, was: InsertTarget, now: InsertTarget, was_key: tuple[str, ...], now_key: tuple[str, ...]
    ) -> bool:
        """Return whether Flink may put an operator that orders updates in front of the sink on one side."""
        before, after = self._inputs(was, now)
        needs = (
            before.needs_order(frozenset(was_key)) if was_key else False,
            after.needs_order(frozenset(now_key)) if now_key else False,
        )
        return needs != (False, False)

    def _upsert_key(self, was: InsertTarget, now: InsertTarget) -> Iterator[Change]:
        """Updates that reach a sink with a primary key by another key than before (spec SNK-06)."""
        baseline_table, current_table = self._tables(was, now)
        if baseline_table is None or current_table is None:
            return
        key = self.current_catalog.primary_key_of(current_table)[0]
        switched_off = is_order_switched_off(self.current.settings)
        if not key or set(key) != set(self.baseline_catalog.primary_key_of(baseline_table)[0]) or switched_off:
            return
        before, after = self._inputs(was, now)
        needs = (before.needs_order(frozenset(key)), after.needs_order(frozenset(key)))
        filled = self._filled_key(was, now, key)
        if needs == (False, False) or (before == after and before.keys is not None) or not filled:
            return
        yield _change(
            ChangeKind.UPSERT_KEY_CHANGED,
            filled[0][1].place or current_table.primary_key_place or current_table.place,
            filled[0][0].place,
            subject=f"columns for the key of {now.name}",
            baseline_text=", ".join(str(pair[0]) for pair in filled),
            current_text=", ".join(str(pair[1]) for pair in filled),
        )

    def _filled_key(self, was: InsertTarget, now: InsertTarget, key: tuple[str, ...]) -> list[tuple[Expr, Expr]]:
        """Return the pairs of expressions that fill the columns of the primary key on both sides, where they differ."""
        sides = []
        for pipeline, catalog, target in (
            (self.baseline, self.baseline_catalog, was),
            (self.current, self.current_catalog, now),
        ):
            columns = target.filled(catalog, pipeline.plan.names)
            sides.append(dict(zip(columns, pipeline.plan.output, strict=False)))
        pairs = ((sides[0].get(name), sides[1].get(name)) for name in key)
        return [(before, after) for before, after in pairs if before and after and before != after]


def _hinted(options: Mapping[str, Option], target: InsertTarget) -> Mapping[str, Option]:
    return {**options, **{option.key: option for option in target.options}}


def _value(option: Option | None) -> str | None:
    return option.value if option is not None else None


def _of_tables(changes: Iterable[Change], tables: frozenset[str]) -> Iterator[Change]:
    """The changes that concern one of ``tables``."""
    return (change for change in changes if not change.tables.isdisjoint(tables))


def _change(kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
    return Change(kind, QueryKind.SINK, current, baseline, **facts)  # type: ignore[arg-type]

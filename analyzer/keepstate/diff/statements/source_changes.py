"""Differences of the tables that a job reads, as far as its queries do not show them already (spec section 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.message_parts import name_list
from keepstate.plan.catalog import Catalog, Option, TableDefinition
from keepstate.plan.changelog_normalize import tables_with_kept_rows
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.connectors import (
    SourceConcern,
    concern_of,
    connector_of,
    format_of,
    is_change_format,
    value_of,
)
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.provenance import Place
from keepstate.plan.upsert_keys import sink_needs_order
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import bare, display_name
from keepstate.value_class import value_class

_KINDS = {
    SourceConcern.CONNECTOR: ChangeKind.SOURCE_CONNECTOR_CHANGED,
    SourceConcern.SNAPSHOT: ChangeKind.SOURCE_SHARDING_CHANGED,
    SourceConcern.CHANGELOG: ChangeKind.SOURCE_CHANGELOG_CHANGED,
    SourceConcern.DATA: ChangeKind.SOURCE_DATA_CHANGED,
}
_FELT_BY_STATE = (
    ChangeKind.SOURCE_CHANGELOG_CHANGED,
    ChangeKind.SOURCE_PRIMARY_KEY_CHANGED,
    ChangeKind.SOURCE_DATA_CHANGED,
)
"""Changes that mean nothing to a source itself, which keeps positions alone."""
_RENAMED = 0.5
"""The part of their columns that two declarations have to share in order to be one table under two names."""


@value_class(frozen=True)
class Sources:
    """Tables that one side reads: their declarations, and where each is read."""

    catalog: Catalog
    pipelines: tuple[Pipeline, ...]
    names: frozenset[str]
    hinted: frozenset[str] = frozenset()
    """Tables for which a query has options in a hint."""
    looked_up: frozenset[str] = frozenset()
    """Tables that only lookup joins ask: no state is kept of how far they were read (spec JL-01)."""

    @staticmethod
    def of(catalog: Catalog, pipelines: tuple[Pipeline, ...], former: Sources | None, memo: Memo) -> Sources:
        """The tables that pipelines read. ``former`` are those of other ones, of which most may be the same."""
        if former is not None and len(former.pipelines) == len(pipelines):
            places = memo.edits(former.pipelines, pipelines)
            edited = [(former.pipelines[place], pipelines[place]) for place in places]
            others = [each for each in edited if each[0].planned.meaning is not each[1].planned.meaning]
            if all(_read_alike(was, now) for was, now in others):
                is_same = former.catalog is catalog and not edited
                return former if is_same else replace(former, catalog=catalog, pipelines=pipelines)
        names, streamed, hinted = set[str](), set[str](), set[str]()
        for pipeline in pipelines:
            plan = pipeline.planned.equivalent_plan
            names.update(plan.sources)
            streamed |= plan.streamed
            hinted |= plan.hinted
        return Sources(catalog, pipelines, frozenset(names), frozenset(hinted), frozenset(names - streamed))

    @cached_property
    def readers(self) -> Mapping[str, tuple[Pipeline, ...]]:
        """The pipelines that read each table."""
        by_table: dict[str, list[Pipeline]] = {}
        for pipeline in self.pipelines:
            for table in pipeline.planned.equivalent_plan.sources:
                by_table.setdefault(table, []).append(pipeline)
        return {table: tuple(each) for table, each in by_table.items()}

    def _scans(self, name: str) -> Iterator[TableSourceScan]:
        return (scan for reader in self.readers.get(name, ()) for scan in reader.plan.scans if scan.table == name)

    def declaration(self, name: str) -> TableDefinition | None:
        return self.catalog.tables.get(name)

    def place(self, name: str) -> Place | None:
        """Return the place where a table is read for the first time."""
        return next((scan.place for scan in self._scans(name)), None)

    def options(self, name: str) -> dict[str, Option]:
        """Return the options of a table. A hint at the reading query overrides its WITH clause."""
        table = self.declaration(name)
        declared = dict(self.catalog.options_of(table)) if table is not None else {}
        if name not in self.hinted:
            return declared
        return declared | {option.key: option for scan in self._scans(name) for option in scan.options}

    def feed_state(self, name: str) -> bool:
        """Return whether rows of a table, or results computed from the rows, may be in the state of an operator above
        it.
        """
        return any(
            name in pipeline.plan.feeding_state
            or name in tables_with_kept_rows(pipeline, self.catalog)
            or (name in pipeline.plan.sources and sink_needs_order(pipeline, self.catalog) is not False)
            for pipeline in self.pipelines
        )

    def primary_key(self, name: str) -> tuple[tuple[str, ...], Place | None]:
        table = self.declaration(name)
        return self.catalog.primary_key_of(table) if table is not None else ((), None)


def _read_alike(was: Pipeline, now: Pipeline) -> bool:
    """Return whether two pipelines read the same tables, in the same ways."""
    one, other = was.planned.equivalent_plan, now.planned.equivalent_plan
    return one.sources == other.sources and one.streamed == other.streamed and one.hinted == other.hinted


def renamed_sources(baseline: Sources, current: Sources) -> dict[str, str]:
    """Source tables that are read under another name now: baseline name to current name.

    A table counts as renamed when the one name is not read any more, the other was not read before, and the declared
    columns mostly agree (or neither is declared, and there is just one of each). So does another table of that kind. A
    table of the same name in another catalog or database comes first.
    """
    removed_names, added_names = baseline.names - current.names, current.names - baseline.names
    renames: dict[str, str] = {}
    for name in sorted(removed_names):
        rivals = [other for other in sorted(added_names) if other not in renames.values()]
        baseline_table = baseline.declaration(name)
        scored = []
        for other in rivals:
            current_table = current.declaration(other)
            shared, is_namesake = _shared_columns(baseline_table, current_table), bare(name) == bare(other)
            undeclared = (
                baseline_table is None
                and current_table is None
                and (is_namesake or len(removed_names) == len(added_names) == 1)
            )
            if shared >= _RENAMED or undeclared:
                scored.append((is_namesake, shared, other))
        if scored:
            renames[name] = max(scored)[2]
    return renames


def _shared_columns(baseline_table: TableDefinition | None, current_table: TableDefinition | None) -> float:
    if baseline_table is None or current_table is None:
        return 0.0
    names, other_names = (
        {column.name for column in baseline_table.columns},
        {column.name for column in current_table.columns},
    )
    return len(names & other_names) / len(names | other_names) if names | other_names else 0.0


def source_changes(baseline: Sources, current: Sources, renames: Mapping[str, str], memo: Memo) -> Iterator[Change]:
    """Changes of the sources that both sides read: their names, options and keys."""
    both = baseline.catalog, current.catalog, baseline.names, current.names
    differing_names = memo.of_group(_not_declared_alike, both, lambda: _not_declared_alike(*both, memo))
    # A hint counts more than a declaration.
    names = differing_names | ((baseline.hinted | current.hinted) & baseline.names & current.names)
    for name, other in ({name: name for name in sorted(names)} | dict(renames)).items():
        if name in baseline.looked_up and other in current.looked_up:
            continue
        if name != other and display_name(name) != display_name(other):
            # Of a name that is written as before, USE says what became of it.
            yield _renamed(baseline, current, name, other)
        if (baseline.declaration(name) is None) is not (current.declaration(other) is None):
            yield _declared_on_one_side(baseline, current, name, other)
            continue
        changes = [*_options(baseline, current, name, other), *_primary_key(baseline, current, name, other)]
        if changes and not (baseline.feed_state(name) or current.feed_state(other)):
            changes = [change for change in changes if change.kind not in _FELT_BY_STATE]
        yield from changes


def _not_declared_alike(
    baseline: Catalog, current: Catalog, names: frozenset[str], other_names: frozenset[str], memo: Memo
) -> frozenset[str]:
    """The tables that both sides read, without those of one and the same declaration: nearly all, at each keystroke."""

    def is_one_of_them(name: str) -> bool:
        table = current.tables.get(name)
        return table is None or table is not baseline.tables.get(name) or table.like is not None

    if current.edit is not None:
        former, edited = current.edit
        names_before: frozenset[str] | None = memo.made_of_group(
            _not_declared_alike, (baseline, former, names, other_names)
        )
        if names_before is not None:
            is_read = edited in names and edited in other_names
            return names_before - {edited} | {name for name in (edited,) if is_read and is_one_of_them(name)}
    return frozenset(filter(is_one_of_them, names & other_names))


def _renamed(baseline: Sources, current: Sources, name: str, other: str) -> Change:
    """Tables that the script does not declare, or declared before, are shown where they are read."""
    baseline_table, current_table = baseline.declaration(name), current.declaration(other)
    if baseline.declaration(other) is not None:
        baseline_table = current_table = None
    return _change(
        ChangeKind.SOURCE_RENAMED,
        current_table.name_place if current_table is not None else current.place(other),
        baseline_table.name_place if baseline_table is not None else baseline.place(name),
        subject="source table",
        baseline_text=display_name(name),
        current_text=display_name(other),
        tables=frozenset({other}),
    )


def declared_on_one_side(baseline: Sources, current: Sources) -> dict[str, Catalog]:
    """Return the tables that both sides read and only one declares, each with the catalog of that one: the other side's
    columns and types are unknown.
    """
    both, sides = baseline.names & current.names, (baseline.catalog, current.catalog)
    declaring = ((name, [side for side in sides if name in side.tables]) for name in sorted(both))
    return {name: catalogs[0] for name, catalogs in declaring if len(catalogs) == 1}


def _declared_on_one_side(baseline: Sources, current: Sources, name: str, other: str) -> Change:
    baseline_table, current_table = baseline.declaration(name), current.declaration(other)
    return _change(
        ChangeKind.SOURCE_DECLARATION_MOVED,
        current_table.place if current_table is not None else current.place(other),
        baseline_table.place if baseline_table is not None else None,
        removed=current_table is None,
        subject=f"source table {other}",
        baseline_text="declared in this SQL" if baseline_table is not None else "declared elsewhere",
        current_text="in this SQL" if current_table is not None else "elsewhere",
        tables=frozenset({other}),
    )


def _options(baseline: Sources, current: Sources, name: str, other: str) -> Iterator[Change]:
    baseline_options, current_options = baseline.options(name), current.options(other)
    table = current.declaration(other)
    if table is None and display_name(name) != display_name(other):
        # Nothing tells if a table of another name, declared elsewhere, has the same rows.
        yield replace(_renamed(baseline, current, name, other), kind=ChangeKind.SOURCE_DATA_CHANGED)
    if baseline_options == current_options:
        return
    fallback = table.place if table is not None else current.place(other)
    connectors = connector_of(baseline_options), connector_of(current_options)
    is_same = name == other and connectors[0] == connectors[1]
    if name != other and connectors[0] == connectors[1] and _reads_other_data(baseline, current, name, other):
        # At the place of the new name: it is one edit with the name, if an engine loses state by that.
        renamed = _renamed(baseline, current, name, other)
        yield replace(renamed, kind=ChangeKind.SOURCE_DATA_CHANGED)
    for key in (*baseline_options, *(key for key in current_options if key not in baseline_options)):
        concern = concern_of(key, connectors[1])
        if concern is SourceConcern.DATA and not is_same:
            # The name or the connector says it.
            continue
        was = value_of(baseline_options, key, baseline.primary_key(name)[0])
        now = value_of(current_options, key, current.primary_key(other)[0])
        if concern is not None and was != now:
            option = f"option {key} of {other}"
            yield _option_change(
                _KINDS[concern],
                other,
                option,
                (baseline_options.get(key), was),
                (current_options.get(key), now),
                fallback,
            )
    formats = format_of(baseline_options), format_of(current_options)
    if None in formats and not is_same:
        return
    values = [each.value if each is not None else None for each in formats]
    changes = [value is not None and is_change_format(value) for value in values]
    if changes[0] is not changes[1]:
        kind = ChangeKind.SOURCE_CHANGELOG_CHANGED
        was_format, now_format = zip(formats, values, strict=True)
        yield _option_change(kind, other, f"format of {other}", was_format, now_format, fallback)


def _reads_other_data(baseline: Sources, current: Sources, name: str, other: str) -> bool:
    baseline_options, current_options = baseline.options(name), current.options(other)
    keys, other_keys = baseline.primary_key(name)[0], current.primary_key(other)[0]
    return any(
        concern_of(key, connector_of(current_options)) is SourceConcern.DATA
        and value_of(baseline_options, key, keys) != value_of(current_options, key, other_keys)
        for key in {*baseline_options, *current_options}
    )


def _option_change(
    kind: ChangeKind,
    table: str,
    subject: str,
    was: tuple[Option | None, str | None],
    now: tuple[Option | None, str | None],
    fallback: Place | None,
) -> Change:
    return _change(
        kind,
        now[0].place if now[0] is not None else fallback,
        was[0].place if was[0] is not None else None,
        removed=now[0] is None,
        subject=subject,
        baseline_text=was[1] if was[1] is not None else "not set",
        current_text=now[1] if now[1] is not None else "not set",
        tables=frozenset({table}),
    )


def _primary_key(baseline: Sources, current: Sources, name: str, other: str) -> Iterator[Change]:
    table = current.declaration(other)
    if table is None or baseline.declaration(name) is None:
        return
    (was, was_place), (now, now_place) = baseline.primary_key(name), current.primary_key(other)
    if was != now:
        yield _change(
            ChangeKind.SOURCE_PRIMARY_KEY_CHANGED,
            now_place or table.place,
            was_place,
            removed=now_place is None,
            subject=f"primary key of {other}",
            baseline_text=name_list(was),
            current_text=name_list(now),
            tables=frozenset({other}),
            columns=frozenset({*was, *now}),
        )


def _change(kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
    return Change(kind, QueryKind.SOURCE, current, baseline, **facts)  # type: ignore[arg-type]

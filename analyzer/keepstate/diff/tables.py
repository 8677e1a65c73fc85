"""Differences of the tables and functions that a job declares, as far as queries do not show them already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.catalog import Catalog, FunctionDefinition, Option, TableDefinition

_SHARDING = re.compile(r"chunk\.key-column$|snapshot\.split\.column$|partition\.column$", re.IGNORECASE)
_CHANGELOG = re.compile(
    r"^(?:cdcMode|binlog|changelog-mode|scan\.changelog[.\w-]*|.*upsert.*|.*retract.*|.*changelog.*)$", re.IGNORECASE
)


def renamed_sources(
    baseline: Catalog, current: Catalog, baseline_reads: set[str], current_reads: set[str]
) -> dict[str, str]:
    """Source tables that are read under another name now: baseline name to current name.

    A table counts as renamed when the one name is not read any more, the other was not read before, and the declared
    columns mostly agree (or neither is declared, and there is just one of each).
    """
    gone = [name for name in baseline_reads - current_reads if name not in current.tables]
    come = [name for name in current_reads - baseline_reads if name not in baseline.tables]
    renames: dict[str, str] = {}
    for name in sorted(gone):
        rivals = [other for other in sorted(come) if other not in renames.values()]
        scored = [(_shared_columns(baseline.tables.get(name), current.tables.get(other)), other) for other in rivals]
        best = max(scored, default=(0.0, ""))
        undeclared = len(gone) == len(come) == 1 and name not in baseline.tables and best[1] not in current.tables
        if best[0] >= 0.5 or undeclared:
            renames[name] = best[1]
    return renames


def _shared_columns(ours: TableDefinition | None, theirs: TableDefinition | None) -> float:
    if ours is None or theirs is None:
        return 0.0
    names, others = {column.name for column in ours.columns}, {column.name for column in theirs.columns}
    return len(names & others) / len(names | others) if names | others else 0.0


def source_changes(baseline: Catalog, current: Catalog, pairs: Mapping[str, str]) -> Iterator[Change]:
    """Changes of the declarations of sources, by ``pairs`` of baseline and current names."""
    for name, other in pairs.items():
        ours, theirs = baseline.tables.get(name), current.tables.get(other)
        if ours is None or theirs is None or (ours is theirs and ours.like is None):
            continue
        if name != other:
            yield _change(ChangeKind.SOURCE_RENAMED, ours, theirs, "source table", name, other)
        yield from _option_changes(baseline.options_of(ours), current.options_of(theirs), theirs)
        if ours.primary_key != theirs.primary_key:
            yield Change(
                ChangeKind.SOURCE_PRIMARY_KEY_CHANGED,
                QueryKind.JOB,
                theirs.primary_key_place or theirs.place,
                ours.primary_key_place,
                removed=theirs.primary_key_place is None,
                subject=f"primary key of {other}",
                baseline_text=", ".join(ours.primary_key) or "none",
                current_text=", ".join(theirs.primary_key) or "none",
            )


def _option_changes(
    ours: Mapping[str, Option], theirs: Mapping[str, Option], table: TableDefinition
) -> Iterator[Change]:
    for key in (*ours, *(key for key in theirs if key not in ours)):
        was, now = ours.get(key), theirs.get(key)
        if (was.value if was else None) == (now.value if now else None):
            continue
        kind = _option_kind(key)
        if kind is None:
            continue
        yield Change(
            kind,
            QueryKind.JOB,
            now.place if now is not None else table.place,
            was.place if was is not None else None,
            removed=now is None,
            subject=f"option {key} of {table.name}",
            baseline_text=was.value if was is not None else "not set",
            current_text=now.value if now is not None else "not set",
        )


def _option_kind(key: str) -> ChangeKind | None:
    if key == "connector":
        return ChangeKind.SOURCE_CONNECTOR_CHANGED
    if _SHARDING.search(key):
        return ChangeKind.SOURCE_SHARDING_CHANGED
    return ChangeKind.SOURCE_CHANGELOG_CHANGED if _CHANGELOG.match(key) else None


def sink_changes(baseline: Catalog, current: Catalog, name: str, other: str) -> Iterator[Change]:
    """Changes of a sink: its name, connector, options and key. Columns that follow the query do not count (C-20)."""
    ours, theirs = baseline.tables.get(name), current.tables.get(other)
    if ours is theirs and (ours is None or ours.like is None) and name == other:
        return
    if name != other:
        yield Change(
            ChangeKind.SINK_CHANGED,
            QueryKind.JOB,
            theirs.place if theirs is not None else None,
            ours.place if ours is not None else None,
            subject="sink",
            baseline_text=name,
            current_text=other,
        )
    if ours is None or theirs is None:
        return
    before, after = baseline.options_of(ours), current.options_of(theirs)
    for key in (*after, *(key for key in before if key not in after)):
        was, now = before.get(key), after.get(key)
        if (was.value if was else None) != (now.value if now else None):
            yield Change(
                ChangeKind.SINK_CHANGED,
                QueryKind.JOB,
                now.place if now is not None else theirs.place,
                was.place if was is not None else None,
                removed=now is None,
                subject=f"option {key} of sink {other}",
                baseline_text=was.value if was is not None else "not set",
                current_text=now.value if now is not None else "not set",
            )
    if ours.primary_key != theirs.primary_key:
        yield Change(
            ChangeKind.SINK_PRIMARY_KEY_CHANGED,
            QueryKind.JOB,
            theirs.primary_key_place or theirs.place,
            ours.primary_key_place,
            removed=theirs.primary_key_place is None,
            subject=f"primary key of sink {other}",
            baseline_text=", ".join(ours.primary_key) or "none",
            current_text=", ".join(theirs.primary_key) or "none",
        )


def function_changes(baseline: Catalog, current: Catalog, used: set[str]) -> Iterator[Change]:
    """Functions that the job calls and whose class, language or archive changed: the check cannot look into them."""
    for name in sorted(used):
        ours, theirs = baseline.functions.get(name), current.functions.get(name)
        if ours is not None and theirs is not None and _implementation(ours) != _implementation(theirs):
            yield Change(
                ChangeKind.FUNCTION_IMPLEMENTATION_CHANGED,
                QueryKind.JOB,
                theirs.place,
                ours.place,
                subject=f"function {name.lower()}",
                baseline_text=_implementation_words(ours),
                current_text=_implementation_words(theirs),
            )


def _implementation(function: FunctionDefinition) -> tuple[object, ...]:
    return (function.implementation, function.language, function.jars)


def _implementation_words(function: FunctionDefinition) -> str:
    return ", ".join((function.implementation, function.language, *function.jars))


def _change(
    kind: ChangeKind, ours: TableDefinition, theirs: TableDefinition, subject: str, was: str, now: str
) -> Change:
    return Change(
        kind,
        QueryKind.JOB,
        theirs.name_place,
        ours.name_place,
        subject=subject,
        baseline_text=was,
        current_text=now,
    )

"""References of FROM that name another table or view now: the edit behind changes of clauses that stand as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from keepstate.diff.changes import Change, Presence
from keepstate.diff.text_alignment import Counterparts
from keepstate.plan.job import Pipeline
from keepstate.plan.names.full_names import table_name
from keepstate.plan.provenance import Place
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.text import Span

_READING = (StatementKind.CREATE_VIEW, StatementKind.INSERT, StatementKind.QUERY, StatementKind.CREATE_TABLE)


@dataclass(frozen=True)
class _Reference:
    """A name in FROM, with its place."""

    name: str
    place: Place


@dataclass(frozen=True)
class _Renamed:
    """A reference of the baseline and the one that took its place."""

    baseline: _Reference
    current: _Reference


@dataclass(frozen=True)
class RenamedReferences:
    """The references of a pipeline and of its views that name something else now."""

    baseline: Pipeline
    current: Pipeline
    counterparts: Counterparts

    def located(self, change: Change) -> Change:
        """``change`` at the reference that was edited, if the clauses of the change were not.

        A filter of a view comes into a query with the name of the view: the name was typed, and not the filter.
        """
        was, now = change.baseline, change.current
        if now is not None and (was is not None or change.removed) and self.counterparts.edited_in_current(now):
            own = next((each for each in self._all if each.current.place.contains(now)), None)
            return replace(change, baseline=own.baseline.place) if own is not None and was is not None else change
        if change.presence is Presence.KEPT or self._is_edited(change) or not self._all:
            return change
        cause = self._cause(was, now)
        if cause is None:
            return change
        return replace(change, current=cause.current.place, baseline=cause.baseline.place, removed=False)

    def _is_edited(self, change: Change) -> bool:
        was, now = change.baseline, None if change.removed else change.current
        return (was is not None and self.counterparts.edited_in_baseline(was)) or (
            now is not None and self.counterparts.edited_in_current(now)
        )

    def _cause(self, was: Place | None, now: Place | None) -> _Renamed | None:
        """The reference that leads to one of the clauses; ``None`` where it is not certain which one does."""
        leading = [
            each
            for each in self._all
            if (was is not None and _leads(each.baseline, was.statement, self.baseline))
            or (now is not None and _leads(each.current, now.statement, self.current))
        ]
        return leading[0] if len(leading) == 1 or (leading and len(self._all) == 1) else None

    @cached_property
    def _all(self) -> tuple[_Renamed, ...]:
        statements = (self.current.statement, *self.current.definitions)
        return tuple(reference for statement in statements for reference in self._of(statement))

    def _of(self, current: ParsedStatement) -> Iterator[_Renamed]:
        baseline = self.counterparts.baseline_of.get(current)
        if baseline is None or baseline is current:
            return
        references = [self.counterparts.memo.of(_references, side) for side in (baseline, current)]
        for hunk in self.counterparts.alignment(baseline, current).hunks:
            before, after = (
                [each for each in candidates if span.start < each.place.span.end and each.place.span.start < span.end]
                for candidates, span in zip(references, (hunk.baseline, hunk.current), strict=True)
            )
            if len(before) == len(after) == 1 and before[0].name != after[0].name and not self._is_new(after[0].name):
                yield _Renamed(before[0], after[0])

    def _is_new(self, name: str) -> bool:
        """Return whether a view came with its name: then its clauses were typed as well."""
        declared = [each for each in self.current.definitions if _declared(each) == name]
        return any(
            each.kind is StatementKind.CREATE_VIEW and self.counterparts.baseline_of.get(each) is None
            for each in declared
        )


def _references(statement: ParsedStatement) -> tuple[_Reference, ...]:
    """The names in FROM of a statement. The table that it fills or declares is none."""
    references: list[_Reference] = []
    tree = statement.tree
    if tree is None or statement.kind not in _READING:
        return ()
    for node in statement.nodes_of_class(exp.Table):
        if node is tree.this or node is getattr(tree.this, "this", None):
            continue
        spans = [span for part in node.parts if (span := span_of(part)) is not None]
        if spans and all(isinstance(part, exp.Identifier) for part in node.parts):
            references.append(_Reference(table_name(node), Place(statement, Span(spans[0].start, spans[-1].end))))
    return tuple(references)


def _leads(reference: _Reference, statement: ParsedStatement, pipeline: Pipeline) -> bool:
    """Return whether a clause of ``statement`` may mean something else by what a reference names: the statement holds
    the reference, or the reference leads to it through views.
    """
    return reference.place.statement is statement or statement in _behind(reference.name, pipeline)


def _behind(name: str, pipeline: Pipeline) -> list[ParsedStatement]:
    """The declarations that a name leads to."""
    statements: list[ParsedStatement] = []
    names = [name]
    while names:
        target = names.pop()
        for statement in pipeline.definitions:
            if statement not in statements and _declared(statement) == target:
                statements.append(statement)
                names += (reference.name for reference in _references(statement))
    return statements


def _declared(statement: ParsedStatement) -> str:
    tree = statement.tree
    if tree is None or statement.kind not in (StatementKind.CREATE_VIEW, StatementKind.CREATE_TABLE):
        return ""
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return table_name(target) if isinstance(target, exp.Table) else ""

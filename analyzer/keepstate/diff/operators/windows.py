"""Differences of window assignments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import names
from keepstate.plan.expressions import Expr, Literal, WindowField
from keepstate.plan.job import Plan
from keepstate.plan.operators import Calc, LookupJoin, Operator, Window, WindowKind, WindowTableFunction
from keepstate.plan.provenance import Place
from keepstate.state.clauses import window_words

_LENGTHS = (
    ("size", ChangeKind.WINDOW_SIZE_CHANGED, "window size"),
    ("slide", ChangeKind.WINDOW_SLIDE_CHANGED, "slide"),
    ("step", ChangeKind.WINDOW_STEP_CHANGED, "step"),
    ("gap", ChangeKind.WINDOW_GAP_CHANGED, "session gap"),
    ("offset", ChangeKind.WINDOW_OFFSET_CHANGED, "window offset"),
)


def window_changes(
    baseline: Window | None,
    current: Window | None,
    query: QueryKind,
    locator: Locator,
    baseline_use: Place | None,
    current_use: Place | None,
) -> Iterator[Change]:
    """Yield the differences of the window of an aggregation. The ``_use`` places stand for a query without a window."""
    if baseline is None and current is None:
        return
    if baseline is None or current is None or baseline.kind is not current.kind:
        yield Change(
            ChangeKind.WINDOW_KIND_CHANGED,
            query,
            current.place if current is not None else current_use,
            baseline.place if baseline is not None else baseline_use,
            subject="window",
            baseline_text=window_words(baseline) if baseline is not None else "no window",
            current_text=window_words(current) if current is not None else "no window",
        )
        return
    if baseline == current and baseline.syntax is not current.syntax:
        yield Change(
            ChangeKind.WINDOW_SYNTAX_CHANGED,
            query,
            current.place,
            baseline.place,
            subject="window syntax",
            baseline_text=baseline.syntax.value,
            current_text=current.syntax.value,
        )
        return
    if baseline.time != current.time:
        was, now = locator.modification(baseline.time, current.time, baseline.time.place, current.time.place)
        yield Change(
            ChangeKind.WINDOW_TIME_ATTRIBUTE_CHANGED,
            query,
            now,
            was,
            subject="time attribute",
            baseline_text=str(baseline.time),
            current_text=str(current.time),
        )
    for name, kind, subject in _LENGTHS:
        baseline_value: Expr | None = getattr(baseline, name)
        current_value: Expr | None = getattr(current, name)
        if baseline_value != current_value:
            yield Change(
                kind,
                query,
                current_value.place if current_value is not None else current.place,
                baseline_value.place if baseline_value is not None else None,
                removed=current_value is None,
                subject=subject,
                baseline_text=str(baseline_value) if baseline_value is not None else "none",
                current_text=str(current_value) if current_value is not None else "none",
            )
    # The order of SESSION's keys is the order of its state key, so it counts.
    if baseline.partition != current.partition:
        yield Change(
            ChangeKind.SESSION_PARTITION_CHANGED,
            query,
            current.partition_place or current.place,
            baseline.partition_place,
            removed=current.partition_place is None,
            subject="session partition keys",
            baseline_text=names(baseline.partition) or "none",
            current_text=names(current.partition) or "none",
        )


def session_row_changes(baseline: Plan, current: Plan, locator: Locator) -> Iterator[Change]:
    """Yield the differences of SESSION windows whose rows reach the sink without an aggregation, a ranking or a join.

    No row says that a session is over, so Flink stores the rows of an open one: the columns that anything reads. The
    vendor's pages have SESSION in aggregations only; the state is that of Flink 1.20 and later.

    >>> from keepstate.diff.text_alignment import Counterparts
    >>> rows = "SELECT id FROM TABLE(SESSION(TABLE orders PARTITION BY buyer, DESCRIPTOR(ts), INTERVAL '{}' MINUTE))"
    >>> was, now = (plan(rows.format(minutes)) for minutes in (5, 10))
    >>> [change.kind.value for change in session_row_changes(was, now, Locator(Counterparts({}, {})))]
    ['window-gap-changed']
    """
    was, now = _windows_of_rows(baseline.root), _windows_of_rows(current.root)
    if was is None or now is None or not any(window.kind is WindowKind.SESSION for window in (*was, *now)):
        return
    changes: list[Change] = []
    if len(was) <= 1 and len(now) <= 1:
        before, after = next(iter(was), None), next(iter(now), None)
        place = next(window.place for window in (*now, *was))
        changes = list(window_changes(before, after, QueryKind.WINDOW_TVF, locator, place, place))
    yield from changes
    if not changes and (was != now or rows_read(baseline) != rows_read(current)):
        yield Change(
            ChangeKind.CHANGE_NOT_JUDGED,
            QueryKind.WINDOW_TVF,
            now[0].place if now else None,
            was[0].place if was else None,
            subject="rows of the SESSION window",
        )


def _windows_of_rows(operator: Operator) -> tuple[Window, ...] | None:
    """The windows from ``operator`` down to the sources, those of a union branch by branch; ``None`` if another state
    stands on each way.
    """
    if operator.stateful:
        return None
    # What a lookup join asks for is no input.
    inputs = operator.inputs[:1] if isinstance(operator, LookupJoin) else operator.inputs
    below = [windows for each in inputs if (windows := _windows_of_rows(each)) is not None]
    if inputs and not below:
        return None
    own = (operator.window,) if isinstance(operator, WindowTableFunction) else ()
    return (*own, *chain.from_iterable(below))


def rows_read(plan: Plan) -> tuple[frozenset[Expr], frozenset[Expr]]:
    """The columns that a plan reads for its output and in filters, and the filters: equal ones read the same rows.

    >>> columns, conditions = rows_read(plan("SELECT UPPER(buyer) FROM orders WHERE price > 1"))
    >>> sorted(map(str, columns)), len(conditions)
    (['buyer', 'price'], 1)
    """
    conditions = frozenset(
        condition for each in plan.operators if isinstance(each, Calc) for condition in each.conditions
    )
    nodes = (node for expr in (*plan.output, *conditions) for node in expr.walk() if not node.children())
    # The fields of a window are computed from its rows.
    return frozenset(node for node in nodes if not isinstance(node, (Literal, WindowField))), conditions

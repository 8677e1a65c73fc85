"""The end of a query: checks of constraints, the exchange in front of a sink, and the number of its writers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.graph_options import tasks_in
from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.job import Pipeline
from keepstate.plan.operators import Calc, Operator, TableSourceScan
from keepstate.plan.upsert_keys import updates_of

LENGTHS = "table.exec.sink.type-length-enforcer"
_OF_A_LENGTH = re.compile(r"(?:VAR)?(?:CHAR|BINARY)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sink:
    """The sink of a query. ``tasks`` is the number of writers that its options set. ``is_enforced`` is true if an
    operator in front of it checks values against its columns, ``updates`` if rows are updated or that is not known.
    """

    name: str
    tasks: int | None = None
    is_enforced: bool = False
    updates: bool = False
    may_take_upserts: bool = False
    """It has a primary key, or is not declared here, so that rows of one key may reach it without what was before."""
    shared_by: tuple[object, ...] = ()
    """The facts that statements have in common which share the sink: its hints, the columns that they fill, updates."""

    @staticmethod
    def of(pipeline: Pipeline, catalog: Catalog, flink: tuple[int, int]) -> Sink:
        target = pipeline.target
        table = catalog.tables.get(target.name) if target is not None else None
        options: dict[str, Option] = dict(catalog.options_of(table)) if table is not None else {}
        options |= {option.key: option for option in (target.options if target is not None else ())}
        tasks = tasks_in(options["sink.parallelism"].value) if "sink.parallelism" in options else None
        columns = catalog.columns_of(table)[0] if table is not None else ()
        stored_columns = [column for column in columns if column.expression is None and not column.virtual]
        lengths = pipeline.settings.get(LENGTHS)
        cuts = lengths is not None and lengths.value.strip().upper() != "IGNORE"
        key = catalog.primary_key_of(table)[0] if table is not None else ()
        is_enforced = any(
            column.not_null or column.name in key or (cuts and _OF_A_LENGTH.match(column.type or ""))
            for column in stored_columns
        )
        updates = updates_of(pipeline.plan, catalog, (flink,)) is not False
        hints = frozenset((option.key, option.value) for option in (target.options if target is not None else ()))
        filled = target.columns if target is not None else ()
        may_take_upserts = target is not None and (table is None or bool(key))
        return Sink(pipeline.sink or "", tasks, is_enforced, updates, may_take_upserts, (hints, filled, updates))

    def forwarded_scan(self, root: Operator) -> int | None:
        """The number of the scan whose rows reach a sink that may take upserts, through filters and projections alone.

        ``None``: there is none.
        """
        while isinstance(root, Calc):
            root = root.input
        return root.number if self.may_take_upserts and isinstance(root, TableSourceScan) else None

    def is_apart(self, node: ExecNode) -> bool:
        """Return whether an exchange stands between ``node`` and the writers: changes of a key go to one of them. The
        planner compares the numbers as they are set, so the default counts as another one.
        """
        return self.updates and self.tasks not in (None, 1, node.tasks_of_results)

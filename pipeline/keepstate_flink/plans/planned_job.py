"""A job as a real Flink plans it, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_TASKS = ("scan.parallelism", "sink.parallelism")


@dataclass(frozen=True)
class PlannedState:
    """An operator of a plan: the id under which it stores its state, and the names of what it stores.

    A source keeps its position. ``failure`` has the lines of the exception of an operator that could not be opened.
    """

    id: str
    name: str
    states: tuple[str, ...] = ()
    is_source: bool = False
    failure: tuple[str, ...] = ()

    @property
    def is_stored(self) -> bool:
        """Return whether a savepoint has something of it."""
        return self.is_source or bool(self.states)


@dataclass(frozen=True)
class PlannedJob:
    """``plan`` is the compiled plan, ``None`` where Flink has none of a query that it runs. ``settings`` are those that
    no plan shows; ``sets_tasks`` is true if one of all says how many parallel tasks the job has.
    """

    operators: tuple[PlannedState, ...]
    plan: Mapping[str, Any] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    sets_tasks: bool = True

    @property
    def connectors(self) -> tuple[str, ...]:
        """The connectors of its tables, sorted; a table that is read twice counts twice."""
        return tuple(sorted(options["connector"] for options in _options(self.plan) if "connector" in options))

    @property
    def tasks_of_tables(self) -> tuple[str, ...]:
        """The numbers of parallel tasks that its tables set, sorted."""
        options_set = ((key, options.get(key)) for options in _options(self.plan) for key in _TASKS)
        return tuple(sorted(f"{key} {value}" for key, value in options_set if value is not None))

    def operator(self, id_: str) -> PlannedState | None:
        return next((operator for operator in self.operators if operator.id == id_), None)


def _options(value: Any) -> Iterator[Mapping[str, str]]:
    """The options of all tables of a plan."""
    if isinstance(value, Mapping):
        options = value.get("options")
        if isinstance(options, Mapping):
            yield options
        for each in value.values():
            yield from _options(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _options(each)

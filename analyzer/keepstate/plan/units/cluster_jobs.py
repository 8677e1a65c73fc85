"""The jobs of a script: all of it, or each INSERT outside of a statement set and each set."""

from __future__ import annotations

from enum import Enum

from keepstate.syntax.script import ParsedStatement, StatementKind


class JobUnit(str, Enum):
    """The part of a script that is one job of the cluster, with savepoints of its own."""

    SCRIPT = "script"
    """The whole script: application mode, deployments of Realtime Compute."""
    EACH_INSERT = "each-insert"
    """Each INSERT outside of a statement set, and each set: the SQL client, ``executeSql``."""


class Units:
    """Counts the jobs of a script, from its first statement to its last."""

    def __init__(self, unit: JobUnit) -> None:
        self._unit = unit
        self._last = -1
        self._in_set = False
        self.sets: dict[int, ParsedStatement] = {}

    def meet(self, statement: ParsedStatement) -> None:
        if self._unit is JobUnit.SCRIPT:
            return
        if statement.kind is StatementKind.STATEMENT_SET_START:
            self._in_set = True
            self._last += 1
            self.sets[self._last] = statement
        elif statement.kind is StatementKind.STATEMENT_SET_END:
            self._in_set = False

    def of_query(self) -> int:
        """The number of the job that runs the query that was met last."""
        if self._unit is JobUnit.SCRIPT:
            return 0
        if not self._in_set:
            self._last += 1
        return self._last

"""References of queries to the relations of queries around them, and where Flink's planner loses them.

Measured on Flink 2.3. Its planner ends there with a NullPointerException, or with "unexpected correlate variable".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.subqueries.group_places import GroupPlaces
from keepstate.validation.subqueries.unknown_answers import asking_for_unknown, membership
from keepstate.validation.values.scopes import FromItem, PlannerRefusals, ResolvedColumn, ValidationScope

_RULE = "subquery-plan"
JoinSides = tuple[Sequence[FromItem], Sequence[FromItem]]
Reference = tuple[int, int, str]
"""The level of a query, the number of a relation in its FROM, and a column."""


def level_of(scope: ValidationScope | None) -> int:
    """The number of scopes that a scope is and stands in.

    >>> level_of(ValidationScope(parent=ValidationScope()))
    2
    """
    level = 0
    while scope is not None:
        scope, level = scope.parent, level + 1
    return level


@dataclass
class QueryFrame:
    """One query with its references outwards; those of the queries inside of it are in ``inner``."""

    node: exp.Expression
    level: int
    references: list[Reference] = field(default_factory=list)
    on_references: list[Reference] = field(default_factory=list)
    """References in the conditions of its joins."""
    inner: list[QueryFrame] = field(default_factory=list)
    is_lateral: bool = False

    def outward(self, level: int) -> Iterator[Reference]:
        """The references to relations of queries around ``level``, of this query and of those inside of it."""
        own = (*self.references, *self.on_references)
        yield from (each for each in own if each[0] < level)
        for frame in self.inner:
            yield from frame.outward(level)

    def own(self) -> list[Reference]:
        """The references outwards of this query itself and of derived tables in it."""
        derived = (each for frame in self.inner if frame.level == self.level for each in frame.own())
        return [*self.references, *self.on_references, *derived]


@dataclass
class CorrelationCheck:
    """Follows the queries of one statement, and notes what Flink's planner refuses in them."""

    later: PlannerRefusals
    with_nulls: set[Span] = field(default_factory=set)
    """IN with queries of which two columns or more may be NULL."""
    _open: list[QueryFrame] = field(default_factory=list)
    _last: QueryFrame | None = None

    @contextmanager
    def query(self, node: exp.Expression, parent: ValidationScope | None) -> Iterator[None]:
        """Follow the query ``node`` inside of the scope ``parent``."""
        if isinstance(node, exp.Subquery):
            yield
            return
        frame = QueryFrame(node, level_of(parent) + 1)
        self._open.append(frame)
        try:
            yield
        finally:
            self._open.pop()
            if self._open:
                self._open[-1].inner.append(frame)
            self._last = frame
        self._check(frame)

    def refer(self, column: ResolvedColumn, scope: ValidationScope) -> None:
        """Note the use of a column of a query further out."""
        depth, number = column.owner
        if depth > 0 and self._open:
            self._open[-1].references.append((level_of(scope) - depth, number, column.column.name))

    def _check(self, frame: QueryFrame) -> None:
        if isinstance(frame.node, exp.SetOperation):
            if any(True for _ in frame.outward(frame.level)):
                message = "Flink's planner cannot plan a UNION, INTERSECT or EXCEPT that reads an outer query."
                self._refuse(frame.node, f"{message} Write one query for each branch.")
            return
        if frame.on_references and frame.own() == frame.on_references:
            message = "Flink's planner cannot plan a column of an outer query in ON: write the condition in WHERE."
            self._refuse(frame.node, message)
        queries = [each for each in frame.inner if each.level > frame.level and not each.is_lateral]
        if frame.own() or any(
            reference[0] == frame.level for each in queries for reference in each.outward(each.level)
        ):
            return
        past = next((each for each in queries if any(True for _ in each.outward(frame.level))), None)
        if past is not None:
            message = "Flink's planner cannot plan a query that reads an outer query past the one around it."
            self._refuse(past.node, f"{message} Compare a column of that one with the outer query, too.")

    def check_single(self, is_lateral: bool) -> None:
        """Check the last query, which stands in LATERAL, or as a value."""
        frame = self._last
        if frame is None:
            return
        frame.is_lateral = is_lateral
        limited = next((each for each in _derived(frame) if each.node.args.get("limit") is not None), None)
        if limited is not None and any(True for _ in limited.outward(limited.level)):
            message = "Flink's planner cannot plan LIMIT in a query that reads an outer query."
            self._refuse(limited.node.args["limit"], f"{message} Number the rows with ROW_NUMBER instead.")

    @contextmanager
    def having(self, node: exp.Select, scope: ValidationScope, functions: frozenset[str]) -> Iterator[None]:
        """Follow HAVING of the query ``node``; ``functions`` are those of the script."""
        frame = self._open[-1] if self._open else None
        queries = len(frame.inner) if frame is not None else 0
        yield
        own = frame.inner[queries:] if frame is not None else []
        places = GroupPlaces.of(node, scope, functions) if own else None
        if frame is None or places is None:
            return
        for query in own:
            columns = [(number, name) for at, number, name in query.outward(query.level) if at == frame.level]
            column = next((name for number, name in columns if places.is_lost(number, name)), None)
            if column is not None:
                message = (
                    f"Flink's planner looks for {column} at its place in FROM, where the groups have no such value."
                )
                self._refuse(query.node, f"{message} Write the query in WHERE, around the groups.")
                return

    def check_unknown(self, clause: exp.Expression, is_condition: bool) -> None:
        """Refuse IN in a clause whose answer may be UNKNOWN for the NULLs of several columns."""
        if not self.with_nulls:
            return
        for each in asking_for_unknown(clause, is_condition):
            if Span(*each.meta["span"]) in self.with_nulls:
                message = "Flink's planner counts NULLs of one column, and more columns of this query may be NULL."
                self._refuse(each, f"{message} Write EXISTS with a comparison for each column.")

    # ---- conditions of joins

    @contextmanager
    def condition(self, on: exp.Expression, scope: ValidationScope, sides: JoinSides | None) -> Iterator[None]:
        """Follow the condition of a join between the relations of two ``sides``, or of a join of another kind."""
        frame = self._open[-1] if self._open else None
        references, queries = (len(frame.references), len(frame.inner)) if frame is not None else (0, 0)
        yield
        if frame is None:
            return
        frame.on_references += frame.references[references:]
        del frame.references[references:]
        own = frame.inner[queries:]
        for each in own:
            frame.on_references += each.outward(frame.level)
        if sides is None:
            return
        for node in _memberships(on):
            if _reads(node.this, scope):
                message = "Flink's planner cannot plan IN with a query in ON: write it in WHERE,"
                self._refuse(node, f"{message} or in a query around one side.")
                return
        if len(own) == 1:
            self._check_sides(own[0], *sides)

    def _check_sides(self, query: QueryFrame, left: Sequence[FromItem], right: Sequence[FromItem]) -> None:
        """Refuse the one query in ON that reads both sides, or a column of the right side that Flink takes for one
        behind it: it counts from the first column of the left side.
        """
        level = query.level - 1
        columns = [(number, name) for at, number, name in query.outward(query.level) if at == level]
        of_right = [(number - len(left), name) for number, name in columns if number >= len(left)]
        if not of_right or not all(each.rows.complete for each in (*left, *right)):
            return
        names = [(number, column.name) for number, each in enumerate(right) for column in each.rows.columns]
        before = sum(len(each.rows.columns) for each in left)
        beyond = any(place in names and before + names.index(place) >= len(names) for place in of_right)
        if beyond or len(of_right) < len(columns):
            message = "Flink's planner cannot plan this query in ON, which reads the right side of the join."
            self._refuse(query.node, f"{message} Write it in WHERE, or in a query around that side.")

    def _refuse(self, node: exp.Expr, message: str) -> None:
        self.later.refuse(_RULE, Span(*node.meta["span"]), message)


def _derived(frame: QueryFrame) -> Iterator[QueryFrame]:
    """A query and the derived tables in it."""
    yield frame
    for each in frame.inner:
        if each.level == frame.level:
            yield from _derived(each)


def _memberships(condition: exp.Expression) -> Iterator[exp.Expr]:
    """IN and its like with queries in a condition, and not those inside of queries."""
    for node in condition.walk(prune=lambda each: isinstance(each, exp.Query)):
        if membership(node):
            yield node


def _reads(node: exp.Expression, scope: ValidationScope) -> bool:
    """Return whether an expression reads a column of the relations of ``scope`` itself."""
    for column in node.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        parts = tuple(part.name for part in column.parts)
        spans = tuple(Span(*part.meta["span"]) for part in column.parts)
        resolution = scope.resolve(parts, spans)
        if resolution is not None and resolution.owner[0] == 0:
            return True
    return False

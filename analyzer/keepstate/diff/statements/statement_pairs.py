"""Statements of the baseline, each with the one that took its place."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter, itemgetter

from keepstate.diff.pipeline_pairing import Match
from keepstate.diff.text_alignment import Counterparts
from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Job, Pipeline
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement

_MOST_EDITED = 32
"""Pairs of queries that are looked up beside the others, before all are put together again."""


@dataclass(frozen=True, eq=False)
class StatementPairs:
    """Baseline statements and the current ones that took their place: declarations by name, queries by pipeline.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> one, other = (job_of(JobVersion(f"SELECT {column} FROM t")) for column in ("a", "b"))
    >>> pairs = StatementPairs.of(one, other, list(zip(one.pipelines, other.pipelines)), {})
    >>> pairs.counterparts(Memo()).current_of[one.pipelines[0].statement].text
    'SELECT b FROM t'
    """

    declarations: _BothWays
    queries: _BothWays
    """The pairs of queries as they were before the edits."""
    matches: Sequence[Match]
    """The same as pipelines."""
    edits: Mapping[int, Match]
    """The pairs that took the place of some of them, by their numbers."""

    @staticmethod
    def of(
        baseline: Job,
        current: Job,
        matches: Sequence[Match],
        renames: Mapping[str, str],
        near: tuple[StatementPairs, Iterable[int]] | None = None,
    ) -> StatementPairs:
        """Pair the statements of ``matches``. ``near`` are the pairs of other ones, with the numbers of those that have
        another pipeline now.
        """
        key = baseline.catalog, current.catalog, tuple(sorted(renames.items()))
        memo = current.script.memo
        declarations = memo.of_group(
            _declaration_pairs, key, lambda: _edited_pairs(*key, memo) or _BothWays.of(_declaration_pairs(*key))
        )
        patched = None if near is None else near[0]._edited(declarations, matches, near[1])
        if patched is not None:
            return patched
        both = list(compress(matches, map(all, matches)))
        sides = (map(_STATEMENT, map(itemgetter(side), both)) for side in (0, 1))
        return StatementPairs(declarations, _BothWays.of(dict(zip(*sides, strict=True))), matches, {})

    def _edited(
        self, declarations: _BothWays, matches: Sequence[Match], numbers: Iterable[int]
    ) -> StatementPairs | None:
        """The pairs after some more edits; ``None`` for many of them, and where one statement stands twice."""
        edits = {number: matches[number] for number in {*self.edits, *numbers}}
        queries = self.queries.current_of, self.queries.baseline_of
        if len(edits) > _MOST_EDITED or any(len(each) != len(self.matches) for each in queries):
            return None
        replaced = {_statement(self.matches[number][1]) for number in edits}
        come = {_statement(now) for _, now in edits.values()}
        if len(come) != len(edits) or any(one in self.queries.baseline_of for one in come - replaced):
            return None
        return StatementPairs(declarations, self.queries, self.matches, edits)

    def counterparts(self, memo: Memo) -> Counterparts:
        """The same, to look places up."""
        current_of: dict[ParsedStatement, ParsedStatement | None] = {}
        baseline_of: dict[ParsedStatement, ParsedStatement | None] = {
            _statement(self.matches[number][1]): None for number in self.edits
        }
        for was, now in self.edits.values():
            current_of[_statement(was)], baseline_of[_statement(now)] = _statement(now), _statement(was)
        return Counterparts(
            ChainMap(current_of, self.queries.current_of, self.declarations.current_of),
            ChainMap(baseline_of, self.queries.baseline_of, self.declarations.baseline_of),
            memo,
        )


_STATEMENT = attrgetter("statement")


@dataclass(frozen=True, eq=False)
class _BothWays:
    """Pairs of statements, to be looked up from either side."""

    current_of: dict[ParsedStatement, ParsedStatement | None]
    baseline_of: dict[ParsedStatement, ParsedStatement | None]

    @staticmethod
    def of(pairs: dict[ParsedStatement, ParsedStatement]) -> _BothWays:
        return _BothWays({**pairs}, dict(zip(pairs.values(), pairs, strict=True)))

    def with_pair(self, was: ParsedStatement, now: ParsedStatement) -> _BothWays:
        """The pairs with another counterpart of a baseline statement."""
        baseline_of = {**self.baseline_of}
        before = self.current_of.get(was)
        if before is not None and baseline_of.get(before) is was:
            del baseline_of[before]
        return _BothWays({**self.current_of, was: now}, {**baseline_of, now: was})


def _statement(pipeline: Pipeline | None) -> ParsedStatement:
    # Each pipeline has its counterpart where edits are looked up beside the others.
    assert pipeline is not None
    return pipeline.statement


def _edited_pairs(
    baseline: Catalog, current: Catalog, renames: tuple[tuple[str, str], ...], memo: Memo
) -> _BothWays | None:
    """The pairs from those of the catalog before the last edit; ``None`` if these are not known."""
    if current.edit is None or renames:
        return None
    former, name = current.edit
    pairs: _BothWays | None = memo.made_of_group(_declaration_pairs, (baseline, former, renames))
    was, now = baseline.statements.get(name), current.statements.get(name)
    return None if pairs is None or was is None or now is None else pairs.with_pair(was, now)


def _declaration_pairs(
    baseline: Catalog, current: Catalog, renames: tuple[tuple[str, str], ...]
) -> dict[ParsedStatement, ParsedStatement]:
    """The declaring statements of a baseline, with the current ones of the same names."""
    current_names = dict(renames)
    names = [current_names.get(name, name) for name in baseline.statements] if renames else baseline.statements
    twins = list(map(current.statements.get, names))
    both = compress(zip(baseline.statements.values(), twins, strict=True), twins)
    pairs = {statement: twin for statement, twin in both if twin is not None}
    for name, statements in baseline.altered.items():
        pairs |= zip(statements[1:], current.altered.get(current_names.get(name, name), ())[1:], strict=False)
    unpaired = [view for name, view in baseline.views.items() if name not in current.views]
    come = [view for name, view in current.views.items() if name not in baseline.views]
    if len(unpaired) == len(come) == 1:
        pairs.setdefault(unpaired[0].statement, come[0].statement)
    return pairs

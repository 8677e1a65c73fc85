"""Statements of the baseline, each with the one that took its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import attrgetter, itemgetter

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Job, Pipeline
from keepstate.syntax.script import ParsedStatement

Match = tuple[Pipeline | None, Pipeline | None]
"""A pipeline of the baseline and of the current version; one of them may be missing."""


def statement_pairs(
    baseline: Job,
    current: Job,
    matches: Sequence[Match],
    renames: Mapping[str, str],
) -> dict[ParsedStatement, ParsedStatement]:
    """Baseline statements and the current ones that took their place: declarations by name, queries by pipeline.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> one, other = (job_of(JobVersion(f"SELECT {column} FROM t")) for column in ("a", "b"))
    >>> pairs = statement_pairs(one, other, list(zip(one.pipelines, other.pipelines)), {})
    >>> [(was.text, now.text) for was, now in pairs.items()]
    [('SELECT a FROM t', 'SELECT b FROM t')]
    """
    memo = current.script.memo
    key = baseline.catalog, current.catalog, tuple(sorted(renames.items()))
    declarations = memo.of_group(_declaration_pairs, key, lambda: _declaration_pairs(*key))
    both = list(compress(matches, map(all, matches)))
    queries = (map(_STATEMENT, map(itemgetter(side), both)) for side in (0, 1))
    return {**declarations, **dict(zip(*queries, strict=True))}


_STATEMENT = attrgetter("statement")


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

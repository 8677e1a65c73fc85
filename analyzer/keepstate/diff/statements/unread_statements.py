"""Statements of one version that cannot be read, and whose counterparts are not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.provenance import Place
from keepstate.syntax.script import Script, StatementKind
from keepstate.text import Span


def unread_changes(baseline: Script, current: Script) -> Iterator[Change]:
    """A change for each statement that cannot be read and that the other version does not have as well.

    >>> from keepstate.syntax.script import parse_script
    >>> was, now = parse_script("SELECT 1"), parse_script("SELECT 1; SELECT (")
    >>> [change.subject for change in unread_changes(was, now)], list(unread_changes(now, now))
    (['statement'], [])
    """
    for place, message in _unread(current, baseline):
        change = Change(ChangeKind.STATEMENT_NOT_READ, QueryKind.JOB, place, None, subject="statement", reason=message)
        yield replace(change, current_text=message)
    for place, message in _unread(baseline, current):
        change = Change(ChangeKind.STATEMENT_NOT_READ, QueryKind.JOB, None, place, removed=True, reason=message)
        yield replace(change, subject="statement of the baseline", baseline_text=message)


def has_unread(script: Script, other: Script) -> bool:
    """Return whether a statement of ``script`` cannot be read, and may be any that only ``other`` seems to have.

    >>> from keepstate.syntax.script import parse_script
    >>> broken, whole = parse_script("SELECT ("), parse_script("SELECT 1")
    >>> has_unread(broken, whole), has_unread(whole, broken), has_unread(broken, broken)
    (True, False, False)
    """
    return next(_unread(script, other), None) is not None


def _unread(script: Script, other: Script) -> Iterator[tuple[Place, str]]:
    """Yield statements that cannot be parsed and are not on the other side as well, with the problem of each."""
    broken = [statement for statement in script.of_kind(StatementKind.BROKEN) if statement.parsed.problems]
    if not broken:
        return
    # The same tokens cannot be read on the other side either.
    keys = {statement.parsed.token_key for statement in other.of_kind(StatementKind.BROKEN)}
    for statement in broken:
        if statement.parsed.token_key not in keys:
            problem = statement.parsed.problems[0]
            place = Place(statement.parsed, problem.span or Span(0, len(statement.parsed.text)))
            yield place, problem.message.rstrip(".")

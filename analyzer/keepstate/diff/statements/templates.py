"""What templates leave open: texts that may be equal once they are filled in, and holes that are no part of a plan.

A hole that stands on both sides is filled alike. Of a piece of text that differs the other holes can be anything: where
some filling makes both sides equal nobody knows whether anything changes; where none does the change is certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from keepstate.diff.alignment import Counterparts, Hunk
from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.job import Pipeline
from keepstate.plan.provenance import Place
from keepstate.syntax.holes import Hole
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

_FEW_PAIRS = 400_000
"""Pieces with more pairs of characters than this are taken to be equal under some filling."""
_SHOWN = 60

Pattern = tuple[str | None, ...]
"""Characters, with ``None`` for a hole that can be anything."""


@dataclass(frozen=True)
class Openings:
    """Which changes a template leaves open."""

    counterparts: Counterparts
    _hunks: dict[tuple[ParsedStatement, ParsedStatement], tuple[tuple[Hunk, str], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def hole_of(self, change: Change) -> str:
        """The hole because of which nobody can tell whether ``change`` is one; empty for a change that is certain."""
        if change.kind is ChangeKind.TEMPLATE_CHANGED:
            return ""
        places = [(change.baseline, False)] if change.removed else [(change.current, True), (change.baseline, False)]
        found = [
            hole for place, is_current in places if place is not None for hole in self._holes_at(place, is_current)
        ]
        if found:
            return found[0] if all(found) else ""
        if change.current is None or change.baseline is None:
            return ""
        return _hole_between(change.baseline, change.current)

    def _holes_at(self, place: Place, is_current: bool) -> Iterator[str]:
        """For each edit that touches ``place`` the hole that leaves it open, or nothing."""
        twins = self.counterparts.baseline_of if is_current else self.counterparts.current_of
        twin = twins.get(place.statement)
        if twin is None or twin is place.statement or not (place.statement.holes or twin.holes):
            return
        pair = (twin, place.statement) if is_current else (place.statement, twin)
        if pair not in self._hunks:
            self._hunks[pair] = tuple(self._open_hunks(*pair))
        for hunk, hole in self._hunks[pair]:
            span = hunk.current if is_current else hunk.baseline
            if _meets(span, place.span):
                yield hole

    def _open_hunks(self, baseline: ParsedStatement, current: ParsedStatement) -> Iterator[tuple[Hunk, str]]:
        """The edits between two statements, each with a hole that leaves it open."""
        hunks = self.counterparts.alignment(baseline, current).hunks
        if not hunks:
            return
        # Tokens may be matched with the wrong twins: all edits are open if everything between them may be equal.
        around = Hunk(hunks[0].baseline.union(hunks[-1].baseline), hunks[0].current.union(hunks[-1].current))
        whole = _hole_between(Place(baseline, around.baseline), Place(current, around.current))
        for hunk in hunks:
            yield hunk, _hole_between(Place(baseline, hunk.baseline), Place(current, hunk.current)) or whole


def _meets(edit: Span, span: Span) -> bool:
    """Whether an edit is one of ``span``; what was put in or taken out at one of its ends is."""
    if edit.start == edit.end:
        return span.start <= edit.start <= span.end
    return edit.start < span.end and span.start < edit.end


def template_changes(was: Pipeline, now: Pipeline, counterparts: Counterparts) -> Iterator[Change]:
    """Holes that are no part of either plan and stand on one side only: whatever they are, it is not compared."""
    ours, theirs = list(_loose(was)), list(_loose(now))
    if not ours and not theirs:
        return
    gone = _without(ours, theirs)
    come = _without(theirs, ours)
    for baseline, current in zip(gone, come, strict=False):
        subject = f"{_words(baseline)} -> {_words(current)}"
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, current, baseline, subject=subject)
    for current in come[len(gone) :]:
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, current, None, subject=f"{_words(current)} added")
    for baseline in gone[len(come) :]:
        subject = f"{_words(baseline)} removed"
        stood = counterparts.to_current(baseline)
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, stood, baseline, removed=True, subject=subject)


def _loose(pipeline: Pipeline) -> Iterator[Place]:
    for statement in (pipeline.statement.parsed, *pipeline.definitions):
        for hole in statement.holes:
            if hole.loose:
                yield Place(statement, hole.span)


def _without(places: list[Place], others: list[Place]) -> list[Place]:
    """The places whose texts do not stand among the others."""
    left = Counter(" ".join(other.text.split()) for other in others)
    found: list[Place] = []
    for place in places:
        text = " ".join(place.text.split())
        if left[text]:
            left[text] -= 1
        else:
            found.append(place)
    return found


def _words(place: Place) -> str:
    text = " ".join(place.text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _hole_between(baseline: Place, current: Place) -> str:
    """A hole that stands on one side only and makes both texts equal under some filling; empty if there is none."""
    ours, theirs = _holes_in(baseline), _holes_in(current)
    if not ours and not theirs:
        return ""
    texts = Counter(hole.span.of(baseline.statement.text) for hole in ours)
    others = Counter(hole.span.of(current.statement.text) for hole in theirs)
    lonely = [*(texts - others), *(others - texts)]
    if not lonely:
        return ""
    wild = frozenset(lonely)
    if _may_be_equal(_pattern(baseline, ours, wild), _pattern(current, theirs, wild)):
        return next((text for text in others if text in wild), lonely[0])
    return ""


def _holes_in(place: Place) -> list[Hole]:
    return [hole for hole in place.statement.holes if place.span.contains(hole.span)]


def _pattern(place: Place, holes: list[Hole], wild: frozenset[str]) -> Pattern:
    """The text at ``place`` without its layout, words in upper case."""
    pattern: list[str | None] = []
    waiting = list(holes)
    for token in place.statement.tokens:
        if not (place.span.start <= token.start < token.end <= place.span.end):
            continue
        at = token.start
        while waiting and waiting[0].span.end <= token.end:
            hole = waiting.pop(0)
            text = hole.span.of(place.statement.text)
            pattern += place.statement.text[at : hole.span.start].strip("`")
            pattern += [None] if text in wild else list(text)
            at = hole.span.end
        rest = place.statement.text[at : token.end]
        pattern += (token.word or rest.strip("`")) if at == token.start else rest.strip("`")
    return tuple(pattern)


def _may_be_equal(ours: Pattern, theirs: Pattern) -> bool:
    """Whether some filling of the holes makes both the same."""
    if len(ours) * len(theirs) > _FEW_PAIRS:
        return True
    # row[j]: whether the rest of ``ours`` and the rest of ``theirs`` from j on may be equal.
    row = [True] * (len(theirs) + 1)
    for j in range(len(theirs) - 1, -1, -1):
        row[j] = theirs[j] is None and row[j + 1]
    for our in reversed(ours):
        below = row
        row = [False] * (len(theirs) + 1)
        row[-1] = our is None and below[-1]
        for j in range(len(theirs) - 1, -1, -1):
            their = theirs[j]
            if our is None or their is None:
                row[j] = (our is None and (below[j] or row[j + 1])) or (their is None and (row[j + 1] or below[j]))
            else:
                row[j] = our == their and below[j + 1]
    return row[0]

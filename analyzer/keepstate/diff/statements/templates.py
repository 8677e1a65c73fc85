"""Changes that templates leave open.

Texts with placeholders may be equal once a template is filled in, and some placeholders are no part of a plan. A
placeholder that stands on both sides has the same content on both. Any other placeholder in a differing piece of text
can have any content. If some content makes both sides equal, the change is undecidable; if none does, the change is
certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.text_alignment import Counterparts, Hunk
from keepstate.plan.job import Pipeline
from keepstate.plan.provenance import Place
from keepstate.syntax.placeholders import Placeholder, canonical_name
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

_FEW_PAIRS = 400_000
"""Pieces with more pairs of characters than this are taken to be equal under some filling."""
_SHOWN = 60

Pattern = tuple[str | None, ...]
"""Characters, with ``None`` for a placeholder that can be anything."""


_LONGEST_PLACEHOLDER = 60


def placeholder_words(placeholder: str) -> str:
    """A placeholder without its layout, and short.

    >>> placeholder_words("{{ 'x'   | upper }}")
    "{{ 'x' | upper }}"
    """
    text = " ".join(placeholder.split())
    return text if len(text) <= _LONGEST_PLACEHOLDER else text[: _LONGEST_PLACEHOLDER - 1] + "…"


@dataclass(frozen=True)
class Placeholders:
    """The placeholders that make changes undecidable."""

    counterparts: Counterparts
    _hunks: dict[tuple[ParsedStatement, ParsedStatement], tuple[tuple[Hunk, str], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def placeholder_of(self, change: Change) -> str:
        """Return the placeholder that makes ``change`` undecidable; empty for a change that is certain."""
        if change.kind is ChangeKind.TEMPLATE_CHANGED:
            return ""
        places = [(change.baseline, False)] if change.removed else [(change.current, True), (change.baseline, False)]
        placeholders = [
            placeholder
            for place, is_current in places
            if place is not None
            for placeholder in self._placeholders_at(place, is_current)
        ]
        if placeholders:
            return placeholders[0] if all(placeholders) else ""
        if change.current is None or change.baseline is None:
            return ""
        return _placeholder_between(change.baseline, change.current)

    def _placeholders_at(self, place: Place, is_current: bool) -> Iterator[str]:
        """Yield, for each edit that touches ``place``, the placeholder that leaves the edit open, or an empty
        string.
        """
        twins = self.counterparts.baseline_of if is_current else self.counterparts.current_of
        twin = twins.get(place.statement)
        if twin is None or twin is place.statement or not (place.statement.placeholders or twin.placeholders):
            return
        pair = (twin, place.statement) if is_current else (place.statement, twin)
        if pair not in self._hunks:
            self._hunks[pair] = tuple(self._open_hunks(*pair))
        for hunk, placeholder in self._hunks[pair]:
            span = hunk.current if is_current else hunk.baseline
            if _meets(span, place.span):
                yield placeholder

    def _open_hunks(self, baseline: ParsedStatement, current: ParsedStatement) -> Iterator[tuple[Hunk, str]]:
        """The edits between two statements, each with a placeholder that leaves it open."""
        hunks = self.counterparts.alignment(baseline, current).hunks
        if not hunks:
            return
        # Tokens may be matched with the wrong twins: all edits are open if everything between them may be equal.
        around = Hunk(hunks[0].baseline.union(hunks[-1].baseline), hunks[0].current.union(hunks[-1].current))
        whole = _placeholder_between(Place(baseline, around.baseline), Place(current, around.current))
        for hunk in hunks:
            yield hunk, _placeholder_between(Place(baseline, hunk.baseline), Place(current, hunk.current)) or whole


def _meets(edit: Span, span: Span) -> bool:
    """Return whether an edit touches ``span``; an insertion or deletion at one end of the span does."""
    if edit.start == edit.end:
        return span.start <= edit.start <= span.end
    return edit.start < span.end and span.start < edit.end


def template_changes(was: Pipeline, now: Pipeline, counterparts: Counterparts) -> Iterator[Change]:
    """Yield a change for each placeholder that is no part of either plan and stands on one side only: its content is
    not compared.
    """
    baseline_places, current_places = list(_loose(was)), list(_loose(now))
    if not baseline_places and not current_places:
        return
    removed_places = _without(baseline_places, current_places)
    added_places = _without(current_places, baseline_places)
    for baseline, current in zip(removed_places, added_places, strict=False):
        subject = f"{_words(baseline)} -> {_words(current)}"
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, current, baseline, subject=subject)
    for current in added_places[len(removed_places) :]:
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, current, None, subject=f"{_words(current)} added")
    for baseline in removed_places[len(added_places) :]:
        subject = f"{_words(baseline)} removed"
        stood = counterparts.to_current(baseline)
        yield Change(ChangeKind.TEMPLATE_CHANGED, QueryKind.JOB, stood, baseline, removed=True, subject=subject)


def _loose(pipeline: Pipeline) -> Iterator[Place]:
    for statement in (pipeline.statement, *pipeline.definitions):
        for placeholder in statement.placeholders:
            if placeholder.loose:
                yield Place(statement, placeholder.span)


def _without(places: list[Place], others: list[Place]) -> list[Place]:
    """The places whose texts do not stand among the others."""
    counts = Counter(canonical_name(other.text) for other in others)
    rest: list[Place] = []
    for place in places:
        text = canonical_name(place.text)
        if counts[text]:
            counts[text] -= 1
        else:
            rest.append(place)
    return rest


def _words(place: Place) -> str:
    text = " ".join(place.text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _placeholder_between(baseline: Place, current: Place) -> str:
    """Return a placeholder of one side whose content can make both texts equal; empty if there is none."""
    baseline_placeholders, current_placeholders = _placeholders_in(baseline), _placeholders_in(current)
    if not baseline_placeholders and not current_placeholders:
        return ""
    texts = Counter(each.span.of(baseline.statement.text) for each in baseline_placeholders)
    other_texts = Counter(each.span.of(current.statement.text) for each in current_placeholders)
    unpaired = [*(texts - other_texts), *(other_texts - texts)]
    if not unpaired:
        return ""
    wild = frozenset(unpaired)
    if _may_be_equal(_pattern(baseline, baseline_placeholders, wild), _pattern(current, current_placeholders, wild)):
        return next((text for text in other_texts if text in wild), unpaired[0])
    return ""


def _placeholders_in(place: Place) -> list[Placeholder]:
    return [placeholder for placeholder in place.statement.placeholders if place.span.contains(placeholder.span)]


def _pattern(place: Place, placeholders: list[Placeholder], wild: frozenset[str]) -> Pattern:
    """The text at ``place`` without its layout, words in upper case."""
    pattern: list[str | None] = []
    waiting = list(placeholders)
    for token in place.statement.tokens:
        if not (place.span.start <= token.start < token.end <= place.span.end):
            continue
        at = token.start
        while waiting and waiting[0].span.end <= token.end:
            placeholder = waiting.pop(0)
            text = placeholder.span.of(place.statement.text)
            pattern += place.statement.text[at : placeholder.span.start].strip("`")
            pattern += [None] if text in wild else list(text)
            at = placeholder.span.end
        rest = place.statement.text[at : token.end]
        pattern += (token.word or rest.strip("`")) if at == token.start else rest.strip("`")
    return tuple(pattern)


def _may_be_equal(baseline_pattern: Pattern, current_pattern: Pattern) -> bool:
    """Return whether some content of the placeholders makes both texts equal."""
    if len(baseline_pattern) * len(current_pattern) > _FEW_PAIRS:
        return True
    # row[j]: whether the rest of ``baseline_pattern`` and the rest of ``current_pattern`` from j on may be equal.
    row = [True] * (len(current_pattern) + 1)
    for j in range(len(current_pattern) - 1, -1, -1):
        row[j] = current_pattern[j] is None and row[j + 1]
    for our in reversed(baseline_pattern):
        below = row
        row = [False] * (len(current_pattern) + 1)
        row[-1] = our is None and below[-1]
        for j in range(len(current_pattern) - 1, -1, -1):
            their = current_pattern[j]
            if our is None or their is None:
                row[j] = (our is None and (below[j] or row[j + 1])) or (their is None and (row[j + 1] or below[j]))
            else:
                row[j] = our == their and below[j + 1]
    return row[0]

"""Correspondence of the pieces of two versions of a text.

A plan says *that* two clauses mean different things; the token alignment of their statements says *which text was
edited*. Both together give the narrowest clause to underline, the position where a removed clause stood, and the
smallest edit that reverts a change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, pairwise, zip_longest

from keepstate.plan.provenance import Place
from keepstate.syntax.keywords import CASELESS
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Span

_JOINING = frozenset({"AND", "OR"})
_FEW_PAIRS = 200_000
"""Up to this many token pairs a changed middle is matched token by token; matching is quadratic."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Tokens of the baseline that became tokens of the current text; either span may be empty."""

    baseline: Span
    current: Span


class Alignment:
    """The token diff of two statements."""

    def __init__(self, baseline: ParsedStatement, current: ParsedStatement) -> None:
        self.baseline = baseline
        self.current = current
        self._baseline_tokens = baseline.tokens[:-1]
        self._current_tokens = current.tokens[:-1]

    @cached_property
    def _blocks(self) -> list[tuple[int, int, int, int]]:
        """The unequal runs as (baseline from, to, current from, to) in token indices."""
        return list(_unequal_runs(_keys(self._baseline_tokens), _keys(self._current_tokens)))

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        return tuple(
            Hunk(
                _token_span(self._baseline_tokens, first, last),
                _token_span(self._current_tokens, other_first, other_last),
            )
            for first, last, other_first, other_last in self._blocks
        )

    @cached_property
    def pieces(self) -> tuple[Hunk, ...]:
        """The hunks, and for several entries of one list that came or went together, such as ``, f(b, c), d``, one for
        each entry.
        """
        pieces: list[Hunk] = []
        for first, last, other_first, other_last in self._blocks:
            cuts, other_cuts = [first, last], [other_first, other_last]
            if first == last:
                other_cuts = _entries(self._current_tokens, other_first, other_last)
                cuts = [first] * len(other_cuts)
            elif other_first == other_last:
                cuts = _entries(self._baseline_tokens, first, last)
                other_cuts = [other_first] * len(cuts)
            for (one, two), (other_one, other_two) in zip(pairwise(cuts), pairwise(other_cuts), strict=True):
                pieces.append(
                    Hunk(
                        _token_span(self._baseline_tokens, one, two),
                        _token_span(self._current_tokens, other_one, other_two),
                    )
                )
        return tuple(pieces)

    def edited_in_current(self, span: Span) -> bool:
        """Return whether text was inserted or deleted within ``span`` of the current text."""
        return any(_meets(hunk.current, span) for hunk in self.hunks)

    def edited_in_baseline(self, span: Span) -> bool:
        return any(_meets(hunk.baseline, span) for hunk in self.hunks)

    def to_current(self, span: Span) -> Span:
        """Map ``span`` of the baseline to the current text: to what remains of the span, or else to the token before
        the gap.
        """
        return _mapped(span, self._baseline_tokens, self._current_tokens, self._pairs)

    def rest_of(self, span: Span) -> Span | None:
        """Return what remains of ``span`` of the baseline in the current text; ``None`` if nothing remains."""
        return _standing(span, self._baseline_tokens, self._current_tokens, self._pairs)

    def to_baseline(self, span: Span) -> Span:
        pairs = {current_index: baseline_index for baseline_index, current_index in self._pairs.items()}
        return _mapped(span, self._current_tokens, self._baseline_tokens, pairs)

    @cached_property
    def _pairs(self) -> dict[int, int]:
        """Index of each baseline token that still stands to the index of its current twin."""
        pairs: dict[int, int] = {}
        position = other_position = 0
        for first, last, other_first, other_last in self._blocks:
            pairs.update(zip(range(position, first), range(other_position, other_first), strict=True))
            position, other_position = last, other_last
        pairs.update(
            zip(
                range(position, len(self._baseline_tokens)),
                range(other_position, len(self._current_tokens)),
                strict=True,
            )
        )
        return pairs


@dataclass(frozen=True)
class Counterparts:
    """Pairing of the statements of both sides."""

    current_of: Mapping[ParsedStatement, ParsedStatement | None]
    baseline_of: Mapping[ParsedStatement, ParsedStatement | None]
    """``None`` is as good as nothing."""
    memo: Memo = field(default_factory=Memo, compare=False, repr=False)
    """Alignments are kept here."""

    def alignment(self, baseline: ParsedStatement, current: ParsedStatement) -> Alignment:
        """The alignment of a baseline statement and a current one."""
        return self.memo.of_both(Alignment, baseline, current)

    def edited_in_current(self, place: Place) -> bool:
        """Return whether the text at ``place`` (of the current side) differs from the baseline."""
        baseline = self.baseline_of.get(place.statement)
        if baseline is None:
            return self.current_of.get(place.statement) is None
        return baseline is not place.statement and self.alignment(baseline, place.statement).edited_in_current(
            place.span
        )

    def edited_in_baseline(self, place: Place) -> bool:
        current = self.current_of.get(place.statement)
        if current is None:
            return self.baseline_of.get(place.statement) is None
        return current is not place.statement and self.alignment(place.statement, current).edited_in_baseline(
            place.span
        )

    def remains_of(self, place: Place) -> Place | None:
        """Return what remains in the current text of a place of the baseline; ``None`` if all of the place is gone."""
        current = self.current_of.get(place.statement)
        if current is None or current is place.statement:
            return place if current is place.statement else None
        rest = self.alignment(place.statement, current).rest_of(place.span)
        return Place(current, rest) if rest is not None else None

    def to_current(self, place: Place) -> Place | None:
        """The place of the current side that corresponds to one of the baseline."""
        current = self.current_of.get(place.statement)
        if current is None:
            return None
        return (
            place
            if current is place.statement
            else Place(current, self.alignment(place.statement, current).to_current(place.span))
        )

    def to_baseline(self, place: Place) -> Place | None:
        baseline = self.baseline_of.get(place.statement)
        if baseline is None:
            return None
        if baseline is place.statement:
            return place
        return Place(baseline, self.alignment(baseline, place.statement).to_baseline(place.span))


def _unequal_runs(texts: list[str], other_texts: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """The runs of tokens that differ; a long changed middle is matched by list items first and then within them."""
    # Most edits are in one place: without the equal head and tail, little is left for the quadratic search.
    start = 0
    while start < min(len(texts), len(other_texts)) and texts[start] == other_texts[start]:
        start += 1
    end = 0
    while end < min(len(texts), len(other_texts)) - start and texts[-1 - end] == other_texts[-1 - end]:
        end += 1
    middle, other_middle = texts[start : len(texts) - end], other_texts[start : len(other_texts) - end]
    if len(middle) * len(other_middle) <= _FEW_PAIRS:
        yield from _equal_runs(middle, other_middle, start, start)
        return
    # Select lists are what grows long, and their items move as a whole: they are matched first, and then within.
    items, other_items = _items(middle), _items(other_middle)
    offsets, other_offsets = _offsets(items, start), _offsets(other_items, start)
    for first, last, other_first, other_last in _equal_runs(items, other_items, 0, 0):
        begin, other_begin = offsets[first], other_offsets[other_first]
        inner = [token for item in items[first:last] for token in item]
        other_inner = [token for item in other_items[other_first:other_last] for token in item]
        if len(inner) * len(other_inner) <= _FEW_PAIRS:
            yield from _equal_runs(inner, other_inner, begin, other_begin)
        else:
            yield begin, begin + len(inner), other_begin, other_begin + len(other_inner)


def _equal_runs(
    elements: Sequence[Hashable], other_elements: Sequence[Hashable], offset: int, other_offset: int
) -> Iterator[tuple[int, int, int, int]]:
    matcher = SequenceMatcher(None, elements, other_elements, autojunk=False)
    for tag, first, last, other_first, other_last in matcher.get_opcodes():
        if tag != "equal":
            yield offset + first, offset + last, other_offset + other_first, other_offset + other_last


def _items(tokens: list[str]) -> list[tuple[str, ...]]:
    """The tokens cut behind every comma."""
    items: list[tuple[str, ...]] = []
    begin = 0
    for index, token in enumerate(tokens):
        if token == ",":
            items.append(tuple(tokens[begin : index + 1]))
            begin = index + 1
    return [*items, tuple(tokens[begin:])]


def _offsets(items: list[tuple[str, ...]], start: int) -> list[int]:
    return list(accumulate((len(item) for item in items), initial=start))


def _keys(tokens: tuple[Token, ...]) -> list[str]:
    return [_key(token, following) for token, following in zip_longest(tokens, tokens[1:])]


def _key(token: Token, following: Token | None) -> str:
    called = following is not None and following.text == "("
    if token.kind is TokenKind.WORD and (called or token.word in CASELESS):
        # Keywords and names of functions mean the same in any case; other names do not.
        return token.word
    return token.text.strip("`") if token.kind is TokenKind.NAME else token.text


def _entries(tokens: Sequence[Token], first: int, last: int) -> list[int]:
    """Return the starts of the entries of a list among tokens that came or went together, and the end. Each entry has
    its separator, in front or behind. Without a separator at an end, or with AND of a BETWEEN, they are one piece.
    """
    depth, separators = 0, []
    for number in range(first, last):
        token = tokens[number]
        depth += (token.text in "([") - (token.text in ")]")
        if depth < 0:
            return [first, last]
        if depth == 0 and token.word == "BETWEEN":
            return [first, last]
        if depth == 0 and (token.text == "," or token.word in _JOINING):
            separators.append(number)
    one_kind = len({tokens[number].text.upper() for number in separators}) == 1
    if depth or not one_kind:
        return [first, last]
    if separators[0] == first:
        return [*separators, last]
    if separators[-1] == last - 1:
        return [first, *(number + 1 for number in separators)]
    return [first, last]


def _token_span(tokens: tuple[Token, ...], first: int, last: int) -> Span:
    """From the start of token ``first`` to the end of token ``last - 1``; a gap lies behind the token before it."""
    if first < last:
        return Span(tokens[first].start, tokens[last - 1].end)
    at = tokens[first - 1].end if first else 0
    return Span(at, at)


def _meets(hunk: Span, span: Span) -> bool:
    """Overlap; a gap counts when it lies inside of the span, not at its end."""
    # A word that was removed at the very end of a span belongs to what follows as much as to the span.
    if hunk.start == hunk.end:
        return span.start < hunk.start < span.end
    return hunk.start < span.end and span.start < hunk.end


def _standing(
    span: Span, tokens: tuple[Token, ...], other_tokens: tuple[Token, ...], pairs: Mapping[int, int]
) -> Span | None:
    """From the first to the last twin of the tokens in ``span``."""
    inside = [
        pairs[index]
        for index, token in enumerate(tokens)
        if span.start <= token.start and token.end <= span.end and index in pairs
    ]
    return Span(other_tokens[min(inside)].start, other_tokens[max(inside)].end) if inside else None


def _mapped(span: Span, tokens: tuple[Token, ...], other_tokens: tuple[Token, ...], pairs: Mapping[int, int]) -> Span:
    standing = _standing(span, tokens, other_tokens, pairs)
    if standing is not None:
        return standing
    before = [pairs[index] for index, token in enumerate(tokens) if token.end <= span.start and index in pairs]
    if before:
        return Span(other_tokens[before[-1]].start, other_tokens[before[-1]].end)
    return Span(other_tokens[0].start, other_tokens[0].end) if other_tokens else Span(0, 0)

"""Taking edits back: the pieces of text that were edited, which of them belong together, and how they are undone."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, takewhile

from keepstate.diff.alignment import align
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.script import Script, Statement, StatementKind
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Edit, Span

_NAMING = (TokenKind.WORD, TokenKind.NAME, TokenKind.STRING, TokenKind.NUMBER)


@dataclass(frozen=True)
class Hunk:
    """Text of the current version that replaced text of the baseline; both spans are those of the whole texts.

    ``names`` are the names and literals that came into its statement with it, or went with it.
    """

    current: Span
    baseline: Span
    names: frozenset[str] = field(default=frozenset())


class EditedScript:
    """Two versions of a script, with what was edited between them."""

    def __init__(self, baseline: Script, current: Script) -> None:
        self.baseline = baseline
        self.current = current
        self.pairs = _paired_statements(baseline, current)
        self.hunks = [hunk for was, now in self.pairs if was is not None for hunk in _hunks(was, now)]
        self._by_current = _Sides([hunk.current for hunk in self.hunks])
        self._by_baseline = _Sides([hunk.baseline for hunk in self.hunks])

    def pair_at(self, span: Span) -> tuple[Statement | None, Statement] | None:
        """The current statement around ``span``, with its baseline version if it has one."""
        place = bisect_left(self.pairs, span.end, key=_end_of_current)
        was, now = self.pairs[place] if place < len(self.pairs) else (None, None)
        return (was, now) if now is not None and now.span.contains(span) else None

    def near(self, current: Span | None, baseline: Span | None) -> list[Hunk]:
        """The hunks that touch one of the clauses."""
        numbers = {
            number
            for sides, span in ((self._by_current, current), (self._by_baseline, baseline))
            if span is not None
            for number in sides.near(span)
        }
        return [self.hunks[number] for number in sorted(numbers)]

    def with_echoes(self, hunks: Iterable[Hunk]) -> list[Hunk]:
        """``hunks`` and those that name the same new or vanished things: a key that joins GROUP BY joins SELECT too."""
        own = frozenset(hunks)
        names = frozenset(name for hunk in own for name in hunk.names)
        return [hunk for hunk in self.hunks if hunk in own or hunk.names & names]

    def reverting(self, hunks: Iterable[Hunk]) -> tuple[Edit, ...]:
        """Edits of the current text that take ``hunks`` back."""
        return tuple(_reverting_edit(hunk, self.current.text, self.baseline.text) for hunk in hunks)


class _Sides:
    """One side of all hunks: spans that do not overlap, found by place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._placed = sorted((span, number) for number, span in enumerate(spans))

    def near(self, span: Span) -> Iterator[int]:
        """The numbers of those that touch ``span``."""
        for place in range(bisect_left(self._placed, span.start, key=_end), len(self._placed)):
            side, number = self._placed[place]
            if side.start > span.end:
                return
            if _overlap(side, span):
                yield number


def without_statement(text: str, statement: Statement) -> Edit:
    """The edit that takes a statement out of ``text``, with its semicolon and the rest of its last line."""
    end = statement.span.end
    while end < len(text) and text[end].isspace():
        end += 1
    end = end + 1 if text[end : end + 1] == ";" else statement.span.end
    while end < len(text) and text[end] in "\r\n":
        end += 1
    return Edit(Span(statement.span.start, end), "")


def _hunks(was: Statement, now: Statement) -> Iterable[Hunk]:
    if was.parsed is now.parsed:
        return
    ours, theirs = was.parsed.tokens[:-1], now.parsed.tokens[:-1]
    all_ours, all_theirs = _names(ours), _names(theirs)
    calls = _called(ours) | _called(theirs)
    for hunk in align(was.parsed, now.parsed).hunks:
        come = _names(_within(theirs, hunk.current)) - all_ours
        gone = _names(_within(ours, hunk.baseline)) - all_theirs
        yield Hunk(hunk.current.shift(now.span.start), hunk.baseline.shift(was.span.start), (come | gone) - calls)


def _within(tokens: Sequence[Token], span: Span) -> Iterator[Token]:
    first = bisect_left(tokens, span.start, key=_start_of_token)
    return takewhile(lambda token: token.end <= span.end, islice(tokens, first, None))


def _names(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(token.text.strip("`") for token in tokens if token.kind in _NAMING and token.word not in RESERVED)


def _called(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Names with a parenthesis behind them: a function that two edits call does not tie them together."""
    return frozenset(token.text for token, following in pairwise(tokens) if following.text == "(")


def _reverting_edit(hunk: Hunk, current: str, baseline: str) -> Edit:
    """Text that was put in goes out with the white space before it; text that went comes back with its own."""
    span, text = hunk.current, hunk.baseline.of(baseline)
    if not text:
        start = span.start
        while start > 0 and current[start - 1].isspace():
            start -= 1
        return Edit(Span(start, span.end), "") if start else Edit(span, "")
    if len(span) > 0:
        return Edit(span, text)
    start, end = hunk.baseline.start, hunk.baseline.end
    while start > 0 and baseline[start - 1].isspace():
        start -= 1
    if start == hunk.baseline.start and not current[span.end : span.end + 1].isspace():
        while end < len(baseline) and baseline[end].isspace():
            end += 1
    return Edit(span, baseline[start:end])


def _paired_statements(was: Script, now: Script) -> list[tuple[Statement | None, Statement]]:
    """Each current statement with the baseline one of the same name and kind, taken in order."""
    waiting: dict[tuple[StatementKind, str], deque[int]] = {}
    same: dict[int, deque[int]] = {}
    for number, statement in enumerate(was.statements):
        waiting.setdefault(_identity(statement), deque()).append(number)
        same.setdefault(id(statement.parsed), deque()).append(number)
    taken: set[int] = set()
    pairs: list[tuple[Statement | None, Statement]] = []
    for statement in now.statements:
        chosen = None
        for rivals in (same.get(id(statement.parsed)), waiting.get(_identity(statement))):
            while rivals and rivals[0] in taken:
                rivals.popleft()
            if rivals:
                taken.add(number := rivals.popleft())
                chosen = was.statements[number]
                break
        pairs.append((chosen, statement))
    return pairs


def _identity(statement: Statement) -> tuple[StatementKind, str]:
    """Kind and name of what a statement declares, fills or sets; queries have no name."""
    tree = statement.tree
    target = tree.args.get("this") if tree is not None and statement.kind is not StatementKind.QUERY else None
    name = getattr(target, "name", "")
    return statement.kind, name or getattr(getattr(target, "this", None), "name", "")


def _overlap(hunk: Span, span: Span) -> bool:
    if hunk.start == hunk.end:
        return span.start <= hunk.start <= span.end
    return hunk.start < span.end and span.start < hunk.end


def _end(placed: tuple[Span, int]) -> int:
    return placed[0].end


def _end_of_current(pair: tuple[Statement | None, Statement]) -> int:
    return pair[1].span.end


def _start_of_token(token: Token) -> int:
    return token.start

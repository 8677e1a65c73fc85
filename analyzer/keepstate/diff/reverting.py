"""Taking edits back: the pieces of text that were edited, which of them belong together, and how they are undone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

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

    def touches(self, current: Span | None, baseline: Span | None) -> bool:
        return (current is not None and _overlap(self.current, current)) or (
            baseline is not None and _overlap(self.baseline, baseline)
        )


class EditedScript:
    """Two versions of a script, with what was edited between them."""

    def __init__(self, baseline: Script, current: Script) -> None:
        self.baseline = baseline
        self.current = current
        self.pairs = _paired_statements(baseline, current)
        self.hunks = [hunk for was, now in self.pairs if was is not None for hunk in _hunks(was, now)]

    def pair_at(self, span: Span) -> tuple[Statement | None, Statement] | None:
        """The current statement around ``span``, with its baseline version if it has one."""
        return next(((was, now) for was, now in self.pairs if now.span.contains(span)), None)

    def near(self, current: Span | None, baseline: Span | None) -> list[Hunk]:
        """The hunks that touch one of the clauses."""
        return [hunk for hunk in self.hunks if hunk.touches(current, baseline)]

    def with_echoes(self, hunks: list[Hunk]) -> list[Hunk]:
        """``hunks`` and those that name the same new or vanished things: a key that joins GROUP BY joins SELECT too."""
        names = frozenset(name for hunk in hunks for name in hunk.names)
        return [hunk for hunk in self.hunks if hunk in hunks or hunk.names & names]

    def reverting(self, hunks: Iterable[Hunk]) -> tuple[Edit, ...]:
        """Edits of the current text that take ``hunks`` back."""
        return tuple(_reverting_edit(hunk, self.current.text, self.baseline.text) for hunk in hunks)


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
    for hunk in align(was.parsed, now.parsed).hunks:
        come = _names(token for token in theirs if _within(token, hunk.current)) - all_ours
        gone = _names(token for token in ours if _within(token, hunk.baseline)) - all_theirs
        calls = _called(ours) | _called(theirs)
        yield Hunk(hunk.current.shift(now.span.start), hunk.baseline.shift(was.span.start), (come | gone) - calls)


def _within(token: Token, span: Span) -> bool:
    return span.start <= token.start and token.end <= span.end


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
    waiting: dict[tuple[StatementKind, str], list[Statement]] = {}
    for statement in was.statements:
        waiting.setdefault(_identity(statement), []).append(statement)
    pairs: list[tuple[Statement | None, Statement]] = []
    for statement in now.statements:
        rivals = waiting.get(_identity(statement), [])
        same = next((rival for rival in rivals if rival.parsed is statement.parsed), None)
        chosen = same or (rivals[0] if rivals else None)
        if chosen is not None:
            rivals.remove(chosen)
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

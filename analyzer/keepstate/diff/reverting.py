"""Taking edits back: the pieces of text that were edited, which of them belong together, and how they are undone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from keepstate.diff.text_alignment import Alignment
from keepstate.syntax.contents import Contents, common_ends
from keepstate.syntax.keywords import CASELESS, RESERVED
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script, Statement, StatementKind
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Edit, Span

_DECLARING = (StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW, StatementKind.BROKEN)
_RENAMED = {
    StatementKind.CREATE_TABLE: _DECLARING,
    StatementKind.CREATE_VIEW: _DECLARING,
    StatementKind.INSERT: (StatementKind.INSERT, StatementKind.BROKEN),
    StatementKind.BROKEN: tuple(StatementKind),
}
"""Kinds that a statement can have had before it was renamed, or while it could not be parsed."""
_FEW_RIVALS = 100
"""Above this number of pairs of statements that have no counterpart by name none is looked for."""
_BEFORE_TABLES = frozenset({"TABLE", "VIEW", "INTO", "EXISTS"})
_ALIKE = 0.7
"""The part of their tokens that two statements of different names share which are two versions of one."""
_COMMENTS = re.compile(r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*")
_COMMENT_BEHIND_COMMA = re.compile(r",[^\S\n]*--[^\n]*\Z")
_LITERALS = (TokenKind.STRING, TokenKind.NUMBER)


@dataclass(frozen=True)
class RevertHunk:
    """Text of the current version that replaced text of the baseline; both spans are those of the whole texts.

    ``new_names`` and ``old_names`` are the names that came into its statement with it, or went with it; ``values`` are
    literals and words like MINUTE and STRING, which mean something within ``statement`` only.
    """

    current: Span
    baseline: Span
    statement: Span = field(default=Span(0, 0))
    new_names: frozenset[str] = field(default=frozenset())
    old_names: frozenset[str] = field(default=frozenset())
    values: frozenset[str] = field(default=frozenset())

    @property
    def names(self) -> frozenset[str]:
        """The names that came and those that went."""
        return self.new_names | self.old_names


class EditedScript:
    """Two versions of a script, with the edits between them."""

    def __init__(self, baseline: Script, current: Script) -> None:
        self.baseline = baseline
        self.current = current
        self.pairs = paired_statements(baseline, current)
        self.hunks = [
            hunk
            for was, now in self.pairs
            if was is not None and was.parsed is not now.parsed
            for hunk in _hunks(was, now, current.memo)
        ]
        self._current_of = {was.span: now for was, now in self.pairs if was is not None}
        self._by_current = _Sides([hunk.current for hunk in self.hunks])
        self._by_baseline = _Sides([hunk.baseline for hunk in self.hunks])

    def pair_at(self, span: Span) -> tuple[Statement | None, Statement] | None:
        """The current statement around ``span``, with its baseline version if it has one."""
        place = bisect_left(self.pairs, span.end, key=_end_of_current)
        was, now = self.pairs[place] if place < len(self.pairs) else (None, None)
        return (was, now) if now is not None and now.span.contains(span) else None

    def pair_of(self, span: Span) -> tuple[Statement, Statement] | None:
        """The baseline statement around ``span`` with its current version; ``None`` if it has none."""
        was = self._baseline_around(span)
        now = self._current_of.get(was.span) if was is not None else None
        return (was, now) if was is not None and now is not None else None

    def gone_at(self, span: Span) -> Statement | None:
        """The statement of the baseline around ``span``, if the current script has none in its place."""
        was = self._baseline_around(span)
        return was if was is not None and was.span not in self._current_of else None

    def _baseline_around(self, span: Span) -> Statement | None:
        statements = self.baseline.statements
        place = bisect_left(statements, span.end, key=_end_of_statement_span)
        return statements[place] if place < len(statements) and statements[place].span.contains(span) else None

    def with_declarations(self, hunks: Iterable[RevertHunk], statements: Iterable[Statement]) -> list[Statement]:
        """Return ``statements`` of the baseline and the removed declarations that they, or undone ``hunks``, name, in
        the order of the baseline.
        """
        removals = [
            one for one in self.baseline.statements if one.span not in self._current_of and one.kind in _DECLARING
        ]
        result = list(statements)
        names = frozenset(name for hunk in hunks for name in hunk.names)
        names |= frozenset(name for one in result for name in _names(one.parsed.tokens))
        # What a view is made of is declared in front of it.
        for declaration in reversed(removals):
            if _identity(declaration)[1] in names and declaration not in result:
                result.append(declaration)
                names |= _names(declaration.parsed.tokens)
        return sorted(result, key=lambda one: one.span)

    def putting_back(self, statement: Statement) -> Edit:
        """Return the edit of the current text that puts a statement of the baseline back where it stood: behind its
        former predecessor, with the blank lines and comments that it had around it.
        """
        baseline, current, statements = self.baseline.text, self.current.text, self.baseline.statements
        number = next(place for place, one in enumerate(statements) if one.span == statement.span)
        earlier = (self._current_of.get(one.span) for one in reversed(statements[:number]))
        previous = next((one for one in earlier if one is not None), None)
        start = 0 if previous is None else _end_of_statement(current, previous)
        above = 0 if number == 0 else _end_of_statement(baseline, statements[number - 1])
        before = baseline[above : statement.span.start]
        following = _white_space(baseline, _end_of_statement(baseline, statement))
        beside = statements[max(0, number - 1) : number] + statements[number + 1 : number + 2]
        if current.startswith(before, start) and all(one.span in self._current_of for one in beside):
            # What stood between its neighbours is still there: comments in front of it stay in front of it.
            place = start + len(before)
            return Edit(Span(place, place), f"{statement.text};{_gap(following, _white_space(current, place))}")
        if not _COMMENTS.fullmatch(before) or (before.strip() and before.strip() in current[start:]):
            # Comments that stayed are not written twice, and the END of a set is no part of the statement behind it.
            before = "\n"
        if previous is None:
            return Edit(Span(0, 0), f"{before.lstrip()}{statement.text};{_gap(following, _white_space(current, 0))}")
        # The beginning of a statement set has no semicolon of its own.
        opens = previous.text.rstrip().upper().endswith("BEGIN")
        separator = "" if opens or current[:start].endswith(";") else ";"
        return Edit(Span(start, start), f"{separator}{before}{statement.text};")

    def near(self, current: Span | None, baseline: Span | None) -> list[RevertHunk]:
        """The hunks that touch one of the clauses."""
        numbers = {
            number
            for sides, span in ((self._by_current, current), (self._by_baseline, baseline))
            if span is not None
            for number in sides.near(span)
        }
        return [self.hunks[number] for number in sorted(numbers)]

    def naming(self, statement: Statement) -> list[RevertHunk]:
        """Return the hunks that add or remove a use of the name that a statement declares."""
        name = _identity(statement)[1]
        return [hunk for hunk in self.hunks if name and name in hunk.names]

    def with_echoes(self, hunks: Iterable[RevertHunk]) -> list[RevertHunk]:
        """``hunks`` and those in which the same names came or went: a key that joins GROUP BY joins SELECT too."""
        own = frozenset(hunks)
        added_names = frozenset(name for hunk in own for name in hunk.new_names)
        removed_names = frozenset(name for hunk in own for name in hunk.old_names)
        return [
            hunk for hunk in self.hunks if hunk in own or hunk.new_names & added_names or hunk.old_names & removed_names
        ]

    def echoes(self, hunks: Sequence[RevertHunk]) -> tuple[list[RevertHunk], list[RevertHunk]]:
        """Return ``hunks`` with their echoes, first by names alone, then also by the literals of one statement.

        A literal is no name: two edits of one value usually have nothing to do with each other. But a window that is
        written twice, in TUMBLE and TUMBLE_START, has to be taken back in both places.
        """
        by_name = self.with_echoes(hunks)
        values = frozenset((hunk.statement, value) for hunk in by_name for value in hunk.values)
        own = frozenset(by_name)
        alike = (hunk for hunk in self.hunks if any((hunk.statement, value) in values for value in hunk.values))
        return by_name, [*by_name, *(hunk for hunk in alike if hunk not in own)]

    def reverting(self, hunks: Iterable[RevertHunk]) -> tuple[Edit, ...]:
        """Edits of the current text that take ``hunks`` back."""
        some = tuple(hunks)
        if len(some) == 1 and (edits := _without_commented_entry(some[0], self.current.text)):
            return edits
        each = (_reverting_edit(hunk, self.current.text, self.baseline.text) for hunk in some)
        return tuple(sorted(each, key=lambda edit: edit.span))


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
    r"""The edit that takes a statement out of ``text``, with its semicolon and the line ends behind.

    >>> from keepstate.syntax.script import parse_script
    >>> from keepstate.text import apply_edits
    >>> text = "SET 'a' = '1';\n\nSELECT a FROM t;"
    >>> apply_edits(text, [without_statement(text, parse_script(text).statements[0])])
    'SELECT a FROM t;'
    """
    end = _end_of_statement(text, statement)
    while end < len(text) and text[end] in "\r\n":
        end += 1
    return Edit(Span(statement.span.start, end), "")


def _white_space(text: str, start: int) -> str:
    """The white space of ``text`` from ``start`` on."""
    end = start
    while end < len(text) and text[end].isspace():
        end += 1
    return text[start:end]


def _gap(target: str, text: str) -> str:
    """The white space that makes ``target`` of what is there already, ``text``; a line break at least."""
    if text and target.endswith(text):
        return target.removesuffix(text)
    return target if "\n" in target and not text else "" if "\n" in text else "\n"


def _end_of_statement(text: str, statement: Statement) -> int:
    """Return the end of a statement, its semicolon included."""
    end = statement.span.end
    while end < len(text) and text[end].isspace():
        end += 1
    return end + 1 if text[end : end + 1] == ";" else statement.span.end


def _hunks(was: Statement, now: Statement, memo: Memo) -> Iterable[RevertHunk]:
    if was.parsed is now.parsed:
        return
    baseline_tokens, current_tokens = was.parsed.tokens[:-1], now.parsed.tokens[:-1]
    baseline_names, current_names = _names(baseline_tokens), _names(current_tokens)
    baseline_values, current_values = _values(baseline_tokens), _values(current_tokens)
    calls = _call_names(baseline_tokens) | _call_names(current_tokens)
    for hunk in memo.of_both(Alignment, was.parsed, now.parsed).pieces:
        new, old = tuple(_within(current_tokens, hunk.current)), tuple(_within(baseline_tokens, hunk.baseline))
        yield RevertHunk(
            hunk.current.shift(now.span.start),
            hunk.baseline.shift(was.span.start),
            now.span,
            _names(new) - baseline_names - calls,
            _names(old) - current_names - calls,
            ((_values(new) - baseline_values) | (_values(old) - current_values)) - calls,
        )


def _within(tokens: Sequence[Token], span: Span) -> Iterator[Token]:
    first = bisect_left(tokens, span.start, key=_start_of_token)
    return takewhile(lambda token: token.end <= span.end, islice(tokens, first, None))


def _names(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(
        token.text.strip("`")
        for token in tokens
        if token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and token.word not in CASELESS)
    )


def _values(tokens: Iterable[Token]) -> frozenset[str]:
    """Return the literals, and the keywords that say something as literals do: MINUTE, STRING, DESC."""
    return frozenset(
        token.text
        for token in tokens
        if token.kind in _LITERALS
        or (token.kind is TokenKind.WORD and token.word in CASELESS and token.word not in RESERVED)
    )


def _call_names(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Names with a parenthesis behind them: a function that two edits call does not tie them together. A table has one
    behind it where it is declared or filled.
    """
    threes = zip((None, *tokens), tokens, tokens[1:], strict=False)
    return frozenset(
        token.text
        for before, token, following in threes
        if following.text == "(" and not (before is not None and before.word in _BEFORE_TABLES)
    )


def _without_commented_entry(hunk: RevertHunk, text: str) -> tuple[Edit, ...]:
    """The edits that take an entry of a list out with the comment behind it, and leave the comment of the entry before;
    none without such a comment, or if the entry replaced something.
    """
    start, end = hunk.current.start, hunk.current.end
    before, line_end, last = text.rfind("\n", 0, start), text.find("\n", start, end), text.find("\n", end)
    last = len(text) if last < 0 else last
    rest = text[end:last].strip()
    if len(hunk.baseline):
        return ()
    if line_end < 0 <= before and not text[before:start].strip() and rest.startswith("--"):
        return (Edit(Span(before, last), ""),)
    if line_end < 0 or not _COMMENT_BEHIND_COMMA.match(text, start, line_end):
        return ()
    if not rest or rest.startswith("--"):
        # The last entry: the comma in front of it goes too.
        return Edit(Span(start, start + 1), ""), Edit(Span(line_end, last), "")
    return (Edit(Span(line_end, last), ""),) if _COMMENT_BEHIND_COMMA.match(rest) else ()


def _reverting_edit(hunk: RevertHunk, current: str, baseline: str) -> Edit:
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


def paired_statements(was: Script, now: Script) -> list[tuple[Statement | None, Statement]]:
    """Each current statement with the baseline one of the same text, else of the same name and kind, taken in order:
    those in the same namespace before others.

    >>> from keepstate.syntax.script import parse_script
    >>> was, now = parse_script("SET 'a' = '1'; SELECT a FROM t"), parse_script("SELECT a FROM t; SET 'a' = '2'")
    >>> [(before.text, after.text) for before, after in paired_statements(was, now)]
    [('SELECT a FROM t', 'SELECT a FROM t'), ("SET 'a' = '1'", "SET 'a' = '2'")]
    """
    head, tail = _unchanged_ends(was.contents, now.contents)
    before, after = (side.statements[head : len(side.statements) - tail] for side in (was, now))
    unpaired = dict(enumerate(before))
    partners: dict[int, Statement] = {}
    # From the surest sign to the weakest: an unchanged statement keeps its partner when others move.
    for key in (_content, _identity_in_namespace, _identity):
        waiting: dict[Hashable, deque[int]] = {}
        for number, statement in unpaired.items():
            waiting.setdefault(key(statement), deque()).append(number)
        for number, statement in enumerate(after):
            rivals = waiting.get(key(statement))
            if number not in partners and rivals:
                partners[number] = unpaired.pop(rivals.popleft())
    pairs = [(partners.get(number), statement) for number, statement in enumerate(after)]
    return [
        *zip(was.statements[:head], now.statements[:head], strict=True),
        *_with_renamed(pairs, list(unpaired.values())),
        *zip(was.statements[len(was.statements) - tail :], now.statements[len(now.statements) - tail :], strict=True),
    ]


def _unchanged_ends(was: Contents, now: Contents) -> tuple[int, int]:
    """The numbers of the first and of the last statements that both sides have. None are last where one of these stands
    among the others as well, which may be its partner.
    """
    first, second = was.parsed, now.parsed
    head, tail = common_ends(first, second)
    among = {*first[head : len(first) - tail], *second[head : len(second) - tail]}
    return head, tail if among.isdisjoint(first[len(first) - tail :]) else 0


def _content(statement: Statement) -> Hashable:
    return statement.text, statement.parsed.namespace


def _identity_in_namespace(statement: Statement) -> Hashable:
    return *_identity(statement), statement.parsed.namespace


def _with_renamed(
    pairs: Sequence[tuple[Statement | None, Statement]], remaining: list[Statement]
) -> Iterator[tuple[Statement | None, Statement]]:
    """Yield the pairs, and pair remaining statements of the baseline with statements that declare, or fill, another
    name now.
    """
    # Likeness compares each with each, which takes too long where a script was replaced as a whole.
    few = len(remaining) * sum(was is None for was, _ in pairs) <= _FEW_RIVALS
    for was, now in pairs:
        if was is None and few:
            was = max(
                (one for one in remaining if one.kind in _RENAMED.get(now.kind, ())), key=_likeness(now), default=None
            )
            if was is not None and _likeness(now)(was) < _ALIKE:
                was = None
            if was is not None:
                remaining.remove(was)
        yield was, now


def _likeness(now: Statement) -> Callable[[Statement], float]:
    """The part of their tokens that ``now`` and another statement share."""
    current_words = Counter(token.text for token in now.parsed.tokens[:-1])

    def shared(was: Statement) -> float:
        baseline_words = Counter(token.text for token in was.parsed.tokens[:-1])
        return (baseline_words & current_words).total() / max(1, (baseline_words | current_words).total())

    return shared


def _identity(statement: Statement) -> tuple[StatementKind, str]:
    """Return the kind of a statement and the name that it declares, fills or sets. A query has no name, and a path is
    its own identity.
    """
    tree = statement.tree if statement.kind not in (StatementKind.QUERY, StatementKind.USE) else None
    target = tree.args.get("this") if tree is not None else None
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


def _end_of_statement_span(statement: Statement) -> int:
    return statement.span.end


def _start_of_token(token: Token) -> int:
    return token.start

"""Accepted findings: decisions that a finding may stay, in a comment or in a ledger.

A comment, ``-- keepstate: accept group-key-added until 2027-01-31 because the history may go``, applies to findings of
that rule on its own line of code, or on the next line if the comment stands alone. A ledger entry applies to one change
of meaning, at any position in its file: :func:`key_of` identifies the change. Entries for other files are left out
before. No acceptance changes a verdict; a gate ignores accepted findings. An acceptance that is unused or has expired
is reported: a change that became the baseline leaves its acceptance behind.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, takewhile

from keepstate.report import Acceptance, Finding, UnusedAcceptance
from keepstate.rules.catalogue import rules_named
from keepstate.syntax.script import Script
from keepstate.text import LineIndex, Span

try:
    # The same function: hashlib loads OpenSSL beside it, which takes as long as ten modules.
    from _blake2 import blake2s
except ImportError:
    from hashlib import blake2s

_MENTION = re.compile(r"keepstate\s*:\s*(?P<order>[\w-]*)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)
_ORDER = re.compile(
    r"""
    \s+ (?P<rules> [\w-]+ (?: \s*,\s* [\w-]+ )* )
    (?: \s+ until \s+ (?P<until> \S+ ) )?
    (?: \s+ because \s+ (?P<because> \S.* ) )? \s*
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True)
class AcceptancePolicy:
    """Under which acceptances a report is made: the day on which it is, and the entries of the ledger."""

    today: date
    ledger: tuple[Acceptance, ...] = ()


def key_of(rule: str, *meaning: str) -> str:
    """The key of a change: a digest over its rule and its two meanings, so that layout and place do not count.

    >>> key_of("group-key-added", "", "shop") == key_of("group-key-added", "", "region")
    False
    """
    return blake2s("\0".join((rule, *meaning)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def comment_line(rule: str, because: str, until: date | None = None) -> str:
    """The comment that accepts a finding, as it is put on a line of its own.

    >>> comment_line("group-key-added", "the history may go", date(2027, 1, 31))
    '-- keepstate: accept group-key-added until 2027-01-31 because the history may go'
    """
    limit = f" until {until.isoformat()}" if until is not None else ""
    return f"-- keepstate: accept {rule}{limit} because {because}"


@dataclass(frozen=True)
class _Inline:
    """An acceptance in a comment, with the line of code that it holds for."""

    acceptance: Acceptance
    line: Span | None

    def covers(self, finding: Finding) -> bool:
        line = self.line
        if line is None or finding.rule != self.acceptance.rule:
            return False
        span = finding.current.span
        return span.start <= line.end and line.start <= span.end

    def begins_before(self, finding: Finding) -> bool:
        return self.line is not None and self.line.start <= finding.current.span.end


class Acceptances:
    """All acceptances that may apply to one comparison. They are looked up finding by finding; unused ones are reported
    last.
    """

    def __init__(self, script: Script, accepting: AcceptancePolicy) -> None:
        self._accepting = accepting
        self._unused: list[UnusedAcceptance] = []
        self._inline = tuple(self._read(script))
        self._by_rule: dict[str, list[_Inline]] = {}
        for inline in self._inline:
            self._by_rule.setdefault(inline.acceptance.rule, []).append(inline)
        self._by_key: dict[tuple[str, str | None], list[Acceptance]] = {}
        for entry in accepting.ledger:
            self._by_key.setdefault((entry.rule, entry.key), []).append(entry)
        self._used: set[Acceptance] = set()
        self._expired: dict[Acceptance, None] = {}

    def of(self, finding: Finding) -> Acceptance | None:
        """The acceptance that holds for a finding."""
        comments = self._by_rule.get(finding.rule, ())
        # They stand in text order, and so do the lines that they speak of: no later line ends before an earlier one.
        first = bisect_left(comments, (False, finding.current.span.start), key=_end_of_line)
        near = takewhile(lambda one: one.begins_before(finding), islice(comments, first, None))
        candidates = [one.acceptance for one in near if one.covers(finding)]
        candidates += self._by_key.get((finding.rule, finding.key), ())
        result: Acceptance | None = None
        for acceptance in candidates:
            if acceptance.until is not None and acceptance.until < self._accepting.today:
                self._expired[acceptance] = None
                continue
            # All that hold are in use, so that none is called idle.
            self._used.add(acceptance)
            result = result or acceptance
        return result

    def unused(self) -> tuple[UnusedAcceptance, ...]:
        """Acceptances that accepted nothing, in text order, those of the ledger last."""
        entries = list(self._unused)
        for acceptance in (*(inline.acceptance for inline in self._inline), *self._accepting.ledger):
            if acceptance in self._expired:
                entries.append(UnusedAcceptance(acceptance, f"it ended on {acceptance.until}"))
            elif acceptance not in self._used:
                entries.append(UnusedAcceptance(acceptance, "there is nothing to accept any more"))
        return tuple(
            sorted(entries, key=lambda unused: (unused.acceptance.span is None, unused.acceptance.span or Span(0, 0)))
        )

    def _read(self, script: Script) -> Iterator[_Inline]:
        mentions = [comment for comment in script.comments if "keepstate" in comment.text.lower()]
        if not mentions:
            return
        lines = LineIndex(script.text)
        code = _code_lines(script, lines)
        for comment in mentions:
            body = comment.text.removeprefix("//").lstrip("-/*# \t").removesuffix("*/").rstrip()
            mention = _MENTION.match(body)
            if mention is None:
                continue
            order = _ORDER.fullmatch(mention["rest"]) if mention["order"].lower() == "accept" else None
            if order is None:
                form = "accept RULE [until YYYY-MM-DD] because REASON"
                self._unused.append(UnusedAcceptance(_unread(comment.span), f"it is not understood; write: {form}"))
                continue
            try:
                until = date.fromisoformat(order["until"]) if order["until"] else None
            except ValueError:
                wrong = f"{order['until']} is no date of the form YYYY-MM-DD"
                self._unused.append(UnusedAcceptance(_unread(comment.span), wrong))
                continue
            if not order["because"]:
                self._unused.append(UnusedAcceptance(_unread(comment.span), "it gives no reason; add: because REASON"))
                continue
            if order["because"].startswith("<"):
                self._unused.append(UnusedAcceptance(_unread(comment.span), "its reason is still to be written"))
                continue
            line = _line_for(comment.span, lines, code)
            for rule in map(str.strip, order["rules"].split(",")):
                acceptance = Acceptance(rule.lower(), order["because"].strip(), until, span=comment.span)
                if not rules_named(rule):
                    self._unused.append(UnusedAcceptance(acceptance, f"there is no rule {rule}"))
                else:
                    yield _Inline(acceptance, line)


def _end_of_line(inline: _Inline) -> tuple[bool, int]:
    """Only comments at the end of a text speak of no line."""
    return (False, inline.line.end) if inline.line is not None else (True, 0)


def _unread(span: Span) -> Acceptance:
    return Acceptance("", "", span=span)


def _code_lines(script: Script, lines: LineIndex) -> Sequence[int]:
    """The numbers of the lines that hold more than comments, in order."""
    blank = bytearray(len(script.text))
    for comment in script.comments:
        blank[comment.span.start : comment.span.end] = b"\1" * len(comment.span)
    return [
        number
        for number in range(lines.line_count)
        if any(
            not blank[offset] and not script.text[offset].isspace()
            for offset in range(lines.line_span(number).start, lines.line_span(number).end)
        )
    ]


def _line_for(comment: Span, lines: LineIndex, code: Sequence[int]) -> Span | None:
    """Return the line of code that a comment applies to: its own if that holds code, else the next line with code."""
    place = bisect_left(code, lines.position(comment.start).line)
    return lines.line_span(code[place]) if place < len(code) else None

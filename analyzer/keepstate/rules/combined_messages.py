"""Words of a finding among others: a reason is given once, and nothing is wrong in a job that does not start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from keepstate.report import Effect, Finding

LONGEST_HEAD = 80
"""Up to this many characters a change and the first words of its consequence have (docs/style.md)."""
AFTER_START = frozenset({Effect.WRONG_RESULTS, Effect.STATE_LOST})
"""Effects of a change on a job that runs without a word: beside a change that stops it they are for later."""
MORE = len("once started") - len("silently")
"""Characters that the words of these are longer then."""
_REASON = "; "

Jobs = frozenset[object]
"""The jobs that feel a finding; none for one about the whole script."""


def first_words(consequence: str) -> str:
    """The consequence without its reason.

    >>> first_words("all state is lost; it is kept per key")
    'all state is lost'
    """
    return consequence.partition(_REASON)[0]


def said_together(findings: Sequence[Finding], jobs: Sequence[Jobs]) -> Iterator[Finding]:
    """The findings of a report in the words that they have beside one another.

    >>> from keepstate import JobVersion, check
    >>> was, now = (JobVersion(f"SELECT b, {each}(a) FROM t GROUP BY b") for each in ("SUM", "MAX"))
    >>> finding = check(now, was).findings[0]
    >>> stops = replace(finding, effect=Effect.DOES_NOT_START, consequence="the job does not start")
    >>> [each.consequence for each in said_together([finding, stops], [frozenset({1}), frozenset({1})])]
    ['all state is lost once started; no former aggregate stays', 'the job does not start']
    """
    stopped = [own for finding, own in zip(findings, jobs, strict=True) if finding.effect is Effect.DOES_NOT_START]
    consequences: set[tuple[str | None, str, str]] = set()
    for finding, own in zip(findings, jobs, strict=True):
        consequence = finding.consequence
        head, reason = first_words(consequence), consequence.partition(_REASON)[2]
        if reason and (finding.pipeline, finding.query_kind, consequence) in consequences:
            consequence = head
        consequences.add((finding.pipeline, finding.query_kind, finding.consequence))
        if finding.effect in AFTER_START and any(not other or not own or other & own for other in stopped):
            consequence = f"{head.replace('silently ', '')} once started{consequence.removeprefix(head)}"
        yield replace(finding, consequence=consequence) if consequence != finding.consequence else finding

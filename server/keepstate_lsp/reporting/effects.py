"""Words for an effect beside the verdict, where the verdict alone does not show the consequence.

*Incompatible* may mean a job that does not start, which is noticed at once, or one that runs with wrong results, which
is not noticed: so wrong results have the highest severity, and a mark of their own.
"""

from __future__ import annotations

from keepstate.report import Effect, Finding

EFFECT_WORDS = {Effect.DOES_NOT_START: "does not start", Effect.WRONG_RESULTS: "wrong numbers"}
JOB_WORDS = {
    Effect.DOES_NOT_START: "the job does not start from its savepoint",
    Effect.WRONG_RESULTS: "it restores without complaint and gives wrong numbers",
}
"""The effect on a whole job, in a clause."""
ALARM = "\N{DOUBLE EXCLAMATION MARK}"


def with_effect(verdict: str, effect: Effect) -> str:
    """``incompatible, wrong numbers``: the words for a verdict, and those for the effect if there are any.

    >>> with_effect("incompatible", Effect.WRONG_RESULTS), with_effect("compatible", Effect.EXACT)
    ('incompatible, wrong numbers', 'compatible')
    """
    return f"{verdict}, {EFFECT_WORDS[effect]}" if effect in EFFECT_WORDS else verdict


def headline(finding: Finding) -> str:
    """``incompatible, wrong numbers[aggregates-reordered]``.

    >>> from keepstate import JobVersion, check
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> headline(check(now, was).findings[0])
    'incompatible[all-aggregates-replaced]'
    """
    return f"{with_effect(finding.verdict.value, finding.effect)}[{finding.rule}]"


def alarm(effect: Effect) -> str:
    """The mark in front of what gives wrong numbers, with a space behind it; empty for everything else.

    >>> alarm(Effect.EXACT)
    ''
    """
    return f"{ALARM} " if effect is Effect.WRONG_RESULTS else ""

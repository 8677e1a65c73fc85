"""End of an operator's state of a key, if a time to live sets one."""

from __future__ import annotations

from keepstate.plan.metadata.time_to_live import TimeToLive, times_to_live
from keepstate.plan.operators import Operator
from keepstate.plan.parameters import STATE_TTL
from keepstate.plan.settings import Settings


def lifetime_words(operator: Operator, settings: Settings) -> str:
    """Return the words behind "until"; empty for an operator that expires its state by itself, as windows do.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> text = "SET 'table.exec.state.ttl' = '1 d'; SELECT a, COUNT(*) FROM t GROUP BY a"
    >>> (pipeline,) = Job.of(parse_script(text), {}).pipelines
    >>> lifetime_words(pipeline.plan.root, pipeline.settings)
    'it was not written to for 1 day (table.exec.state.ttl)'
    """
    ends = tuple(dict.fromkeys(map(_end, times_to_live(operator, settings))))
    if len(ends) < 2:
        return "".join(ends)
    return "; ".join(f"{side} input: {end}" for side, end in zip(("left", "right"), ends, strict=False))


def time_to_live_words(settings: Settings) -> str:
    """Return the words for state that no operator of a query keeps: only the setting of the job applies.

    >>> time_to_live_words({})
    'the job ends, unless a time to live (table.exec.state.ttl) is set outside of the script'
    """
    return _end(TimeToLive(settings.get(STATE_TTL)))


def _end(ttl: TimeToLive) -> str:
    if ttl.length == 0:
        return "the job ends, unless a time to live (table.exec.state.ttl) is set outside of the script"
    assert ttl.option is not None
    setting = STATE_TTL if ttl.option.key == STATE_TTL else f"hint STATE_TTL about {ttl.option.key}"
    return f"it was not written to for {ttl.words} ({setting})"

"""Rules about what a job is told beside its queries: parameters, times to live, the statements around, the engine (spec
sections 11, 16).
"""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.CONFIGURATION, spec, title, Words(*words))


_ALONE = "Change it in a restart of its own, and test that first."
_STEPS = "Upgrade and edit in separate steps."

RULES = (
    _rule(
        K.STATE_TTL_CHANGED,
        (),
        "State is kept for longer, or a time to live is switched on or off",
        "{subject} {was} -> {now}",
        "{reason}; " + NOT_TOLD,
        ONLY_AFTER,
        _ALONE,
    ),
    _rule(
        K.STATE_TTL_SHORTENED,
        (),
        "State is kept for a shorter time",
        "{subject} {was} -> {now}",
        "from the restart on, what was not written to for {now} is dropped",
        "Results for keys that are dropped begin anew; all others go on.",
        "Nothing to do, if that is what was meant.",
    ),
    _rule(
        K.MAX_PARALLELISM_CHANGED,
        (),
        "Another maximum parallelism",
        "{subject} {was} -> {now}",
        "keyed state is divided into as many groups, and a savepoint with another number of them is refused",
        "Until the number is put back; nothing is lost by trying.",
        "Put the former value back, or leave the parameter out: then the number is taken from the savepoint.",
    ),
    _rule(
        K.SETTING_CHANGED,
        (),
        "A parameter that shapes state",
        "{subject} {was} -> {now}",
        "{reason}; " + NOT_TOLD,
        ONLY_AFTER,
        _ALONE,
    ),
    _rule(
        K.LOOKUP_JOIN_MAY_KEEP_STATE,
        ("JL-03",),
        "A lookup join that may keep state",
        "{subject} changed while {reason}",
        "the lookup join may then keep state, which the platform's check does not see, so " + NOT_TOLD,
        ONLY_AFTER,
        "Start without state, or do without the option.",
    ),
    _rule(
        K.SURROUNDINGS_CHANGED,
        (),
        "A statement around the queries that their names depend on",
        "{subject} ... changed",
        "names in the queries may stand for other things now, so " + NOT_TOLD,
        ONLY_AFTER,
        "Check by hand that every table and function is still the same.",
    ),
    _rule(
        K.ENGINE_VERSION_CHANGED,
        ("OL-01",),
        "Another Flink version",
        "engine {was} -> {now}",
        "another Flink version may plan the same SQL differently, so " + NOT_TOLD,
        ONLY_AFTER,
        _STEPS,
    ),
    _rule(
        K.GROUP_WINDOW_ACROSS_ENGINES,
        ("CFG-04",),
        "A group window on an engine that plans it differently",
        "a group window, and engine {was} -> {now}",
        "Ververica Runtime before 11 makes a window table-valued function of it and 11 does not, which are different "
        "operators, so " + NOT_TOLD,
        ONLY_AFTER,
        _STEPS,
    ),
    _rule(
        K.SESSION_ACROSS_ENGINES,
        ("CFG-05",),
        "A SESSION window on an engine that keys it differently",
        "a SESSION window, and engine {was} -> {now}",
        "Ververica Runtime before 11 keys sessions by GROUP BY, and 11 by the PARTITION BY of the window, so "
        + NOT_TOLD,
        ONLY_AFTER,
        _STEPS,
    ),
)

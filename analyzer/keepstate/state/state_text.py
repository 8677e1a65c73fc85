"""Stored state in words for readers: ``city STRING``, ``accState: COUNT(*) BIGINT``."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.spelling import Spell
from keepstate.state.stored_operators import StatePart, StoredField, StoredOperator, StoredState

_UNKNOWN_TYPE = "of a type that is not known"
_NO_FIELDS = "nothing but that the key is there"


def field_words(field: StoredField, spell: Spell, is_typed: bool) -> str:
    """A field as ``spell`` writes its meaning; with its type where the format is known.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.state.logical import logical_state
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> field_words(logical_state(pipeline.plan.root).key[0], str, is_typed=False)
    'a'
    """
    meaning = field.spelled(spell)
    if is_typed:
        unread = "" if field.is_read else " (not read)"
        return f"{meaning} {field.type or _UNKNOWN_TYPE}{unread}"
    return f"{meaning}: {field.note}" if field.note else meaning


def key_words(stored_operator: StoredOperator, spell: Spell) -> Iterator[str]:
    """Yield the parts of the key that the state is stored under.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.state.logical import logical_state
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> list(key_words(logical_state(pipeline.plan.root), str))
    ['a']
    """
    yield from (field_words(field, spell, stored_operator.is_typed) for field in stored_operator.key)
    if stored_operator.namespace:
        yield stored_operator.namespace


def state_words(state: StoredState, spell: Spell) -> Iterator[str]:
    """One state: its fields one by one, or the rows of a state with a name in one line.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.state.logical import logical_state
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> [list(state_words(state, str)) for state in logical_state(pipeline.plan.root).states]
    [['COUNT(*): a count']]
    """
    fields = [field_words(field, spell, bool(state.name)) for field in state.fields]
    if not state.name:
        yield from fields
    elif not fields:
        yield f"{state.name}: {_NO_FIELDS if state.form == 'value' else state.form}"
    elif state.part is StatePart.ACCUMULATORS:
        yield from (f"{state.name}: {words}" for words in fields)
    else:
        form = "" if state.form == "value" else f" ({state.form})"
        yield f"{state.name}{form}: {', '.join(fields)}"

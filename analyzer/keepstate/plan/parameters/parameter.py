"""Description of a job parameter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from keepstate.plan.parameters.parameter_values import Meaning, ValueType


class ParameterConcern(Enum):
    """Aspect of a job that a change of a parameter touches."""

    NOTHING = "how the job runs, not what it keeps"
    TIME_TO_LIVE = "how long state is kept"
    EMISSION = "when windows give results"
    STATE = "which operators there are, or how and under which name they keep their state"
    KEY_GROUPS = "how keyed state is divided"
    CHECK = "what the compatibility check looks at"


class ParameterReach(Enum):
    """The queries that feel a parameter."""

    STATE = "every query that keeps state"
    EVERY_SOURCE = "every query that reads a table, as positions in it are state too"
    GROUP_WINDOWS = "group windows"
    LOCAL_TIME = "stateful queries over local time"
    TWO_PHASES = "aggregations that can be done in two steps"
    DISTINCT = "aggregations with DISTINCT"
    OVER = "OVER aggregations"
    JOINS = "regular joins"
    MERGED_JOINS = "inner joins and left joins, also of windows, which alone become one operator"
    SEVERAL_JOINS = "queries with more than one join"
    SHARED_SOURCES = "stateful queries over a table that the job reads more than once"
    LOOKUPS = "lookup joins"
    STATE_OR_LOOKUPS = "queries with state or lookup joins"
    FILTERS = "stateful queries with a filter on a source"
    CASTS = "stateful queries that cast"
    KEYED_SOURCES = "stateful queries over a table with a primary key"
    KEYED_SINKS = "stateful queries that write into a table with a primary key"


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    ``title`` names in a few words what it sets, ``meaning`` is its effect on state; ``default`` is ``None`` if it
    depends on the engine or there is none; ``reason`` is the cause why a change of it is undecidable.
    """

    key: str
    type: ValueType
    default: str | None
    title: str
    meaning: str
    concern: ParameterConcern = ParameterConcern.NOTHING
    reach: ParameterReach = ParameterReach.STATE
    reason: str = ""
    synonyms: tuple[str, ...] = ()
    """Other keys for the same, deprecated ones mostly."""
    unset: str = ""
    """Words for the effective value where neither a value nor a default is set, or better words for the default."""

    def meaning_of(self, text: str | None) -> Meaning | None:
        """Return the meaning of a value (``None``: not set, so the default). A value of another type is its own
        meaning.

        >>> from keepstate.plan.parameters import parameter_of
        >>> ttl = parameter_of("table.exec.state.ttl")
        >>> ttl.meaning_of("1 d") == ttl.meaning_of("24 h"), ttl.meaning_of(None)
        (True, Decimal('0'))
        """
        value = self.default if text is None else text
        if value is None:
            return None
        meaning = self.type.read(value)
        return value.strip() if meaning is None else meaning

    def words_for(self, text: str | None) -> str:
        """Return a value in readable words; ``None`` stands for a parameter that is not set.

        >>> from keepstate.plan.parameters import parameter_of
        >>> parameter_of("table.exec.state.ttl").words_for("36 h")
        '36 hours'
        """
        if self.unset and self.meaning_of(text) == self.meaning_of(None):
            return self.unset
        if text is None:
            return f"not set ({self.default_words})" if self.default_words else "not set"
        return self.type.words(text)

    @property
    def default_words(self) -> str:
        """Return the effective value without a setting, in words, as far as it is known."""
        return self.unset or (self.type.words(self.default) if self.default is not None else "")

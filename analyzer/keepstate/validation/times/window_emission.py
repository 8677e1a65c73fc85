"""Results of windows before and after their ends: the settings that ask for them, and the windows that give none.

Measured on Flink 1.20 and 2.3. A window in GROUP BY (TUMBLE or HOP) changes rows that it gave then. A SESSION and each
window table function give a result only once, and Flink refuses them under these settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.expressions import is_proctime
from keepstate.plan.operators import GroupWindowAggregate, Operator, WindowAggregate, WindowKind
from keepstate.plan.parameters import (
    ALLOW_LATENESS,
    EARLY_DELAY,
    EARLY_FIRE,
    LATE_DELAY,
    LATE_FIRE,
    STATE_TTL,
    parameter_of,
)
from keepstate.plan.parameters.parameter_values import Meaning
from keepstate.plan.settings import Settings

_DELAYS = {EARLY_FIRE: EARLY_DELAY, LATE_FIRE: LATE_DELAY}


@dataclass(frozen=True)
class WindowEmission:
    """Settings of a job about the results of its windows. ``refusal`` says why no window in GROUP BY takes them."""

    early: bool = False
    late: bool = False
    refusal: str | None = None
    lasts: bool = True
    """False if no time is given for which an ended window waits for late rows."""

    @staticmethod
    def of(settings: Settings) -> WindowEmission:
        """The emission that ``settings`` ask for.

        >>> from keepstate.plan.catalog import Option
        >>> WindowEmission.of({"table.exec.emit.early-fire.enabled": Option("", "true")}).refusal
        'table.exec.emit.early-fire.enabled needs table.exec.emit.early-fire.delay, such as 10 s.'
        """
        values = {key: _meaning(key, settings) for key in (EARLY_FIRE, LATE_FIRE, EARLY_DELAY, LATE_DELAY)}
        lateness = _meaning(ALLOW_LATENESS if ALLOW_LATENESS in settings else STATE_TTL, settings)
        return WindowEmission(
            early=values[EARLY_FIRE] is True,
            late=values[LATE_FIRE] is True,
            refusal=_refusal(values, settings),
            lasts=lateness not in (None, 0),
        )

    def refusal_of(self, operator: Operator) -> str | None:
        """Why Flink refuses a window under these settings; ``None`` if it does not, and for all other operators."""
        if isinstance(operator, WindowAggregate):
            return self._refusal_of_function() if self.early or self.late else None
        if not isinstance(operator, GroupWindowAggregate):
            return None
        if (self.early or self.late) and operator.window.kind is WindowKind.SESSION:
            return f"A SESSION gives one result: set {self._switch} = false, or take another window."
        if self.late and not self.lasts and not is_proctime(operator.window.time):
            return f"{LATE_FIRE} needs {ALLOW_LATENESS}, the time for which an ended window waits for late rows."
        return self.refusal

    def changes_results_of(self, operator: GroupWindowAggregate) -> bool:
        """Return whether a window gives its result more than once."""
        return self.early or (self.late and not is_proctime(operator.window.time))

    @property
    def _switch(self) -> str:
        return EARLY_FIRE if self.early else LATE_FIRE

    def _refusal_of_function(self) -> str:
        return f"A window table function gives one result: set {self._switch} = false, or write the window in GROUP BY."


ONE_RESULT = WindowEmission()
"""The emission without any setting: each window gives one result, at its end."""


def _meaning(key: str, settings: Settings) -> Meaning | None:
    option = settings.get(key)
    return parameter_of(key).meaning_of(option.value if option is not None else None)


def _refusal(values: dict[str, Meaning | None], settings: Settings) -> str | None:
    for key in (EARLY_DELAY, LATE_DELAY, ALLOW_LATENESS):
        if key in settings and settings[key].value.strip().startswith("-"):
            return f"{key} is no length of time below zero."
    for switch, delay in _DELAYS.items():
        if values[switch] is True and values[delay] is None:
            return f"{switch} needs {delay}, such as 10 s."
    return None

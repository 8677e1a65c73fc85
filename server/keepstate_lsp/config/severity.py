"""How loud a finding is shown: by its rule, its effect, its verdict, or the preset.

A verdict is meaning, and the same for everybody; how loud it is shown depends on what a team is afraid of.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from keepstate.report import Effect, Verdict

LEVELS = ("error", "warning", "information", "hint", "off")
SEVERITIES = tuple(one.value for one in (*Verdict, *Effect) if one is not Effect.EXACT)
"""What a level can be set for, beside rules."""

PRESETS: Mapping[str, Mapping[str, str]] = {
    # For who wants right results: state that is lost is an error, numbers that are off for a while are a warning.
    "results": {
        "incompatible": "error",
        "unknown": "warning",
        "partial": "warning",
        "compatible": "information",
        "wrong-results": "error",
    },
    # For who must not lose anything: whatever is less than exact is an error.
    "strict": {"incompatible": "error", "unknown": "error", "partial": "error", "compatible": "warning"},
    # For who wants the job to come up again: what restores, be it with other numbers, is not loud.
    "restore": {
        "incompatible": "error",
        "unknown": "warning",
        "partial": "information",
        "compatible": "hint",
        "wrong-results": "warning",
    },
    # For who wants to know, but not to be told: nothing is an error.
    "advisory": {"incompatible": "warning", "unknown": "information", "partial": "information", "compatible": "hint"},
}
"""Verdict or effect to level; an effect wins."""

DEFAULT_PRESET = "results"


def loudness(severity: Mapping[str, str], preset: str, rule: str, effect: str, verdict: str) -> str:
    """The level of a finding; ``severity`` is what was set for single rules, effects and verdicts."""
    levels = PRESETS[preset]
    for key in (rule, effect, verdict):
        if key in severity:
            return severity[key]
    return levels.get(effect) or levels[verdict]


def unheard_of(keys: Iterable[str]) -> tuple[str, str] | None:
    """The first key that is no verdict, no effect and no rule, so that a level set for it has no effect, and a sentence
    about it.
    """
    unknown = [key for key in keys if key not in SEVERITIES]
    if not unknown:
        return None
    import keepstate

    # Imported here, where a rule is named: it takes the whole analyzer to say which there are.
    rules = dict.fromkeys(info.id for info in keepstate.rule_catalogue())
    wrong = next((key for key in unknown if key not in rules), None)
    if wrong is None:
        return None
    near = difflib.get_close_matches(wrong, (*SEVERITIES, *rules), 1)
    meant = f"did you mean {near[0]}?" if near else "`keepstate rules` lists all rules."
    return wrong, f"there is no verdict, effect or rule {wrong!r}; {meant}"

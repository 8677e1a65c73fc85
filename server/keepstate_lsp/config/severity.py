"""Severity of a finding: by its rule, its effect, its verdict, or the preset.

A verdict has one meaning for all users; its severity depends on the risks that a team fears.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keepstate.report import Effect, Verdict
from keepstate_lsp.near_names import near_names

LEVELS = ("error", "warning", "information", "hint", "off")
SEVERITIES = tuple(one.value for one in (*Verdict, *Effect) if one is not Effect.EXACT)
"""Keys of ``[severity]`` beside rules."""
INVALID_SQL = "invalid-sql"
"""The rule of statements that Flink refuses: an error, unless its key says otherwise."""

PRESETS: Mapping[str, Mapping[str, str]] = {
    # For who wants right results: state that is lost is an error, numbers that are off for a while are a warning.
    "results": {
        "incompatible": "error",
        "unknown": "warning",
        "partial": "warning",
        "compatible": "information",
        "wrong-results": "error",
    },
    # For users who must not lose any state: every effect but exact is an error.
    "strict": {"incompatible": "error", "unknown": "error", "partial": "error", "compatible": "warning"},
    # For users who want the job to start again: a restart with other numbers is a warning at most.
    "restore": {
        "incompatible": "error",
        "unknown": "warning",
        "partial": "information",
        "compatible": "hint",
        "wrong-results": "warning",
    },
    # Information without alarms: nothing is an error.
    "advisory": {"incompatible": "warning", "unknown": "information", "partial": "information", "compatible": "hint"},
}
"""Verdict or effect to level; an effect wins."""

DEFAULT_PRESET = "results"


def severity_of(severity: Mapping[str, str], preset: str, rule: str, effect: str, verdict: str) -> str:
    """The level of a finding; ``severity`` is what was set for single rules, effects and verdicts."""
    levels = PRESETS[preset]
    for key in (rule, effect, verdict):
        if key in severity:
            return severity[key]
    return levels.get(effect) or levels[verdict]


def unheard_of(keys: Iterable[str]) -> tuple[str, str] | None:
    """The first key that is no verdict, no effect and no rule, and a sentence about it."""
    unknown = [key for key in keys if key not in (*SEVERITIES, INVALID_SQL)]
    if not unknown:
        return None
    import keepstate

    # Imported here, only if a rule is named: the list of rules needs the whole analyzer.
    rules = keepstate.rule_ids()
    wrong = next((key for key in unknown if key not in rules), None)
    if wrong is None:
        return None
    near = near_names(wrong, (*SEVERITIES, INVALID_SQL, *rules))
    suggestion = f"did you mean {near[0]}?" if near else "`keepstate rules` lists all rules."
    return wrong, f"there is no verdict, effect or rule {wrong!r}; {suggestion}"

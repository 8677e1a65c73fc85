"""The part of docs/predictions.md about the examples of the rule pages: what the profile says, and what Flink did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from candidates import MeasuredExample, examples
from keepstate.report import Effect
from measured import OUTCOMES
from shared_analyses import check
from version_store import NOT_RUN, by_key, measured_versions

_STARTED = "started"
_NAMED = re.compile(r"'[^']*'|[\w.]*Exception: |\b(?:com|org)\.[\w.]+|[0-9a-f]{32}")
_WHY = {
    "configuration/state-ttl-shortened": "no key was idle for so long in these rows",
    "job/state-added": "the new query begins with empty state, as the profile says; these rows do not show it",
}
_INTRODUCTION = """\
Every example of [the rule pages](rules/README.md) that Flink can run is restarted: the baseline reads the first part
of made-up rows, and the current script continues from its savepoint. *Started* means that the outcome is not decided:
the rows differ from run to run (two inputs, or the clock of the machine), or are the same with state and without.
Each was tried at one position of the savepoint only, so wrong state may stay unseen.
"""


@dataclass(frozen=True)
class _Judged:
    """``measured`` is an effect, or that it started."""

    example: MeasuredExample
    predicted: Effect
    measured: str

    @property
    def agrees(self) -> bool:
        if self.measured == _STARTED:
            return self.predicted is not Effect.DOES_NOT_START
        return self.predicted.value == self.measured

    @property
    def unsafe(self) -> bool:
        return self.predicted is Effect.EXACT and self.measured not in (_STARTED, Effect.EXACT.value)

    @property
    def why(self) -> str:
        if self.predicted is Effect.UNDETERMINED:
            return "not modelled, and said so"
        if self.predicted is Effect.WRONG_RESULTS and self.measured in (Effect.EXACT.value, Effect.STATE_LOST.value):
            return "the state holds something else than is read from it; these rows do not show it"
        if self.unsafe and self.example.section.startswith("window-"):
            return (
                "**a gap**: the fields of a window are data to an operator above, and the profile does not compare them"
            )
        return _WHY.get(f"{self.example.page}/{self.example.section}", "**not explained**")


def example_section() -> Iterator[str]:
    yield "## Examples of the rule pages\n"
    yield _INTRODUCTION
    known = {example.key for example in examples()}
    outcomes = {key: by_version for key, by_version in by_key().items() if key in known}
    for version in reversed(measured_versions()):
        run = [_judged(example, version, outcomes[example.key][version]) for example in _run(outcomes, version)]
        yield from _of_version(version, run, outcomes)


def _run(outcomes: dict[str, dict[str, str]], version: str) -> list[MeasuredExample]:
    by_version = ((example, outcomes.get(example.key, {}).get(version, NOT_RUN)) for example in examples())
    return [example for example, outcome in by_version if not outcome.startswith(NOT_RUN)]


def _judged(example: MeasuredExample, version: str, outcome: str) -> _Judged:
    engine = ".".join(version.split(".")[:2])
    current = replace(example.current, engine_version=engine)
    baseline = replace(example.baseline, engine_version=engine)
    effect = OUTCOMES.get(outcome.removesuffix("?"))
    discriminating = effect is Effect.WRONG_RESULTS or not outcome.endswith("?")
    return _Judged(
        example, check(current, baseline, "flink").effect, effect.value if effect and discriminating else _STARTED
    )


def _of_version(version: str, run: list[_Judged], outcomes: dict[str, dict[str, str]]) -> Iterator[str]:
    agreeing, unsafe = sum(one.agrees for one in run), sum(one.unsafe for one in run)
    tried = sum(version in by_version for by_version in outcomes.values())
    yield f"### On Flink {version}\n"
    yield f"{len(examples())} examples, {tried} tried, {len(run)} run: {agreeing} as predicted"
    yield f"({agreeing / max(1, len(run)):.1%}), {unsafe} called exact that are not.\n"
    counts = Counter((one.example.page, one.measured, one.predicted) for one in run)
    shown = sorted({one.predicted for one in run}, key=lambda effect: effect.precedence)
    yield f"| page | measured | {' | '.join(effect.value for effect in shown)} |"
    yield f"|---|---|{'---|' * len(shown)}"
    for page, was in sorted({(page, was) for page, was, _ in counts}):
        row = (str(counts[page, was, effect] or "") for effect in shown)
        yield f"| {page} | {was} | {' | '.join(row)} |"
    yield ""
    misses = [one for one in run if not one.agrees]
    if misses:
        yield "| example | measured | predicted | why |"
        yield "|---|---|---|---|"
        for one in misses:
            yield f"| {one.example.key} | {one.measured} | {one.predicted.value} | {one.why} |"
        yield ""
    yield from _not_run(version, outcomes)


def _not_run(version: str, outcomes: dict[str, dict[str, str]]) -> Iterator[str]:
    """Reasons why examples were not run, the most frequent first, each with the examples."""
    reasons: dict[str, list[str]] = {}
    for key, by_version in outcomes.items():
        outcome = by_version.get(version, "")
        if outcome.startswith(NOT_RUN):
            words = " ".join(_NAMED.sub("", outcome.removeprefix(NOT_RUN)).split()).strip(" :")[:160]
            reasons.setdefault(words, []).append(f"`{key}`")
    if reasons:
        yield "Not run:\n"
        for words, keys in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
            more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
            yield f"* {words} ({', '.join(keys[:3])}{more})"
        yield ""

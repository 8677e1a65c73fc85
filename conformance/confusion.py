#!/usr/bin/env python3
"""Holds the flink profile against what real Flink did: a confusion matrix per family, and why each miss is one.

``--write`` puts the page into docs/predictions.md, and what was measured into the rule pages. The examples of the rule
pages are measured by measure.py; version_table.py writes docs/conformance.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from evidence import write_evidence
from explained import reason
from judged_examples import example_section
from keepstate.report import Effect
from measured import MeasuredPair, given_pairs, own_pairs, sampled_pairs
from mistakes import TO_BE_MENDED

PAGE = Path(__file__).parents[1] / "docs" / "predictions.md"
GIVEN = {"Short queries": "pairs", "Whole jobs": "pairs-2"}
"""The restores of tests/truth, by their headings."""
SAMPLE = "Planned pairs that were restored"
OWN = "Pairs of conformance/"
EFFECTS = sorted(Effect, key=lambda effect: effect.precedence)

Judged = tuple[MeasuredPair, Effect]


def judged(pairs: Sequence[MeasuredPair]) -> list[Judged]:
    return [(pair, pair.report().effect) for pair in pairs]


def page(sets: dict[str, list[Judged]]) -> str:
    """The document: for each set of pairs its matrices and its misses."""
    today = datetime.now(timezone.utc).date().isoformat()
    lines = [
        "<!-- Made by conformance/confusion.py. -->\n",
        "# What the flink profile says, and what Flink did\n",
        "This page compares the prediction of the profile `flink` with the outcome of a restart, pair by pair.",
        "[Conformance](conformance.md) has the outcomes on each version of Flink.\n",
        f"*Basis: measured on Flink 2.3.0 and 1.20.5 with real savepoints. Made on {today} by `make conformance`.*\n",
        "A job runs on the first half of some rows and is stopped with a savepoint. The changed job continues from it",
        "with the other rows. On 2.3.0 most pairs were run with several positions of the savepoint, and the loudest",
        "outcome counts.\n",
        "| outcome | rows of the changed job |",
        "|---|---|",
        "| *exact* | as if it had always run |",
        "| *state lost* | as without any state |",
        "| *wrong results* | any others |\n",
        "Each miss has its reason beside it, or is marked as a mistake to be corrected. The pairs are in",
        "[tests/truth](../tests/truth/README.md); those of the last set, and the reasons, are in conformance/.\n",
    ]
    for title, results in sets.items():
        lines += _set(title, results)
    lines += example_section()
    return "\n".join(lines).rstrip() + "\n"


def _set(title: str, results: list[Judged]) -> Iterator[str]:
    yield f"## {title}\n"
    for setting in dict.fromkeys(pair.setting.name for pair, _ in results):
        own = [(pair, effect) for pair, effect in results if pair.setting.name == setting]
        right = sum(pair.effect is effect for pair, effect in own)
        unsafe = sum(
            effect is Effect.EXACT and pair.effect is not Effect.EXACT and pair.discriminating for pair, effect in own
        )
        yield f"Flink {setting}: {len(own)} pairs, {right} as predicted ({right / len(own):.1%}), {unsafe} called exact"
        yield "that are not.\n"
    counts = Counter((pair.family, pair.effect, effect) for pair, effect in results)
    shown = [effect for effect in EFFECTS if any(effect in (was, said) for _, was, said in counts)]
    yield f"| family | measured | {' | '.join(effect.value for effect in shown)} |"
    yield f"|---|---|{'---|' * len(shown)}"
    for family in sorted({family for family, _, _ in counts}):
        for was in shown:
            row = [counts[family, was, said] for said in shown]
            if any(row):
                yield f"| {family} | {was.value} | {' | '.join(str(count or '') for count in row)} |"
    yield ""
    misses = [(pair, effect) for pair, effect in results if pair.effect is not effect]
    if misses:
        yield "| pair | Flink | measured | predicted | why |"
        yield "|---|---|---|---|---|"
        for pair, effect in misses:
            mistake = f"**to be mended**: {TO_BE_MENDED[pair.id]}" if pair.id in TO_BE_MENDED else "**not explained**"
            why = reason(pair, effect) or mistake
            yield f"| {pair.id} | {pair.setting.name} | {pair.effect.value} | {effect.value} | {why} |"
        yield ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}, and the evidence of the rule pages")
    arguments = parser.parse_args()
    given = {name: given_pairs(file) for name, file in GIVEN.items()}
    sets = {name: judged(pairs) for name, pairs in {**given, SAMPLE: sampled_pairs(), OWN: own_pairs()}.items()}
    text = page(sets)
    print(text)
    if arguments.write:
        PAGE.write_text(text, "utf-8", newline="\n")
        write_evidence([pair for pairs in given.values() for pair in pairs if not pair.note], own_pairs())
    unsafe = [
        pair.name
        for results in sets.values()
        for pair, effect in results
        if effect is Effect.EXACT
        and pair.effect is not Effect.EXACT
        and pair.discriminating
        and pair.id not in TO_BE_MENDED
    ]
    for name in unsafe:
        print(f"{name} is called exact and is not", file=sys.stderr)
    return 1 if unsafe else 0


if __name__ == "__main__":
    sys.exit(main())

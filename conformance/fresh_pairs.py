#!/usr/bin/env python3
"""Makes pairs that no page has, by seed, and names those on which a real Flink's planner contradicts the profile.

These pairs are written to ``build/fresh-pairs``, as ``keepstate verify --pairs`` takes them. The exit status is 1 if a
job does not start that the profile lets start.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from generated_pairs import GeneratedPair, pair_of
from keepstate.report import Effect
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.commands.planned.planner_answers import Planners
from keepstate_lsp.cli.result.file_result import FileResult, compare
from keepstate_lsp.cli.result.real_flink.agreement import Agreement
from keepstate_lsp.cli.result.real_flink.planned import DOES_NOT_START

KEPT = Path(__file__).parents[1] / "build" / "fresh-pairs"
_STARTING = frozenset(Effect) - {Effect.DOES_NOT_START, Effect.WRONG_RESULTS, Effect.STATE_LOST, Effect.UNDETERMINED}
"""Effects that no gate stops."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=1_000, help="how many pairs are made (default: %(default)s)")
    parser.add_argument("--seed", default="0", help="another seed makes other pairs (default: %(default)s)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    options = parser.parse_args(arguments)
    ends = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    KEPT.mkdir(parents=True, exist_ok=True)
    agreement, told = Agreement(), Counter[str]()
    with Planners() as planners, (KEPT / f"seed-{options.seed}.jsonl").open("w", encoding="utf-8") as kept:
        for number in range(options.pairs):
            if time.monotonic() > ends:
                print(f"Stopped after {number} pairs.", file=sys.stderr)
                break
            pair = pair_of(number, options.seed)
            found = planners.planned(compare(None, pair.b, pair.a, JobSettings("flink"), fixing=False))
            sentences = list(agreement.add_planned(found))
            if any(answer.agrees is False for answer in found.planned):
                kept.write(f"{json.dumps(_line(pair, found))}\n")
                word = "silent" if is_silent(found) else "otherwise"
                told[word] += 1
                print(f"{word}: {pair.number} {pair.kind} in {pair.context}: {' '.join(sentences)}", flush=True)
    print(agreement.sentence("Flink's planner agrees with the profile"))
    return 1 if told["silent"] else 0


def is_silent(found: FileResult) -> bool:
    """Return whether a job does not start by its plans, and starts by the profile."""
    return any(answer.decision == DOES_NOT_START and Effect(answer.predicted) in _STARTING for answer in found.planned)


def _line(pair: GeneratedPair, found: FileResult) -> dict[str, object]:
    return {
        "id": f"{pair.number}",
        "engine": "flink",
        "kind": pair.kind,
        "predicted": [answer.predicted for answer in found.planned],
        "planned": [answer.decision for answer in found.planned],
        "baseline": pair.a,
        "current": pair.b,
    }


if __name__ == "__main__":
    sys.exit(main())

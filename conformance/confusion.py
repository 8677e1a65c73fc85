#!/usr/bin/env python3
"""Holds the flink profile against what real Flink did: a confusion matrix per family, and why each miss is one.

``--truth FILE`` adds more measured pairs, ``--write`` puts the page into docs/conformance.md. ``--oracle FOLDER`` runs
the examples of the rule pages through a real Flink as well (its compat.sh): whether the job starts, without any rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path

from explained import reason
from keepstate import check
from keepstate.report import Effect
from measured import MeasuredPair, given_pairs, own_pairs

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
STARTS = frozenset({"RESTORED_EXACT", "RESTORED_DIFFERENT", "RESTORED_STATE_LOST"})
EFFECTS = sorted(Effect, key=lambda effect: effect.loudness)

Judged = tuple[MeasuredPair, Effect]


def judged(pairs: Sequence[MeasuredPair]) -> list[Judged]:
    return [(pair, pair.report().effect) for pair in pairs]


def page(sets: dict[str, list[Judged]]) -> str:
    """The document: for each set of pairs its matrices and its misses."""
    today = datetime.now(timezone.utc).date().isoformat()
    lines = [
        "<!-- Made by conformance/confusion.py. -->\n",
        "# What the flink profile says, and what Flink did\n",
        f"Made on {today} by `make conformance`. Flink 2.3.0 and 1.20.5, real savepoint and restore: a job runs on the",
        "first half of some rows, is stopped with a savepoint, and the changed job goes on from it with the others.",
        "*Exact* are the rows that the changed job gives if it always ran, *state lost* those that it gives without",
        "any state, *wrong results* all others. On 2.3.0 most pairs were run with several positions of the savepoint,",
        "and the loudest outcome counts. Each miss is told with its reason.\n",
    ]
    for title, results in sets.items():
        lines += _set(title, results)
    return "\n".join(lines).rstrip() + "\n"


def _set(title: str, results: list[Judged]) -> Iterator[str]:
    yield f"## {title}\n"
    for setting in dict.fromkeys(pair.setting.name for pair, _ in results):
        own = [(pair, effect) for pair, effect in results if pair.setting.name == setting]
        right = sum(pair.effect is effect for pair, effect in own)
        unsafe = sum(effect is Effect.EXACT and pair.effect is not Effect.EXACT and pair.told for pair, effect in own)
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
            why = reason(pair, effect) or "**not explained**"
            yield f"| {pair.id} | {pair.setting.name} | {pair.effect.value} | {effect.value} | {why} |"
        yield ""


def examples_on(oracle: Path) -> Counter[tuple[str, bool]]:
    """How often each predicted effect went with a start of the job (``True``), for the examples of the rule pages."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rules"))
    examples = import_module("rule_pages").all_examples()
    predicted: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        data.mkdir()
        cases = Path(folder, "cases.jsonl")
        with cases.open("w", encoding="utf-8") as file:
            for example in examples:
                if example.current.engine_version or example.current.parameters != example.baseline.parameters:
                    continue
                predicted[example.name] = check(example.current, example.baseline, "flink").effect.value
                case = {"id": example.name, "a": example.baseline.text, "b": example.current.text, "data": str(data)}
                file.write(json.dumps({**case, "conf": dict(example.current.parameters)}) + "\n")
        command = [str(oracle / "compat.sh"), str(cases)]
        answers = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: Counter[tuple[str, bool]] = Counter()
    for answer in map(json.loads, answers.splitlines()):
        outcome, effect = answer["outcome"], predicted[answer["id"]]
        if outcome not in STARTS and not outcome.startswith("FAILED"):
            continue
        found[effect, outcome in STARTS] += 1
        if (effect == Effect.DOES_NOT_START.value) is (outcome in STARTS) and effect != Effect.UNDETERMINED.value:
            print(f"  {answer['id']}: predicted {effect}, measured {outcome}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--truth", type=Path, help="more measured pairs, one JSON object a line")
    parser.add_argument(
        "--oracle", type=Path, help="a folder with a real Flink to run the examples of the rule pages on"
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    sets = {"Given pairs": judged(given_pairs(arguments.truth))} if arguments.truth else {}
    sets["Own pairs"] = judged(own_pairs())
    text = page(sets)
    print(text)
    if arguments.write:
        PAGE.write_text(text, "utf-8", newline="\n")
    if arguments.oracle:
        for (effect, starts), count in sorted(examples_on(arguments.oracle).items()):
            print(f"{effect}: {count} {'started' if starts else 'did not start'}")
    unsafe = [
        pair.name
        for results in sets.values()
        for pair, effect in results
        if effect is Effect.EXACT and pair.effect is not Effect.EXACT and pair.told
    ]
    for name in unsafe:
        print(f"{name} is called exact and is not", file=sys.stderr)
    return 1 if unsafe else 0


if __name__ == "__main__":
    sys.exit(main())

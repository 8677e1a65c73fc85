#!/usr/bin/env python3
"""Makes labelled pairs of jobs and holds the product against their labels (``make accuracy``).

The exit status is 1 if any pair is not right; ``--pair N`` shows one of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from accuracy_page import ScoredPair, Tally, page
from catalogue_of_edits import EDITS
from kinds import checked, story
from labelled_pairs import LabelledPair, pair_of
from page_sections import section, with_section
from pair_scores import score

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
_MOST_SHOWN = 20
"""Pairs that are wrong and named on the terminal."""


def scored(number: int, seed: int) -> ScoredPair:
    pair = pair_of(number, seed)
    return ScoredPair.of(pair, score(pair))


def scores(pairs: int, seed: int, processes: int) -> Iterator[ScoredPair]:
    if processes == 1:
        yield from (scored(number, seed) for number in range(pairs))
        return
    with get_context("fork" if sys.platform == "linux" else "spawn").Pool(processes) as pool:
        yield from pool.imap(partial(scored, seed=seed), range(pairs), chunksize=50)


def measured(pairs: int, seed: int, processes: int) -> Tally:
    tally = Tally()
    for result in scores(pairs, seed, processes):
        tally.add(result)
        if result.score.mistakes and len(tally.wrong) <= _MOST_SHOWN:
            names = ", ".join(sorted(mistake.value for mistake in result.score.mistakes))
            print(f"pair {result.number}: {names}: {result.kind}, {result.label}", file=sys.stderr)
        if tally.pairs % 2000 == 0:
            print(f"{tally.pairs:,} pairs, {len(tally.wrong)} not right", flush=True)
    return tally


def show(pair: LabelledPair) -> None:
    """One pair with all that is said of it."""
    report = checked(pair.baseline, pair.current, pair.before, pair.after, pair.engine)
    print(f"{pair.family}: {pair.kind}, {pair.label}: {pair.verdict.value}")
    for side in (pair.baseline, pair.current):
        print("edited:", [side.text[start:end] for start, end in side.touched])
    print(story(report, pair.baseline, pair.current))
    print("not right:", sorted(mistake.value for mistake in score(pair).mistakes) or "nothing")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=20_000, help="how many pairs are made (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other pairs (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many processes work (default: %(default)s)")
    parser.add_argument("--pair", type=int, help="show only the pair of this number")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    arguments = parser.parse_args()
    if arguments.pair is not None:
        show(pair_of(arguments.pair, arguments.seed))
        return 0
    tally = measured(arguments.pairs, arguments.seed, arguments.processes)
    text = page(tally, arguments.seed, EDITS)
    if arguments.write:
        # `make differential` writes its own section.
        if kept := section(PAGE.read_text("utf-8"), "differential"):
            text = with_section(text, "differential", kept)
        PAGE.write_text(text, "utf-8", newline="\n")
    right = tally.pairs - len(tally.wrong)
    print(f"{tally.pairs:,} pairs, {right:,} right, {len(tally.wrong)} not right")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

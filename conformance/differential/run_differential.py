#!/usr/bin/env python3
"""Makes rewrites and edits of scripts by seed, lets a real Flink plan both sides, and holds the verdicts against that.

``--pair N`` shows one pair. Flink is downloaded once, as for ``make conformance``.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from differential_page import SECTION, section
from generated_pairs import Context, GeneratedPair, given_contexts, pair_of
from keepstate import JobVersion, check
from keepstate_flink.plans.equality import plan_lines
from page_sections import with_section
from plan_equality import Comparison, compared, stored_lines
from planned_scripts import VERSION, Planner, planning
from scored_pairs import ScoredPair, verdicts

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
KEPT = Path(__file__).parents[2] / "build" / "differential"
"""Folder of the answers of each run, as JSON lines."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=2_000, help="how many pairs are made (default: %(default)s)")
    parser.add_argument("--seed", default="0", help="another seed makes other pairs (default: %(default)s)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument("--scripts", type=Path, help="a folder of *.sql and *.jsonl, or a file of JSON lines: contexts")
    parser.add_argument("--pair", type=int, help="show only the pair of this number, and what both plans differ in")
    parser.add_argument("--write", action="store_true", help=f"write the section of docs/{PAGE.name}")
    arguments = parser.parse_args()
    if arguments.scripts is not None and not arguments.scripts.exists():
        parser.error(f"{arguments.scripts} does not exist")
    given = given_contexts(arguments.scripts) if arguments.scripts is not None else ()
    with planning() as planner:
        if arguments.pair is not None:
            _show(planner, pair_of(arguments.pair, arguments.seed, given))
            return 0
        ends = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
        scored = list(_scored(planner, arguments.pairs, arguments.seed, given, ends))
    if arguments.write:
        text = section(scored, arguments.seed, VERSION, bool(given))
        PAGE.write_text(with_section(PAGE.read_text("utf-8"), SECTION, text), "utf-8", newline="\n")
    for engine in ("vvr", "flink"):
        wrong = [pair.number for pair in scored if pair.measure(engine) == "alarms"]
        silent = [pair.number for pair in scored if pair.measure(engine) == "silent"]
        danger = [pair.number for pair in scored if pair.measure(engine) == "silent" and pair.is_dangerous]
        print(f"{engine}: {len(wrong)} alarms, {len(silent)} silences, {len(danger)} of them dangerous {danger[:20]}")
    return 0


def _scored(planner: Planner, pairs: int, seed: str, given: Sequence[Context], ends: float) -> Iterator[ScoredPair]:
    """The pairs of a run; each answer is also written down at once."""
    KEPT.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with (KEPT / f"seed-{seed}.jsonl").open("w", encoding="utf-8") as kept:
        for number in range(pairs):
            if time.monotonic() > ends:
                print(f"Stopped after {number} pairs.", file=sys.stderr)
                return
            pair = pair_of(number, seed, given)
            scored = ScoredPair(number, pair.kind, pair.context, _answer(planner, pair), verdicts(pair))
            kept.write(json.dumps(scored.to_json()) + "\n")
            kept.flush()
            yield scored
            if number % 100 == 99:
                pace = (time.monotonic() - began) / (number + 1)
                print(f"{number + 1:,} pairs ({pace * (pairs - number) / 60:.0f} min left)", flush=True)


def _answer(planner: Planner, pair: GeneratedPair) -> Comparison | None:
    a, b = planner.planned(pair.a), planner.planned(pair.b)
    if a.error or b.error:
        return None
    return compared(a, b, means_the_same=pair.kind.startswith("rewrite:"))


def _show(planner: Planner, pair: GeneratedPair) -> None:
    print(f"{pair.kind} in {pair.context}\n")
    print(*difflib.unified_diff(pair.a.splitlines(), pair.b.splitlines(), "a", "b", lineterm="", n=99), sep="\n")
    a, b = planner.planned(pair.a), planner.planned(pair.b)
    if a.plan is None or b.plan is None:
        print(f"\nFlink refuses: {a.error or b.error}")
    else:
        print(f"\n{_answer(planner, pair)}")
        for title, lines in (
            ("plan", (plan_lines(a.plan), plan_lines(b.plan))),
            ("stored", (stored_lines(a), stored_lines(b))),
        ):
            print(*difflib.unified_diff(*lines, f"{title} of a", f"{title} of b", lineterm="", n=0), sep="\n")
    for engine in ("vvr", "flink"):
        report = check(JobVersion(pair.b), JobVersion(pair.a), engine)
        print(f"\n{engine}: {report.verdict.value}")
        for finding in report.findings:
            print(f"  {finding.verdict.value} {finding.query_kind}/{finding.rule}: {finding.message}")


if __name__ == "__main__":
    sys.exit(main())

"""Measurements of Keepstate on real SQL: `make corpus`, or `python bench/corpus.py [FOLDER]`.

FOLDER holds `statements.jsonl` (`sql`, and in `flink_2_1` what Flink's own parser said of it) and `pairs.jsonl`
(`baseline`, `current`: two versions of one file). It is no part of the repository; without it nothing is measured.
Ends with 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus_pairs import Judgements, judge_all
from corpus_statements import Reading, constructs_of_files, read_all

BESIDE_THE_CLONE = Path(__file__).resolve().parents[2] / "shared" / "corpus"
PARSED = 0.99
SECONDS = 1.0
"""The longest that a verdict on a real pair may take."""
SHOWN = 25


def main(folder: Path) -> int:
    """Print what was measured; 1 if a target was missed, 2 if a folder that was named is no corpus."""
    if not (folder / "statements.jsonl").is_file():
        print(f"corpus: there is no statements.jsonl in {folder}; name the folder: make corpus CORPUS=folder")
        return 0 if folder == BESIDE_THE_CLONE else 2
    statements = list(_lines(folder / "statements.jsonl"))
    pairs = list(_lines(folder / "pairs.jsonl"))
    reading = read_all(statements)
    _tell_reading(reading)
    _tell_table("Constructs without a meaning of their own, by files", constructs_of_files(statements))
    missed = reading.share_with_spans < PARSED
    for engine in ("vvr", "flink"):
        judgements = judge_all(pairs, engine)
        _tell_judgements(judgements)
        missed |= bool(judgements.nameless or judgements.failures) or judgements.slowest > SECONDS
    print("a target was missed" if missed else "all targets are met")
    return int(missed)


def _tell_reading(reading: Reading) -> None:
    print(f"{len(reading.accepted):,} of {reading.statements:,} statements are taken by Flink's parser; of these")
    print(f"  {reading.parsed:,} parse ({reading.parsed / len(reading.accepted):.2%})")
    print(f"  {reading.with_spans:,} parse with full spans ({reading.share_with_spans:.2%})")
    print(f"{reading.templates:,} statements with holes that Flink's parser refuses; of these")
    print(f"  {reading.read_around_holes:,} are read around their holes")
    _tell_table("Why statements that Flink takes are not read", reading.causes)
    _tell_table("Why statements with holes are not read", reading.causes_with_holes)
    _tell_table("What is wrong with spans", reading.spans_amiss)


def _tell_judgements(judgements: Judgements) -> None:
    times = sorted(judgements.seconds)
    verdicts = ", ".join(f"{name} {count}" for name, count in judgements.verdicts.most_common())
    print(f"\n{len(times):,} pairs, engine {judgements.engine}: {verdicts}")
    p50, p95 = (times[int(len(times) * share)] * 1000 for share in (0.5, 0.95))
    print(f"  a verdict takes {p50:.1f} ms (median), {p95:.1f} ms (p95), {times[-1] * 1000:.0f} ms (at most)")
    _tell_table("Unknown, by construct", judgements.unknown)
    _tell_table("Unknown without a construct", judgements.nameless)
    _tell_table("Failures", judgements.failures)
    _tell_table("Constructs without a meaning of their own, by versions", judgements.constructs)


def _tell_table(title: str, counts: Counter[str]) -> None:
    if counts:
        print(f"\n{title}:")
    for name, count in counts.most_common(SHOWN):
        print(f"  {count:5,}  {name}")
    if len(counts) > SHOWN:
        print(f"         and {len(counts) - SHOWN} more")


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _folder(arguments: Iterable[str]) -> Path:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=BESIDE_THE_CLONE)
    found: Path = parser.parse_args(list(arguments)).folder
    return found


if __name__ == "__main__":
    sys.exit(main(_folder(sys.argv[1:])))

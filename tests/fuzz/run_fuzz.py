#!/usr/bin/env python3
"""Fuzzes the product for some minutes (``make fuzz``): each target gets an equal share of them.

With atheris inputs are chosen by the code that they reach; where it cannot be had, by chance alone. Inputs that find
something are made smaller and kept in tests/fuzz/regressions, which the tests replay. The exit status is 1 if there are
any.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from findings import Findings, kept_in
from given_scripts import VARIABLE

CHOICES = ("atheris", "chance")
_TRIED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_COMPUTING = re.compile(r"seconds of computing: ([\d.]+)")
_PICKS = 3
_MOSTLY = 0.75
_SAID = 3000
"""Characters of what a process said that are shown if it ended badly."""


def has_atheris() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


def fuzz_by_chance(name: str, seconds: float, seed: int) -> Findings:
    """Mutations of the seeds, and of what came out of these. The seeds themselves are tried by the tests: with them, a
    run of some seconds would come no further.
    """
    from catalogue_of_targets import target_named
    from mutations import next_input

    target = target_named(name)
    found, chance, end = Findings(target), random.Random(seed), time.monotonic() + seconds
    pool = [*target.seeds(), *(path.read_bytes() for path in target.regressions)]
    while time.monotonic() < end:
        data = next_input(picked(pool, chance), pool, target, chance)
        if found.try_(data) and len(pool) < 2000 and chance.random() < 0.1:
            pool.append(data)
    return found


def picked(pool: list[bytes], chance: random.Random) -> bytes:
    """An input to begin from: mostly a short one, since the time goes into the long ones, which find no more each."""
    some = [chance.choice(pool) for _ in range(_PICKS)]
    return min(some, key=len) if chance.random() < _MOSTLY else some[0]


def fuzz_by_coverage(name: str, seconds: float, seed: int, corpus: Path) -> None:
    """Never returns: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["keepstate", "keepstate_lsp"], enable_loader_override=False):
        from catalogue_of_targets import target_named
    from mutations import next_input

    target = target_named(name)
    found = Findings(target, alarm=False)
    pool = [*target.seeds(), *(path.read_bytes() for path in target.regressions)]
    for number, data in enumerate(pool):
        (corpus / f"seed-{number}").write_bytes(data)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.2:
            return bytes(atheris.Mutate(data, most))
        return next_input(data, pool, target, chance)[:most]

    def one_input(data: bytes) -> None:
        found.try_(data)

    arguments = [
        f"-max_total_time={int(seconds)}",
        f"-seed={seed + 1}",
        "-max_len=20000",
        "-timeout=120",
        "-verbosity=0",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one_input, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> int:
    from catalogue_of_targets import TARGETS

    names = [target.name for target in TARGETS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="for all targets together (default: %(default)s)")
    parser.add_argument("--target", choices=names, action="append", help="only this one; may be given again")
    parser.add_argument("--seed", type=int, default=0, help="another one makes other inputs (default: %(default)s)")
    parser.add_argument("--by", choices=CHOICES, help="how inputs are chosen (default: atheris, where it is installed)")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="targets at once (default: one a core)"
    )
    parser.add_argument("--scripts", type=Path, help="a folder of *.sql, or a file of JSON lines: seeds beside our own")
    arguments = parser.parse_args()
    if arguments.scripts is not None:
        if not arguments.scripts.exists():
            parser.error(f"{arguments.scripts} does not exist")
        os.environ[VARIABLE] = str(arguments.scripts.resolve())
    chosen = arguments.target or names
    seconds = arguments.minutes * 60 * min(arguments.processes, len(chosen)) / len(chosen)
    by = arguments.by or ("atheris" if has_atheris() else "chance")
    print(f"{len(chosen)} targets, {seconds:.0f} seconds each, inputs by {by}")
    with ThreadPoolExecutor(arguments.processes) as pool:
        found = list(pool.map(lambda name: _fuzzed(name, seconds, arguments.seed, by), chosen))
    kept = sum(one for one, _ in found)
    inputs = sum(tried for _, tried in found)
    if inputs:
        print(f"{inputs:,} inputs over {len(chosen)} targets")
    print(f"{kept} inputs found something" if kept else "nothing found")
    return 1 if kept else 0


def _fuzzed(name: str, seconds: float, seed: int, by: str) -> tuple[int, int]:
    """Fuzz one target; how many inputs found something, and how many were tried."""
    script = str(Path(__file__).with_name("fuzz_one.py"))
    before = len(_kept(name))
    # A process of its own: what a target leaves behind is no part of the next one, and libFuzzer never returns.
    command = [sys.executable, script, name, str(seconds), str(seed), by]
    run = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, errors="replace")
    new = len(_kept(name)) - before
    if run.returncode not in (0, 77):
        said = "\n".join(line for line in run.stderr.splitlines() if not line.startswith("INFO: Instrumenting"))
        print(f"{name}: ended with status {run.returncode}\n{said[-_SAID:]}", flush=True)
        return new + 1, 0
    tried = int(found[1]) if (found := _TRIED.search(run.stderr)) else 0
    computing = float(found[1]) if (found := _COMPUTING.search(run.stderr)) else seconds
    rate = f"{tried / max(computing, 0.1):,.1f} each second of computing"
    print(f"{name}: {tried:,} inputs, {rate}, {new} failed in different places", flush=True)
    return new, tried


def _kept(name: str) -> list[Path]:
    return sorted((kept_in() / name).glob("*"))


if __name__ == "__main__":
    sys.exit(main())

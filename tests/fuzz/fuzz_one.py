"""One target in a process of its own: ``fuzz_one.py TARGET SECONDS SEED atheris|chance``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from run_fuzz import fuzz_by_chance, fuzz_by_coverage


def main() -> None:
    name, seconds, seed, by = sys.argv[1:]
    if by == "atheris":
        with tempfile.TemporaryDirectory(prefix="keepstate-fuzz-") as corpus:
            fuzz_by_coverage(name, float(seconds), int(seed), Path(corpus))
    else:
        found = fuzz_by_chance(name, float(seconds), int(seed))
        # In the words of libFuzzer, which the run adds up.
        print(f"stat::number_of_executed_units: {found.tried}", file=sys.stderr)
        used = os.times()
        computed = used.user + used.system + used.children_user + used.children_system
        print(f"seconds of computing: {computed:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()

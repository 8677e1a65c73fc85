"""The speed of Keepstate, against its budgets: `make bench`, or `python bench/run.py [--write] [PART ...]`.

Times of work in one process are CPU times, times between processes are those of the clock; all are medians where
nothing else is said. What is compared alternates, so that other work on the machine weighs on both. Ends with 1 if a
budget is missed. `--write` keeps the table in docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

OTHERS = Path(sys.prefix) / "bench"
"""Folder for the programs that Keepstate is compared with. Last on the path: locked packages go before."""
sys.path.append(str(OTHERS))

from analysis_in_process import keystrokes, parsing, stages  # noqa: E402
from answers import answers  # noqa: E402
from documents import typing, workspace  # noqa: E402
from figures import HEADER, Figure  # noqa: E402
from idling import idle  # noqa: E402
from keepstate_lsp.runtime import gc_policy  # noqa: E402
from performance_page import write_page  # noqa: E402
from programs import commands, gate, pairs, server  # noqa: E402
from shapes_of_edits import edits  # noqa: E402
from shared_declarations import shared_declarations  # noqa: E402
from writing import writing  # noqa: E402


def windows() -> Iterator[Figure]:
    """Flink's windows on Spark, and how soon a first result is there"""
    import spark_starts
    import windows_on_spark

    yield from chain(spark_starts.starts(), windows_on_spark.windows())


def replays() -> Iterator[Figure]:
    """Replays of restarts beside the queries alone, without the tests of claims and the witness"""
    import replays as restarts

    yield from restarts.replays()


def audit() -> Iterator[Figure]:
    """Many histories, judged on Spark and in a plain loop"""
    import audits

    yield from audits.audits()


def planner() -> Iterator[Figure]:
    """Pairs of versions, compared by the profile and by the planner of a real Flink"""
    import flink_planner

    yield from flink_planner.planned_pairs()


def browsers() -> Iterator[Figure]:
    """Keepstate in WebAssembly: the assets, the first verdict, and a keystroke beside CPython"""
    import browsers as in_browsers

    yield from in_browsers.browsers()


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "parsing": parsing,
    "keystrokes": keystrokes,
    "stages": stages,
    "edits": edits,
    "answers": answers,
    "commands": commands,
    "server": server,
    "idle": idle,
    "typing": typing,
    "writing": writing,
    "workspace": workspace,
    "pairs": pairs,
    "gate": gate,
    "shared-declarations": shared_declarations,
    "windows": windows,
    "replays": replays,
    "audit": audit,
    "planner": planner,
    "browsers": browsers,
}


def _title(name: str) -> str:
    return (PARTS[name].__doc__ or "").strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(PARTS))
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep what was found in docs/performance.md, and the parts there that were not measured",
    )
    options = parser.parse_args()
    if unknown := sorted(set(options.parts) - PARTS.keys()):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    # Installed programs have byte code; without it most of a cold start would be the compiler.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # As the server does once it has imported what it needs.
    with gc_policy.permanent():
        pass
    print(HEADER)
    found: dict[str, tuple[str, list[Figure]]] = {}
    for name in options.parts or PARTS:
        title = _title(name)
        print(title, flush=True)
        figures = found.setdefault(name, (title, []))[1]
        for figure in PARTS[name]():
            print(figure, flush=True)
            figures.append(figure)
    missed = sum(figure.missed for _, figures in found.values() for figure in figures)
    budgets = sum(figure.has_budget for _, figures in found.values() for figure in figures)
    print(f"all {budgets} budgets are kept" if not missed else f"{missed} of {budgets} budgets are missed")
    if options.write:
        write_page(list(found.values()), order=[_title(name) for name in PARTS])
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

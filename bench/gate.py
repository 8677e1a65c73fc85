"""The cost of the gate: ``keepstate check`` over many jobs, beside the time of parsing them."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import job_folders
import keepstate

KEEPSTATE = [sys.executable, "-m", "keepstate_lsp.cli.main"]


def cores() -> int:
    """The number of processes that work at once, as for the gate itself."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_time(files: int) -> float:
    """Seconds for parsing both sides of so many jobs, on all cores; processes and parser are there already."""
    return parse_time_of([make(number) for make in (job_folders.job, job_folders.edited) for number in range(files)])


def parse_time_of(texts: Sequence[str]) -> float:
    """Seconds for parsing texts, on all cores; processes and parser are there already."""
    share = -(-len(texts) // (cores() * 8))
    shares = [texts[start : start + share] for start in range(0, len(texts), share)]
    with multiprocessing.Pool(cores()) as pool:
        pool.map(_parse, [["SELECT 1;"]] * cores() * 4, chunksize=1)
        began = time.perf_counter()
        pool.map(_parse, shares, chunksize=1)
        return time.perf_counter() - began


def pair_times(number: int, engine: str) -> dict[str, float]:
    """Seconds of CPU for one edited job: parsing its texts, checking it from new texts, and its fixes."""
    # Names of its own: what one part has read the others do not know.
    texts = [[make(number + 10_000 * part) for make in (job_folders.job, job_folders.edited)] for part in range(1, 3)]
    times = [time.process_time()]
    for text in texts[0]:
        keepstate.parse_script(text)
    times.append(time.process_time())
    baseline, current = map(keepstate.JobVersion, texts[1])
    analysis = keepstate.analyse(current, baseline, engine)
    report = analysis.report()
    times.append(time.process_time())
    for index in range(len(report.findings)):
        analysis.fixes(index)
    analysis.file_fixes()
    times.append(time.process_time())
    return {name: end - begin for name, begin, end in zip(("parse", "check", "fixes"), times, times[1:], strict=False)}


def check_time(repository: Path, form: str) -> float:
    """Seconds from the start of ``keepstate check`` to its end."""
    began = time.perf_counter()
    run = subprocess.run([*KEEPSTATE, "check", "--format", form], cwd=repository, stdout=subprocess.PIPE, check=False)
    took = time.perf_counter() - began
    assert run.returncode in (0, 1), f"keepstate check ended with {run.returncode}"
    return took


def lay_out(folder: Path, files: int, all_edited: bool = False) -> Path:
    """A repository of jobs, one in ten or all of them edited."""
    folder.mkdir()
    job_folders.lay_out(folder, files, {})
    if all_edited:
        for number in range(files):
            job_folders.path_of(folder, number).write_text(job_folders.edited(number))
    return folder


def lay_out_unchanged(folder: Path, files: int) -> Path:
    """A repository of unedited jobs."""
    lay_out(folder, files)
    subprocess.run(["git", "checkout", "-q", "--", "."], cwd=folder, check=True)
    return folder


def _parse(texts: Sequence[str]) -> int:
    return sum(len(keepstate.parse_script(text).statements) for text in texts)

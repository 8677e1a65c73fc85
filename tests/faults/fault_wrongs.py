"""Wrong outcomes of a run one of whose calls failed: other answers, lost files, drafts and locks that stay."""

from __future__ import annotations

import json
import re

from job_rows import may_stay
from scenarios import LOOKS, Outcome, Point

ANSWERED = "status "
"""The beginning of a wrong answer, among the faults."""
REPORT = "repository/report.json"


def wrongs(point: Point, kind: str, whole: Outcome, outcome: Outcome, before: dict[str, str]) -> list[str]:
    """Faults in the outcome of a run one of whose points failed; ``whole`` is the outcome of a run without faults, and
    ``before`` the files before the run.
    """
    found = []
    if outcome.status is None:
        found.append("it does not end")
    if outcome.processes:
        found.append(f"processes are left: {outcome.processes}")
    killed = kind == "kill"
    if killed:
        if outcome.status != -9:
            found.append(f"it ended with {outcome.status}, not by the signal")
    elif answer(outcome) == answer(whole):
        if others := differing(outcome.files, whole.files):
            found.append(f"it claims to be done, and is not: {others}")
    else:
        if outcome.status != 2:
            found.append(f"{ANSWERED}{outcome.status} with another answer: {outcome.stdout[-300:]!r}")
        if not outcome.stderr.strip() and not _names_a_failure(outcome.stdout):
            found.append("no word about what failed")
    found += wrongs_of_words(outcome)
    for name, content in outcome.files.items():
        if name == REPORT and outcome.status == 2 and _is_whole_report(content):
            continue
        if may_stay(name, content, outcome.files):
            continue
        if content not in (before.get(name), whole.files.get(name)) and not _may_stay(name, point, kind):
            found.append(f"left behind, or damaged: {name}")
    for name in before:
        # Between two folders of one name there is a moment without any: the next run puts back what was there.
        kept = killed and any(other.endswith(f".draft/former/{_below(name)}") for other in outcome.files)
        if name in whole.files and name not in outcome.files and not kept:
            found.append(f"lost: {name}")
    return found


def _below(name: str) -> str:
    """A file of a result by its name in the folder of the results."""
    return name.removeprefix("repository/").partition("/")[2]


def wrongs_of_words(outcome: Outcome) -> list[str]:
    """Words in the output that must never appear."""
    return [
        f"{words}: {said[-400:]}"
        for said in (outcome.stdout, outcome.stderr)
        for words in ("Traceback", "Internal error", "fault of Keepstate", "NoneType", "Exception ignored")
        if words in said
    ]


def answer(outcome: Outcome) -> tuple[int | None, str]:
    """The answer of a run: status, and output without texts that differ from run to run."""
    return outcome.status, re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z|\b[0-9a-f]{40}\b", "", outcome.stdout)


def _is_whole_report(content: str) -> bool:
    """A report of what could not be compared is the answer of a run with ``--output``."""
    try:
        return bool(json.loads(content))
    except ValueError:
        return False


def _names_a_failure(output: str) -> bool:
    return any(word in output for word in ("cannot", "could not", "failed", "missing", "not compared"))


def _may_stay(name: str, point: Point, kind: str) -> bool:
    """A process that is killed removes nothing any more, and what could not be removed stays. A lock file that cannot
    be locked, or looked at, stays as well: another process may hold it, and its removal would let two of them in.
    """
    base = name.rpartition("/")[2]
    temporary = base.endswith(".lock") or ".draft/" in f"{name}/" or name.startswith("temporary/") or "tmp_obj" in base
    # Of what is looked at to be removed, nothing but the last part of the path may be known.
    seen = point.event in LOOKS and (".draft" in point.about or point.about.endswith(("/former", "/made")))
    refused = seen or point.event in ("remove", "rmdir") or point.about.startswith("temporary/") or kind == "read-only"
    return temporary and (kind == "kill" or refused or (point.event in ("flock", "stat") and base.endswith(".lock")))


def differing(files: dict[str, str], expected: dict[str, str]) -> list[str]:
    """The files that are not the expected ones, whatever the order of their lines; drafts and locks are none."""
    one, other = _lines(files), _lines(expected)
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _lines(files: dict[str, str]) -> dict[str, list[str]]:
    return {
        name: sorted(content.splitlines())
        for name, content in files.items()
        if not name.endswith(".lock") and ".draft/" not in f"{name}/" and not name.startswith("temporary/")
    }

"""Outcomes by version of Flink: ``versions/VERSION.json`` beside this module has those of one version.

Each file maps the keys of candidates (``candidates.py``) to a letter of ``restarts.Restart``, or to a sentence that
begins with ``not run: ``. ``measure.py`` alone writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

FOLDER = Path(__file__).with_name("versions")
NOT_RUN = "not run: "
_MOST_LETTERS = 200
"""Length of a sentence that is kept: the exceptions of Flink may contain whole plans."""


def measured_versions() -> tuple[str, ...]:
    """The versions with measurements, oldest first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.json")), key=numbers))


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, in which versions are ordered."""
    return tuple(map(int, version.split(".")))


def outcomes_of(version: str) -> dict[str, str]:
    """The outcomes on one version by key; empty for a version that was never measured."""
    path = FOLDER / f"{version}.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def by_key() -> dict[str, dict[str, str]]:
    """The outcomes of each candidate by version, oldest version first."""
    found: dict[str, dict[str, str]] = {}
    for version in measured_versions():
        for key, outcome in outcomes_of(version).items():
            found.setdefault(key, {})[version] = outcome
    return found


def keep(version: str, outcomes: Mapping[str, str], keys: Iterable[str]) -> None:
    """Write the outcomes of these keys in their order; a reader meanwhile finds the former file."""
    lines = [f"{json.dumps(key)}: {json.dumps(_short(outcomes[key]))}" for key in keys if key in outcomes]
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{version}.json"
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8", newline="\n")
    unfinished.replace(path)


def _short(outcome: str) -> str:
    return outcome if len(outcome) <= _MOST_LETTERS else f"{outcome[:_MOST_LETTERS]}..."

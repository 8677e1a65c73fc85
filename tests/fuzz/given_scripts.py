"""Scripts that the caller of a run names, as seeds beside our own. Nothing of them is kept in the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

VARIABLE = "KEEPSTATE_FUZZ_SCRIPTS"
_LONGEST = 20_000
_MOST = 20_000
Pair = tuple[str, str]


@cache
def given_scripts() -> tuple[str, ...]:
    """All texts of a folder of ``*.sql``, or of a file of JSON lines."""
    return tuple(dict.fromkeys(text for pair in given_pairs() for text in pair))


@cache
def given_pairs() -> tuple[Pair, ...]:
    """Texts that belong together: those of one line, and a text with itself where it is alone.

    Raises:
        FileNotFoundError: there is nothing where the variable points to.
        ValueError: a line is no JSON.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return ()
    path = Path(named)
    pairs = _of_folder(path) if path.is_dir() else _of_lines(path)
    return tuple(pair for _, pair in zip(range(_MOST), pairs, strict=False) if all(len(x) <= _LONGEST for x in pair))


def _of_folder(folder: Path) -> Iterator[Pair]:
    for path in sorted(folder.rglob("*.sql")):
        text = path.read_text("utf-8", "replace")
        yield text, text


def _of_lines(path: Path) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            texts = [
                value for value in json.loads(line).values() if isinstance(value, str) and "select" in value.lower()
            ]
            if texts:
                yield texts[0], texts[1] if len(texts) > 1 else texts[0]

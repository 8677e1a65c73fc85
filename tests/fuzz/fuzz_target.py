"""A target of fuzzing: a property of the product over bytes, with inputs to begin from."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "regressions"
SEPARATOR = "\n-- =======\n"
"""Between the texts of an input that has several."""


@dataclass(frozen=True)
class Target:
    """``check`` raises whatever is wrong; an input that makes no sense is none, so it just returns.

    ``seeds`` makes inputs of our own to begin from. ``words`` are what mutations put in. ``fresh`` makes an input that
    makes sense, another one each time, so that not all of them go back to the same few.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[str, ...] = ()
    fresh: Callable[[random.Random], bytes] | None = None

    @property
    def regressions(self) -> list[Path]:
        """Inputs that found something once. They are replayed by the tests, and are seeds as well."""
        folder = FOLDER / self.name
        return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def text_of(data: bytes) -> str:
    """Any bytes as a text; lone surrogates come from editors too."""
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data and _has_surrogates(data) else "replace")


def _has_surrogates(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def texts_of(data: bytes, count: int) -> list[str]:
    """The texts of an input; those that are missing are like the last one."""
    texts = text_of(data).split(SEPARATOR)[:count]
    return texts + [texts[-1]] * (count - len(texts))


def joined(*texts: str) -> bytes:
    return SEPARATOR.join(texts).encode("utf-8", "surrogatepass")

"""Which files may be jobs, by name and text, and the globs that name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from keepstate_lsp.documents import FLINK_SUFFIXES

_SQL_SUFFIX = ".sql"
_GLOB = re.compile(r"[*?\[]")


def may_be_job(path: str) -> bool:
    """Whether the name alone leaves it possible that this is Flink SQL."""
    return path.lower().endswith((_SQL_SUFFIX, *FLINK_SUFFIXES))


def is_job(path: str, texts: Iterable[str]) -> bool:
    """Whether a file of this name with one of these texts is Flink SQL."""
    if path.lower().endswith(FLINK_SUFFIXES):
        return True
    import keepstate

    return any(keepstate.looks_like_flink(text) for text in texts)


def is_glob(pattern: str) -> bool:
    return _GLOB.search(pattern) is not None


def split_glob(pattern: Path) -> tuple[Path, str]:
    """The folder that a glob begins in, and the rest of it with ``/``."""
    parts = pattern.parts
    first = next(index for index, part in enumerate(parts) if is_glob(part))
    return Path(*parts[:first]), "/".join(parts[first:])


def glob_test(pattern: str) -> Callable[[str], bool]:
    """Whether a path with ``/`` matches; ``**`` stands for any number of folders, ``*`` stays inside of one name."""
    parts = []
    for part in re.findall(r"\*\*/?|\*|\?|\[[^\]]+\]|[^*?\[]+|\[", pattern):
        if part.startswith("**"):
            parts.append("(?:[^/]+/)*" if part.endswith("/") else ".*")
        elif part in ("*", "?"):
            parts.append("[^/]" + ("*" if part == "*" else ""))
        elif part.startswith("[") and len(part) > 1:
            parts.append("[" + re.escape(part[1:-1]).replace("\\-", "-").replace("!", "^", 1) + "]")
        else:
            parts.append(re.escape(part))
    expression = re.compile("".join(parts), re.DOTALL)
    return lambda path: expression.fullmatch(path) is not None

"""Tests for job files, by name and text, and the globs that name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from keepstate.reporting.new_names import FLINK_SUFFIXES

SQL_SUFFIXES = (".sql", *FLINK_SUFFIXES)
"""Names that may be Flink SQL."""
_GLOB = re.compile(r"[*?\[]")
_PART = re.compile(r"\*\*/?|\*|\?|\[[^\]\[]+\]|[^*?\[]+|\[")
_LONGEST_GLOB = 1_000
"""Characters of a glob in a configuration."""
_MOST_STARS = 2
"""A pattern with more of them could try a long name in more ways than there is time for."""


def may_be_job(path: str) -> bool:
    """Return whether the name alone allows Flink SQL.

    >>> may_be_job("jobs/a.SQL"), may_be_job("README.md")
    (True, False)
    """
    return path.lower().endswith(SQL_SUFFIXES)


def is_job(path: str, texts: Iterable[str]) -> bool:
    """Return whether a file of this name with one of these texts is Flink SQL.

    >>> is_job("a.sql", ["SELECT a FROM t"]), is_job("a.fql", [])
    (False, True)
    """
    if path.lower().endswith(FLINK_SUFFIXES):
        return True
    import keepstate

    return any(keepstate.looks_like_flink(text) for text in texts)


def is_glob(pattern: str) -> bool:
    """Return whether a pattern has a sign that stands for other characters.

    >>> is_glob("jobs/*.sql"), is_glob("jobs/a.sql")
    (True, False)
    """
    return _GLOB.search(pattern) is not None


def split_glob(pattern: Path) -> tuple[Path, str]:
    """The folder that a glob begins in, and the rest of it with ``/``.

    >>> split_glob(Path("jobs/daily/*/a.sql"))[1]
    '*/a.sql'
    """
    parts = pattern.parts
    first = next(index for index, part in enumerate(parts) if is_glob(part))
    return Path(*parts[:first]), "/".join(parts[first:])


def glob_test(pattern: str) -> Callable[[str], bool]:
    """A test whether a path with ``/`` matches; ``**`` stands for any number of folders, ``*`` stays inside of one
    name.

    >>> matches = glob_test("jobs/**/*.sql")
    >>> matches("jobs/daily/a.sql"), matches("ddl/a.sql")
    (True, False)
    """
    parts = _PART.findall(pattern)
    if sum("*" in part for part in parts) > _MOST_STARS:
        return lambda path: _matches_step_by_step(parts, path)
    expression = re.compile("".join(map(_expression, parts)), re.DOTALL)
    return lambda path: expression.fullmatch(path) is not None


def _expression(part: str) -> str:
    if part.startswith("**"):
        return "(?:[^/]+/)*" if part.endswith("/") else ".*"
    if part in ("*", "?"):
        return "[^/]" + ("*" if part == "*" else "")
    if part.startswith("[") and len(part) > 1:
        characters = "[" + re.escape(part[1:-1]).replace("\\-", "-").replace("!", "^", 1) + "]"
        try:
            re.compile(characters)
        except re.error:
            # No set, such as "[!]" or "[z-a]": then the characters mean themselves.
            return re.escape(part)
        return characters
    return re.escape(part)


def _matches_step_by_step(parts: list[str], path: str) -> bool:
    """Return whether ``path`` matches, in steps bounded by the lengths of both: each part takes all the ends that the
    part before it may have, at once.
    """
    ends = {0}
    for part in parts:
        if not ends:
            return False
        if part == "**":
            ends = set(range(min(ends), len(path) + 1))
        elif part == "**/":
            for start in sorted(ends):
                at = start
                while (slash := path.find("/", at)) > at:
                    at = slash + 1
                    if at in ends:
                        break
                    ends.add(at)
        elif part == "*":
            visited: set[int] = set()
            for start in sorted(ends):
                at = start
                while at not in visited:
                    visited.add(at)
                    if at == len(path) or path[at] == "/":
                        break
                    at += 1
            ends = visited
        else:
            expression = re.compile(_expression(part), re.DOTALL)
            ends = {match.end() for at in ends if (match := expression.match(path, at))}
    return len(path) in ends


def are_globs(value: object) -> bool:
    """Return whether an entry of a configuration is a list of paths or globs, with at least one."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(glob, str) and len(glob) <= _LONGEST_GLOB for glob in value)

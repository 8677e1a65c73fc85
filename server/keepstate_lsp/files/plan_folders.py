"""Folders with the plan of a cutover, by the names of their files. Scripts of plans are no jobs of a repository."""

from __future__ import annotations

import re
from collections.abc import Iterable

PAGE, DOCUMENT, TIMELINE = "PLAN.md", "plan.json", "timeline.svg"
SCRIPT = re.compile(r"(?:new|clean|shadow|bootstrap(?:-[^/\\]+)?)\.sql")
"""Names of scripts of plans."""


def plan_scripts(paths: Iterable[str]) -> frozenset[str]:
    """The scripts of plans among paths with ``/``: those beside the page and the document of a plan.

    No file is read, so the answer is the same for a commit, the index and the work tree.

    >>> sorted(plan_scripts(["p/PLAN.md", "p/plan.json", "p/new.sql", "p/sums.sql", "new.sql"]))
    ['p/new.sql']
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in (PAGE, DOCUMENT) or SCRIPT.fullmatch(name):
            names.setdefault(folder, set()).add(name)
    return frozenset(
        f"{folder}/{name}" if folder else name
        for folder, names_inside in names.items()
        if {PAGE, DOCUMENT} <= names_inside
        for name in names_inside - {PAGE, DOCUMENT}
    )


def is_of_plan(path: str) -> bool:
    """Return whether a file has the name of a page or a document of a plan, which mark its scripts.

    >>> is_of_plan("jobs/plan/" + DOCUMENT), is_of_plan("jobs/a.sql")
    (True, False)
    """
    return path.rpartition("/")[2] in (PAGE, DOCUMENT)

"""Imports Keepstate in the Python whose memory the build keeps: the build calls this in Pyodide."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

ARCHIVE = "/keepstate.zip"
LIBRARY = "/lib/python314.zip/"
SQL = "CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'kafka');\nSELECT b, {}(a) AS c FROM t GROUP BY b"
QUESTIONS = ("check", "fixes", "hover", "notes", "plan", "validate", "complete")


def keep(names: Sequence[str], module: str, host: str, version: str) -> str:
    """Import modules by their names in the archive, and bind ``answer`` to the function of a new host.

    Return the names of the files of Python's library that are imported as well, as JSON.
    """
    sys.path.insert(0, ARCHIVE)
    # First, so that what imports need takes the place of the texts.
    _read_pages()
    for name in names:
        if name.endswith(".py"):
            import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    new_host = getattr(import_module(module), host)
    _ask_everything(new_host(version))
    import_module("__main__").__dict__["answer"] = new_host(version).answer
    sys.path.remove(ARCHIVE)
    # The files that were listed here are others, or gone, when this memory is used.
    sys.path_importer_cache.clear()
    import_module("zipimport").__dict__["_zip_directory_cache"].clear()
    gc.collect()
    places = [getattr(one.__spec__, "origin", None) for one in sys.modules.values() if hasattr(one, "__spec__")]
    return json.dumps(sorted(place.removeprefix(LIBRARY) for place in places if place and place.startswith(LIBRARY)))


def _read_pages() -> None:
    """Read the pages of all rules, whose files are gone when this memory is used: hovers name measured examples."""
    from keepstate.rules.measured_outcomes import digested_examples
    from keepstate.rules.rule_pages import PAGES

    for page in PAGES:
        digested_examples(page.query_kind, page.name)


def _ask_everything(host: Any) -> None:
    """Put each question once, so that files are read and tables made which the first question of a kind needs."""
    sides = {
        side: {"files": {"a.sql": SQL.format(function)}, "job": "a.sql"}
        for side, function in (("current", "MAX"), ("baseline", "SUM"))
    }
    for engine in ("vvr", "flink"):
        for question in QUESTIONS:
            members: dict[str, Any] = {"do": question, "engine": engine, **sides}
            if question in ("hover", "complete"):
                members["position"] = {"line": 1, "character": 11}
            if question == "fixes":
                members["finding"] = 0
            answer = json.loads(host.answer(json.dumps(members)))
            if "answer" not in answer:
                raise SystemExit(f"{question}: {answer['error']}")

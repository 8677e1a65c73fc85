#!/usr/bin/env python3
"""Writes docs/rules/ from the rule pages of the analyzer: the pages as people read them, and an index.

``--check`` writes nothing, names what is not as it would be written, and ends with 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from keepstate.plan.parameters import PARAMETERS, Concern
from keepstate.rules.pages import PAGES, page_text, readable
from rule_index import index
from rule_links import MARK, file_name, table
from specification_table import specification

FOLDER = Path(__file__).parent / "rules"
PARAMETERS_INTRODUCTION = """\
What the parameters of a job do to its state, by `SET`, in the console of a platform or in `keepstate.toml`. Keepstate
explains them where they stand, and compares them by what they mean. [What a change of them costs](configuration.md)
has rules of its own. Any other parameter below `table.exec.` or `table.optimizer.` counts as one that may touch state,
all others as such that do not.
"""
FELT = (Concern.STATE, Concern.EMISSION, Concern.KEY_GROUPS)


def files() -> dict[str, str]:
    """The text of every file of the folder, by name."""
    made = {file_name(query_kind): page(query_kind) for query_kind in PAGES}
    return {"README.md": index(), "parameters.md": parameters(), "specification.md": specification(), **made}


def page(query_kind: str) -> str:
    text = readable(page_text(query_kind), query_kind).rstrip()
    return f"{MARK}\n\n[All rules](README.md)\n\n{text}\n"


def parameters() -> str:
    return "\n".join(
        [
            f"{MARK}\n",
            "[All rules](README.md)\n",
            "# Job parameters that are known\n",
            PARAMETERS_INTRODUCTION,
            *table(("parameter", "default", "what it sets, and what it does to state", "a change touches"), _known()),
            "",
        ]
    )


def _known() -> Iterator[tuple[str, ...]]:
    for parameter in PARAMETERS:
        keys = " or ".join(f"`{key}`" for key in (parameter.key, *parameter.synonyms))
        felt = f"; felt by {parameter.reach.value}" if parameter.concern in FELT else ""
        default = f"`{parameter.default}`" if parameter.default is not None else ""
        yield keys, default, f"{parameter.title}. {parameter.meaning}", f"{parameter.concern.value}{felt}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is out of date")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="default: %(default)s")
    arguments = parser.parse_args()
    wanted = files()
    present = {path.name: path.read_text("utf-8") for path in sorted(arguments.folder.glob("*.md"))}
    stale = sorted(name for name in {*wanted, *present} if wanted.get(name) != present.get(name))
    if arguments.check:
        for name in stale:
            print(f"{arguments.folder / name} is out of date; run docs/generate_rules.py", file=sys.stderr)
        return 1 if stale else 0
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (arguments.folder / name).write_text(wanted[name], "utf-8", newline="\n")
        else:
            (arguments.folder / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

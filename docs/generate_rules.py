#!/usr/bin/env python3
"""Writes what is made of the rule pages: the tables of the analyzer, and docs/rules/, the pages as people read them.

``--check`` writes nothing, names what is not as it would be written, and ends with 1 if there is any. A page that is
not as it has to be ends with 2 and a message that has page and key.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from keepstate.rules.page_format import BadPage
from rule_tables import ANALYZER, PAGES, tables

FOLDER = Path(__file__).parent / "rules"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is out of date")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the documents; default: %(default)s")
    parser.add_argument("--pages", type=Path, default=PAGES, help="of the rules; default: %(default)s")
    arguments = parser.parse_args()
    try:
        made = tables(arguments.pages)
    except BadPage as error:
        print(error, file=sys.stderr)
        return 2
    stale = _stale(ANALYZER, made, {name for name in made if (ANALYZER / name).is_file()}, arguments.check)
    if stale and not arguments.check:
        # The documents are made with the analyzer, which has the former tables in this process.
        os.execv(sys.executable, [sys.executable, *sys.argv])
    from rule_documents import documents

    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    stale += _stale(folder, documents(), {path.name for path in folder.glob("*.md")}, arguments.check)
    return 1 if arguments.check and stale else 0


def _stale(folder: Path, wanted: dict[str, str], present: set[str], check: bool) -> list[str]:
    """The names of files that are not as they have to be; they are written, or named on standard error."""
    texts = {name: (folder / name).read_text("utf-8") for name in present}
    stale = sorted(name for name in {*wanted, *present} if wanted.get(name) != texts.get(name))
    for name in stale:
        path = folder / name
        if check:
            print(f"{path} is out of date; run docs/generate_rules.py", file=sys.stderr)
        elif name in wanted:
            path.write_text(wanted[name], "utf-8", newline="\n")
        else:
            path.unlink()
    return stale


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes docs/rules/ from the rule pages of the analyzer: the pages as people read them, and an index.

``--check`` writes nothing, names what is not as it would be written, and ends with 1 if there is any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from keepstate.rules.pages import PAGES, Section, page_text, page_title, readable, sections

FOLDER = Path(__file__).parent / "rules"
MARK = "<!-- Made by docs/generate_rules.py from the rule pages beside the rules. Edit those, not this. -->"
INTRODUCTION = """\
What becomes of the state of a running Flink SQL job when its SQL changes: one page per kind of query, one section per
kind of change, each with examples. In the examples carets (or dashes, for a clause that begins its line) stand under
the clause that Keepstate underlines, and the verdict beside them. Every example is a test.

The same sections are shown by `keepstate explain RULE`, by rule id or spec id.
"""


def files() -> dict[str, str]:
    """The text of every file of the folder, by name."""
    made = {file_name(query_kind): page(query_kind) for query_kind in PAGES}
    return {"README.md": index(), **made}


def page(query_kind: str) -> str:
    text = readable(page_text(query_kind)).rstrip()
    return f"{MARK}\n\n[All rules](README.md)\n\n{text}\n"


def index() -> str:
    return "\n".join(
        [
            f"{MARK}\n",
            "# Rules\n",
            INTRODUCTION,
            "## Pages\n",
            *_table(("page", "sections"), _pages()),
            "",
            "## By rule\n",
            *_table(("rule", "what changed", "verdict", "page"), _by_rule()),
            "",
            "## By spec id\n",
            *_table(("spec id", "rule", "page"), _by_spec()),
            "",
        ]
    )


def file_name(query_kind: str) -> str:
    return f"{query_kind}.md"


def anchor(section: Section) -> str:
    """The anchor that GitHub and its likes make of the section's heading."""
    words = re.sub(r"[^\w\- ]", "", f"{section.name}: {section.title}".lower())
    return words.replace(" ", "-")


def _all_sections() -> Iterator[Section]:
    for query_kind in PAGES:
        yield from sections(query_kind)


def _pages() -> Iterator[tuple[str, ...]]:
    for query_kind in PAGES:
        yield f"[{page_title(query_kind)}]({file_name(query_kind)})", str(len(sections(query_kind)))


def _by_rule() -> Iterator[tuple[str, ...]]:
    for section in _all_sections():
        verdicts = ", ".join(f"{verdict.value} ({engine})" for engine, verdict in section.verdicts.items())
        yield _link(section), section.title, verdicts, _page_link(section.query_kind)


def _by_spec() -> Iterator[tuple[str, ...]]:
    entries = [(spec_id, section) for section in _all_sections() for spec_id in section.spec]
    families = list(dict.fromkeys(_family(spec_id) for spec_id, _ in entries))
    # Families in the order of the pages, numbers in their own; sorting keeps sections of one id in page order.
    entries.sort(key=lambda entry: (families.index(_family(entry[0])), entry[0]))
    for spec_id, section in entries:
        yield spec_id, _link(section), _page_link(section.query_kind)


def _family(spec_id: str) -> str:
    return spec_id.rpartition("-")[0]


def _link(section: Section) -> str:
    return f"[`{section.name}`]({file_name(section.query_kind)}#{anchor(section)})"


def _page_link(query_kind: str) -> str:
    return f"[{query_kind}]({file_name(query_kind)})"


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


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

#!/usr/bin/env python3
"""Writes docs/messages.md: each rule with an example, and the message about it in each profile, before and after.

``--check`` writes nothing, names the page if it is out of date, and then ends with 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from keepstate import ENGINES, JobVersion, check
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.report import Clause, Finding
from keepstate.rules.page_files import page_examples, page_title, setup
from keepstate.rules.page_format import Block
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES
from rule_links import MARK, QUERIES

HERE = Path(__file__).parent
FORMER = HERE / "former_messages.tsv"
"""The messages about the same examples before they were rewritten: query kind, rule, profile, message."""
INTRODUCTION = """\
# All messages

Each rule with its example as reports show it, for review as one list. A message is *change: consequence; reason*, and
its change and consequence have at most 80 characters. Behind it stand the end of wrong results and the next step.
*Before* is the message about the same example before the messages were rewritten. [The style](style.md) has the rules,
and says how messages were judged.
"""
_LONGEST_CLAUSE = 60
_MARKUP = str.maketrans({"|": r"\|", "*": r"\*", "<": "&lt;"})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    parser.add_argument("--page", type=Path, default=HERE / "messages.md", help="to write; default: %(default)s")
    arguments = parser.parse_args()
    page: Path = arguments.page
    wanted = "\n".join(_document()) + "\n"
    if page.is_file() and page.read_text("utf-8") == wanted:
        return 0
    if arguments.check:
        print(f"{page} is out of date; run docs/generate_messages.py", file=sys.stderr)
        return 1
    page.write_text(wanted, "utf-8", newline="\n")
    return 0


def _document() -> Iterator[str]:
    former = _former()
    yield f"{MARK.replace('generate_rules', 'generate_messages')}\n"
    yield INTRODUCTION
    for query_kind in QUERIES:
        yield f"## {page_title(query_kind)}\n"
        for page in PAGES:
            if page.query_kind == query_kind and page.words is not None:
                yield from _section(page, former)


def _former() -> dict[tuple[str, str, str], str]:
    with FORMER.open(encoding="utf-8", newline="") as lines:
        return {(kind, rule, engine): text for kind, rule, engine, text in csv.reader(lines, "excel-tab")}


def _section(page: Page, former: dict[tuple[str, str, str], str]) -> Iterator[str]:
    found = _findings(page)
    if not found:
        return
    yield f"### {page.title}\n"
    first = next(iter(found.values()))
    yield f"`{page.name}`: {_code(first.baseline)} becomes {_code(first.current)}.\n"
    yield "| | said | until when | next step |"
    yield "|---|---|---|---|"
    for engine, finding in found.items():
        yield _row(f"`{engine}`", finding.message, finding.recovery, finding.advice)
        yield _row("before", former.get((page.query_kind, page.name, engine), "no finding of this rule"), "", "")
    yield ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.translate(_MARKUP) for cell in cells)} |"


def _findings(page: Page) -> dict[str, Finding]:
    """The findings of the rule in the first example that has any, by profile."""
    before = setup(page.query_kind)
    for example in page_examples(page.query_kind, page.name):
        current, baseline = (_version(block, before, page) for block in (example.current, example.baseline))
        reports = {engine: check(current, baseline, engine) for engine in ENGINES}
        named = {
            engine: next((one for one in report.findings if one.rule == page.name), None)
            for engine, report in reports.items()
        }
        found = {engine: finding for engine, finding in named.items() if finding is not None}
        if found:
            return found
    return {}


def _version(block: Block, before: str, page: Page) -> JobVersion:
    text, _ = block.script(before, page.name)
    return JobVersion(text, block.parameters, block.engine, JobUnit(block.jobs))


def _code(clause: Clause | None) -> str:
    text = " ".join(clause.text.split()) if clause is not None else ""
    if not text:
        return "nothing"
    return f"`{text if len(text) <= _LONGEST_CLAUSE else text[: _LONGEST_CLAUSE - 3] + '...'}`"


if __name__ == "__main__":
    sys.exit(main())

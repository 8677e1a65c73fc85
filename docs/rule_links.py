"""How the documents below docs/rules/ name each other, and how their tables are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from keepstate.rules.pages import PAGES, Section, page_title, sections

MARK = "<!-- Made by docs/generate_rules.py from the rule pages beside the rules. Edit those, not this. -->"


def file_name(query_kind: str) -> str:
    return f"{query_kind}.md"


def anchor(section: Section) -> str:
    """The anchor that GitHub and its likes make of the section's heading."""
    words = re.sub(r"[^\w\- ]", "", f"{section.name}: {section.title}".lower())
    return words.replace(" ", "-")


def rule_link(section: Section) -> str:
    return f"[`{section.name}`]({section_target(section)})"


def section_target(section: Section) -> str:
    return f"{file_name(section.query_kind)}#{anchor(section)}"


def page_link(query_kind: str) -> str:
    return f"[{page_title(query_kind)}]({file_name(query_kind)})"


def all_sections() -> Iterator[Section]:
    for query_kind in PAGES:
        yield from sections(query_kind)


def verdicts(section: Section) -> str:
    """Its verdicts by engine; the engine goes without saying where there is one only."""
    if len(section.verdicts) == 1:
        return next(iter(section.verdicts.values())).value
    return ", ".join(f"{verdict.value} ({engine})" for engine, verdict in section.verdicts.items())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"

"""The links between the documents below docs/rules/, and the form of their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate.rules.page_files import page_title
from keepstate.rules.readable_pages import verdicts
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES

MARK = "<!-- Made by docs/generate_rules.py from the pages of the rules. Edit those, not this. -->"
QUERIES = tuple(dict.fromkeys(page.query_kind for page in PAGES))


def file_name(query_kind: str) -> str:
    return f"{query_kind}.md"


def anchor(page: Page) -> str:
    """An anchor that stays whatever the heading says."""
    return f'<a id="{page.name}"></a>'


def rule_link(page: Page) -> str:
    return f"[`{page.name}`]({page_target(page)})"


def page_target(page: Page) -> str:
    return f"{file_name(page.query_kind)}#{page.name}"


def page_link(query_kind: str) -> str:
    return f"[{page_title(query_kind)}]({file_name(query_kind)})"


def verdict_words(page: Page) -> str:
    """Its verdicts by engine; the engine goes without saying where there is one only."""
    found = verdicts(page)
    if len(found) == 1:
        return next(iter(found.values())).value
    return ", ".join(f"{verdict.value} ({engine})" for engine, verdict in found.items())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"

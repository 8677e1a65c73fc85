"""Rules for readers: each with its page in Markdown, as ``explain``, hovers, SARIF and docs/rules show it."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Verdict
from keepstate.rules.page_files import page_title
from keepstate.rules.readable_pages import EVERYTHING, View, readable, verdicts
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES


@dataclass(frozen=True)
class RuleInfo:
    """A rule for readers. ``verdicts`` are those of the engine profiles that decide by the kind of change (or else the
    worst one of another profile with the rule); ``page`` is its page in Markdown.
    """

    id: str
    query_kind: str
    spec: tuple[str, ...]
    title: str
    verdicts: dict[str, Verdict]
    page: str


def rule_catalogue() -> tuple[RuleInfo, ...]:
    """All rules, by query kind.

    >>> "group-key-added" in {rule.id for rule in rule_catalogue()}
    True
    """
    return tuple(_info(page) for page in PAGES if page.words is not None)


def rule_ids() -> tuple[str, ...]:
    """The ids of all rules, each once, without reading a page.

    >>> "group-key-added" in rule_ids()
    True
    """
    return tuple(dict.fromkeys(page.name for page in PAGES if page.words is not None))


def find_rules(name: str, engine: str | None = None, flink: str | None = None) -> tuple[RuleInfo, ...]:
    """The rules of a rule id (one per query kind that has it) or of a spec id; none for an unknown name.

    Names and spec ids of changes that cost nothing find the pages about these. With ``engine`` the pages say what that
    profile says, and nothing of any other; with ``flink`` (two numbers) only what was measured on that version.

    >>> [(rule.query_kind, rule.id) for rule in find_rules("JI-03")]
    [('interval-join', 'join-interval-changed')]
    """
    view = View(engine, flink)
    key = name.strip()
    rules = [page for page in PAGES if page.words is not None]
    pages = [page for page in rules if page.name == key.lower()]
    pages = pages or [page for page in rules if key.upper() in page.spec]
    other_pages = (page for page in PAGES if page.words is None)
    pages += [page for page in other_pages if page.name == key.lower() or key.upper() in page.spec]
    return tuple(_info(page, view) for page in pages)


def _info(page: Page, view: View = EVERYTHING) -> RuleInfo:
    """Return a page outside of the pages of its query kind, with the query kind, since several kinds may have a page of
    that name.
    """
    heading, _, rest = readable(page, view).partition("\n")
    text = f"{heading}\n\n*{page_title(page.query_kind)}*\n{rest}"
    return RuleInfo(page.name, page.query_kind, page.spec, page.title, verdicts(page), text)

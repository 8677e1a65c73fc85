"""Rule pages: the documentation of the rules, which hover and ``explain`` show and which the tests run.

A page is a Markdown file beside its rule table. A level-two heading with a rule id in backticks opens the rule's
section; ``sql setup`` blocks at the top are put before every example of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from keepstate.diff.changes import QueryKind
from keepstate.profiles import PROFILES, verdict_of
from keepstate.report import Effect, Verdict
from keepstate.rules.catalogue import RULES, rules_named
from keepstate.rules.rule import Rule

_HEADING = re.compile(r"^## `([a-z-]+)`.*$", re.MULTILINE)
PAGES = {
    QueryKind.WINDOW_TVF: "window_tvf.md",
    QueryKind.GROUP_WINDOW: "group_window.md",
    QueryKind.WINDOW_TOP_N: "window_top_n.md",
    QueryKind.JOB: "job.md",
}


@dataclass(frozen=True)
class RuleInfo:
    """A rule for readers: ``verdicts`` by engine profile, ``page`` is its section in Markdown."""

    id: str
    query_kind: str
    spec: tuple[str, ...]
    title: str
    verdicts: dict[str, Verdict]
    page: str


def rule_catalogue() -> tuple[RuleInfo, ...]:
    """All rules, by query kind."""
    return tuple(_info(rule) for rule in RULES)


def find_rules(name: str) -> tuple[RuleInfo, ...]:
    """The rules of a rule id (one per query kind that has it) or of a spec id; none for an unknown name."""
    return tuple(_info(rule) for rule in rules_named(name))


@cache
def page_text(query: QueryKind) -> str:
    """The whole page of a query kind; empty where there is none."""
    page = files("keepstate.rules").joinpath(PAGES[query])
    return page.read_text("utf-8") if page.is_file() else ""


@cache
def sections(query: QueryKind) -> dict[str, str]:
    """The sections of a page by rule id, heading included."""
    text = page_text(query)
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {heading.group(1): text[heading.start() : end].strip() for heading, end in zip(headings, ends, strict=True)}


def _info(rule: Rule) -> RuleInfo:
    verdicts = {
        name: verdict_of(profile.effect(rule.query, rule.kind) or Effect.UNDETERMINED)
        for name, profile in PROFILES.items()
    }
    page = sections(rule.query).get(rule.id, f"## `{rule.id}`\n\n{rule.title}.")
    return RuleInfo(rule.id, rule.query.value, rule.spec, rule.title, verdicts, page)

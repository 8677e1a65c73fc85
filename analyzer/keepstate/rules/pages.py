"""Rule pages: the documentation of the rules, which hover and ``explain`` show and which the tests run.

A page is a Markdown file beside its rule table. A level-two heading with a rule id in backticks opens the rule's
section; ``sql setup`` blocks at the top are put before every example of the page. Sections of other names are about
changes that cost nothing: no rule speaks of them, but who looks for them finds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from keepstate.diff.changes import QueryKind
from keepstate.profiles import PROFILES, verdict_of
from keepstate.report import Effect, Verdict
from keepstate.rules.catalogue import RULES, rules_named
from keepstate.rules.readable_pages import EVERYTHING, HEADING, VERDICT_LINE, Telling, captioned, with_profiles
from keepstate.rules.rule import Rule

PAGES = {
    QueryKind.WINDOW_TVF.value: "window_tvf.md",
    QueryKind.GROUP_WINDOW.value: "group_window.md",
    QueryKind.WINDOW_TOP_N.value: "window_top_n.md",
    QueryKind.GROUP_AGGREGATE.value: "group_aggregate.md",
    QueryKind.OVER_AGGREGATE.value: "over_aggregate.md",
    QueryKind.DEDUPLICATION.value: "deduplication.md",
    QueryKind.TOP_N.value: "top_n.md",
    QueryKind.WINDOW_DEDUPLICATION.value: "window_deduplication.md",
    QueryKind.REGULAR_JOIN.value: "regular_join.md",
    QueryKind.INTERVAL_JOIN.value: "interval_join.md",
    QueryKind.TEMPORAL_JOIN.value: "temporal_join.md",
    QueryKind.LOOKUP_JOIN.value: "lookup_join.md",
    QueryKind.WINDOW_JOIN.value: "window_join.md",
    QueryKind.PATTERN.value: "pattern_recognition.md",
    QueryKind.SORT.value: "temporal_sort.md",
    QueryKind.LIMIT.value: "limit.md",
    QueryKind.SET_OPERATION.value: "set_operation.md",
    QueryKind.WHERE.value: "where.md",
    QueryKind.UNION_ALL.value: "union_all.md",
    QueryKind.SOURCE.value: "source.md",
    QueryKind.SINK.value: "sink.md",
    QueryKind.CONFIGURATION.value: "configuration.md",
    QueryKind.JOB.value: "job.md",
    "no-change": "no_change.md",
}
"""Pages by query kind; the last one is about changes of the text that change no query."""

_VERDICT = re.compile(r"\*\*(\w+)\*\* \((\w+)\)")


@dataclass(frozen=True)
class RuleInfo:
    """A rule for readers: ``verdicts`` by those engine profiles for which the kind of change decides (or by any other
    one that knows the rule, then the worst), ``page`` is its section in Markdown.
    """

    id: str
    query_kind: str
    spec: tuple[str, ...]
    title: str
    verdicts: dict[str, Verdict]
    page: str


@dataclass(frozen=True)
class Section:
    """A section of a page, heading included. ``spec`` and ``verdicts`` are what its verdict line says."""

    query_kind: str
    name: str
    title: str
    spec: tuple[str, ...]
    verdicts: dict[str, Verdict]
    text: str


def rule_catalogue() -> tuple[RuleInfo, ...]:
    """All rules, by query kind."""
    return tuple(_info(rule) for rule in RULES)


def find_rules(name: str, engine: str | None = None, flink: str | None = None) -> tuple[RuleInfo, ...]:
    """The rules of a rule id (one per query kind that has it) or of a spec id; none for an unknown name.

    Names and spec ids of changes that cost nothing find the sections about these. With ``engine`` the pages tell what
    that profile says and no other one; with ``flink`` (two numbers) only what was measured on that version.
    """
    told = Telling(engine, flink)
    return (*(_info(rule, told) for rule in rules_named(name)), *_sections_without_rule(name.strip(), told))


@cache
def page_text(query_kind: str) -> str:
    """The whole page of a query kind; empty where there is none."""
    page = files("keepstate.rules").joinpath(PAGES[query_kind])
    return page.read_text("utf-8") if page.is_file() else ""


def page_title(query_kind: str) -> str:
    """The first heading of a page, without its mark."""
    return page_text(query_kind).partition("\n")[0].removeprefix("# ")


@cache
def sections(query_kind: str) -> tuple[Section, ...]:
    """The named sections of a page, in its order."""
    text = page_text(query_kind)
    headings = list(HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return tuple(
        _section(query_kind, heading, text[heading.start() : end].strip())
        for heading, end in zip(headings, ends, strict=False)
        if heading["name"] is not None
    )


def readable(text: str, query_kind: str, told: Telling = EVERYTHING) -> str:
    """A page, or a section of one, as people read it: what the examples say in their fences stands above them, and
    below each verdict what engines do, and what was measured of it.
    """
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return "".join(captioned(with_profiles(part, query_kind, told), told) for part in parts)


def _section(query_kind: str, heading: re.Match[str], text: str) -> Section:
    line = VERDICT_LINE.search(text)
    spec = tuple(line["spec"].split(", ")) if line is not None and line["spec"] != "none" else ()
    verdicts = _VERDICT.findall(line["verdicts"]) if line is not None else []
    return Section(
        query_kind,
        heading["name"],
        heading["title"],
        spec,
        {engine: Verdict(verdict) for verdict, engine in verdicts},
        text,
    )


def _info(rule: Rule, told: Telling = EVERYTHING) -> RuleInfo:
    knowing = [profile for profile in PROFILES.values() if profile.effect(rule.query, rule.kind) is not None]
    by_kind = [profile for profile in knowing or PROFILES.values() if profile.decides_by_kind]
    verdicts = {
        profile.name: verdict_of(profile.effect(rule.query, rule.kind) or Effect.UNDETERMINED)
        for profile in by_kind or knowing
    }
    query_kind = rule.query.value
    texts = (section.text for section in sections(query_kind) if section.name == rule.id)
    page = next(texts, f"## `{rule.id}`: {rule.title}")
    return RuleInfo(rule.id, query_kind, rule.spec, rule.title, verdicts, _for_readers(query_kind, page, told))


def _sections_without_rule(name: str, told: Telling) -> Iterator[RuleInfo]:
    ruled = {(rule.query.value, rule.id) for rule in RULES}
    for query_kind in PAGES:
        for section in sections(query_kind):
            named = name.lower() == section.name or name.upper() in section.spec
            if named and (query_kind, section.name) not in ruled:
                page = _for_readers(query_kind, section.text, told)
                yield RuleInfo(section.name, query_kind, section.spec, section.title, section.verdicts, page)


def _for_readers(query_kind: str, text: str, told: Telling) -> str:
    """A section outside of its page, which several pages may have under one name: it says where it is from."""
    heading = text.partition("\n")[0]
    rest = readable(text, query_kind, told).partition("\n")[2]
    return f"{heading}\n\n*{page_title(query_kind)}*\n{rest}"

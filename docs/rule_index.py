"""docs/rules/README.md: all pages by topic, and all rules by id."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.rules.page_files import introduction
from keepstate.rules.rule_pages import PAGES
from rule_links import MARK, QUERIES, page_link, page_target, table, verdict_words

INTRODUCTION = """\
These pages say what happens to the state of a running Flink SQL job when its SQL changes. There is one page per kind
of query, and one section per kind of change, each with examples. `keepstate explain RULE` shows the same sections, by
rule id or spec id.

*Basis: verdicts of `vvr` are documented by the vendor; some are inferred from its pages ([the
specification](specification.md)). Verdicts of `flink` are measured on Flink, with the versions in each section, or
follow from the stored state (inferred).*

**How to read an example.** Carets (or dashes, for a clause that begins its line) stand under the clause that
Keepstate underlines, with the verdict beside them. Every example is a test.
"""
TOPICS = {
    "Aggregations": ("window-tvf", "group-window", "group-aggregate", "over-aggregate"),
    "Rankings": ("window-top-n", "top-n", "deduplication", "window-deduplication"),
    "Joins": ("regular-join", "interval-join", "temporal-join", "lookup-join", "window-join"),
    "Filters, unions, patterns, sorting, limits": (
        "where",
        "union-all",
        "set-operation",
        "pattern-recognition",
        "temporal-sort",
        "limit",
    ),
    "Around the queries": ("source", "sink", "configuration", "job"),
}
OTHER_PAGES = (
    "* [Job parameters that are known](parameters.md): the effect of each on state.",
    "* [The specification, its rules and its tests](specification.md): all spec ids, and the tests of each.",
)
_OPENING = "This page is about "


def index() -> str:
    return "\n".join((f"{MARK}\n", "# Rules\n", INTRODUCTION, *_pages(), "## By rule\n", *_rules(), ""))


def summary(query_kind: str) -> str:
    """The subject of a page: its first sentence, without the words about its readers."""
    paragraph = introduction(query_kind).split("\n\n")[1].replace("\n", " ")
    sentence = paragraph.removeprefix(_OPENING).partition(". ")[0]
    return f"{sentence.partition(', for engineers')[0].rstrip('.')}."


def _pages() -> Iterator[str]:
    topics = {topic: [kind for kind in kinds if kind in QUERIES] for topic, kinds in TOPICS.items()}
    topics["Everything else"] = [kind for kind in QUERIES if not any(kind in kinds for kinds in topics.values())]
    for topic, query_kinds in topics.items():
        if query_kinds:
            yield f"## {topic}\n"
            yield from (f"* {page_link(query_kind)}: {summary(query_kind)}" for query_kind in query_kinds)
            yield from OTHER_PAGES if topic == "Everything else" else ()
            yield ""


def _rules() -> Iterator[str]:
    """One row for each name, with the verdict on every page that has a section about it."""
    rows: dict[str, list[str]] = {}
    for page in PAGES:
        cell = f"[{page.query_kind}]({page_target(page)}): {verdict_words(page)}"
        rows.setdefault(page.name, []).append(cell)
    return table(("rule", "verdicts"), ((f"`{name}`", ", ".join(rows[name])) for name in sorted(rows)))

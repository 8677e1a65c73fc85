"""docs/rules/specification.md: which rules implement an id of the specification, and which tests hold it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from keepstate.rules.page_files import page_examples
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES
from keepstate.rules.specification import MEANINGS, SECTIONS, SpecSection
from rule_links import MARK, rule_link, table, verdict_words
from spec_marks import MarkedTest, marked_tests

ROOT = Path(__file__).parents[1]
INTRODUCTION = """\
This page lists every id of the specification, with its rules and its tests. The specification follows the
documentation of the vendor, and infers where the documentation is silent.

The examples of a rule stand on its page. In a *firing* example a clause is underlined; in a *silent* one, a near
miss, no clause may be. Sections without a rule are about changes that cost nothing, so all of their examples are
silent. The last column has tests that name the id themselves.
"""


def specification() -> str:
    tests = marked_tests(ROOT / "tests")
    by_id: dict[str, list[Page]] = {}
    for page in PAGES:
        for spec_id in page.spec:
            by_id.setdefault(spec_id, []).append(page)
    lines = [f"{MARK}\n", "[All rules](README.md)\n", "# The specification, its rules and its tests\n", INTRODUCTION]
    for part in SECTIONS:
        lines += [f"## {part.number}. {part.title}\n", *_table(part, by_id, tests), ""]
    return "\n".join(lines)


def _table(section: SpecSection, by_id: dict[str, list[Page]], tests: dict[str, list[MarkedTest]]) -> Iterator[str]:
    return table(("spec id", "rule", "verdict", "examples", "tests"), _rows(section, by_id, tests))


def _rows(
    section: SpecSection, by_id: dict[str, list[Page]], tests: dict[str, list[MarkedTest]]
) -> Iterator[tuple[str, ...]]:
    for spec_id in section.ids:
        named = ", ".join(map(_test_link, tests.get(spec_id, ())))
        if spec_id not in by_id:
            yield spec_id, "" if spec_id not in MEANINGS else "every rule", "", "", named
        for page in by_id.get(spec_id, ()):
            yield spec_id, rule_link(page), verdict_words(page), _examples(page), named
            # Once is enough: these are about the id, not about one of its rules.
            named = ""


def _examples(page: Page) -> str:
    counts = zip(firing_and_silent(page), ("firing", "silent"), strict=True)
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def firing_and_silent(page: Page) -> tuple[int, int]:
    """The number of the page's examples with findings, and of those without."""
    examples = page_examples(page.query_kind, page.name)
    fires = sum(example.fires for example in examples)
    return fires, len(examples) - fires


def _test_link(test: MarkedTest) -> str:
    return f"[{test.name}](../../{test.path.relative_to(ROOT).as_posix()})"

"""The pages and the rule tables fit together: no rule without a section, an example and a near miss."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from keepstate import RuleInfo, check, find_rules, rule_catalogue
from keepstate.rules.pages import PAGES as PAGE_NAMES
from keepstate.rules.specification import MEANINGS, SPEC_IDS
from rule_pages import PAGES, Section, all_sections
from spec_marks import marked_tests

_MARKED = marked_tests(Path(__file__).parents[1])
_BY_NAME = {(section.page, section.id): section for section in all_sections()}
_RULES = {(PAGE_NAMES[rule.query_kind].removesuffix(".md"), rule.id): rule for rule in rule_catalogue()}

each_rule = pytest.mark.parametrize(
    ("page", "rule"),
    [(page, rule) for (page, _), rule in _RULES.items()],
    ids=lambda value: getattr(value, "id", value),
)
each_section = pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.name)


def test_every_page_belongs_to_a_query_kind() -> None:
    assert sorted(page.name for page in PAGES) == sorted(PAGE_NAMES.values())


def test_no_section_twice() -> None:
    assert [name for name, count in Counter(section.name for section in all_sections()).items() if count > 1] == []


@each_rule
def test_rule_has_a_section(page: str, rule: RuleInfo) -> None:
    section = _BY_NAME[page, rule.id]
    assert section.title == rule.title
    verdicts = ", ".join(f"**{verdict.value}** ({engine})" for engine, verdict in rule.verdicts.items())
    assert section.verdict_line == f"Verdict: {verdicts}. Spec: {', '.join(rule.spec) or 'none'}."


@each_rule
def test_rule_fires_in_an_example_of_its_section(page: str, rule: RuleInfo) -> None:
    """By its id and query kind; where an operator further down says the same, by its spec ids, which are listed too."""
    found = [
        finding
        for example in _BY_NAME[page, rule.id].examples
        if example.markers
        for finding in check(example.current, example.baseline, example.profile).findings
        if finding.rule == rule.id
    ]
    assert any(
        finding.query_kind == rule.query_kind or (rule.spec and set(rule.spec) <= set(finding.spec))
        for finding in found
    )


@each_rule
def test_rule_has_a_near_miss(page: str, rule: RuleInfo) -> None:
    assert any(not example.markers for example in _BY_NAME[page, rule.id].examples)


@pytest.mark.parametrize(
    "section",
    [section for section in all_sections() if (section.page, section.id) not in _RULES],
    ids=lambda section: section.name,
)
def test_section_without_rule_is_silent(section: Section) -> None:
    assert section.examples
    assert [example.name for example in section.examples if example.markers] == []
    assert section.verdict_line.startswith("Verdict: **compatible** (")
    assert section.spec


@each_section
def test_section_is_found_by_name_and_by_spec_id(section: Section) -> None:
    for name in (section.id, *section.spec):
        pages = [rule.page for rule in find_rules(name)]
        assert any(section.verdict_line in page and f"# `{section.id}`: {section.title}\n" in page for page in pages)


@pytest.mark.parametrize("spec_id", [id_ for id_ in SPEC_IDS if id_ not in MEANINGS])
def test_spec_id_has_a_section_with_examples(spec_id: str) -> None:
    sections = [section for section in all_sections() if spec_id in section.spec]
    assert sections != []
    assert any(section.examples for section in sections)
    assert find_rules(spec_id) != ()


@pytest.mark.parametrize("spec_id", sorted(MEANINGS))
def test_spec_id_about_verdicts_as_such_has_tests(spec_id: str) -> None:
    assert spec_id in _MARKED


def test_no_other_spec_ids_are_named() -> None:
    named = {spec_id for rule in rule_catalogue() for spec_id in rule.spec}
    named |= {spec_id for section in all_sections() for spec_id in section.spec}
    assert named | set(_MARKED) <= set(SPEC_IDS)


def test_unknown_names_find_nothing() -> None:
    assert find_rules("no-such-rule") == ()
    assert find_rules("WTVF-99") == ()

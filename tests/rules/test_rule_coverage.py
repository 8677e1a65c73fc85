"""The rule pages cover the specification: no rule without an example and a near miss, no spec id without a page."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import keepstate
from keepstate import find_rules, rule_catalogue
from keepstate.diff.changes import ChangeKind
from keepstate.report import Verdict
from keepstate.rules.readable_pages import verdicts
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES
from keepstate.rules.specification import MEANINGS, SPEC_IDS
from rule_pages import examples_of
from shared_analyses import check
from spec_marks import marked_tests

_MARKED = marked_tests(Path(__file__).parents[1])
_ANALYZER = Path(keepstate.__file__).parent


def _named(page: Page) -> str:
    return f"{page.query_kind}:{page.name}"


each_rule = pytest.mark.parametrize("page", [page for page in PAGES if page.words is not None], ids=_named)
each_page = pytest.mark.parametrize("page", PAGES, ids=_named)
each_silent_page = pytest.mark.parametrize("page", [page for page in PAGES if page.words is None], ids=_named)


@each_rule
def test_rule_fires_in_an_example_of_its_page(page: Page) -> None:
    """By its id and query kind; where an operator further down says the same, by its spec ids, which are listed too."""
    found = [
        finding
        for example in examples_of(page)
        if example.markers
        for finding in check(example.current, example.baseline, example.profile).findings
        if finding.rule == page.name
    ]
    assert any(
        finding.query_kind == page.query_kind or (page.spec and set(page.spec) <= set(finding.spec))
        for finding in found
    )


@each_rule
def test_rule_has_a_near_miss(page: Page) -> None:
    assert any(not example.markers for example in examples_of(page))


OF_SEVERAL_FILES = {"ambiguous-declaration"}


@each_silent_page
def test_page_without_rule_is_silent(page: Page) -> None:
    if page.name in OF_SEVERAL_FILES:
        # Its example needs files, which tests/project has.
        return
    assert examples_of(page)
    assert [example.name for example in examples_of(page) if example.markers] == []
    assert verdicts(page) == {"vvr": Verdict.COMPATIBLE}
    assert page.spec


@each_page
def test_page_is_found_by_name_and_by_spec_id(page: Page) -> None:
    for name in (page.name, *page.spec):
        found = [(info.id, info.query_kind, info.title) for info in find_rules(name)]
        assert (page.name, page.query_kind, page.title) in found


def test_titles_tell_all_pages_apart() -> None:
    assert [title for title, count in Counter(page.title for page in PAGES).items() if count > 1] == []


@pytest.mark.parametrize("spec_id", [id_ for id_ in SPEC_IDS if id_ not in MEANINGS])
def test_spec_id_has_a_page_with_examples(spec_id: str) -> None:
    pages = [page for page in PAGES if spec_id in page.spec]
    assert pages != []
    assert any(examples_of(page) for page in pages)
    assert find_rules(spec_id) != ()


@pytest.mark.parametrize("spec_id", sorted(MEANINGS))
def test_spec_id_about_verdicts_as_such_has_tests(spec_id: str) -> None:
    assert spec_id in _MARKED


def test_no_other_spec_ids_are_named() -> None:
    named = {spec_id for rule in rule_catalogue() for spec_id in rule.spec}
    named |= {spec_id for page in PAGES for spec_id in page.spec}
    assert named | set(_MARKED) <= set(SPEC_IDS)


def test_unknown_names_find_nothing() -> None:
    assert find_rules("no-such-rule") == ()
    assert find_rules("WTVF-99") == ()


def _members_named_in(text: str) -> set[str]:
    """The members of ``ChangeKind`` that a module names."""
    return {
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ChangeKind"
    }


def test_every_kind_of_change_has_a_detector() -> None:
    """A module that compares, assesses or judges names it. The generated tables name them as ``K``."""
    modules = [
        *(_ANALYZER / "diff").rglob("*.py"),
        *(_ANALYZER / "engines" / "flink" / name for name in ("assessment.py", "attribution.py")),
        _ANALYZER / "rules" / "judgement.py",
    ]
    named = set().union(*(_members_named_in(module.read_text("utf-8")) for module in modules))
    assert [kind.name for kind in ChangeKind if kind.name not in named] == []


def test_a_kind_that_only_a_comment_names_has_none() -> None:
    assert _members_named_in("# ChangeKind.DEAD\nfound = ChangeKind.ALIVE") == {"ALIVE"}

"""Rule pages say of open-source Flink what the profile finds out, and ``explain`` gives that for each rule."""

from __future__ import annotations

import pytest

from keepstate import Workspace, analyse, find_rules
from keepstate.engines import ENGINES, PROFILES
from keepstate.engines.flink import assessment
from keepstate.engines.flink.parts import PART_CASES
from keepstate.engines.lookup import page_cases, page_facts
from keepstate.report import Effect
from keepstate.rules.page_files import page_body
from keepstate.rules.page_format import parts
from keepstate.rules.readable_pages import verdicts
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StatePart
from rule_pages import all_examples

_LOST_AS_A_WHOLE = frozenset({StatePart.KEY, StatePart.KIND, StatePart.WINDOW})
"""Parts by which an operator does not find its state: then nothing of it counts as wrong."""


def _named(page: Page) -> str:
    return f"{page.query_kind}:{page.name}"


each_page = pytest.mark.parametrize("page", PAGES, ids=_named)


def test_differences_have_no_other_effects_than_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[StateDifference, ...]] = []
    original = assessment.differences

    def recorded(*operators: object) -> tuple[StateDifference, ...]:
        found.append(original(*operators))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(assessment, "differences", recorded)
    # A memory of its own: what was compared before would not be compared again.
    memory = Workspace()
    for example in all_examples():
        analyse(example.current, example.baseline, "flink", memory).report()
    assert {part for part, own in PART_CASES.items() if own} == set(StatePart)
    seen = set()
    for group in found:
        is_lost = any(one.effect is Effect.STATE_LOST and one.part in _LOST_AS_A_WHOLE for one in group)
        for one in group:
            if not (is_lost and one.effect is Effect.STATE_LOST):
                assert one.effect in {case.effect for case in PART_CASES[one.part]}, one
                seen.add((one.part, one.effect))
    assert len(seen) > 20


@each_page
@pytest.mark.parametrize("engine", ENGINES)
def test_explain_answers_for_one_engine(page: Page, engine: str) -> None:
    """A row of the table for each case, no word about another engine, and no verdict of one."""
    (text,) = [info.page for info in find_rules(page.name, engine) if info.query_kind == page.query_kind]
    others = [name for name in ENGINES if name != engine]
    assert not [name for name in others if f"({name})" in text or f"| `{name}` |" in text]
    blocks = [part for part in parts(page_body(page.query_kind, page.name)) if not isinstance(part, str)]
    own = "vvr" if "vvr" in verdicts(page) else "flink"
    foreign = [block.text for block in blocks if (block.profile or own) != engine and block.unmarked != block.text]
    assert not [marked for marked in foreign if marked in text]
    if not PROFILES[engine].decides_by_kind:
        facts = page_facts(page.query_kind, page.name)
        rows = [line for line in text.splitlines() if line.startswith(f"| `{engine}` | **")]
        assert [row.split("**")[1] for row in rows] == [case.effect.value for case in page_cases(facts)]
        assert all(row.split(" | ")[2].removesuffix(" |") for row in rows)
        assert page.kind is None or "differs: " in text or "No part of the stored state shows it: " in text


def test_prose_about_one_engine_is_not_shown_for_another() -> None:
    (mine,) = [info.page for info in find_rules("within-changed", "vvr")]
    (other,) = [info.page for info in find_rules("within-changed", "flink")]
    prose = page_body("pattern-recognition", "within-changed").partition("\n\n")[0]
    assert prose in mine
    assert prose not in other
    assert "incompatible" not in other

"""A keystroke validates one statement and those that read it; nothing else is computed again."""

from __future__ import annotations

import pytest
from marked import DECLARED

from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from keepstate.validation import validate
from keepstate.validation.statements import outcome_cache

QUERIES = "CREATE VIEW x AS SELECT id, km FROM rides;\nSELECT id FROM x;\nSELECT amount FROM bills;\n"


@pytest.fixture(name="checked")
def _checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements that were validated, as they come."""
    texts: list[str] = []
    outcome = outcome_cache.outcome_of

    def counted(statement, *rest):  # type: ignore[no-untyped-def]
        texts.append(statement.text)
        return outcome(statement, *rest)

    monkeypatch.setattr(outcome_cache, "outcome_of", counted)
    return texts


def test_unchanged_statements_with_unchanged_declarations_cost_nothing(checked: list[str]) -> None:
    memo = Memo()
    before = validate(parse_script(DECLARED + QUERIES, memo))
    checked.clear()
    assert validate(parse_script("-- a comment\n" + DECLARED + QUERIES, memo)) == before
    assert not checked


def test_an_edit_validates_the_statement_and_what_reads_it(checked: list[str]) -> None:
    memo = Memo()
    validate(parse_script(DECLARED + QUERIES, memo))
    checked.clear()
    validate(parse_script(DECLARED + QUERIES.replace("SELECT id, km", "SELECT id, seats"), memo))
    assert checked == ["CREATE VIEW x AS SELECT id, seats FROM rides", "SELECT id FROM x"]

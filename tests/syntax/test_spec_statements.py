"""Every script of the cases: of the specification, and of the vendor's pages."""

from __future__ import annotations

from keepstate.syntax.script import parse_script
from trees import assert_expressions_parse_again, assert_spans_nest
from truth import documents, spec_cases


def test_all_statements_parse_with_exact_spans() -> None:
    checked = set()
    for text in (text for case in (*spec_cases(), *documents()) for text in (case.baseline, case.current)):
        script = parse_script(text)
        assert not script.problems, (script.problems, text)
        for statement in script.statements:
            if statement.parsed not in checked:
                checked.add(statement.parsed)
                assert_spans_nest(statement.parsed)
                assert_expressions_parse_again(statement.parsed)
    assert checked

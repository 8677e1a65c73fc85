"""Every script of the specification's cases, where they lie beside the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepstate.syntax.script import parse_script
from trees import assert_expressions_parse_again, assert_spans_nest

CASES = Path(__file__).parents[3] / "shared" / "spec" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not here")


def scripts() -> Iterator[str]:
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            yield case["baseline"]
            yield case["current"]


def test_all_statements_parse_with_exact_spans() -> None:
    checked = set()
    for text in scripts():
        script = parse_script(text)
        assert not script.problems, (script.problems, text)
        for statement in script.statements:
            if statement.parsed not in checked:
                checked.add(statement.parsed)
                assert_spans_nest(statement.parsed)
                assert_expressions_parse_again(statement.parsed)
    assert checked

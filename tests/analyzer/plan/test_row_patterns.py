"""Patterns of MATCH_RECOGNIZE: spellings of one pattern are one text, other patterns are others."""

from __future__ import annotations

import pytest

from keepstate.plan.clauses.row_patterns import canonical_pattern, variables_of


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("A B + C", "A B+ C"),
        ("`A` B { 1 , } C", "A B+ C"),
        ("( ( A B { 0 , } ) C )", "A B* C"),
        ("A ( B C )", "A B C"),
        ("A { 1 , 1 } B { 0 , 1 } C { 2 }", "A B? C{2,2}"),
        ("A { , 3 } B { 2 , 5 } ?", "A{0,3} B{2,5}?"),
        ("( ( A ) ) * ?", "A*?"),
        ("( A B ) + C", "(A B)+ C"),
        ("( A + ) +", "(A+)+"),
        ("( A ) | ( B | C )", "A | B | C"),
        ("A ( ( B | C ) ) D", "A (B | C) D"),
        ("( ( B | C ) D ) { 3 , }", "((B | C) D){3,}"),
        ("A { - B C - } D", "A {- B C -} D"),
        ("PERMUTE ( A , B + )", "PERMUTE(A, B+)"),
        ("^ A $", "^ A $"),
    ],
)
def test_spellings_of_one_pattern(written: str, canonical: str) -> None:
    assert canonical_pattern(written) == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A B + C", "A B * C"),
        ("A B + C", "A B + ? C"),
        ("A | B", "B | A"),
        ("( A B ) +", "A B +"),
        ("A B | C", "A ( B | C )"),
        ("( A + ) +", "A +"),
        ("a B", "A B"),
    ],
)
def test_other_patterns(one: str, other: str) -> None:
    assert canonical_pattern(one) != canonical_pattern(other)


@pytest.mark.parametrize("text", ["A B ) (", "A { 2", "| A", "( A", "A + + +", "${pattern}"])
def test_what_cannot_be_read_is_taken_as_it_stands(text: str) -> None:
    assert canonical_pattern(text) == text


@pytest.mark.parametrize(
    ("pattern", "variables"),
    [
        ("A B+ C", {"A", "B", "C"}),
        ("A {1,3} (B | C)*?", {"A", "B", "C"}),
        ("A{2,5} `strange name` {- B -}", {"A", "strange name", "B"}),
        ("PERMUTE(A, B2+)", {"PERMUTE", "A", "B2"}),
    ],
)
def test_variables_are_read_without_their_quantifiers(pattern: str, variables: set[str]) -> None:
    assert variables_of(pattern) == variables

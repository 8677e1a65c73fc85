"""Signatures of the user's functions, as configuration files and options declare them."""

from __future__ import annotations

from typing import Any

import pytest

from keepstate import FunctionSignature, SignatureFault, named_signature, read_functions
from keepstate.plan.types.declared_signatures import read_signature


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("(STRING, INT) RETURNS STRING", FunctionSignature(("STRING", "INT"), "STRING")),
        (" ( string ,\n decimal(10, 2) )returns  double ", FunctionSignature(("string", "decimal(10, 2)"), "double")),
        ("() RETURNS TIMESTAMP(3) NOT NULL", FunctionSignature((), "TIMESTAMP(3) NOT NULL")),
        (
            "(ROW<`a b` INT, c ARRAY<STRING>>) RETURNS MAP<STRING, DECIMAL(4, 2)>",
            FunctionSignature(("ROW<`a b` INT, c ARRAY<STRING>>",), "MAP<STRING, DECIMAL(4, 2)>"),
        ),
        (
            "(STRING) RETURNS TABLE (word STRING, length INT NOT NULL)",
            FunctionSignature(("STRING",), columns=(("word", "STRING"), ("length", "INT NOT NULL"))),
        ),
        (
            "(STRING) RETURNS TABLE(`a, )``b` ROW<x INT, y INT>)",
            FunctionSignature(("STRING",), columns=(("a, )`b", "ROW<x INT, y INT>"),)),
        ),
    ],
)
def test_a_signature_is_read_and_written(text: str, signature: FunctionSignature) -> None:
    assert read_signature(text) == signature
    assert read_signature(str(signature)) == signature


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no signature"),
        ("STRING", "no signature"),
        ("(STRING)", "no signature"),
        ("(STRING RETURNS INT", "no signature"),
        ("(STRING) RETURNS", "no signature"),
        ("(STRING) RETURNS TEXT", "'TEXT' is no type"),
        ("(STRING,) RETURNS INT", "'' is no type"),
        ("(a STRING) RETURNS INT", "'a STRING' is no type"),
        ("(com.acme.Money) RETURNS INT", "'com.acme.Money' is no type"),
        ("(INT) RETURNS RAW('com.acme.Money', 'AEZ')", "is no type"),
        ("(INT) RETURNS ROW<a INT 'comment'>", "is no type"),
        ("(INT) RETURNS STRUCTURED<'com.acme.Money', a INT>", "is no type"),
        ("(INT) RETURNS TABLE ()", "without columns"),
        ("(INT) RETURNS TABLE", "without columns"),
        ("(INT) RETURNS TABLE (a INT) INT", "without columns"),
        ("(INT) RETURNS TABLE (INT)", "'INT' is no column"),
        ("(INT) RETURNS TABLE (a INT, a INT)", "two columns of one name"),
        (f"({'ARRAY<' * 5000}INT{'>' * 5000}) RETURNS INT", "nested too deeply"),
    ],
)
def test_what_is_no_signature_says_why(text: str, words: str) -> None:
    with pytest.raises(SignatureFault, match=words.replace("(", r"\(").replace(")", r"\)")):
        read_signature(text)


def test_names_have_no_case_and_a_function_may_have_several_signatures() -> None:
    found = read_functions({"Norm": ["(STRING) RETURNS STRING", "(INT) RETURNS INT"]})
    assert list(found) == ["NORM"]
    assert [signature.result for signature in found["NORM"]] == ["STRING", "INT"]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"f": 1}, "f must be a signature"),
        ({"f": []}, "f must be a signature"),
        ({"f": ["(INT) RETURNS INT", 1]}, "f must be a signature"),
        ({"my": {"f": "(INT) RETURNS INT"}}, "my must be a signature"),
        ({"my.f": "(INT) RETURNS INT"}, "no name of a function"),
        ({"f": "(INT) RETURNS INT", "F": "(INT) RETURNS INT"}, "there twice"),
        ({"f": ["(INT) RETURNS INT", "(STRING) RETURNS TABLE (a INT)"]}, "a value or a table"),
        ({"f": ["(INT) RETURNS INT", "(integer) RETURNS STRING"]}, "the same arguments"),
        ({"f": "(INT)"}, "f: "),
    ],
)
def test_functions_that_cannot_be_read_name_the_key(entries: dict[str, Any], words: str) -> None:
    with pytest.raises(SignatureFault, match=words) as raised:
        read_functions(entries)
    assert raised.value.key == (list(entries)[-1],)


@pytest.mark.parametrize("text", ["(INT) RETURNS INT", "norm", "a.b(INT) RETURNS INT", "norm(INT) INT"])
def test_an_option_has_a_name_and_a_signature(text: str) -> None:
    with pytest.raises(SignatureFault):
        named_signature(text)

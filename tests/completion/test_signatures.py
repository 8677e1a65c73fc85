"""Signature help: the innermost call, its form, and the argument at the cursor."""

from __future__ import annotations

import pytest

from half_typed import SHOP
from keepstate.draft import Draft


@pytest.mark.parametrize(
    ("marked", "form", "parameter"),
    [
        ("SELECT ROUND(|", "ROUND(number[, digits])", "number"),
        ("SELECT ROUND(amount|", "ROUND(number[, digits])", "number"),
        ("SELECT ROUND(amount, |", "ROUND(number[, digits])", "digits"),
        ("SELECT ROUND(amount, 2|) FROM orders", "ROUND(number[, digits])", "digits"),
        ("SELECT ROUND((amount + 1), |", "ROUND(number[, digits])", "digits"),
        ("SELECT ROUND(COALESCE(a, b), |", "ROUND(number[, digits])", "digits"),
        ("SELECT ROUND(COALESCE(a, |", "COALESCE(value, ...)", "value"),
        ("SELECT COALESCE(a, b, c, |", "COALESCE(value, ...)", "value"),
        ("SELECT ROUND(a, 1, |", "ROUND(number[, digits])", None),
        ("SELECT DATE_FORMAT(ts, 'yy|", "DATE_FORMAT(timestamp, format)", "format"),
        ("select round(amount, |", "ROUND(number[, digits])", "digits"),
        ("SELECT TO_TIMESTAMP_LTZ(a, b, |", "TO_TIMESTAMP_LTZ(string[, format[, zone]])", "zone"),
        ("SELECT SUM((SELECT |", None, None),
        ("SELECT (|", None, None),
        ("SELECT MyScore(|", None, None),
        ("SELECT ROUND(amount) |", None, None),
        ("SELECT * FROM orders WHERE id IN (|", None, None),
        ("-- ROUND(|", None, None),
        ("SELECT id FROM orders GROUP BY TUMBLE(order_time, |", "TUMBLE(time, size)", "size"),
    ],
)
def test_the_form_and_the_parameter(marked: str, form: str | None, parameter: str | None) -> None:
    text = SHOP + marked.replace("|", "")
    found = Draft().signature_help(text, len(SHOP) + marked.index("|"))
    if form is None:
        assert found is None
        return
    assert found is not None
    active = found.forms[found.active]
    assert active.text == form
    marked_part = None if found.parameter is None else active.text[slice(*active.parameters[found.parameter])]
    assert marked_part == parameter


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ("TABLE orders, |", "TIMECOL => DESCRIPTOR(time)"),
        ("DATA => |", "DATA => TABLE table"),
        ("SIZE => INTERVAL '1' |", "SIZE => interval"),
        ("TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR, |", "OFFSET => interval"),
    ],
)
def test_window_table_functions_by_name_and_by_place(arguments: str, parameter: str) -> None:
    text = f"{SHOP}SELECT * FROM TABLE(TUMBLE({arguments}"
    found = Draft().signature_help(text.replace("|", ""), text.index("|"))
    assert found is not None and found.parameter is not None
    (form,) = found.forms
    assert form.text[slice(*form.parameters[found.parameter])] == parameter

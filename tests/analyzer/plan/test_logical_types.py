"""Types are read in every spelling and printed in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstate.plan.types.logical_types import LogicalType
from keepstate.plan.types.type_names import canonical_type

PLAIN = ("BOOLEAN", "INT", "BIGINT", "DOUBLE", "STRING", "BYTES", "DATE", "CHAR(3)", "VARBINARY(9)", "DECIMAL(12,4)")
TIMES = ("TIME(0)", "TIMESTAMP(3)", "TIMESTAMP_LTZ(6)", "INTERVAL SECOND(3)", "INTERVAL MONTH")


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["A", "VALUE", "TIMESTAMP", "EXPR$0", "`A B`", "`<`", "`X``Y`", "`'`"])
    fields = st.lists(st.builds("{} {}".format, names, inner), min_size=1, max_size=3)
    return st.one_of(
        inner.map("ARRAY<{}>".format),
        inner.map("MULTISET<{}>".format),
        st.builds("MAP<{},{}>".format, inner, inner),
        fields.map(",".join).map("ROW<{}>".format),
    )


@given(st.recursive(st.sampled_from([*PLAIN, *TIMES]), _nested, max_leaves=8))
def test_the_canonical_spelling_is_read_and_printed_back(text: str) -> None:
    assert str(LogicalType.parse(text)) == text


@given(st.text(alphabet="ARROWMPINTDECL<>(),'1 `", max_size=20))
def test_any_text_has_a_spelling(text: str) -> None:
    assert canonical_type(canonical_type(text)) == canonical_type(text)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("integer", "INT"),
        ("dec ( 12 , 2 )", "DECIMAL(12,2)"),
        ("NUMERIC", "DECIMAL(10,0)"),
        ("double precision", "DOUBLE"),
        ("varchar", "STRING"),
        ("VARCHAR(2147483647)", "STRING"),
        ("char varying(5)", "VARCHAR(5)"),
        ("VARCHAR(9) CHARACTER SET `UTF-16LE` NOT NULL ARRAY", "ARRAY<VARCHAR(9)>"),
        ("CHAR", "CHAR(1)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMP(6)"),
        ("TIME", "TIME(0)"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("ROW(a INT, b STRING)", "ROW<A INT,B STRING>"),
        ("ROW<`timestamp` BIGINT 'when', b DECIMAL(10, 2) NOT NULL>", "ROW<TIMESTAMP BIGINT,B DECIMAL(10,2)>"),
        ("ROW<`a b` INT, `x.y` STRING>", "ROW<`A B` INT,`X.Y` STRING>"),
        ("ROW<`<` INT, `a``b` ROW<`,` INT 'why'>>", "ROW<`<` INT,`A``B` ROW<`,` INT>>"),
        ("ARRAY<TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL>", "ARRAY<TIMESTAMP_LTZ(3)>"),
        ("RAW ( 'a' , 'b' )", "RAW('A','B')"),
    ],
)
def test_spellings_of_one_type(written: str, canonical: str) -> None:
    assert canonical_type(written) == canonical


@pytest.mark.parametrize("text", ["", "ROW", "ROW<a", "MAP<INT>", "INT)", "DECIMAL(1,2,3)", "com.example.Money"])
def test_what_is_no_built_in_type_is_unknown(text: str) -> None:
    assert LogicalType.parse(text) is None


def test_fields_are_found_whatever_their_case_unless_two_fit() -> None:
    row = LogicalType.parse("ROW<userId BIGINT, x INT, X STRING>")
    assert row is not None
    assert str(row.field("userid")) == "BIGINT"
    assert row.field("x") is None
    assert row.field("y") is None

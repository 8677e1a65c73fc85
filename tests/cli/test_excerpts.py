"""Source excerpts with marks."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.formats.excerpt import ExcerptRow, Symbols, excerpt

UTF8 = Symbols.for_encoding("utf-8")
ASCII = Symbols.for_encoding("ascii")


def drawn(text: str, width: int = 60, symbols: Symbols = UTF8) -> list[str]:
    """The excerpt of the clause between ‹ and ›, with the marks in lines of their own."""
    start = text.index("‹")
    end = text.index("›") - 1
    plain = text.replace("‹", "").replace("›", "")
    lines = []
    for row in excerpt(LineIndex(plain), Span(start, end), width, symbols):
        assert cell_len(row.text) <= width
        lines.append(f"{row.number or ''}:{row.text}")
        if row.marks is not None:
            first, length = row.marks
            assert first + length <= max(width, 1)
            lines.append(f"{'':{len(str(row.number))}} {' ' * first}{'^' * length}")
    return lines


def test_marks_stand_under_the_clause() -> None:
    assert drawn("SELECT a\nFROM t WHERE ‹b < 3›") == ["2:FROM t WHERE b < 3", "               ^^^^^"]


def test_tabs_fill_to_the_next_stop() -> None:
    assert drawn("\tab\t‹c\td›") == ["1:    ab  c   d", "          ^^^^^"]


def test_wide_and_combining_characters_are_counted_in_cells() -> None:
    assert drawn("'日本', '📦', 'e\u0301', ‹x›") == ["1:'日本', '📦', 'e\u0301', x", "                     ^"]
    assert drawn("SELECT ‹'日本'› FROM t") == ["1:SELECT '日本' FROM t", "         ^^^^^^"]


def test_characters_that_steer_a_terminal_are_shown_as_such() -> None:
    (row,) = excerpt(LineIndex("a\x1b[31m\u202e\x00b"), Span(0, 1), 60, UTF8)
    assert row.text == "a\ufffd[31m\ufffd\ufffdb"
    (row,) = excerpt(LineIndex("a\x1bb"), Span(0, 1), 60, ASCII)
    assert row.text == "a?b"


def test_without_unicode_the_marks_stay_in_place() -> None:
    assert drawn("'日本' ‹x›", symbols=ASCII) == ["1:'????' x", "         ^"]
    (row,) = excerpt(LineIndex("é x"), Span(2, 3), 60, Symbols.for_encoding("latin-1"))
    assert row.text == "é x"


def test_long_lines_are_cropped_around_the_clause() -> None:
    filler = "abcdefghi " * 8
    assert drawn(f"‹CLAUSE› {filler}", 30) == ["1:CLAUSE abcdefghi abcdefghi ab…", "  ^^^^^^"]
    assert drawn(f"{filler}‹CLAUSE›", 30) == ["1:…i abcdefghi abcdefghi CLAUSE", "                         ^^^^^^"]
    assert drawn(f"{filler}‹CLAUSE› {filler}", 30) == ["1:…abcdefghi CLAUSE abcdefghi a…", "             ^^^^^^"]


def test_a_clause_longer_than_the_line_shows_its_beginning() -> None:
    assert drawn("‹" + "abcde " * 20 + "›", 20) == ["1:abcde abcde abcde a…", "  ^^^^^^^^^^^^^^^^^^^"]


def test_lines_of_megabytes_cost_little() -> None:
    text = "x" * 5_000_000 + "CLAUSE" + "y" * 5_000_000
    (row,) = excerpt(LineIndex(text), Span(5_000_000, 5_000_006), 30, UTF8)
    assert row.text.startswith("…xxx")
    assert row.text.endswith("yyy…")
    assert row.marks is not None
    assert row.text[row.marks[0] :].startswith("CLAUSEy")


@pytest.mark.parametrize("place", range(0, 90, 7))
@pytest.mark.parametrize("length", [0, 1, 10, 40, 90])
def test_wherever_the_clause_is_it_shows(place: int, length: int) -> None:
    words = "".join(chr(ord("a") + index % 26) for index in range(90)) + "📦日本" * 10
    clause = words[place : place + length]
    (row,) = excerpt(LineIndex(words), Span(place, place + len(clause)), 40, UTF8)
    assert cell_len(row.text) <= 40
    assert row.marks is not None
    first, size = row.marks
    assert size >= 1
    assert first + size <= 40
    shown = row.text[first : first + min(size, 3)]
    assert clause.startswith(shown.rstrip("…")) or not clause


def test_a_clause_over_several_lines() -> None:
    assert drawn("SELECT ‹CASE\n    WHEN a THEN 1\n\n  END› AS b") == [
        "1:SELECT CASE",
        "         ^^^^",
        "2:    WHEN a THEN 1",
        "      ^^^^^^^^^^^^^",
        "3:",
        "4:  END AS b",
        "    ^^^",
    ]


def test_a_long_clause_loses_its_middle() -> None:
    lines = drawn("‹" + "\n".join(f"line{number}" for number in range(1, 10)) + "›")
    assert [line for line in lines if "^" not in line] == ["1:line1", "2:line2", "3:line3", ":…", "9:line9"]


def test_line_breaks_at_the_end_of_a_clause_add_no_line() -> None:
    assert drawn("‹a\r\n›b") == ["1:a", "  ^"]


def test_empty_spans_get_one_mark() -> None:
    assert excerpt(LineIndex("SELECT a"), Span(8, 8), 40, UTF8) == [ExcerptRow(1, "SELECT a", (8, 1))]
    assert excerpt(LineIndex(""), Span(0, 0), 40, UTF8) == [ExcerptRow(1, "", (0, 1))]
    assert excerpt(LineIndex("a\n\nb"), Span(2, 2), 40, UTF8) == [ExcerptRow(2, "", (0, 1))]

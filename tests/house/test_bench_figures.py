"""A benchmark tells what it measured, and says so where a budget is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from figures import Figure, Reference
from performance_page import BEGIN, END, PAGE, write_page


@pytest.mark.parametrize(
    ("figure", "missed"),
    [
        (Figure("a", 12.345, "ms"), False),
        (Figure("a", 1.5, "s", 2), False),
        (Figure("a", 2.5, "s", 2), True),
        (Figure("a", 0, "", 0), False),
        (Figure("a", 1, "s", beside=Reference("b", 4)), False),
        (Figure("a", 6, "s", beside=Reference("b", 4), most=1.3), True),
        # Of two budgets the one that is missed counts.
        (Figure("a", 210, "MB", 200, Reference("b", 205), 1.05), True),
        (Figure("a", 150, "MB", 200, Reference("b", 100), 1.05), True),
    ],
    ids=str,
)
def test_a_missed_budget_is_shown(figure: Figure, missed: bool) -> None:
    assert figure.missed is missed
    assert ("OVER" in str(figure)) is missed


def test_the_page_keeps_what_stands_around_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{BEGIN}\n\nold\n\n{END}\n\nNotes.\n", "utf-8")
    for value in (1.0, 3.0):
        write_page([("Some part", [Figure("whole", value, "s", 2), Figure("    of it", 0.5, "s")])], page)
    write_page([("Another part", [Figure("more", 1.0, "s", 2)])], page, ["Another part", "Some part"])
    text = page.read_text("utf-8")
    assert text.index("### Another part") < text.index("### Some part")
    assert text.startswith(f"# Title\n\n{BEGIN}\n") and text.endswith(f"{END}\n\nNotes.\n")
    assert "old" not in text
    assert "1 of 2 budgets are kept" in text
    assert "| whole | 3.00 s | 2.00 s | **over** |  |  |" in text
    page.write_text("# Another page\n", "utf-8")
    with pytest.raises(ValueError, match="no place"):
        write_page([], page)


def test_our_page_has_a_place_for_the_table() -> None:
    assert PAGE.read_text("utf-8").count(BEGIN) == PAGE.read_text("utf-8").count(END) == 1

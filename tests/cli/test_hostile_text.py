"""Any text is shown and has no effect."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from keepstate.report import Clause, Effect, Finding, Verdict
from keepstate.text import Span
from keepstate_lsp.cli.formats.github import escape_data, escape_property, log_line
from keepstate_lsp.cli.formats.markdown import code, fenced, prose
from keepstate_lsp.cli.formats.sarif import _message
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened, visible

TEXTS = st.text(st.characters(codec=None), max_size=60) | st.text(
    "`|*_[](){}<>#@!\\&~-+=.:/ \t\r\nwa1\x07\u202e", max_size=40
)
NASTY = (
    "`",
    "``` ",
    "` `` `",
    "<script>",
    "![a](b)",
    "a\r\nb\rc",
    "\ud800",
    "\ufffe",
    "@team #1",
    "@_ #_",
    "1. - * +",
    "11) x",
    "www.a.b",
)


def examples(test):  # type: ignore[no-untyped-def]
    for text in NASTY:
        test = example(text)(test)
    return test


def rendered(markdown: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(markdown)


@given(TEXTS)
@examples
def test_what_is_visible_may_stand_in_xml(text: str) -> None:
    element = ElementTree.Element("a", name=one_line(text))
    element.text = visible(text)
    read = ElementTree.fromstring(ElementTree.tostring(element, encoding="unicode"))
    assert (read.text or "", read.get("name")) == (visible(text), one_line(text))


@given(TEXTS)
@examples
def test_what_is_visible_can_be_written(text: str) -> None:
    shown = visible(text)
    assert shown.encode().decode() == shown
    assert "\r" not in shown and "\x1b" not in shown and "\u202e" not in shown
    assert visible(shown) == shown


@given(TEXTS)
@examples
def test_prose_is_one_paragraph_of_plain_text(text: str) -> None:
    page = rendered(f"* {prose(text)}")
    inside = page.removeprefix("<ul>\n<li>").removesuffix("</li>\n</ul>\n")
    assert not re.search(r"<[^>]*>", inside)
    assert html.unescape(inside).replace("\N{ZERO WIDTH SPACE}", "") == one_line(text)
    assert not re.search(r"[@#]\w", html.unescape(inside))


@given(TEXTS)
@examples
def test_prose_stays_in_its_cell(text: str) -> None:
    page = rendered(f"| a | b |\n|---|---|\n| {prose(text)} | end |\n")
    cells = re.findall(r"<td>(.*?)</td>", page)
    assert [html.unescape(cell).replace("\N{ZERO WIDTH SPACE}", "") for cell in cells] == [one_line(text), "end"]


@given(TEXTS)
@examples
def test_a_code_span_is_one(text: str) -> None:
    if not one_line(text):
        return
    page = rendered(f"x {code(text)} y")
    (inside,) = re.findall(r"^<p>x <code>(.*)</code> y</p>$", page)
    assert html.unescape(inside) == one_line(text)


@given(TEXTS)
@examples
def test_a_fence_is_closed_by_its_own_end_only(text: str) -> None:
    page = rendered("\n".join(["1. x", "", *fenced(f"+ {text}", "diff", "   "), "", "after"]))
    assert page.count("<pre>") == page.count("<code") == 1
    assert page.endswith("<p>after</p>\n")


@given(TEXTS)
@examples
def test_a_command_stays_on_its_line(text: str) -> None:
    assert "\n" not in escape_data(text) and "\r" not in escape_data(text)
    assert not set(escape_property(text)) & set("\n\r,:")


@given(TEXTS)
@examples
@example("::add-mask::a")
@example("  ::::stop-commands::a")
@example("a ###[add-mask]a")
def test_a_line_of_the_log_is_no_command(text: str) -> None:
    for line in log_line(f"  {one_line(text)}").splitlines():
        assert not line.strip().startswith("::") and "##[" not in line


@pytest.mark.parametrize(("text", "shown"), [("abc", "abc"), ("abcd", "ab…"), ("", "")])
def test_shortened(text: str, shown: str) -> None:
    assert shortened(text, 3) == shown


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("a[1] + b", "a[1] + b: gone."),
        ("a[1](2) and [x](10)", r"a\[1\](2) and \[x\](10): gone."),
        ("[x](y)", "[x](y): gone."),
    ],
)
def test_no_expression_becomes_a_link_of_sarif(change: str, text: str) -> None:
    clause = Clause(Span(0, 1), "a")
    finding = Finding(
        "rule", (), "where", Verdict.PARTIAL, Effect.STARTS_EMPTY, change, "gone", "", "", clause, None, False, None
    )
    assert _message(finding) == text

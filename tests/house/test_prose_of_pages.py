"""Prose of the pages: lengths of sentences, words for people, openings and the basis of statements (docs/style.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = ROOT / "analyzer" / "keepstate" / "rules" / "pages"
DOCS = ROOT / "docs"
LONGEST = 25
"""Words of a sentence; code between backticks counts as one."""
PEOPLE = re.compile(r"\b(?:nobody|somebody|anybody|whoever|told|tells|knows|knew|can tell)\b", re.IGNORECASE)
BARE = re.compile(
    r"(?:What|Whoever|Whatever|All that)\b"
    r"|(?:That|Those|This) (?:is|are|was|were|has|have|can|holds|means|needs|makes|gives|of|which|that|it|what)\b"
)
"""Subjects without a noun. Headings and questions may have them."""
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SHORTEST_COPY = 12
"""Words of a paragraph from which on a second page with it is a copy."""

MADE = ("accuracy.md", "conformance.md", "messages.md", "predictions.md", "cutover-proofs.md", "DEPENDENCIES.md")
"""Pages that a program writes, with words of measurements."""
WITH_WRONG_SENTENCES = ("style.md",)
"""Pages that quote sentences as they must not be."""
WITHOUT_BASIS = (
    *("README.md", "adding-a-rule.md", "adding-an-operator.md", "package.md", "performance.md", "playground.md"),
    *("releasing.md", "style.md", "glossary.md", "how-flink-state-works.md", "compared-with.md"),
)
"""Pages about the repository, pages of figures, and pages that mark each statement by itself."""


def prose(text: str) -> str:
    """The text without front matter, code blocks and comments of Markdown."""
    text = re.sub(r"\A\+\+\+\n.*?\n\+\+\+\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *(`{3,}).*?^ *\1 *$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, list items and cells of tables, each in one line. Headings and heads of tables are left out."""
    for block in re.split(r"\n\s*\n", prose(text)):
        lines: list[str] = []
        rows = block.strip().split("\n")
        has_head = len(rows) > 1 and re.fullmatch(r"[|\s:-]+", rows[1].strip()) is not None
        for line in map(str.strip, rows[2:] if has_head else rows):
            starts = line.startswith("|") or re.match(r"(?:[-*>]|\d+\.|#+)\s", line)
            if starts and lines:
                yield " ".join(lines)
                lines = []
            if line.startswith("|"):
                yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|")) if cell.strip())
            elif not line.startswith("#"):
                lines.append(re.sub(r"^(?:[-*>]|\d+\.)\s+", "", line))
        if any(lines):
            yield " ".join(lines)


def sentences(text: str) -> Iterator[str]:
    """Sentences, with ``CODE`` for code and the text of links. A link alone repeats a heading."""
    for paragraph in paragraphs(text):
        if LINK.fullmatch(paragraph):
            continue
        plain = LINK.sub(r"\1", paragraph)
        plain = re.sub(r"``?[^`]*``?", "CODE", plain)
        yield from re.split(r"(?<=[.!?])[*\"')]*\s+(?=[A-Z*\"'(])", plain) if plain else ()


def faults(text: str) -> list[str]:
    """Sentences that break a rule, each with the rule."""
    found = []
    for sentence in sentences(text):
        words = len(sentence.split())
        if words > LONGEST:
            found.append(f"{words} words: {sentence}")
        if match := PEOPLE.search(sentence):
            found.append(f"{match[0]}: {sentence}")
        if (match := BARE.match(sentence.lstrip("*("))) and not sentence.rstrip("*").endswith("?"):
            found.append(f"{match[0]} without a noun: {sentence}")
    return found


def test_the_rules_bite() -> None:
    long = " ".join(["word"] * (LONGEST + 1))
    assert [fault.partition(":")[0] for fault in faults(f"# What\n\n{long}.\n\nA `{long}` is short.\n")] == ["26 words"]
    assert faults(f"* {' '.join(['word'] * LONGEST)}.\n  Next one.\n") == []
    assert faults("It is " + "to" + "ld. That is so. What is it?\n")[1:] == ["That is without a noun: That is so."]
    assert len(faults("| what | so |\n|---|---|\n| no" + "body | This is wrong |\n")) == 2
    assert faults("+++\nwhat = 'no" + "body'\n+++\nA page.\n\n```\nThat is code.\n```\n<!-- What -->\n") == []


def _rule_pages() -> list[Path]:
    return sorted(RULES.rglob("*.md"))


@pytest.mark.parametrize("folder", sorted(path.name for path in RULES.iterdir() if path.is_dir()))
def test_rule_pages_follow_the_style(folder: str) -> None:
    pages = sorted((RULES / folder).glob("*.md"))
    assert len(pages) > 1
    assert {path.name: wrong for path in pages if (wrong := faults(path.read_text("utf-8")))} == {}


def test_no_paragraph_stands_on_two_rule_pages() -> None:
    homes: dict[str, list[str]] = {}
    for page in _rule_pages():
        for paragraph in paragraphs(page.read_text("utf-8")):
            if len(paragraph.split()) >= SHORTEST_COPY and not paragraph.startswith("*Basis:"):
                homes.setdefault(paragraph, []).append(page.relative_to(RULES).as_posix())
    assert len(homes) > 400
    assert {text: pages for text, pages in homes.items() if len(pages) > 1} == {}


def test_each_folder_of_rules_has_the_basis_of_its_statements() -> None:
    folders = [path for path in RULES.iterdir() if path.is_dir()]
    assert [path.name for path in folders if "\n*Basis: " not in (path / "README.md").read_text("utf-8")] == []


@pytest.mark.parametrize("name", ["README.md", "parameters.md"])
def test_generated_pages_around_the_rules_follow_the_style(name: str) -> None:
    assert faults((DOCS / "rules" / name).read_text("utf-8")) == []


HANDWRITTEN = sorted(path.name for path in DOCS.glob("*.md") if path.name not in (*MADE, *WITH_WRONG_SENTENCES))


@pytest.mark.parametrize("name", HANDWRITTEN)
def test_pages_of_the_documentation_follow_the_style(name: str) -> None:
    text = (DOCS / name).read_text("utf-8")
    assert faults(text) == []
    assert name in WITHOUT_BASIS or "\n*Basis: " in text

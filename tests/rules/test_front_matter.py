"""Front matter of rule pages: nothing is missing, unknown or said twice without a message that has page and key."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from front_matter import read_pages
from keepstate.rules.page_format import BadPage, Block, examples, front_matter, parts
from rule_tables import PAGES, tables

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "adding-a-rule.md").read_text("utf-8")
HOME = "window-tvf/aggregate-added.md"
LIKE = "group-aggregate/aggregate-added.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(PAGES, tmp_path / "pages")


def _edit(path: Path, was: str, now: str) -> None:
    text = path.read_text("utf-8")
    assert was in text
    path.write_text(text.replace(was, now, 1), "utf-8")


@pytest.mark.parametrize(
    ("page", "was", "now", "message"),
    [
        (HOME, 'otherwise = "exact"\n', "", "flink.otherwise is missing"),
        (HOME, 'item = "aggregate"\n', "", "change.item is missing"),
        (HOME, "order = 150\n", "", "order is missing"),
        (HOME, 'effect = "starts-empty"\n', "", "vvr.effect is missing"),
        (HOME, 'also = ["id", "kind"]\n', "", "flink.also is missing"),
        (HOME, 'also = ["id", "kind"]\n', "also = []\n", "flink.also is no list"),
        (HOME, 'also = ["id", "kind"]\n', 'also = ["id", "kidn"]\n', "flink.also: 'kidn' is unknown"),
        (HOME, 'advice = "none"\n', 'advise = "none"\n', "unknown key flink.advise"),
        (HOME, "order = 150\n", 'order = 150\ncolour = "red"\n', "unknown key colour"),
        (HOME, 'says = "finding"\n', 'says = "loudly"\n', "says: 'loudly' is none of"),
        (HOME, 'spec = ["WTVF-01",', 'spec = ["WTVF-99",', "spec: 'WTVF-99' is unknown"),
        (HOME, 'kind = "aggregate-added"', 'kind = "aggregate-add"', "kind is 'aggregate-add'"),
        (HOME, "{subject} added", "{object} added", "words.change: {object} is no fact"),
        (HOME, 'effect = "exact", ', "", "flink.cases.effect is missing"),
        (HOME, 'effect = "exact", ', 'effect = "precise", ', "flink.cases.effect: 'precise' is no effect"),
        (HOME, "order = 150\n", "order = 140\n", "order: window-tvf/"),
        (HOME, "+++\n", "---\n", "front matter between two lines of +++ is missing"),
        (HOME, "order = 150\n", "order =\n", "Invalid value"),
        ("window-tvf/window-size-changed.md", '"from-next-window"', '"from-the-moon"', "there is no phrase"),
        (LIKE, 'like = "window-tvf"', 'like = "top-n"', "like: there is no page of aggregate-added in top-n"),
        (LIKE, 'like = "window-tvf"', 'like = "none"', "has this kind as well"),
        (LIKE, "[words]", '[words]\nchange = "{subject} added"', "words.change says the same as window-tvf/"),
        (LIKE, "[words]", '[change]\nitem = "filter"\n\n[words]', "change.item belongs to the kind"),
        ("no-change/comment-changed.md", "[flink]", '[change]\nitem = "other"\n\n[flink]', "change.item"),
        ("window-tvf/aggregates-reordered.md", "[vvr]", "[words]\n[vvr]", "words: the page says nothing"),
        ("limit/README.md", 'label = "LIMIT"\n', "", "label is missing"),
    ],
)  # fmt: skip
def test_mistake_is_named_with_page_and_key(folder: Path, page: str, was: str, now: str, message: str) -> None:
    _edit(folder / page, was, now)
    with pytest.raises(BadPage, match=re.escape(message)) as caught:
        read_pages(folder)
    # A kind without its home is missed first by another page of the kind.
    assert page in str(caught.value) or Path(page).stem in str(caught.value)


def test_phrase_that_no_page_names_is_a_mistake(folder: Path) -> None:
    _edit(folder / "limit" / "README.md", "[phrases]\n", '[phrases]\nspare = "Unused."\n')
    with pytest.raises(BadPage, match="no page names the phrase spare"):
        read_pages(folder)


def test_folder_of_no_kind_of_query_is_a_mistake(folder: Path) -> None:
    (folder / "windows").mkdir()
    with pytest.raises(BadPage, match="windows: no kind of query has this name"):
        read_pages(folder)


def test_same_title_twice_is_a_mistake(folder: Path) -> None:
    _edit(folder / HOME, 'title = "Aggregate added"', 'title = "Aggregate removed"')
    with pytest.raises(BadPage, match=r"title: .* has 'Aggregate removed"):
        read_pages(folder)


def test_page_takes_what_it_leaves_out_from_the_one_that_it_is_like() -> None:
    pages = {page.path: page for page in read_pages(PAGES)}
    home, like = pages[HOME], pages[LIKE]
    assert (home.title, like.title) == ("Aggregate added (window TVF)", "Aggregate added (GROUP BY)")
    assert home.words is not None
    assert like.words is not None
    assert like.words[0] == home.words[0]
    assert like.words[2] != home.words[2]
    assert like.facts == home.facts


# ---- the guide


def _example_page() -> tuple[str, str]:
    """Path and text of the page that the guide shows."""
    path = re.search(r"Its page is `([^`]+)`", GUIDE)
    page = re.search(r"^````markdown\n(.*?)^````$", GUIDE, re.MULTILINE | re.DOTALL)
    assert path is not None
    assert page is not None
    return path[1], page[1]


def test_rule_of_the_guide_is_a_page_and_nothing_else(folder: Path) -> None:
    """The page alone gives the kind of change, its facts and its words."""
    before = tables(folder)
    path, text = _example_page()
    (folder / path).write_text(text, "utf-8")
    after = tables(folder)
    assert after.keys() == before.keys()
    new = {name: sorted(set(after[name].splitlines()) - set(before[name].splitlines())) for name in after}
    assert new["diff/change_kinds.py"] == ['    SINK_WRITERS_CHANGED = "sink-writers-changed"']
    (facts,) = new["engines/change_facts.py"]
    (page,) = new["engines/page_table.py"]
    assert facts.startswith("    K.SINK_WRITERS_CHANGED: KindFacts(ItemKind.OTHER, False, '', (), Touch(")
    assert page.startswith("    PageFacts('sink', 'sink-writers-changed', K.SINK_WRITERS_CHANGED, Effect.UNDETERMINED")
    (words,) = new["rules/rule_pages.py"]
    assert "'The start may fail, or results may be wrong; only the restart shows it.'" in words
    for module in after.values():
        compile(module, "made", "exec")


def test_examples_of_the_guide_are_in_the_format() -> None:
    path, text = _example_page()
    body = front_matter(text, path)[1]
    assert [(example.fires, example.is_silent) for example in examples(body, path)] == [(True, False), (False, True)]


def _keys(text: str, name: str) -> set[str]:
    """The keys of a page, with their tables."""
    keys, section = set(), ""
    for line in front_matter(text, name)[0].splitlines():
        if table := re.fullmatch(r"\[(\w+)\]", line):
            section = f"{table[1]}."
        elif key := re.match(r"(\w+) = ", line):
            keys.add(section + key[1])
    return keys


def test_guide_explains_every_key() -> None:
    explained = set(re.findall(r"^\| `([a-z.]+)` \|", GUIDE, re.MULTILINE))
    pages = [path for path in PAGES.glob("*/*.md") if path.name != "README.md"]
    used = set().union(*(_keys(path.read_text("utf-8"), path.name) for path in pages))
    assert explained == used


# ---- the format of the body


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("```sql curent\nSELECT 1;\n```\n", "page:1: not a block of an example"),
        ("\n```sql current\nSELECT 1;\n```\n", "page:2: this block belongs to no example"),
        ("```sql baseline\nSELECT 1;\n", "page:1: the block is not closed"),
    ],
)
def test_block_out_of_place_is_named(body: str, message: str) -> None:
    with pytest.raises(BadPage, match=re.escape(message)):
        list(examples(body, "page"))


def test_line_that_looks_like_a_marker_is_none() -> None:
    (_, block, _) = parts("```sql baseline\nSELECT 1;\n-- ^^ oh no, nothing\n```\n")
    assert isinstance(block, Block)
    with pytest.raises(BadPage, match="looks like one"):
        block.script("", "page")


def test_generator_names_page_and_key(folder: Path) -> None:
    """The command, not only its function: an error is a sentence and an exit status."""
    _edit(folder / HOME, 'otherwise = "exact"\n', "")
    run = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate_rules.py", "--check", "--pages", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"{HOME}: flink.otherwise is missing\n"

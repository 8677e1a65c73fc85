"""The documentation site, without MkDocs: each page is in the navigation, each link and anchor leads somewhere."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from foreign_resources import foreign_resources
from keepstate.rules.page_files import page_examples
from keepstate.rules.rule_pages import PAGES as RULE_PAGES
from site_pages import OUTSIDE, ROOT, links, links_replaced, pages, stage

PAGES = pages()
TABS = ["Start", "Tutorial", "How Flink state works", "How-to", "Reference"]
TABS += ["Compared with", "Troubleshooting", "Changelog", "Contributing"]
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_NAMED = re.compile(r'<a id="([^"]+)"></a>')
_FENCED = re.compile(r"^ *(`{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)


class _Configuration(yaml.SafeLoader):
    """A reader of mkdocs.yml: functions of Python, which it names, stay names."""


_Configuration.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)
MKDOCS: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), _Configuration)


def entries(navigation: Any) -> Iterator[str]:
    """Pages of a navigation, in its order."""
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, list):
        for one in navigation:
            yield from entries(one)
    else:
        for below in navigation.values():
            yield from entries(below)


@cache
def anchors(text: str) -> set[str]:
    """Anchors of a page, as the host of a repository and the site name them."""
    found: Counter[str] = Counter()
    names = set(_NAMED.findall(text))
    for heading in _HEADING.findall(_FENCED.sub("", text)):
        label = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", label.lower()).strip().replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


@cache
def _text(path: Path) -> str | None:
    """The text of a page, nothing for files of other kinds and folders, ``None`` for a path that does not exist."""
    if path.suffix == ".md" and path.is_file():
        return path.read_text("utf-8")
    return "" if path.exists() else None


def broken(page: str, text: str) -> list[str]:
    """Links of a page that lead nowhere within the repository."""
    found = []
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        address, _, anchor = link.partition("#")
        path = ROOT / posixpath.normpath(posixpath.join(posixpath.dirname(page), address)) if address else ROOT / page
        target = text if not address else _text(path)
        if target is None or (anchor and path.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


def test_each_page_is_in_the_navigation_once() -> None:
    listed = Counter(entries(MKDOCS["nav"]))
    assert not [place for place, times in listed.items() if times > 1]
    assert set(listed) == set(PAGES.values())


def test_the_navigation_has_a_tab_for_each_kind_of_page() -> None:
    assert [name for tab in MKDOCS["nav"] for name in tab] == TABS


def test_nothing_comes_from_another_host() -> None:
    # Whatever else the theme could fetch, a build fails for it (docs/site/foreign_resources.py).
    assert MKDOCS["theme"]["font"] is False
    assert MKDOCS["plugins"] == ["search", "offline"]
    assert not {"repo_url", "edit_uri"} & set(MKDOCS)
    # Without a script of this name, the plugin `offline` takes one from another host.
    assert MKDOCS["extra"]["polyfills"] == ["javascripts/iframe-worker.js"]


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_lead_somewhere(page: str) -> None:
    assert broken(page, (ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](docs/ci.md#formats) [b](docs/ci.md#no-such-part)", ["docs/ci.md#no-such-part"]),
        ("[a](docs/none.md), ![p](docs/images/none.png)", ["docs/none.md", "docs/images/none.png"]),
        ("# One\n## One\n[a](#one), [b](#one-1), [c](#one-2)", ["#one-2"]),
        ("`[a](none.md)` and [`b`](none-either.md)", ["none-either.md"]),
        ("[two\nlines](none.md) and [none\n\n](apart.md)", ["none.md"]),
        ("``` sql\nx\n```\n[`code`\n`more`](none.md) ``a`b`` [c](none-either.md)", ["none.md", "none-either.md"]),
        ("````\n```\n[a](none.md)\n```\n````\n[b](none.md)", ["none.md"]),
        ("```\n[a](none.md)\n```\n[a](docs/) [b](https://example.com/none)", []),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text: str, found: list[str]) -> None:
    assert broken("README.md", text) == found


@pytest.mark.parametrize("page", PAGES)
def test_a_fence_names_a_language_and_no_more(page: str) -> None:
    # The host of a repository ignores further words, the site then sees no fence.
    fences = [match[0].partition("\n")[0] for match in _FENCED.finditer((ROOT / page).read_text("utf-8"))]
    assert [fence for fence in fences if not re.fullmatch(r" *`+[\w-]*", fence)] == []


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target: Path = tmp_path_factory.mktemp("site")
    stage(target)
    return target


def test_the_sources_of_the_site_link_within_it(staged: Path) -> None:
    for place in PAGES.values():
        for link in links((staged / place).read_text("utf-8")):
            if not re.match(r"[a-z]+:", link) and not link.startswith("#"):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(place), link.partition("#")[0]))
                assert not path.startswith("..") and (staged / path).is_file(), (place, link)
                # MkDocs leaves these out.
                assert "/." not in f"/{path}"


def test_each_example_of_a_rule_opens_in_the_playground(staged: Path) -> None:
    examples = [
        f"../playground/index.html#example={page.query_kind}/{page.name}/{number}"
        for page in RULE_PAGES
        for number, _ in enumerate(page_examples(page.query_kind, page.name), start=1)
    ]
    written = [
        link
        for path in (staged / "rules").glob("*.md")
        for link in links(path.read_text("utf-8"))
        if link.startswith("../playground/")
    ]
    assert Counter(written) == Counter(examples)


def test_the_playground_runs_no_script_and_no_style_within_its_page(staged: Path) -> None:
    page = (staged / "playground" / "index.html").read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src 'none'" in policy and "'unsafe-inline'" not in policy and "http" not in policy
    assert not re.search(r"<script(?! type=\"module\" src=)|<style| style=| on[a-z]+=", page)


def test_pages_of_the_repository_keep_their_words(staged: Path) -> None:
    def without(text: str) -> str:
        return links_replaced(text, lambda link: None)

    for page, place in OUTSIDE.items():
        assert without((staged / place).read_text("utf-8")) == without((ROOT / page).read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "text", "address"),
    [
        ("a.html", '<script src="https://example.com/a.js">', "https://example.com/a.js"),
        ("a.html", '<link rel="stylesheet" href="//example.com/a.css">', "//example.com/a.css"),
        ("a.html", '<p style="background: url(https://example.com/a.png)">', "https://example.com/a.png"),
        ("a.css", "@import 'https://example.com/a.css';", "https://example.com/a.css"),
        ("a.html", '<a href="https://example.com/">', None),
        ("a.html", '<link rel="canonical" href="https://example.com/">', None),
        ("a.html", '<img src="images/a.png">', None),
    ],
)
def test_what_a_page_loads_from_another_host_is_found(
    tmp_path: Path, name: str, text: str, address: str | None
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert list(foreign_resources(tmp_path)) == ([(tmp_path / name, address)] if address else [])

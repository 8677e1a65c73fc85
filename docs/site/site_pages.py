"""Writes the sources of the documentation site: the pages of docs/, and what they link to elsewhere in the repository.

MkDocs takes pages from one folder only, and a link that leaves it leads nowhere. Some pages of the repository (README,
changelog) become pages of the site; other linked files are copied as text.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "SECURITY.md": "security.md",
    "examples/shop-jobs/README.md": "example-repository.md",
    "tests/truth/README.md": "measurements.md",
    "tests/truth/equivalence/README.md": "measured-plans.md",
}
"""Pages of the repository that lie outside of docs/, with their places in the site."""
SHOWN = {".md", ".html", ".txt", ".json", ".png", ".svg"}
"""Endings of the files of docs/ that belong to the site; the others make pages."""
SOURCES = ("picture/", "site/")
"""Folders of docs/ that hold sources of pictures and of the site."""
_CODE = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,}).*?^ *(?P=fence) *$|(?P<marks>`+)(?!`)(?:(?!\n\s*\n).)*?(?<!`)(?P=marks)(?!`)",
    re.M | re.S,
)
_RULE = re.compile(r"## `(?P<rule>[a-z-]+)`")
_LABEL = r"!?\[(?:(?!\n\s*\n)[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*\]"
_LINK = re.compile(rf"(?P<label>{_LABEL})\((?P<target>[^()\s]+)\)")


def main(arguments: list[str]) -> int:
    (target,) = map(Path, arguments)
    shutil.rmtree(target, ignore_errors=True)
    written = stage(target)
    print(f"site: {written} files in {target}")
    return 0


@cache
def pages() -> dict[str, str]:
    """Markdown files of the repository that become pages, with their places in the site."""
    inside = {path: path.removeprefix("docs/") for path in _of_docs() if path.endswith(".md")}
    return {**inside, **OUTSIDE}


def _of_docs() -> Iterator[str]:
    for path in sorted((ROOT / "docs").rglob("*")):
        below = path.relative_to(ROOT / "docs").as_posix()
        if path.suffix in SHOWN and not below.startswith(SOURCES):
            yield f"docs/{below}"


def stage(target: Path) -> int:
    """Write all sources of the site into a folder. Return the number of files."""
    written = {}
    copies: set[str] = set()
    for path, place in pages().items():
        text = (ROOT / path).read_text("utf-8")
        if path.startswith("docs/rules/"):
            text = with_playground_links(text, Path(path).stem)
        written[place] = links_replaced(text, partial(_of_site, page=path, copies=copies))
    for place, text in written.items():
        file = target / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    others = {path: path.removeprefix("docs/") for path in _of_docs() if not path.endswith(".md")}
    others["docs/site/iframe-worker.js"] = "javascripts/iframe-worker.js"
    for path, place in {**others, **{path: _copy(path) for path in copies}}.items():
        file = target / place
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, file)
    return len(written) + len(others) + len(copies)


def links(text: str) -> list[str]:
    """Targets of the inline links and pictures of a page, without those in code."""
    found: list[str] = []

    def seen(target: str) -> str:
        found.append(target)
        return target

    links_replaced(text, seen)
    return found


def links_replaced(text: str, replacement: Callable[[str], str | None]) -> str:
    """The text of a page with other targets of its links; ``None`` leaves only the label of a link."""

    def one(match: re.Match[str]) -> str:
        target = replacement(match["target"])
        label = match["label"]
        return label[label.index("[") + 1 : -1] if target is None else f"{label}({target})"

    # A label may hold code: code is hidden behind marks while links are looked for.
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        hidden.append(match[0])
        return f"\0{len(hidden) - 1}\0"

    replaced = _LINK.sub(one, _CODE.sub(hide, text))
    return re.sub(r"\0(\d+)\0", lambda match: hidden[int(match[1])], replaced)


def with_playground_links(text: str, query_kind: str) -> str:
    """The page of a query kind with a link below each example, which opens it in the playground."""
    found: list[str] = []
    rule, number, is_current, is_code = "", 0, False, False
    for line in text.split("\n"):
        found.append(line)
        if line.startswith("```"):
            is_code = not is_code
            if not is_code and is_current:
                number += 1
                name = f"{query_kind}/{rule}/{number}"
                found += ["", f"[Open this example in the playground](../playground/index.html#example={name})"]
                is_current = False
        elif not is_code and (heading := _RULE.match(line)):
            rule, number = heading["rule"], 0
        elif not is_code and line.startswith("Current"):
            is_current = True
    return "\n".join(found)


def _of_site(link: str, page: str, copies: set[str]) -> str | None:
    """The link of a page of the repository as one of the site; ``None`` for a folder that is no page."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return link
    address, mark, anchor = link.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    place = pages().get(path)
    if place is None and path.startswith("docs/") and not path.endswith(".py"):
        place = path.removeprefix("docs/")
    elif place is None and (ROOT / path).is_file():
        copies.add(path)
        place = _copy(path)
    return place and posixpath.relpath(place, posixpath.dirname(pages()[page]) or ".") + mark + anchor


def _copy(path: str) -> str:
    # A browser shows text, and would save or run others. MkDocs leaves out what begins with a dot.
    return f"repository{f'/{path}'.replace('/.', '/')}.txt"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Fails if a page of the built site loads anything from another host; links that a reader clicks are free.

python docs/site/foreign_resources.py build/docs-site/html
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
}
"""Attributes of each element that a browser loads without a click."""
_FOREIGN = re.compile(r"(?:https?:)?//[^/]")
_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^)\"'\s]+)")
LOADED_BY_NOTHING = {"canonical", "prev", "next"}
"""Values of ``rel`` of a ``link`` that only name a page."""


def main(arguments: list[str]) -> int:
    (site,) = map(Path, arguments)
    found = [f"{path.relative_to(site)}: {address}" for path, address in foreign_resources(site)]
    if found:
        print("site: these come from other hosts", *sorted(set(found)), sep="\n  ", file=sys.stderr)
    return 1 if found else 0


def foreign_resources(site: Path) -> Iterator[tuple[Path, str]]:
    """Files of a site, each with an address of another host that it loads."""
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            page = _Page()
            page.feed(path.read_text("utf-8"))
            yield from ((path, address) for address in page.addresses)
        elif path.suffix == ".css":
            yield from ((path, address) for address in _STYLE.findall(path.read_text("utf-8")))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "link" and attributes.get("rel") in LOADED_BY_NOTHING:
            return
        loaded = [attributes.get(name, "") for name in LOADED.get(tag, ())]
        self.addresses += [address for address in loaded if _FOREIGN.match(address)]
        self.addresses += _STYLE.findall(attributes.get("style", ""))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Sections of a page that one program writes while another one writes the rest."""

from __future__ import annotations


def section(page: str, name: str) -> str:
    """The text between the markers of a section; empty without them."""
    begin, end = _markers(name)
    _, found, rest = page.partition(begin)
    return rest.partition(end)[0].strip("\n") + "\n" if found and end in rest else ""


def with_section(page: str, name: str, text: str) -> str:
    """The page with this text between the markers, which are added at its end where there are none."""
    begin, end = _markers(name)
    marked = f"{begin}\n\n{text.strip()}\n\n{end}"
    before, found, rest = page.partition(begin)
    if found:
        return before + marked + rest.partition(end)[2]
    return f"{page.rstrip()}\n\n{marked}\n"


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- Made by `make {name}`. -->", f"<!-- End of `make {name}`. -->"

"""Texts with marks: the places of one name in « », and a cursor as ‸."""

from __future__ import annotations

import re

from keepstate.names.recorder import NameRole
from keepstate.names.script_names import ScriptNames, names_of
from keepstate.syntax.script import parse_script
from keepstate.text import Span

_MARK = re.compile("[«»]")


def without_marks(marked: str) -> tuple[str, list[Span]]:
    """The text without marks, and the spans that were marked, in the order of the text."""
    offsets = [match.start() - number for number, match in enumerate(_MARK.finditer(marked))]
    return _MARK.sub("", marked), [Span(*pair) for pair in zip(offsets[::2], offsets[1::2], strict=True)]


def cursor(text: str) -> tuple[str, int]:
    """The text without its cursor, and the offset of the cursor."""
    return text.replace("‸", ""), text.index("‸")


def names_in(text: str) -> ScriptNames:
    return names_of(parse_script(text))


def assert_one_name(marked: str) -> None:
    """Assert that each marked place has all marked places as references, and that one of them is the definition."""
    text, spans = without_marks(marked)
    names = names_in(text)
    (declared,) = (place for place in names.references(spans[0].start) if place.role is NameRole.DECLARATION)
    for span in spans:
        found = [place.span for place in names.references(span.start)]
        assert found == spans, (span, [(each.start, each.of(text)) for each in found])
        if span != declared.span:
            assert names.definitions(span.end) == (declared,)

"""Files of the rule pages, read when a page is shown: the text below the front matter."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from keepstate.rules.page_format import Example, examples, front_matter, setup_of

_INTRODUCTION = "README"


@cache
def introduction(query_kind: str) -> str:
    """Return the introduction of the pages of a query kind: title, prose, and the setup of their examples."""
    return _body(query_kind, _INTRODUCTION)[0]


def page_title(query_kind: str) -> str:
    """The title of the pages of a query kind, without its mark."""
    return introduction(query_kind).partition("\n")[0].removeprefix("# ")


def setup(query_kind: str) -> str:
    """The statements before both sides of every example of a query kind."""
    return setup_of(introduction(query_kind), f"{query_kind}/{_INTRODUCTION}.md")


@cache
def page_body(query_kind: str, name: str) -> str:
    """The prose and the examples of a page, as they stand in it."""
    return _body(query_kind, name)[0]


def page_examples(query_kind: str, name: str) -> tuple[Example, ...]:
    """The examples of a page; their lines are those of its file.

    Raises:
        BadPage: the page is not in the format.
    """
    body, first_line = _body(query_kind, name)
    return tuple(examples(body, f"{query_kind}/{name}.md", first_line))


def _body(query_kind: str, name: str) -> tuple[str, int]:
    """A body, and the line of the file at which it begins."""
    path = f"{query_kind}/{name}.md"
    text = files("keepstate.rules").joinpath("pages", *path.split("/")).read_text("utf-8")
    body = front_matter(text, path)[1]
    return body, text.count("\n") - body.count("\n") + 1

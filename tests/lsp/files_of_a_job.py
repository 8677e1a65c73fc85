"""Files of one job that are open in an editor, and the diagnostics that they have."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from editor import Editor
from keepstate_lsp.analysis.documents import uri_of
from repositories import GitRepository
from shops import ORDERS, REVENUE, shop

ONLY = "only-aggregate-changed"
Found = list[tuple[str, str]]
"""Codes of diagnostics with the text below each."""


async def opened(editor: Editor, repository: GitRepository, *paths: str) -> list[str]:
    """The URIs of files that are opened, each as soon as it was checked."""
    uris = []
    for path in paths:
        uris.append(editor.open(repository.folder / path))
        await editor.pushed(uris[-1], 1)
    return uris


def found(editor: Editor, repository: GitRepository, path: str, texts: Mapping[str, str]) -> Found:
    """The diagnostics that were pushed last for a file."""
    uri = uri_of(repository.folder / path)
    last = next((params.diagnostics for params in reversed(editor.published) if params.uri == uri), ())
    text = texts.get(path) or (repository.folder / path).read_text("utf-8")
    return sorted((str(one.code), editor.cut(text, one.range)) for one in last)


async def until(check: Callable[[], bool], editor: Editor, words: Callable[[], object]) -> None:
    """Wait for what the server sends until a check holds."""
    while not check():
        try:
            await editor.news()
        except asyncio.TimeoutError:
            pytest.fail(f"never as wanted: {words()}")


FLAT = {"orders.sql": ORDERS, "sinks.sql": shop()["ddl/sinks.sql"], "revenue.sql": REVENUE}

"""Jobs of several files against what is recorded as deployed, in a real server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from editor import Editor, editing, neovim
from program_starts import KEEPSTATE, ran
from repositories import GitRepository
from shops import CONFIGURATION, ORDERS, SERVER, TYPE, shop

pytestmark = pytest.mark.asyncio

JOB, DDL = "jobs/revenue.sql", "ddl/orders.sql"
WIDER = ORDERS.replace(*TYPE)
MARK = (*KEEPSTATE, "deployed", "mark")


def edited(repository: GitRepository, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        repository.write(path, text)


def committed(repository: GitRepository, texts: Mapping[str, str]) -> None:
    repository.commit(dict(texts))


CHANGES = {
    "committed behind the mark": (committed, {}, {DDL: WIDER}, True),
    "edited behind the mark": (edited, {}, {DDL: WIDER}, True),
    "a mark of text that was never committed": (edited, {DDL: WIDER}, {}, False),
    "taken back behind such a mark": (edited, {DDL: WIDER}, {DDL: ORDERS}, True),
    "a comment behind the mark": (committed, {}, {DDL: f"-- all of them\n{ORDERS}"}, False),
}


@pytest.mark.parametrize("configuration", [CONFIGURATION, None], ids=["context", "assumed"])
@pytest.mark.parametrize("case", CHANGES)
async def test_a_declaration_counts_as_it_was_deployed(
    case: str, configuration: str | None, repository: GitRepository, tmp_path: Path
) -> None:
    change, at_mark, behind, is_felt = CHANGES[case]
    repository.commit(shop("jobs/revenue.sql", configuration=configuration))
    edited(repository, at_mark)
    ran(*MARK, JOB, cwd=repository.folder, check=True, capture_output=True)
    change(repository, behind)
    async with editing(
        neovim(), repository.folder, tmp_path / "cache", command=SERVER, settings={"baseline": "deployed"}
    ) as editor:
        uri = editor.open(repository.folder / JOB)
        found = await editor.pushed(uri, 1)
        assert [editor.cut(text_of(repository, JOB), one.range) for one in found] == ["orders"] * is_felt
        await says(editor, "1 job: 1 incompatible" if is_felt else "1 job: 1 compatible")


async def test_a_declaration_that_is_gone_is_missed(repository: GitRepository, tmp_path: Path) -> None:
    """Also where the job is the only file that is left."""
    repository.commit(shop("jobs/hourly.sql", configuration=None))
    for path in (DDL, "ddl/sinks.sql"):
        (repository.folder / path).unlink()
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        editor.open(repository.folder / "jobs/hourly.sql")
        await says(editor, "1 job: 1 cannot tell whether compatible")


def text_of(repository: GitRepository, path: str) -> str:
    return (repository.folder / path).read_text("utf-8")


async def says(editor: Editor, summary: str) -> None:
    report = await editor.command("keepstate.report", {"show": False})
    assert report["summary"] == summary

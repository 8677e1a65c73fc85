"""The drawing of a plan: operators beside their counterparts, with the fate of each state, and their clauses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editor import Editor, editing, minimal, neovim, vscode
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import CONFIGURATION, SERVER, TYPE, at_work, shop

pytestmark = pytest.mark.asyncio

JOB = """\
CREATE TABLE `o"<b>` (k BIGINT, c STRING, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'o');
CREATE TABLE best (k BIGINT, c STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO best SELECT k, c, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS place
  FROM (SELECT k, c /* 🛒 */, SUM(v) AS n FROM `o"<b>` WHERE v > 1 GROUP BY k, c)
) WHERE place <= 3;
"""


async def drawing_of(editor: Editor, uri: str) -> dict[str, Any]:
    found = plain(await editor.command("keepstate.drawing", uri))
    assert isinstance(found, dict)
    return found


def node_of(drawing: dict[str, Any], title: str) -> dict[str, Any]:
    (found,) = (
        node for one in drawing["pipelines"] for node in one["nodes"] if title in (node["current"], node["baseline"])
    )
    assert isinstance(found, dict)
    return found


def text_at(editor: Editor, text: str, place: dict[str, Any]) -> str:
    return editor.cut(text, types.Range(*(types.Position(**place[end]) for end in ("start", "end"))))


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_both_versions_with_their_states_and_clauses(
    client: Any, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.flink.sql": JOB})
    now = JOB.replace("place <= 3", "place <= 10").replace("WHERE v > 1 ", "")
    path = repository.write("a.flink.sql", now)
    async with editing(client(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        found = await drawing_of(editor, uri)
        assert (found["name"], found["verdict"]) == ("a.flink.sql", "incompatible")
        assert found["baseline"].startswith("HEAD (")
        rank, scan, gone = (node_of(found, title) for title in ("Rank", "TableSourceScan", "Calc"))
        assert rank["fate"] == {"kind": "lost", "words": "state lost"}
        assert any("ranks 1 to 3 → ranks 1 to 10" in one["message"] for one in rank["findings"])
        assert (gone["current"], gone["mark"], gone["place"]) == (None, "removed", None)
        assert text_at(editor, JOB, gone["baselinePlace"]) == "v > 1"
        grouped = node_of(found, "GroupAggregate")
        assert (
            text_at(editor, now, grouped["place"]) == text_at(editor, JOB, grouped["baselinePlace"]) == "GROUP BY k, c"
        )
        assert {"name": "table", "baseline": 'o"<b>', "current": 'o"<b>'} in scan["rows"]
        (pipeline,) = found["pipelines"]
        assert sorted([*pipeline["roots"], *(one for node in pipeline["nodes"] for one in node["inputs"])]) == list(
            range(len(pipeline["nodes"]))
        )


async def test_a_plan_alone_has_no_fates(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"README.md": "jobs"})
    path = repository.write("a.flink.sql", JOB)
    async with editing(minimal(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        found = await drawing_of(editor, editor.open(path))
        assert (found["baseline"], found["baselineUri"], found["verdict"]) == (None, None, None)
        assert all(node["fate"] is None and node["baseline"] is None for node in found["pipelines"][0]["nodes"])


async def test_a_clause_in_another_file_has_no_place_here(repository: GitRepository, tmp_path: Path) -> None:
    async with at_work(repository, tmp_path / "cache", shop(configuration=CONFIGURATION)) as editor:
        repository.write("ddl/orders.sql", shop()["ddl/orders.sql"].replace(*TYPE))  # type: ignore[union-attr,arg-type]
        path = repository.folder / "jobs" / "revenue.sql"
        found = await drawing_of(editor, editor.open(path))
        grouped = node_of(found, "GroupAggregate")
        assert text_at(editor, path.read_text(), grouped["place"]) == "GROUP BY shop"
        assert grouped["baselinePlace"] is None
        assert node_of(found, "TableSourceScan")["mark"] in ("same", "changed")

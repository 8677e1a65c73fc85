"""Changed clauses as editors show them: arrows in messages, and two words at the end of the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from editor import Editor, editing, vscode
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import SERVER

pytestmark = pytest.mark.asyncio

JOB = """\
CREATE TABLE o (k BIGINT, c STRING, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'o');
CREATE TABLE best (k BIGINT, c STRING) WITH ('connector' = 'print');
CREATE TABLE sums (k BIGINT, n BIGINT) WITH ('connector' = 'print');
INSERT INTO best SELECT k, c FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS place
  FROM o WHERE c <> 'a -> b'
) WHERE place <= 3;   -- the podium
INSERT INTO sums SELECT k, SUM(v) FROM o
WHERE c <> 'a'
GROUP BY
  k;
"""
EDITED = JOB.replace("place <= 3", "place <= 10").replace("WHERE c <> 'a'\n", "WHERE c <> 'a -> b'\n")
CHANGED = {"ranks 1 to 3", "ranks 1 to 10"}


async def hints(editor: Editor, uri: str) -> dict[int, types.InlayHint]:
    whole = types.Range(types.Position(0, 0), types.Position(EDITED.count("\n"), 0))
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
    found = await editor.client.text_document_inlay_hint_async(params) or []
    assert len({one.position.line for one in found}) == len(found)
    return {one.position.line: one for one in found}


async def test_arrows_are_drawn_in_messages_and_never_in_sql(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": JOB})
    path = repository.write("a.flink.sql", EDITED)
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        shown = {str(one.code): one for one in await editor.pulled(uri)}
        ranking = shown["rank-range-changed"]
        assert "ranks 1 to 3 → ranks 1 to 10" in ranking.message
        for one in shown.values():
            assert " -> " not in one.message.replace("'a -> b'", "")
        hover = await editor.hover(uri, "place <= 10")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "anks 1 to 3 → ranks 1 to 10" in hover.contents.value
        # The command line and its JSON are ASCII.
        (file,) = plain(await editor.command("keepstate.reportDocument", uri))["files"]
        messages = {finding["rule"]: finding["message"] for finding in file["findings"]}
        assert "ranks 1 to 3 -> ranks 1 to 10" in messages["rank-range-changed"]
        filtered = next(one for one in shown.values() if editor.text_at(uri, one.range).startswith("c <> "))
        hover = await editor.hover(uri, "c <> 'a -> b'\nGROUP")
        assert hover is not None and "'a → b'" not in str(hover.contents)
        assert "'a → b'" not in filtered.message


async def test_hints_stand_at_the_end_of_changed_lines_alone(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": JOB})
    path = repository.write("a.flink.sql", EDITED)
    settings = {"inlayHints": True}
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER, settings=settings) as editor:
        uri = editor.open(path)
        ranking, filtered = (EDITED[: EDITED.index(part)].count("\n") for part in ("place <= 10", "c <> 'a -> b'\nG"))
        found = await hints(editor, uri)
        assert set(found) == {ranking, filtered}
        for line, hint in found.items():
            assert hint.position.character == len(EDITED.splitlines()[line])
            assert isinstance(hint.label, str) and len(hint.label.split()) == 2
        assert found[ranking].label == "state lost"
        editor.replace(uri, "place <= 10", "place <= 3")
        assert set(await hints(editor, uri)) == {filtered}


async def test_findings_that_are_off_have_no_hint(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": JOB})
    path = repository.write("a.flink.sql", EDITED)
    settings = {"inlayHints": True, "severity": {"rank-range-changed": "off"}}
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER, settings=settings) as editor:
        assert "place <= 10" not in {EDITED.splitlines()[line] for line in await hints(editor, editor.open(path))}

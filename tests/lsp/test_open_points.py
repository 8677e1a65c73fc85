"""Behind a fix the text is selected that only the user can write, and a text with an error has nothing to accept."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import Editor, editing, minimal, neovim, vscode
from keepstate.text import Encoding, LineIndex
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.lsp.base_protocol.client_ranges import position_from
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import SERVER

pytestmark = pytest.mark.asyncio

JOB = """\
CREATE TABLE o (k STRING, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'o');
CREATE TABLE s (k STRING, n BIGINT{column}) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');
INSERT INTO s SELECT k, SUM(v) AS n{metric} FROM o GROUP BY k;
"""
BASELINE = JOB.format(column="", metric="")
EDITED = JOB.format(column=", m BIGINT", metric=", /* 🛒 */ MAX(v) AS m")


def texts_after(editor: Editor, edit: types.WorkspaceEdit, texts: dict[str, str]) -> dict[str, str]:
    """The documents of an edit as they are behind it; new ones are empty before."""
    after = {}
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            uri = change.text_document.uri
            after[uri] = editor.edited(texts.get(uri, ""), list(change.edits))
    for uri, edits in (edit.changes or {}).items():
        after[uri] = editor.edited(texts.get(uri, ""), list(edits))
    return after


def selected(action: types.CodeAction, after: dict[str, str], encoding: Encoding) -> tuple[str, str]:
    """The name of the file, and the text, that the command of an action selects."""
    assert action.command is not None and action.command.command == "keepstate.select"
    uri, start, end = plain(action.command.arguments)
    lines = LineIndex(after[uri])
    offsets = [lines.offset(position_from(types.Position(**place)), encoding) for place in (start, end)]
    return Path(path_of(uri) or "").name, after[uri][offsets[0] : offsets[1]]


@pytest.mark.parametrize(
    ("title", "place"),
    [
        ("Compute ", ("a_m.flink.sql", "<where the rows of s_m go>")),
        ("Accept aggregate-added here", ("a.flink.sql", "<say why>")),
        ("Accept aggregate-added in keepstate.accepted.toml", ("keepstate.accepted.toml", "<say why>")),
    ],
)
async def test_the_text_to_write_is_selected(
    title: str, place: tuple[str, str], repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.flink.sql": BASELINE})
    path = repository.write("a.flink.sql", EDITED)
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        (action,) = (one for one in await editor.actions(uri, "MAX(v)") if one.title.startswith(title))
        if action.edit is None:
            action = await editor.client.code_action_resolve_async(action)
        assert action.edit is not None
        after = texts_after(editor, action.edit, {uri: EDITED})
        assert selected(action, after, editor.encoding) == place
        assert action.command is not None
        await editor.command(action.command.command, *action.command.arguments or ())
        (shown,) = editor.client.shown_documents
        assert shown.take_focus and shown.selection is not None and Path(path_of(shown.uri) or "").name == place[0]


async def test_nothing_is_selected_where_nothing_can_be_shown_or_written(
    repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.flink.sql": BASELINE})
    path = repository.write("a.flink.sql", BASELINE.replace("SUM(v)", "MAX(v)"))
    async with editing(vscode(), repository.folder, tmp_path / "vscode", command=SERVER) as editor:
        actions = await editor.actions(editor.open(path), "MAX(v)")
        (restoring,) = (one for one in actions if one.title == "Restore `SUM(v)` from HEAD (compatible)")
        assert restoring.command is None
        for arguments in ([], ["file:///a"], ["file:///a", {"line": -1, "character": 0}, {}], [5, 5, 5]):
            with pytest.raises(JsonRpcException, match="argument"):
                await editor.command("keepstate.select", *arguments)
    async with editing(minimal(), repository.folder, tmp_path / "minimal", command=SERVER) as editor:
        actions = await editor.actions(editor.open(path), "MAX(v)")
        assert any(one.title.startswith("Accept ") for one in actions)
        assert not any(one.command is not None and one.command.command == "keepstate.select" for one in actions)


BROKEN = {
    "no statement": (" FROM o", " FRM o GROUP"),
    "too few columns": ("SUM(v) AS n", "SUM(v) AS n, MAX(v) AS m"),
}


@pytest.mark.parametrize(("was", "now"), BROKEN.values(), ids=BROKEN.keys())
async def test_an_error_is_not_accepted(was: str, now: str, repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": BASELINE})
    path = repository.write("a.flink.sql", BASELINE.replace(was, now))
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        found = await editor.pulled(uri)
        assert found
        titles = [action.title for one in found for action in await editor.actions(uri, editor.text_at(uri, one.range))]
        assert not [title for title in titles if title.startswith("Accept ")]

"""Names in the editor, with the real analyzer: definition, references, highlights, rename, symbols of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import SECONDS, Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import uri_of
from program_starts import SERVER
from repositories import GitRepository

pytestmark = pytest.mark.asyncio


JOB = """\
CREATE TABLE users (id INT, age INT) WITH ('connector' = 'kafka', 'format' = 'json'); -- 🛒
CREATE TABLE oldest (id INT, top INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE VIEW adults AS SELECT id, age /* 🛒 */ FROM users AS u WHERE u.age > 17;
INSERT INTO oldest (id, top) SELECT a.id, MAX(a.age) AS highest FROM adults AS a GROUP BY a.id;
"""
Client = Callable[[], types.ClientCapabilities]


def wordless() -> types.ClientCapabilities:
    """A client that does not show the words of an edit before it applies it."""
    capabilities = vscode()
    assert capabilities.workspace and capabilities.workspace.workspace_edit
    capabilities.workspace.workspace_edit.change_annotation_support = None
    return capabilities


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class Names:
    """An open document, asked about the names in it."""

    def __init__(self, editor: Editor, uri: str) -> None:
        self.editor = editor
        self.uri = uri
        self._document = types.TextDocumentIdentifier(uri)

    def _at(self, part: str) -> types.Position:
        return self.editor.range_of(self.uri, part).start

    async def _answer(self, question: Any) -> Any:
        return await asyncio.wait_for(question, SECONDS)

    def cut(self, found: list[Any]) -> list[tuple[int, str]]:
        """Lines and texts of places."""
        ranges = [one.range if hasattr(one, "range") else one.target_selection_range for one in found]
        return [(each.start.line, self.editor.text_at(self.uri, each)) for each in ranges]

    async def definition(self, part: str) -> list[Any]:
        params = types.DefinitionParams(self._document, self._at(part))
        found = await self._answer(self.editor.client.text_document_definition_async(params))
        return found or []

    async def references(self, part: str, declared: bool = True) -> list[types.Location]:
        params = types.ReferenceParams(
            context=types.ReferenceContext(declared), text_document=self._document, position=self._at(part)
        )
        return list(await self._answer(self.editor.client.text_document_references_async(params)) or [])

    async def highlights(self, part: str) -> list[types.DocumentHighlight]:
        params = types.DocumentHighlightParams(self._document, self._at(part))
        return list(await self._answer(self.editor.client.text_document_document_highlight_async(params)) or [])

    async def prepared(self, part: str) -> Any:
        params = types.PrepareRenameParams(text_document=self._document, position=self._at(part))
        return await self._answer(self.editor.client.text_document_prepare_rename_async(params))

    async def renamed(self, part: str, new_name: str) -> types.WorkspaceEdit:
        params = types.RenameParams(text_document=self._document, position=self._at(part), new_name=new_name)
        edit = await self._answer(self.editor.client.text_document_rename_async(params))
        assert edit is not None
        return edit

    async def symbols(self, query: str) -> list[types.SymbolInformation]:
        params = types.WorkspaceSymbolParams(query)
        return list(await self._answer(self.editor.client.workspace_symbol_async(params)) or [])


async def opened(client: Client, job: Path, cache: Path, text: str | None = None) -> AsyncIterator[Names]:
    async with editing(client(), job.parent, cache, command=SERVER) as editor:
        yield Names(editor, editor.open(job, text))


async def _typing(editor: Editor, uri: str) -> None:
    editor.change(uri, "\n\n" + JOB)


@pytest.mark.parametrize("client", [vscode, neovim, minimal])
async def test_names_lead_to_their_declarations(client: Client, job: Path, cache: Path) -> None:
    async for names in opened(client, job, cache):
        assert names.cut(await names.definition("age) AS highest")) == [(0, "age")]
        assert names.cut(await names.definition("adults AS a")) == [(2, "adults")]
        assert names.cut(await names.definition("u.age")) == [(2, "u")]
        assert await names.definition("MAX") == []
        assert names.cut(await names.references("age INT")) == [(0, "age"), (2, "age"), (2, "age"), (3, "age")]
        assert names.cut(await names.references("age INT", declared=False))[0] == (2, "age")
        written = [one.kind for one in await names.highlights("oldest (id, top) SELECT")]
        assert written == [types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Write]
        read = [one.kind for one in await names.highlights("u.age")]
        assert read == [types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read]


async def test_other_sql_and_other_versions_have_no_names(job: Path, cache: Path) -> None:
    async for names in opened(vscode, job.with_name("other.sql"), cache, "SELECT TOP 3 [a] FROM t"):
        assert await names.definition("t") == []
        assert await names.highlights("t") == []
        former = Names(names.editor, names.editor.open("git:/shop.sql", JOB, "flink-sql"))
        assert await former.definition("u.age") == []
        assert await former.prepared("u.age") is None


@pytest.mark.parametrize("client", [vscode, wordless, neovim, minimal])
async def test_a_rename_says_what_it_costs(client: Client, job: Path, cache: Path) -> None:
    async for names in opened(client, job, cache):
        place = await names.prepared("age > 17")
        if client is not minimal:
            assert (names.editor.text_at(names.uri, place.range), place.placeholder) == ("age", "age")
        edit = await names.renamed("age > 17", "years lived")
        assert names.editor.applied(names.uri, edit) == JOB.replace(" age", " `years lived`").replace(
            ".age", ".`years lived`"
        )
        words = (
            "Rename users.age to years lived: incompatible",
            "filter u.`years lived` > 17 added: all state behind it is lost; it was built from the rows of the former "
            "filter, and 2 more findings. The connector then reads or writes the field years lived",
        )
        if client is vscode:
            assert edit.change_annotations is not None
            (annotation,) = edit.change_annotations.values()
            assert (annotation.label, annotation.needs_confirmation) == (words[0], True)
            assert annotation.description == words[1]
        else:
            assert edit.change_annotations is None
        (message,) = names.editor.client.messages
        assert (message.type, message.message) == (types.MessageType.Warning, ": ".join(words))


async def test_a_rename_that_costs_nothing_asks_for_no_consent(job: Path, cache: Path) -> None:
    async for names in opened(vscode, job, cache):
        for part in ("highest", "u.age", "adults AS a", "a.id, MAX"):
            edit = await names.renamed(part, "fresh")
            (annotation,) = (edit.change_annotations or {}).values()
            assert not annotation.needs_confirmation, part
            assert annotation.label.endswith("to fresh: compatible")
        assert names.editor.client.messages == []


async def test_a_rename_without_a_baseline_has_no_verdict(tmp_path: Path, cache: Path) -> None:
    async for names in opened(vscode, tmp_path / "new.sql", cache, JOB):
        edit = await names.renamed("age > 17", "years")
        (annotation,) = (edit.change_annotations or {}).values()
        words = "The connector then reads or writes the field years"
        assert (annotation.label, annotation.description) == ("Rename users.age to years", words)
        assert not annotation.needs_confirmation


async def test_a_rename_that_cannot_be_is_refused_in_words(job: Path, cache: Path) -> None:
    async for names in opened(vscode, job, cache):
        with pytest.raises(JsonRpcException, match="id cannot be the name: Column id is declared twice"):
            await names.renamed("age > 17", "id")
        with pytest.raises(JsonRpcException, match="no name here"):
            await names.prepared("MAX")


async def test_answers_are_about_the_text_that_was_asked_about(job: Path, cache: Path) -> None:
    async for names in opened(vscode, job, cache):
        await names.definition("age > 17")
        params = types.DefinitionParams(types.TextDocumentIdentifier(names.uri), names._at("age > 17"))
        asked = names.editor.client.text_document_definition_async(params)
        (found,), _ = await asyncio.wait_for(asyncio.gather(asked, _typing(names.editor, names.uri)), SECONDS)
        assert found.target_range.start.line == 0  # type: ignore[union-attr]
        assert names.cut(await names.definition("age > 17")) == [(2, "age")]


async def test_half_typed_text_keeps_its_names(job: Path, cache: Path) -> None:
    async for names in opened(vscode, job, cache):
        names.editor.replace(names.uri, "WHERE u.age > 17;", "WHERE u.age > AND (;")
        assert names.cut(await names.definition("id INT, top")) == [(1, "id")]
        names.editor.replace(names.uri, "WHERE u.age > AND (;", "WHERE nope AND u.age > 17;")
        assert names.cut(await names.definition("age) AS highest")) == [(0, "age")]


async def test_symbols_of_open_files_and_of_the_workspace(repository: GitRepository, cache: Path) -> None:
    other = "CREATE FUNCTION to_adult AS 'x.Y';\n" + JOB.splitlines()[0]
    repository.commit({"shop.sql": JOB, "jobs/other.sql": other})
    async for names in opened(neovim, repository.folder / "shop.sql", cache):
        await names.editor.command("keepstate.report", {"show": False})
        found = await names.symbols("AdUl")
        assert [(one.name, one.kind, one.location.uri) for one in found] == [
            ("to_adult", types.SymbolKind.Function, uri_of(repository.folder / "jobs/other.sql")),
            ("adults", types.SymbolKind.Interface, names.uri),
        ]
        assert names.cut([found[1].location]) == [(2, "adults")]
        assert {one.name for one in await names.symbols("")} == {"users", "oldest", "adults", "to_adult"}
        names.editor.close(names.uri)
        await names.editor.command("keepstate.report", {"show": False})
        assert [one.name for one in await names.symbols("dults")] == ["adults"]

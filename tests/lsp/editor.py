"""An editor for tests: a real server process, the capabilities of real clients, and waits instead of sleeps."""

from __future__ import annotations

import asyncio
import copy
import functools
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from keepstate.text import Encoding, LineIndex
from keepstate_lsp.analysis.documents import uri_of
from program_starts import STANDIN, forking

Wanted = Callable[[Sequence[types.Diagnostic]], bool]
"""Tells the diagnostics that a test waits for from all others."""
SECONDS = 120
"""Nothing here takes a second; a machine under load may."""


def neovim() -> types.ClientCapabilities:
    """Neovim 0.11: utf-8 first; it pulls, but accepts no request to pull again, and has no versioned edits."""
    return copy.deepcopy(_capabilities("neovim@v0.11.0"))


def vscode() -> types.ClientCapabilities:
    """A current VS Code with the Keepstate extension: utf-16; pull with refresh; LSP 3.18 text document content."""
    capabilities = copy.deepcopy(_capabilities("visual-studio-code@v1.65.2"))
    assert capabilities.text_document and capabilities.workspace and capabilities.general
    capabilities.general.position_encodings = [types.PositionEncodingKind.Utf16]
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    capabilities.workspace.text_document_content = types.TextDocumentContentClientCapabilities(True)
    capabilities.experimental = {"keepstate": {"commands": ["keepstate.compare"]}}
    return capabilities


def minimal() -> types.ClientCapabilities:
    """A client that announces nothing."""
    return types.ClientCapabilities()


class Editor:
    """A client with a server of its own."""

    def __init__(self, client: LanguageClient, encoding: Encoding) -> None:
        self.client = client
        self.encoding = encoding
        self.result: types.InitializeResult
        self.registrations: list[types.Registration] = []
        self.published: list[types.PublishDiagnosticsParams] = []
        self.lens_refreshes = 0
        self.diagnostic_refreshes = 0
        self.is_gone = False
        """The server was ended by the test itself."""
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._news = asyncio.Event()
        self._listen()

    # ---------------------------------------------------------------------------------------- documents

    def open(self, path: Path | str, text: str | None = None, language: str = "sql") -> str:
        """Open a file (or a URI), by default with the text on disk; returns its URI."""
        uri = uri_of(path) if isinstance(path, Path) else path
        text = path.read_bytes().decode() if text is None and isinstance(path, Path) else text or ""
        self._versions[uri], self._texts[uri] = 1, text
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    def change(self, uri: str, text: str) -> int:
        """Replace the whole text; the new version."""
        self._versions[uri] += 1
        self._texts[uri] = text
        identifier = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))
        return self._versions[uri]

    def replace(self, uri: str, old: str, new: str) -> int:
        """Replace one stretch of the text, as typing does; the new version."""
        text = self._texts[uri]
        assert text.count(old) == 1, f"{old!r} is not once in the text"
        self._versions[uri] += 1
        range_ = self.range_of(uri, old)
        self._texts[uri] = text.replace(old, new)
        identifier = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        part = types.TextDocumentContentChangePartial(range_, new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [part]))
        return self._versions[uri]

    def press(self, uri: str, offset: int, deleted: int, typed: str) -> int:
        """Delete so many characters at an offset, and put others there, as one key does; the new version."""
        text = self._texts[uri]
        lines = LineIndex(text)
        ends = (lines.position(at, self.encoding) for at in (offset, offset + deleted))
        start, end = (types.Position(place.line, place.character) for place in ends)
        self._versions[uri] += 1
        self._texts[uri] = text[:offset] + typed + text[offset + deleted :]
        identifier = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        part = types.TextDocumentContentChangePartial(types.Range(start, end), typed)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [part]))
        return self._versions[uri]

    def save(self, uri: str, path: Path) -> None:
        path.write_bytes(self._texts[uri].encode())
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    # ---------------------------------------------------------------------------------------- places

    def range_of(self, uri: str, part: str) -> types.Range:
        text = self._texts[uri]
        lines = LineIndex(text)
        ends = (text.index(part), text.index(part) + len(part))
        start, end = (lines.position(offset, self.encoding) for offset in ends)
        return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))

    def position(self, uri: str, offset: int) -> types.Position:
        """The place of an offset in the text of a document."""
        found = LineIndex(self._texts[uri]).position(offset, self.encoding)
        return types.Position(found.line, found.character)

    def text_at(self, uri: str, range_: types.Range) -> str:
        """The underlined text."""
        return self.cut(self._texts[uri], range_)

    def cut(self, text: str, range_: types.Range) -> str:
        start, end = self._offsets(text, range_)
        return text[start:end]

    def applied(self, uri: str, edit: types.WorkspaceEdit) -> str:
        """The text after an edit, made as an editor makes it."""
        if edit.document_changes is not None:
            (change,) = edit.document_changes
            assert isinstance(change, types.TextDocumentEdit)
            assert (change.text_document.uri, change.text_document.version) == (uri, self._versions[uri])
            edits = list(change.edits)
        else:
            assert edit.changes is not None and list(edit.changes) == [uri]
            edits = list(edit.changes[uri])
        return self.edited(self._texts[uri], edits)

    def edited(self, text: str, edits: Sequence[object]) -> str:
        """A text after edits, made as an editor makes them."""
        known = [one for one in edits if isinstance(one, (types.TextEdit, types.AnnotatedTextEdit))]
        assert len(known) == len(edits)
        for one in sorted(known, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            start, end = self._offsets(text, one.range)
            text = text[:start] + one.new_text + text[end:]
        return text

    def _offsets(self, text: str, range_: types.Range) -> tuple[int, int]:
        from keepstate.text import Position

        lines = LineIndex(text)
        start, end = (
            lines.offset(Position(place.line, place.character), self.encoding) for place in (range_.start, range_.end)
        )
        return start, end

    # ---------------------------------------------------------------------------------------- questions

    async def pushed(self, uri: str, version: int | None, *, at_once: bool = False) -> list[types.Diagnostic]:
        """The diagnostics pushed for a version of a document, once they are there: those that wait for git (on a
        machine under load it may take more than a moment) only ``at_once``.
        """
        while True:
            for params in reversed(self.published):
                if params.uri == uri and params.version == version and (at_once or not _waits(params.diagnostics)):
                    return list(params.diagnostics)
            await self.news()

    async def reported(self, uri: str, count: int) -> list[types.Diagnostic]:
        """The diagnostics of a file that is not open, pushed or pulled, as soon as there are ``count``."""
        if self.result.capabilities.diagnostic_provider is None:
            while True:
                found = [list(params.diagnostics) for params in self.published if params.uri == uri]
                if found and len(found[-1]) == count:
                    return found[-1]
                await self.news()
        ids: dict[str, str] = {}
        while True:
            known = [types.PreviousResultId(known, value) for known, value in ids.items()]
            answer = await asyncio.wait_for(
                self.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known)), SECONDS
            )
            ids.update({item.uri: item.result_id or "" for item in answer.items})
            for item in answer.items:
                full = isinstance(item, types.WorkspaceFullDocumentDiagnosticReport)
                if full and item.uri == uri and len(item.items) == count:
                    return list(item.items)

    async def pushed_until(self, uri: str, wanted: Wanted, *, after: int = 0) -> list[types.Diagnostic]:
        """The first diagnostics of a document, behind the first ``after`` messages, that are as wanted.

        The next message need not be the awaited one: what was under way comes first, and a file that is written
        may be read twice.
        """
        seen = after
        while True:
            for params in self.published[seen:]:
                if params.uri == uri and wanted(list(params.diagnostics)):
                    return list(params.diagnostics)
            seen = len(self.published)
            try:
                await self.news()
            except asyncio.TimeoutError:
                shown = [params.diagnostics for params in self.published[after:] if params.uri == uri]
                pytest.fail(f"never published as wanted; instead, one after the other: {shown}")

    def settled(self) -> list[types.PublishDiagnosticsParams]:
        """The pushed diagnostics without those that only say that git is waited for: a fast machine sees none."""
        return [params for params in self.published if not _waits(params.diagnostics)]

    async def message(self, words: str) -> types.ShowMessageParams:
        """The last message to the user with these words, once there is one."""
        while not (found := [one for one in self.client.messages if words in one.message]):
            await self.news()
        return found[-1]

    async def news(self) -> None:
        """Wait until the server sends something. What is looked at must have been looked at since the last ``await``:
        what came before this call is not waited for.
        """
        self._news.clear()
        await asyncio.wait_for(self._news.wait(), SECONDS)

    async def pull(self, uri: str, previous: str | None = None) -> types.DocumentDiagnosticReport:
        return await asyncio.wait_for(
            self.client.text_document_diagnostic_async(
                types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
            ),
            SECONDS,
        )

    async def pulled(self, uri: str, *, at_once: bool = False) -> list[types.Diagnostic]:
        """The diagnostics of a document, when pulled; those that wait for git only ``at_once``."""
        return await self.pulled_until(uri, lambda found: at_once or not _waits(found))

    async def pulled_until(self, uri: str, wanted: Wanted) -> list[types.Diagnostic]:
        """The diagnostics of a document, pulled whenever the server sends something until they are as wanted."""
        while True:
            # What comes while the answer is under way counts as well.
            self._news.clear()
            report = await self.pull(uri)
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            if wanted(report.items):
                return list(report.items)
            try:
                await asyncio.wait_for(self._news.wait(), SECONDS)
            except asyncio.TimeoutError:
                pytest.fail(f"never as wanted when pulled; at last: {report.items}")

    async def hover(self, uri: str, part: str) -> types.Hover | None:
        """The hover in the middle of a part of the text."""
        range_ = self.range_of(uri, part)
        return await asyncio.wait_for(
            self.client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), range_.start)),
            SECONDS,
        )

    async def actions(
        self, uri: str, part: str, only: list[str] | None = None, claimed: list[types.Diagnostic] | None = None
    ) -> list[types.CodeAction]:
        found = await asyncio.wait_for(
            self.client.text_document_code_action_async(
                types.CodeActionParams(
                    types.TextDocumentIdentifier(uri),
                    self.range_of(uri, part),
                    types.CodeActionContext(claimed or [], only=only),
                )
            ),
            SECONDS,
        )
        return [one for one in found or [] if isinstance(one, types.CodeAction)]

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        return list(await asyncio.wait_for(self.client.text_document_code_lens_async(params), SECONDS) or [])

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await asyncio.wait_for(self.client.workspace_execute_command_async(params), SECONDS)

    async def caught_up(self) -> None:
        """Wait until the server has seen all that was sent, without waiting for what it makes of it."""
        with pytest.raises(JsonRpcException):
            await self.command("keepstate.noSuchCommand")

    def _listen(self) -> None:
        client = self.client

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registrations += params.registrations
            self._news.set()

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh_lenses(params: None) -> None:
            self.lens_refreshes += 1
            self._news.set()

        def reported(method: str) -> None:
            original = client.protocol.fm.features[method]

            def heard(params: Any) -> Any:
                if isinstance(params, types.PublishDiagnosticsParams):
                    self.published.append(params)
                if method == types.WORKSPACE_DIAGNOSTIC_REFRESH:
                    self.diagnostic_refreshes += 1
                result = original(params)
                self._news.set()
                return result

            client.protocol.fm.features[method] = heard

        for method in (
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.WINDOW_SHOW_MESSAGE,
            types.WINDOW_LOG_MESSAGE,
            types.WORKSPACE_DIAGNOSTIC_REFRESH,
            types.WINDOW_SHOW_DOCUMENT,
        ):
            reported(method)


def _waits(found: Sequence[types.Diagnostic]) -> bool:
    return any(one.message.startswith("Not compared yet") for one in found)


@functools.cache
def _capabilities(name: str) -> types.ClientCapabilities:
    return client_capabilities(name)


@functools.cache
def _converter() -> Converter:
    """One for all clients: it writes the code for each type at the first use, which takes a tenth of a second."""
    converter = default_converter()

    def structure(value: Any, _: Any) -> Any:
        is_bare = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if is_bare else types.CodeAction)

    # lsprotocol 2025.0.0 takes every code action that has a command for a bare command.
    converter.register_structure_hook(types.Command | types.CodeAction, structure)
    return converter


@asynccontextmanager
async def editing(
    capabilities: types.ClientCapabilities,
    folder: Path,
    cache: Path,
    *,
    settings: dict[str, Any] | None = None,
    options: Any = None,
    command: tuple[str, ...] | None = None,
    poll_seconds: float = 3600,
    by_fork: bool = True,
) -> AsyncIterator[Editor]:
    """An editor at work in ``folder``. The server is one with the stand-in, unless a command is given. It is a fork,
    unless the test is about the start of a server.
    """
    command = command or (sys.executable, str(STANDIN), str(cache), str(poll_seconds))
    client = LanguageClient(converter_factory=_converter)
    register_lsp_features(client)
    if settings is not None:
        client.set_configuration({"keepstate": settings})
    with forking() if by_fork else nullcontext():
        await client.start_io(*command, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    encodings = capabilities.general.position_encodings if capabilities.general else None
    first = next(iter(encodings or ()), "utf-16")
    editor = Editor(client, Encoding(getattr(first, "value", first)))
    try:
        editor.result = await asyncio.wait_for(
            client.initialize_session(
                types.InitializeParams(
                    capabilities,
                    workspace_folders=[types.WorkspaceFolder(uri_of(folder), folder.name)],
                    initialization_options=options,
                )
            ),
            SECONDS,
        )
        yield editor
        if editor.is_gone:
            return
        await asyncio.wait_for(client.shutdown_session(), SECONDS)
        assert client._server is not None and client._server.returncode == 0
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()

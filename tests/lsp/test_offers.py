"""Hovers, fixes, lenses and commands of a real server process with the stand-in analyzer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import editing, minimal, neovim, vscode
from repositories import GitRepository

pytestmark = pytest.mark.asyncio
JOB = "-- 🛒 shop\nINSERT INTO daily SIZE 10 KEYS a,b;\r\nINSERT INTO '🛒' SIZE 5;\n"


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def test_hover_joins_what_applies(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        hover = await editor.hover(uri, "20 KEYS")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        text = hover.contents.value
        assert hover.contents.kind == types.MarkupKind.Markdown
        assert text.startswith("**Incompatible** · `window-size-changed`")
        assert "**Advice:** run COUNT(*) in a second job." in text
        assert text.index("**Advice:**") < text.index("```sql\n10\n```")
        assert "[About window-size-changed](<file://" in text
        assert "**A window of SIZE 20**" not in text
        assert hover.range is not None and editor.text_at(uri, hover.range) == "20"
        note = await editor.hover(uri, "SIZE 5")
        assert note is not None and "---" not in note.contents.value  # type: ignore[union-attr]
        assert await editor.hover(uri, "shop") is None


async def test_hover_without_markdown(job: Path, cache: Path) -> None:
    async with editing(minimal(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        hover = await editor.hover(uri, "20 KEYS")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.kind == types.MarkupKind.PlainText
        assert "Advice: run COUNT(*) in a second job." in hover.contents.value
        assert "**" not in hover.contents.value


async def test_fixes_are_resolved_as_versioned_edits(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 77")
        (found,) = await editor.pulled(uri)
        put_back, accept, page, plan = await editor.actions(uri, "77")
        assert plan.command is not None and plan.command.command == "keepstate.cutover"
        assert accept.title == "Accept window-size-changed here, with a reason"
        assert put_back.title == "Put back 5 from HEAD (compatible)"
        assert put_back.edit is None and list(put_back.diagnostics or []) == [found]
        assert put_back.is_preferred is None
        resolved = await editor.client.code_action_resolve_async(put_back)
        assert resolved.edit is not None and resolved.edit.document_changes is not None
        assert editor.applied(uri, resolved.edit) == JOB
        assert page.command is not None and page.command.command == "keepstate.openRule"
        await editor.command(page.command.command, *page.command.arguments or [])
        assert editor.client.shown_documents[0].uri.endswith("/window-size-changed.md")
        editor.replace(uri, "SIZE 77", "SIZE 777")
        with pytest.raises(JsonRpcException, match="changed") as error:
            await editor.client.code_action_resolve_async(put_back)
        assert error.value.code == types.LSPErrorCodes.ContentModified


async def test_fixes_come_whole_where_the_client_cannot_resolve(job: Path, cache: Path) -> None:
    capabilities = neovim()
    assert capabilities.text_document and capabilities.text_document.code_action
    capabilities.text_document.code_action.resolve_support = None
    async with editing(capabilities, job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 77")
        # Neovim 0.7 sends diagnostics back with byte columns: whatever a client claims about ranges is ignored.
        wrong = types.Diagnostic(types.Range(types.Position(0, 1), types.Position(0, 3)), "x", source="keepstate")
        put_back = (await editor.actions(uri, "77", claimed=[wrong]))[0]
        assert put_back.edit is not None and put_back.edit.document_changes is None
        assert editor.applied(uri, put_back.edit) == JOB


async def test_the_file_as_a_whole_can_be_put_back(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 7")
        titles = {action.title: action for action in await editor.actions(uri, "20 KEYS")}
        assert list(titles)[:2] == [
            "Put back 10 from HEAD (still incompatible)",
            "Put everything back from HEAD (compatible)",
        ]
        whole = await editor.client.code_action_resolve_async(titles["Put everything back from HEAD (compatible)"])
        assert whole.edit is not None and editor.applied(uri, whole.edit) == JOB


async def test_fix_all_makes_only_edits_without_effect(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10 KEYS a,b", "SIZE 20 KEYS b,a")
        for only in (["source.fixAll.keepstate"], ["source.fixAll"], ["source"]):
            (action,) = await editor.actions(uri, "daily", only)
            assert action.kind == "source.fixAll.keepstate" and action.edit is not None
            assert editor.applied(uri, action.edit) == JOB.replace("SIZE 10", "SIZE 20")
        assert await editor.actions(uri, "b,a", ["source.organizeImports"]) == []
        reorder, *_ = await editor.actions(uri, "b,a")
        assert reorder.is_preferred is True
        editor.replace(uri, "KEYS b,a", "KEYS a,b")
        assert await editor.actions(uri, "daily", ["source.fixAll"]) == []


async def test_lenses_compare_where_the_client_can(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        assert [lens.command.title.partition(" (")[0] for lens in await editor.lenses(uri) if lens.command] == [
            "Same meaning as HEAD"
        ] * 2
        editor.replace(uri, "SIZE 10", "SIZE 20")
        first, second = await editor.lenses(uri)
        assert first.command is not None and second.command is not None
        assert first.command.title.startswith("Incompatible with HEAD (") and first.command.title.endswith(
            ", 1 finding"
        )
        assert second.command.title.startswith("Compatible with HEAD (")
        assert first.range.start.line == 1
        assert first.command.command == "keepstate.compare"
        (target,) = first.command.arguments or []
        assert target["uri"] == uri and target["baselineUri"].startswith("keepstate-baseline:///")


async def test_commands_without_argument_mean_the_document_touched_last(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        with pytest.raises(JsonRpcException, match="which document"):
            await editor.command("keepstate.showPlan")
        uri = editor.open(job)
        plans = (await editor.command("keepstate.showPlan"))["text"]
        assert re.match(r"baseline: HEAD \(\w{7}\) \| current: shop.sql\nWindowAggregate ~", plans)
        assert editor.client.shown_documents[0].uri.endswith(".plan.txt")
        assert (await editor.command("keepstate.showBaseline"))["uri"] == uri
        with pytest.raises(JsonRpcException, match="no rule"):
            await editor.command("keepstate.openRule", "no-such-rule")

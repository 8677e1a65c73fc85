"""A real server process with the stand-in analyzer, driven as real clients drive it."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import SECONDS, STANDIN, Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import path_of, uri_of
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


def severities(found: Sequence[types.Diagnostic]) -> list[str]:
    return [one.severity.name for one in found if one.severity]


def underlined(editor: Editor, uri: str, found: list[types.Diagnostic]) -> list[tuple[str, object]]:
    return [(editor.text_at(uri, one.range), one.code) for one in found]


# ---------------------------------------------------------------------------------------------------- diagnostics


@pytest.mark.parametrize("client", [vscode, neovim, minimal])
async def test_findings_in_the_units_of_the_client(
    client: Callable[[], types.ClientCapabilities], job: Path, cache: Path
) -> None:
    async with editing(client(), job.parent, cache) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 7")
        found = await (editor.pulled(uri) if client is vscode else editor.pushed(uri, version))
        assert underlined(editor, uri, found) == [("7", "window-size-changed")]
        assert found[0].range.start.line == 2
        assert editor.result.capabilities.position_encoding == editor.encoding.value


async def test_a_client_that_pulls_is_never_pushed_to(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        assert underlined(editor, uri, await editor.pulled(uri)) == [("20", "window-size-changed")]
        editor.close(uri)
        assert editor.published == []
        assert editor.result.capabilities.diagnostic_provider is not None


@pytest.mark.parametrize("client", [neovim, minimal])
async def test_a_client_that_cannot_be_refreshed_is_pushed_to_only(
    client: Callable[[], types.ClientCapabilities], job: Path, cache: Path
) -> None:
    async with editing(client(), job.parent, cache) as editor:
        assert editor.result.capabilities.diagnostic_provider is None
        uri = editor.open(job)
        assert await editor.pushed(uri, 1) == []
        assert await editor.pulled(uri) == []
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pushed(uri, version)) == 1
        assert await editor.pulled(uri) == []
        editor.close(uri)
        assert await editor.pushed(uri, None) == []


async def test_result_ids(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        first = await editor.pull(uri)
        assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
        again = await editor.pull(uri, first.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
        assert again.result_id == first.result_id
        editor.replace(uri, "SIZE 20", "SIZE 30")
        assert isinstance(await editor.pull(uri, first.result_id), types.RelatedFullDocumentDiagnosticReport)


async def test_what_a_diagnostic_holds(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10 KEYS a,b", "SIZE 20 KEYS a,b METRIC")
        size, metric = await editor.pulled(uri)
        assert size.source == "keepstate" and size.code == "window-size-changed"
        assert size.severity == types.DiagnosticSeverity.Error
        assert metric.severity == types.DiagnosticSeverity.Warning
        assert size.message == "The window changes from 10 to 20: all state is lost"
        assert isinstance(size.data, dict) and size.data["rule"] == size.code and len(size.data["finding"]) == 16
        assert size.code_description is not None
        page = path_of(size.code_description.href)
        assert page is not None and "Why it matters." in Path(page).read_text()


async def test_related_information_of_a_client_that_reads_the_baseline_scheme(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        workspace = editor.result.capabilities.workspace
        assert workspace is not None and workspace.text_document_content is not None
        assert list(workspace.text_document_content.schemes) == ["keepstate-baseline"]
        uri = editor.open(job)
        editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 77")
        (found,) = await editor.pulled(uri)
        (related,) = found.related_information or []
        assert related.location.uri.startswith("keepstate-baseline:///") and related.location.uri.endswith("/shop.sql")
        # VS Code writes the URI in its own way.
        asked = related.location.uri.replace(":///", ":/")
        content = await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(asked))
        assert content.text == JOB
        assert editor.cut(content.text, related.location.range) == "5"
        assert "HEAD (" in related.message and related.message.endswith(": 5")
        unknown = types.TextDocumentContentParams("keepstate-baseline:///0/x.sql")
        with pytest.raises(JsonRpcException, match="no baseline"):
            await editor.client.workspace_text_document_content_async(unknown)


async def test_related_information_of_any_other_client_is_a_file(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 77")
        (found,) = await editor.pushed(uri, version)
        (related,) = found.related_information or []
        path = path_of(related.location.uri)
        assert path is not None and path.startswith(str(cache))
        assert editor.cut(Path(path).read_bytes().decode(), related.location.range) == "5"
        if os.name == "posix":
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o400
            assert stat.S_IMODE(cache.stat().st_mode) == 0o700
        # The copy is no job of its own.
        copy = editor.open(Path(path))
        assert await editor.lenses(copy) == []


async def test_severities_are_a_setting_and_apply_at_once(job: Path, cache: Path) -> None:
    settings = {"severity": {"incompatible": "hint", "aggregate-added": "off"}}
    async with editing(neovim(), job.parent, cache, settings=settings) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10 KEYS a,b", "SIZE 20 KEYS b,a METRIC")
        found = await editor.pushed(uri, version)
        assert [one.severity for one in found] == [types.DiagnosticSeverity.Hint] * 2
        seen = len(editor.published)
        editor.client.set_configuration({"severity": {"window-size-changed": "information"}}, section="keepstate")
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        wanted = ["Information", "Error", "Warning"]
        found = await editor.pushed_until(uri, lambda found: severities(found) == wanted, after=seen)
        assert [one.code for one in found] == ["window-size-changed", "group-keys-reordered", "aggregate-added"]


async def test_settings_of_a_client_that_only_sends_them(job: Path, cache: Path) -> None:
    async with editing(minimal(), job.parent, cache, options={"severity": {"incompatible": "hint"}}) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert (await editor.pushed(uri, version))[0].severity == types.DiagnosticSeverity.Hint
        seen = len(editor.published)
        sent = {"keepstate": {"severity": {"incompatible": "warning"}, "nonsense": 1}}
        for _ in range(2):
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(sent))
        await editor.pushed_until(uri, lambda found: severities(found) == ["Warning"], after=seen)
        assert await editor.lenses(uri)
        assert [one.message for one in editor.client.messages] == [
            "Keepstate setting keepstate.nonsense: there is no such setting."
        ]


async def test_a_client_that_is_asked_and_has_nothing_to_tell(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache, options={"severity": {"incompatible": "hint"}}) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        # It answers null, which takes back nothing.
        assert (await editor.pushed(uri, version))[0].severity == types.DiagnosticSeverity.Hint


# ---------------------------------------------------------------------------------------------------- broken and lost


async def test_what_cannot_be_read_keeps_its_last_findings(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        version = editor.replace(uri, "'🛒' SIZE 5", "'🛒' SIZE 7")
        assert len(await editor.pushed(uri, version)) == 2
        version = editor.replace(uri, "INTO daily SIZE 20 KEYS", "INTO daily BROKEN SIZE 20 KEYS")
        found = await editor.pushed(uri, version)
        assert underlined(editor, uri, found) == [
            ("BROKEN", "not-analysed"),
            ("20", "window-size-changed"),
            ("7", "window-size-changed"),
        ]
        assert found[0].message == "Not analysed: this word cannot be read"
        assert found[1].message.endswith("(from the last text that was compared)")
        assert "from the last text" not in found[2].message
        lenses = [lens.command.title for lens in await editor.lenses(uri) if lens.command]
        assert "from the last text" in lenses[0] and "from the last text" not in lenses[1]
        hover = await editor.hover(uri, "20 KEYS")
        assert hover is not None and "cannot be read at the moment" in hover.contents.value  # type: ignore[union-attr]
        assert [action.title for action in await editor.actions(uri, "20 KEYS")] == [
            "Open the page of window-size-changed"
        ]
        version = editor.replace(uri, "BROKEN ", "")
        assert all("last text" not in one.message for one in await editor.pushed(uri, version))


async def test_a_crash_is_reported_once_and_fakes_nothing(job: Path, cache: Path) -> None:
    other = job.with_name("other.sql")
    other.write_text("INSERT INTO t SIZE 1;")
    async with editing(neovim(), job.parent, cache) as editor:
        uri, neighbour = editor.open(job), editor.open(other)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pushed(uri, version)) == 1
        for word in ("CRASH", "CRASHES"):
            version = editor.replace(uri, "-- 🛒 shop", f"-- 🛒 {word}\n-- shop")
            found = await editor.pushed(uri, version)
            assert underlined(editor, uri, found)[1:] == [("20", "window-size-changed")]
            assert found[0].code == "internal-error" and "told to crash" in found[0].message
            assert found[1].message.endswith("(from the last text that was compared)")
            version = editor.replace(uri, f"-- 🛒 {word}\n-- shop", "-- 🛒 shop")
            (healed,) = await editor.pushed(uri, version)
            assert "last text" not in healed.message
        assert len(editor.client.messages) == 1
        assert any("Traceback" in one.message for one in editor.client.log_messages)
        changed = editor.change(neighbour, "INSERT INTO t SIZE 1;\n")
        assert await editor.pushed(neighbour, changed) == []


async def test_a_text_that_crashes_from_the_start_is_not_clear(job: Path, cache: Path) -> None:
    job.write_text("INSERT INTO CRASH")
    async with editing(vscode(), job.parent, cache) as editor:
        (found,) = await editor.pulled(editor.open(job))
        assert found.code == "internal-error" and "Nothing is known" in found.message


async def test_a_broken_baseline_is_reported(repository: GitRepository, cache: Path) -> None:
    repository.commit({"shop.sql": "INSERT INTO a BROKEN;"})
    path = repository.write("shop.sql", "INSERT INTO a SIZE 1;")
    async with editing(neovim(), path.parent, cache) as editor:
        uri = editor.open(path)
        (found,) = await editor.pushed(uri, 1)
        assert found.code == "baseline-not-analysed" and found.message.startswith("Not analysed in HEAD (")
        assert found.related_information is not None


# ---------------------------------------------------------------------------------------------------- which documents


async def test_other_sql_is_met_with_silence(repository: GitRepository, cache: Path) -> None:
    path = repository.write("other.sql", "SELECT SIZE 1")
    async with editing(neovim(), path.parent, cache) as editor:
        uri = editor.open(path)
        assert await editor.lenses(uri) == [] and await editor.hover(uri, "SIZE") is None
        assert await editor.actions(uri, "SIZE") == []
        assert editor.published == []
        version = editor.change(uri, "INSERT INTO a BROKEN;")
        assert [one.code for one in await editor.pushed(uri, version)] == ["not-analysed"]
        version = editor.change(uri, "SELECT BROKEN")
        assert await editor.pushed(uri, version) == []
        version = editor.change(uri, "SELECT SIZE 2")
        assert await editor.lenses(uri) == []
        assert len(editor.settled()) == 2


async def test_documents_that_are_flink_by_name_or_language(repository: GitRepository, cache: Path) -> None:
    async with editing(neovim(), repository.folder, cache) as editor:
        for name, language in (("a.fql", "sql"), ("b.flink.sql", "sql"), ("c.sql", "flink-sql")):
            uri = editor.open(repository.write(name, "BROKEN"), language=language)
            assert [one.code for one in await editor.pushed(uri, 1)] == ["not-analysed"]
        uri = editor.open("git:/a.fql?HEAD", "BROKEN", language="flink-sql")
        assert await editor.lenses(uri) == []


@pytest.mark.parametrize("where", ["untitled", "outside", "new", "unborn"])
async def test_no_baseline_is_said_once_and_quietly(
    where: str, tmp_path: Path, cache: Path, isolated_git: None
) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    if where in ("new", "unborn"):
        repository = GitRepository(folder)
        if where == "new":
            repository.commit({"README": "jobs"})
    path = folder / "shop.sql"
    path.write_text(JOB)
    async with editing(neovim(), folder, cache) as editor:
        uri = editor.open("untitled:Untitled-1", JOB) if where == "untitled" else editor.open(path)
        assert await editor.pushed(uri, 1) == []
        (lens,) = await editor.lenses(uri)
        assert lens.command is not None and lens.command.title.startswith("No baseline: ")
        assert lens.range.start.line == 1
        assert editor.client.messages == []
        assert await editor.command("keepstate.showBaseline", uri) is None
        assert [one.type for one in editor.client.messages] == [types.MessageType.Info]


async def test_the_configuration_file_counts_and_is_watched(job: Path, cache: Path, repository: GitRepository) -> None:
    repository.commit({"shop.sql": JOB.replace("SIZE 10", "SIZE 20")})
    async with editing(neovim(), job.parent, cache, poll_seconds=0.05) as editor:
        uri = editor.open(job)
        assert await editor.pushed(uri, 1) == []
        repository.write("keepstate.toml", 'baseline = "HEAD~1"\n')
        (found,) = await editor.pushed_until(uri, bool)
        assert underlined(editor, uri, [found]) == [("20", "window-size-changed")]
        assert found.related_information and "HEAD~1 (" in found.related_information[0].message
        for line, words in (("baselin = 1\n", "no setting 'baselin'"), ('engine = "spark"\n', "engine must be one of")):
            repository.write("keepstate.toml", line)
            (found,) = await editor.pushed_until(
                uri, lambda found, words=words: any(words in one.message for one in found)
            )
            assert found.code == "not-compared"
        other = editor.open(repository.write("other.sql", "SELECT BROKEN"))
        assert await editor.lenses(other) == []
        seen = len(editor.published)
        repository.write("keepstate.toml", 'files = ["oth*.sql"]\n')
        await editor.pushed_until(other, lambda found: [one.code for one in found] == ["not-analysed"], after=seen)
        await editor.pushed_until(uri, lambda found: not found, after=seen)


async def test_a_baseline_that_should_be_there_is_a_warning(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache, settings={"baseline": "release/1"}) as editor:
        (found,) = await editor.pushed(editor.open(job), 1)
        assert found.code == "not-compared" and found.severity == types.DiagnosticSeverity.Warning
        assert "release/1" in found.message


# ---------------------------------------------------------------------------------------------------- hover and actions


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
        assert put_back.title == "Put back 5 (compatible)"
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
        assert list(titles)[:2] == ["Put back 10 (incompatible)", "Put everything back (compatible)"]
        whole = await editor.client.code_action_resolve_async(titles["Put everything back (compatible)"])
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


# ---------------------------------------------------------------------------------------------------- lenses, commands


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


# ---------------------------------------------------------------------------------------------------- moving baselines


async def test_a_commit_changes_findings_without_a_keystroke(job: Path, cache: Path, repository: GitRepository) -> None:
    async with editing(neovim(), job.parent, cache, poll_seconds=0.05) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pushed(uri, version)) == 1
        editor.save(uri, job)
        seen = len(editor.published)
        repository.commit()
        await editor.pushed_until(uri, lambda found: not found, after=seen)
        assert "Same meaning" in str((await editor.lenses(uri))[0].command)


async def test_a_client_that_pulls_is_asked_to_pull_again(job: Path, cache: Path, repository: GitRepository) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pulled(uri)) == 1
        while not editor.registrations:
            await editor.news()
        (files,) = [one for one in editor.registrations if one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        assert "**/.git/HEAD" in str(files.register_options)
        job.write_text(JOB.replace("SIZE 10", "SIZE 20"))
        repository.commit()
        refreshes = editor.client.diagnostic_refresh_count, editor.lens_refreshes
        moved = types.FileEvent(uri_of(repository.folder / ".git" / "HEAD"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([moved]))
        while editor.client.diagnostic_refresh_count == refreshes[0] or editor.lens_refreshes == refreshes[1]:
            await editor.news()
        await editor.pulled_until(uri, lambda found: not found)


async def test_a_repository_that_appears_is_noticed(tmp_path: Path, cache: Path, isolated_git: None) -> None:
    path = tmp_path / "jobs" / "shop.sql"
    path.parent.mkdir()
    path.write_text(JOB)
    async with editing(neovim(), path.parent, cache, poll_seconds=0.05) as editor:
        uri = editor.open(path)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert await editor.pushed(uri, version) == []
        seen = len(editor.published)
        GitRepository(path.parent).commit()
        await editor.pushed_until(uri, bool, after=seen)


# ---------------------------------------------------------------------------------------------------- time


async def test_typing_during_a_slow_check(job: Path, cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        await editor.pushed(uri, 1)
        slow = editor.replace(uri, "shop", f"WAIT {pipe} ")
        opened = threading.Thread(target=lambda: pipe.open("wb").close(), daemon=True)
        impatient = asyncio.create_task(editor.hover(uri, "SIZE 5"))
        for number in range(11, 40):
            last = editor.replace(uri, f"SIZE {number - 1}", f"SIZE {number}")
        last = editor.replace(uri, f"WAIT {pipe} ", "shop")
        await editor.caught_up()
        opened.start()
        (found,) = await editor.pushed(uri, last)
        assert editor.text_at(uri, found.range) == "39"
        versions = [params.version for params in editor.published]
        assert versions == [1, last] and slow not in versions
        assert await impatient is not None
        # The check may have been superseded before it read the pipe: then this end lets the writer go.
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
        opened.join(SECONDS)
        assert not opened.is_alive()


async def test_cancelled_requests_stop(job: Path, cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "shop", f"WAIT {pipe} ")
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        pending = editor.client.protocol.send_request(types.TEXT_DOCUMENT_DIAGNOSTIC, params, msg_id="pull-1")
        editor.client.cancel_request(types.CancelParams("pull-1"))
        with pytest.raises(JsonRpcException) as error:
            await asyncio.wait_for(asyncio.wrap_future(pending), SECONDS)
        assert error.value.code == types.LSPErrorCodes.RequestCancelled
        # The check may have been superseded before it began to wait: then the other end is never opened.
        threading.Thread(target=lambda: pipe.open("wb").close(), daemon=True).start()
        assert await editor.pulled(uri) == []


# ---------------------------------------------------------------------------------------------------- life and end


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_no_git_process_stays_behind(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        await editor.pushed(editor.open(job), 1)
        server = editor.client._server
        assert server is not None
        tasks = Path(f"/proc/{server.pid}/task").iterdir()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        assert children
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


async def test_exit_without_shutdown_is_an_error(cache: Path, tmp_path: Path) -> None:
    message = b'{"jsonrpc":"2.0","method":"exit"}'
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(STANDIN), str(cache), "1", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await asyncio.wait_for(process.communicate(b"Content-Length: %d\r\n\r\n%s" % (len(message), message)), SECONDS)
    assert process.returncode == 1


async def test_a_client_that_vanishes_ends_the_server(cache: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(STANDIN), str(cache), "1", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await asyncio.wait_for(process.communicate(b""), SECONDS)
    assert process.returncode == 1

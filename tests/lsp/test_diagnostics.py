"""Diagnostics of a real server process with the stand-in analyzer: findings, silences and problems."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import path_of
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

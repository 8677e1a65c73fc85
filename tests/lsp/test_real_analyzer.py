"""The server as it is shipped: `python -m keepstate_lsp`, the real analyzer, real git."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import path_of
from program_starts import KEEPSTATE, SERVER, forking, ran
from repositories import GitRepository

pytestmark = pytest.mark.asyncio


JOB = """\
CREATE TABLE orders (
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

/* Revenue by category. \u2028 A line separator is no line break. \x0c Nor is a form feed. */
INSERT INTO revenue
SELECT window_start, category, '🛒' AS icon, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO products
SELECT window_start, category, product, COUNT(*) AS sold
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY category, product, window_start, window_end;
"""
METRIC = ("'🛒' AS icon, SUM", "'🛒' AS icon, COUNT(*) AS sold, SUM")
SIZE = ("INTERVAL '1' HOUR", "INTERVAL '2' HOUR")


@pytest.fixture(params=["\n", "\r\n"], ids=["lf", "crlf"])
def job(request: pytest.FixtureRequest, repository: GitRepository) -> Path:
    """A committed job; git stores line feeds, whatever the work tree has."""
    repository.commit({"shop.sql": JOB})
    return repository.write("shop.sql", JOB.replace("\n", request.param))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def found_in(editor: Editor, uri: str, version: int) -> list[types.Diagnostic]:
    if editor.result.capabilities.diagnostic_provider is not None:
        return await editor.pulled(uri)
    return await editor.pushed(uri, version)


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_from_edit_to_fix(client: Callable[[], types.ClientCapabilities], job: Path, cache: Path) -> None:
    committed = job.read_bytes().decode()
    async with editing(client(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        assert await found_in(editor, uri, 1) == []
        titles = [lens.command.title for lens in await editor.lenses(uri) if lens.command]
        assert len(titles) == 2 and all(re.fullmatch(r"Same meaning as HEAD \(\w{7}\)", title) for title in titles)

        editor.replace(uri, *METRIC)
        version = editor.replace(uri, *SIZE)
        metric, size = await found_in(editor, uri, version)
        assert (editor.text_at(uri, metric.range), metric.code) == ("COUNT(*)", "aggregate-added")
        assert metric.severity == types.DiagnosticSeverity.Warning
        assert (editor.text_at(uri, size.range), size.code) == ("INTERVAL '2' HOUR", "window-size-changed")
        assert size.severity == types.DiagnosticSeverity.Error
        (related,) = size.related_information or []
        assert editor.cut(JOB, related.location.range) == "INTERVAL '1' HOUR"

        hover = await editor.hover(uri, "2' HOUR")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "**Incompatible** · `window-size-changed`" in hover.contents.value
        assert "INTERVAL '1' HOUR" in hover.contents.value and "**Advice:**" in hover.contents.value
        note = await editor.hover(uri, "order_time), INTERVAL '10'")
        assert note is not None and "TUMBLE of 10 minutes" in note.contents.value  # type: ignore[union-attr]

        actions = await editor.actions(uri, "COUNT(*) AS sold, SUM")
        revert = next(action for action in actions if action.title.startswith("Remove `COUNT(*)"))
        revert = await editor.client.code_action_resolve_async(revert) if revert.edit is None else revert
        assert revert.edit is not None
        assert editor.applied(uri, revert.edit) == committed.replace(*SIZE)
        offered = await editor.actions(uri, "INTERVAL '2' HOUR")
        # Behind an acceptance a command selects the reason.
        titles = [each.title for each in offered if each.command is None or each.title.startswith("Accept ")]
        accepting = [title for title in titles if title.startswith("Accept ")]
        fixes = titles[: -len(accepting)]
        assert fixes and all(title.endswith(("compatible)", "unknown)")) for title in fixes)
        assert accepting[0] == "Accept window-size-changed here, with a reason"
        assert editor.client.messages == []


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_what_the_configuration_file_tells_a_job(
    client: Callable[[], types.ClientCapabilities], repository: GitRepository, cache: Path
) -> None:
    configuration = "# Times are how long state lives.\n[parameters]\n'table.exec.state.ttl' = '%s'\n"
    query = "SELECT category, SUM(amount) AS gmv FROM orders GROUP BY category;\n"
    job = repository.write("totals.fql", f"-- Totals.\nINSERT INTO totals\n{query}")
    repository.commit({"keepstate.toml": configuration % "1 d"})
    reported = repository.write("keepstate.toml", configuration % "2 d")
    async with editing(client(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        (finding,) = await found_in(editor, uri, 1)
        assert (editor.text_at(uri, finding.range), finding.code) == ("INSERT", "state-ttl-changed")
        now, was = finding.related_information or []
        assert path_of(now.location.uri) == str(reported)
        assert editor.cut(reported.read_text(), now.location.range) == "'table.exec.state.ttl' = '2 d'"
        assert editor.cut(configuration % "1 d", was.location.range) == "'table.exec.state.ttl' = '1 d'"
        assert was.message.startswith("in keepstate.toml in HEAD (")
        hover = await editor.hover(uri, "INSERT")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "Now in keepstate.toml:" in hover.contents.value and "'1 d'" in hover.contents.value

        # What is said in the SQL is explained there, changed or not, and counts before the file.
        version = editor.replace(uri, "INSERT", "SET 'table.exec.state.ttl' = '24 h';\nINSERT")
        assert await found_in(editor, uri, version) == []
        hover = await editor.hover(uri, "'24 h'")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "How long state is kept without an update: 1 day" in hover.contents.value
        assert editor.client.messages == []


async def test_a_wrong_configuration_of_the_baseline_is_reported(repository: GitRepository, cache: Path) -> None:
    job = repository.write("totals.fql", "INSERT INTO totals SELECT COUNT(*) FROM orders;\n")
    repository.commit({"keepstate.toml": "parameters = 1\n"})
    repository.write("keepstate.toml", "")
    async with editing(neovim(), job.parent, cache, command=SERVER) as editor:
        (found,) = await editor.pushed(editor.open(job), 1)
        assert found.code == "not-compared"
        assert "keepstate.toml in HEAD (" in found.message and "parameters must be a table" in found.message


async def test_half_typed_text_keeps_what_is_known(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *METRIC)
        version = editor.replace(uri, *SIZE)
        assert len(await editor.pushed(uri, version)) == 2
        version = editor.replace(uri, "SUM(amount) AS gmv", "SUM(amount AS gmv")
        found = await editor.pushed(uri, version)
        stale = [one for one in found if "last text that was compared" in one.message]
        assert [editor.text_at(uri, one.range) for one in stale] == ["COUNT(*)"]
        assert sorted(str(one.code) for one in found) == [
            "aggregate-added",
            "invalid-sql",
            "window-size-changed",
        ]
        # A quote that is not closed turns all strings behind it inside out.
        version = editor.replace(uri, "SUM(amount AS gmv", "SUM(amount) AS 'gmv")
        found = await editor.pushed(uri, version)
        known = [one for one in found if one.code in ("aggregate-added", "window-size-changed")]
        assert [editor.text_at(uri, one.range) for one in known] == ["COUNT(*)", "INTERVAL '2' HOUR"]
        version = editor.replace(uri, "SUM(amount) AS 'gmv", "SUM(amount) AS gmv")
        found = await editor.pushed(uri, version)
        assert [one.code for one in found] == ["aggregate-added", "window-size-changed"]
        assert not [one for one in found if "last text" in one.message]


async def test_every_rule_found_has_a_page(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *SIZE)
        (found,) = await editor.pulled(uri)
        assert found.code_description is not None
        page = path_of(found.code_description.href)
        assert page is not None and "window-size-changed" in Path(page).read_text()


async def test_hostile_texts(job: Path, cache: Path) -> None:
    """Nothing of this ends the server, and the other document stays as it is."""
    texts = [
        "",
        "\0" * 100,
        "SELECT " + "(" * 1000 + "1" + ")" * 1000,
        JOB.replace("SUM", "'SUM"),
        "<<<<<<< HEAD\n" + JOB + "=======\n" + JOB + ">>>>>>> other\n",
        JOB.replace("'10'", "${size}").replace("category", "{{ key }}"),
        "\ud83d" + JOB,
        "SELECT 1;\r" * 500,
    ]
    async with editing(neovim(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, *SIZE)
        assert len(await editor.pushed(uri, version)) == 1
        other = editor.open(job.with_name("other.fql"), "SELECT 1")
        await editor.pushed(other, 1)
        for text in texts:
            version = editor.change(other, text)
            found = await editor.pushed(other, version)
            assert "internal-error" not in [one.code for one in found], found
        assert editor.client.messages == []
        assert len(await editor.actions(uri, "INTERVAL '2' HOUR")) > 0


async def test_a_loopback_port_for_debugging(cache: Path, isolated_git: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    code = f"import sys; from keepstate_lsp.lsp.server import main; sys.exit(main({port}))"
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    with forking():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE, env=environment
        )
    try:
        assert process.stderr is not None
        while b"Serving on" not in await asyncio.wait_for(process.stderr.readline(), SECONDS):
            pass
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for body in (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
            b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
            b'{"jsonrpc":"2.0","method":"exit"}',
        ):
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        answer = await asyncio.wait_for(reader.read(), SECONDS)
        assert b'"positionEncoding":' in answer
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0
    finally:
        if process.returncode is None:
            process.kill()


async def test_accepting_with_a_reason_and_taking_it_out_again(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *SIZE)
        (finding,) = await editor.pulled(uri)
        (accept,) = [one for one in await editor.actions(uri, SIZE[1]) if one.title.endswith(" here, with a reason")]
        assert accept.edit is not None
        text = editor.applied(uri, accept.edit)
        editor.change(uri, text)
        # Without a reason, nothing is accepted.
        assert {one.code for one in await editor.pulled(uri)} == {finding.code, "idle-acceptance"}
        editor.replace(uri, "<say why>", "the hours of today may go")
        (accepted,) = await editor.pulled(uri)
        assert accepted.severity is types.DiagnosticSeverity.Hint
        assert accepted.message.endswith("(accepted: the hours of today may go)")
        editor.replace(uri, SIZE[1], SIZE[0])
        (unused,) = await editor.pulled(uri)
        assert unused.code == "idle-acceptance" and "nothing to accept any more" in unused.message
        (remove,) = [one for one in await editor.actions(uri, "because the hours") if one.title.startswith("Remove ")]
        assert remove.edit is not None
        assert editor.applied(uri, remove.edit).encode() == job.read_bytes()


async def test_the_ledger_counts_in_the_editor_too(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, command=SERVER, poll_seconds=0.05) as editor:
        uri = editor.open(job)
        editor.replace(uri, *SIZE)
        assert [one.severity for one in await editor.pulled(uri)] == [types.DiagnosticSeverity.Error]
        editor.save(uri, job)
        accepted = await asyncio.to_thread(ran, *KEEPSTATE, "accept", "--because", "so", cwd=job.parent)
        assert accepted.returncode == 0
        await editor.pulled_until(uri, lambda found: [one.severity for one in found] == [types.DiagnosticSeverity.Hint])
        (job.parent / "keepstate.accepted.toml").write_text("[[accepted]]")
        await editor.pulled_until(uri, lambda found: "not-compared" in {one.code for one in found})


async def test_hover_shows_what_becomes_of_each_part_of_the_state(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *METRIC)
        hover = await editor.hover(uri, "COUNT(*) AS sold, SUM")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        text = hover.contents.value
        assert re.search(r"\*\*State:\*\* goes on: .*SUM\(amount\).*; starts empty: COUNT\(", text)
        # No client shows the marks of a table.
        assert "| --- |" not in text


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_a_new_metric_goes_to_a_file_of_its_own(
    client: Callable[[], types.ClientCapabilities], job: Path, cache: Path
) -> None:
    """Neovim announces operations on files, and not the changes of documents in which these stand."""
    committed = job.read_bytes().decode()
    (job.parent / "shop_sold.sql").write_text("-- Somebody's.\n")
    async with editing(client(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *METRIC)
        (separate,) = [
            one for one in await editor.actions(uri, "COUNT(*) AS sold, SUM") if "in a new file" in one.title
        ]
        assert separate.title == "Compute `COUNT(*) AS sold` in a job of its own, in a new file (compatible)"
        resolved = await editor.client.code_action_resolve_async(separate)
        assert resolved.edit is not None and resolved.edit.document_changes is not None
        back, created, filled = resolved.edit.document_changes
        assert editor.applied(uri, types.WorkspaceEdit(document_changes=[back])) == committed
        assert isinstance(created, types.CreateFile) and isinstance(filled, types.TextDocumentEdit)
        assert path_of(created.uri) == str(job.parent / "shop_sold_2.sql") and filled.text_document.uri == created.uri
        assert created.options == types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
        (text,) = filled.edits
        # The new file is a job that nothing is held against.
        other = editor.open(job.parent / "shop_sold_2.sql", text.new_text)
        assert await (editor.pulled(other) if client is vscode else editor.pushed(other, 1)) == []
        (lens,) = await editor.lenses(other)
        assert lens.command is not None and lens.command.title.startswith("No baseline: ")


async def test_no_new_file_where_the_client_makes_none(job: Path, cache: Path) -> None:
    async with editing(minimal(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *METRIC)
        titles = [one.title for one in await editor.actions(uri, "COUNT(*) AS sold, SUM")]
        assert any(title.startswith("Remove `COUNT(*)") for title in titles)
        assert not any("new file" in title for title in titles)

"""Diagnostics in configuration files: changed parameters in the configuration, unused entries in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from editor import Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import path_of, uri_of
from keepstate_lsp.config.acceptance_file import FILE_NAME as LEDGER
from keepstate_lsp.config.acceptance_file import AcceptanceFile
from program_starts import KEEPSTATE, SERVER, ran
from repositories import GitRepository

pytestmark = pytest.mark.asyncio


CONFIGURATION = "# Times are how long state lives.\n[parameters]\n'table.exec.state.ttl' = '%s' # ⏱\n"
JOB = "-- Totals.\nINSERT INTO totals\nSELECT category, SUM(amount) AS gmv FROM orders GROUP BY category;\n"
ENDED = """\
[[accepted]]
rule = "aggregate-added"
change = "00112233445566ff"
because = "so"
until = 2001-01-31
"""
IDLE = """\
[[accepted]]
file = "totals.fql"
rule = "group-key-added"
change = "ffeeddccbbaa0099"
because = "[[accepted]] is \'a header\'"
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def accepted(repository: GitRepository, *paths: str) -> None:
    """The effect of `keepstate accept`."""
    ran(*KEEPSTATE, "accept", "--because", "it may go", *paths, cwd=repository.folder, check=True, capture_output=True)


def related_to(found: Sequence[types.Diagnostic]) -> list[types.DiagnosticRelatedInformation]:
    return [place for one in found for place in one.related_information or ()]


class TestParameters:
    @pytest.mark.parametrize("client", [vscode, neovim])
    async def test_a_change_is_reported_at_its_line_and_in_the_sql(
        self, client: Callable[[], types.ClientCapabilities], repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB, "keepstate.toml": CONFIGURATION % "1 d", "other.fql": JOB})
        path = repository.write("keepstate.toml", CONFIGURATION % "2 d")
        async with editing(client(), repository.folder, cache, command=SERVER) as editor:
            opened = editor.open(repository.folder / "totals.fql")
            (found,) = await editor.reported(uri_of(path), 1)
            text = path.read_text("utf-8")
            assert editor.cut(text, found.range) == "'table.exec.state.ttl' = '2 d'"
            assert (found.code, found.severity) == ("state-ttl-changed", types.DiagnosticSeverity.Warning)
            assert found.code_description is not None or client is neovim
            related = found.related_information or []
            assert related[0].message.startswith("in keepstate.toml in HEAD (")
            assert editor.cut(CONFIGURATION % "1 d", related[0].location.range) == "'table.exec.state.ttl' = '1 d'"
            if client is neovim:
                # As soon as the other job is checked too, it is said once, with both.
                (found,) = await editor.pushed_until(uri_of(path), lambda found: len(related_to(found)) == 3)
                related = related_to([found])
                assert {Path(path_of(place.location.uri) or "").name for place in related[1:]} == {
                    "totals.fql",
                    "other.fql",
                }
                (in_sql,) = await editor.pushed(opened, 1)
                assert in_sql.code == "state-ttl-changed"

    async def test_one_that_went_is_reported_where_it_stood(self, repository: GitRepository, cache: Path) -> None:
        repository.commit({"totals.fql": JOB, "keepstate.toml": CONFIGURATION % "1 d"})
        path = repository.write("keepstate.toml", "# Nothing.\n[parameters]\n")
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            (found,) = await editor.reported(uri_of(path), 1)
            assert editor.cut("# Nothing.\n[parameters]\n", found.range) == "[parameters]"
            assert "1 day" in found.message or "1 d" in found.message

    async def test_it_goes_with_the_change_and_counts_what_is_loud(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB, "keepstate.toml": CONFIGURATION % "1 d"})
        path = repository.write("keepstate.toml", CONFIGURATION % "2 d")
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            editor.open(repository.folder / "totals.fql")
            await editor.reported(uri_of(path), 1)
            repository.write("keepstate.toml", "[severity]\nstate-ttl-changed = 'off'\n" + CONFIGURATION % "2 d")
            assert await editor.reported(uri_of(path), 0) == []
            repository.write("keepstate.toml", CONFIGURATION % "3 d")
            assert "3 day" in (await editor.reported(uri_of(path), 1))[0].message
            repository.git("commit", "-qam", "Longer")
            assert await editor.reported(uri_of(path), 0) == []

    async def test_a_client_that_has_it_open_pulls_it_there(self, repository: GitRepository, cache: Path) -> None:
        repository.commit({"totals.fql": JOB, "keepstate.toml": CONFIGURATION % "1 d"})
        path = repository.write("keepstate.toml", CONFIGURATION % "2 d")
        async with editing(vscode(), repository.folder, cache, command=SERVER) as editor:
            editor.open(repository.folder / "totals.fql")
            uri = editor.open(path, language="toml")
            found = await editor.pulled_until(uri, bool)
            assert editor.text_at(uri, found[0].range) == "'table.exec.state.ttl' = '2 d'"
            assert await editor.lenses(uri) == [] and await editor.actions(uri, "parameters") == []


class TestLedger:
    async def test_what_accepts_nothing_is_reported_and_taken_out(self, repository: GitRepository, cache: Path) -> None:
        repository.commit({"totals.fql": JOB})
        repository.write("totals.fql", JOB.replace("SUM(amount)", "MAX(amount)"))
        accepted(repository)
        path = repository.folder / LEDGER
        needed = path.read_text("utf-8")
        path.write_text(f"{needed}\n{ENDED}\n# A note.\n{IDLE}", "utf-8")
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            editor.open(repository.folder / "totals.fql")
            ended, unused = await editor.reported(uri_of(path), 2)
            uri = editor.open(path, language="toml")
            assert (
                editor.text_at(uri, ended.range) == ENDED.strip() and editor.text_at(uri, unused.range) == IDLE.strip()
            )
            assert ended.message == "The acceptance of aggregate-added accepts nothing: it ended on 2001-01-31."
            assert "there is nothing to accept any more" in unused.message
            assert list(unused.tags or ()) == [types.DiagnosticTag.Unnecessary] and unused.code == "idle-acceptance"

            one, both = await editor.actions(uri, 'change = "00112233445566ff"')
            assert one.title == "Remove this acceptance" and one.is_preferred
            assert one.edit is not None and both.edit is not None
            assert editor.applied(uri, one.edit) == f"{needed}\n# A note.\n{IDLE}"
            assert both.title == "Remove all 2 acceptances that accept nothing"
            assert editor.applied(uri, both.edit) == f"{needed}\n# A note.\n"
            assert await editor.actions(uri, needed.splitlines()[-1]) == []
            assert await editor.actions(uri, 'change = "00112233445566ff"', ["source.fixAll"]) == []

            editor.change(uri, editor.applied(uri, both.edit))
            editor.save(uri, path)
            assert await editor.reported(uri_of(path), 0) == []

    async def test_it_is_idle_as_soon_as_the_change_is_the_baseline(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB})
        repository.write("totals.fql", JOB.replace("SUM(amount)", "MAX(amount)"))
        accepted(repository)
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            editor.open(repository.folder / "totals.fql")
            repository.commit()
            (unused,) = await editor.reported(uri_of(repository.folder / LEDGER), 1)
            assert "nothing to accept any more" in unused.message

    async def test_on_a_branch_it_is_needed_until_the_merge(
        self, repository: GitRepository, cache: Path, tmp_path: Path
    ) -> None:
        repository.commit({"totals.fql": JOB})
        repository.git("clone", "-q", "--bare", ".", str(tmp_path / "origin.git"))
        repository.git("remote", "add", "origin", str(tmp_path / "origin.git"))
        repository.git("fetch", "-q", "origin")
        repository.git("switch", "-qc", "feature")
        repository.write("totals.fql", JOB.replace("SUM(amount)", "MAX(amount)"))
        accepted(repository)
        path = repository.folder / LEDGER
        path.write_text(f"{path.read_text('utf-8')}\n{IDLE}", "utf-8")
        repository.commit()
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            (unused,) = await editor.reported(uri_of(path), 1)
            assert editor.cut(path.read_text("utf-8"), unused.range) == IDLE.strip()

    async def test_nobody_knows_as_long_as_a_job_cannot_be_compared(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB, "other.fql": JOB})
        repository.write("other.fql", "INSERT INTO x SELECT FROM WHERE;\n")
        path = repository.write(LEDGER, f"{ENDED}\n{IDLE}")
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            (ended,) = await editor.reported(uri_of(path), 1)
            assert "it ended on" in ended.message
            await _mend(editor, repository)
            assert len(await editor.reported(uri_of(path), 2)) == 2

    async def test_only_what_ended_where_closed_files_are_not_checked(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB})
        path = repository.write(LEDGER, f"{ENDED}\n{IDLE}")
        options = {"workspace": False}
        async with editing(minimal(), repository.folder, cache, command=SERVER, options=options) as editor:
            editor.open(repository.folder / "totals.fql")
            (ended,) = await editor.reported(uri_of(path), 1)
            assert "it ended on" in ended.message

    async def test_an_entry_counts_for_its_own_file_and_follows_a_rename(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"totals.fql": JOB, "others.fql": JOB.replace("totals", "others")})
        for name in ("totals.fql", "others.fql"):
            path = repository.folder / name
            repository.write(name, path.read_text("utf-8").replace("SUM(amount)", "MAX(amount)"))
        accepted(repository, "totals.fql")
        async with editing(vscode(), repository.folder, cache, command=SERVER) as editor:
            uri = editor.open(repository.folder / "totals.fql")
            assert {one.severity for one in await editor.pulled(uri)} == {types.DiagnosticSeverity.Hint}
            uri = editor.open(repository.folder / "others.fql")
            assert types.DiagnosticSeverity.Hint not in {one.severity for one in await editor.pulled(uri)}
        repository.git("mv", "totals.fql", "moved.fql")
        async with editing(vscode(), repository.folder, cache, command=SERVER) as editor:
            uri = editor.open(repository.folder / "moved.fql")
            assert {one.severity for one in await editor.pulled(uri)} == {types.DiagnosticSeverity.Hint}
            path = repository.write("totals.fql", JOB)
            await editor.command("keepstate.recheckAll")
            assert types.DiagnosticSeverity.Hint not in {one.severity for one in await editor.pulled(uri)}

    async def test_an_entry_of_a_file_that_is_not_there_is_idle(self, repository: GitRepository, cache: Path) -> None:
        repository.commit({"totals.fql": JOB})
        repository.write("totals.fql", JOB.replace("SUM(amount)", "MAX(amount)"))
        accepted(repository)
        path = repository.folder / LEDGER
        path.write_text(path.read_text("utf-8").replace('"totals.fql"', '"missing.fql"'), "utf-8")
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            editor.open(repository.folder / "totals.fql")
            found = await editor.reported(uri_of(path), len(AcceptanceFile.at(path).entries))
            for unused in found:
                assert "there is nothing to accept any more" in unused.message

    async def test_a_quick_fix_writes_the_entry_and_somebody_the_reason(
        self, repository: GitRepository, cache: Path
    ) -> None:
        repository.commit({"jobs/totals.fql": JOB})
        path = repository.folder / LEDGER
        async with editing(vscode(), repository.folder, cache, command=SERVER) as editor:
            uri = editor.open(repository.folder / "jobs/totals.fql")
            editor.replace(uri, "SUM(amount)", "MAX(amount)")
            accept = await _accepting(editor, uri)
            assert accept.title.endswith(f" in {LEDGER}, with a reason") and accept.edit is not None
            created, filled = accept.edit.document_changes or []
            assert isinstance(created, types.CreateFile) and isinstance(filled, types.TextDocumentEdit)
            assert path_of(created.uri) == str(path) == path_of(filled.text_document.uri)
            text = filled.edits[0].new_text
            assert 'file = "jobs/totals.fql"' in text and "MAX(amount)" in text
            path.write_text(text, "utf-8")

            # Without a reason the entry accepts nothing, and a diagnostic says so.
            ledger = editor.open(path, language="toml")
            await editor.command("keepstate.recheckAll")
            assert types.DiagnosticSeverity.Hint not in {one.severity for one in await editor.pulled(uri)}
            unused = await editor.pulled_until(ledger, bool)
            assert "its reason is still to be written" in unused[0].message

            editor.replace(ledger, "<say why>", "the totals may go")
            editor.save(ledger, path)
            await editor.command("keepstate.recheckAll")
            assert {one.severity for one in await editor.pulled(uri)} == {types.DiagnosticSeverity.Hint}

            # The next one goes to the end of the same file, as it stands in the editor.
            editor.replace(uri, "GROUP BY category", "GROUP BY category, product")
            more = await _accepting(editor, uri)
            assert more.edit is not None
            (added,) = more.edit.document_changes or []
            assert isinstance(added, types.TextDocumentEdit) and added.text_document.uri == ledger
            assert added.edits[0].range.start.line == len(path.read_text("utf-8").splitlines())

    async def test_a_damaged_ledger_is_reported_at_its_place(self, repository: GitRepository, cache: Path) -> None:
        repository.commit({"totals.fql": JOB})
        text = IDLE + "who = 'me'\n"
        path = repository.write(LEDGER, text)
        async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
            (wrong,) = await editor.reported(uri_of(path), 1)
            assert (wrong.code, editor.cut(text, wrong.range)) == ("wrong-configuration", "who = 'me'")
            assert wrong.message.startswith("Entry 1: there is no key 'who'")


async def _mend(editor: Editor, repository: GitRepository) -> None:
    other = editor.open(repository.folder / "other.fql")
    editor.change(other, JOB)
    editor.save(other, repository.folder / "other.fql")


async def _accepting(editor: Editor, uri: str) -> types.CodeAction:
    """The action that writes an entry of the ledger, for the first finding."""
    found = await editor.pulled(uri)
    first = next(one for one in found if one.severity is not types.DiagnosticSeverity.Hint)
    actions = await editor.actions(uri, editor.text_at(uri, first.range))
    return next(one for one in actions if one.title.startswith("Accept ") and LEDGER in one.title)

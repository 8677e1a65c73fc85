"""The scenarios of jobs of several files through a real server: it finds what a check of the same files finds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from lsprotocol import types
from tests.project.scenarios import EDITS, SPLIT

from editor import Editor, editing, neovim
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.cli.main import main
from repositories import GitRepository
from shops import SERVER, at_work

pytestmark = pytest.mark.asyncio

Place = tuple[str, int, str]
"""File, line from 1, and rule."""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@dataclass(frozen=True)
class Answer:
    """The answer of a check: findings with their jobs, and the files that were not compared."""

    findings: frozenset[tuple[str, Place]]
    failed: frozenset[str]

    @staticmethod
    def of(document: Mapping[str, list[dict[str, object]]]) -> Answer:
        found = set()
        for file in document["files"]:
            for one in file["findings"]:  # type: ignore[attr-defined]
                found.add((str(file["path"]), (one["file"], one["range"]["start"]["line"] + 1, one["rule"])))
        failed = {str(file["path"]) for file in document["files"] if file["status"] in ("not-compared", "not-valid")}
        return Answer(frozenset(found), frozenset(failed))

    def hold(self, found: Mapping[str, list[types.Diagnostic]]) -> None:
        """Hold the diagnostics of an editor to the answer."""
        clauses = {place for _, place in self.findings}
        felt = {(job, rule) for job, (file, _, rule) in self.findings if file != job}
        assert clauses <= places(found)
        assert {(path, rule) for path, _, rule in places(found) - clauses} <= felt
        assert self.failed <= found.keys()
        if not self.findings and not self.failed:
            assert not places(found)
            errors = [
                one for items in found.values() for one in items if one.severity is types.DiagnosticSeverity.Error
            ]
            assert not errors


def shown(editor: Editor, repository: GitRepository) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics that were published last, by path."""
    last = {params.uri: list(params.diagnostics) for params in editor.published}
    found = {path_of(uri): items for uri, items in last.items() if items}
    root = repository.folder
    return {Path(path).relative_to(root).as_posix(): items for path, items in found.items() if path is not None}


def places(items: Mapping[str, list[types.Diagnostic]]) -> set[Place]:
    """The findings among diagnostics; notes are none."""
    return {
        (path, one.range.start.line + 1, str(one.code))
        for path, all_of_path in items.items()
        for one in all_of_path
        if one.data is not None and "finding" in str(one.data)
    }


@pytest.mark.parametrize("name", EDITS)
async def test_the_editor_finds_what_a_check_finds(
    name: str,
    repository: GitRepository,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each finding stands at its clause; beside it, the jobs that feel it have the name that reads it underlined. That
    holds while all files are closed, and when they are open.
    """
    before, after = EDITS[name]
    repository.commit(dict(before))
    for path in before.keys() - after.keys():
        (repository.folder / path).unlink()
    for path, text in after.items():
        repository.write(path, text)
    monkeypatch.chdir(repository.folder)
    capsys.readouterr()
    main(["check", "--format", "json"])
    wanted = Answer.of(json.loads(capsys.readouterr().out))
    async with editing(neovim(), repository.folder, cache, command=SERVER) as editor:
        await editor.command("keepstate.report", {"show": False})
        wanted.hold(shown(editor, repository))
        for path in sorted(after):
            if not path.endswith(".toml"):
                editor.open(repository.folder / path)
        await editor.command("keepstate.recheckAll")
        await editor.command("keepstate.report", {"show": False})
        wanted.hold(shown(editor, repository))


async def test_a_context_that_leads_out_is_said_at_its_entry(repository: GitRepository, cache: Path) -> None:
    """Scenario 24."""
    files = {**SPLIT, "keepstate.toml": 'context = ["../**"]\n'}
    async with at_work(repository, cache, files) as editor:
        editor.open(repository.folder / "jobs/revenue.sql")
        uri = editor.open(repository.folder / "keepstate.toml")
        (one,) = await editor.pushed_until(uri, bool)
        assert "leads out of the folder of this file" in one.message
        assert editor.text_at(uri, one.range).startswith("context")

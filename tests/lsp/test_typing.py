"""Typing letter by letter: no finding appears that the finished edit does not have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from editor import editing, minimal, vscode
from keepstate import JobVersion, check, validate
from keepstate_lsp.features.arrows import with_arrows
from keystrokes import EDITS, JOB, edited, keystrokes
from program_starts import SERVER
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

Seen = set[tuple[str, str]]


def shown(diagnostics: Sequence[types.Diagnostic]) -> Seen:
    """Rules and sentences, without the mark of findings from the text before."""
    return {(str(one.code), one.message.partition(" (from the last text")[0]) for one in diagnostics}


def finished(text: str) -> Seen:
    report = check(JobVersion(text), JobVersion(JOB))
    return {(finding.rule, with_arrows(finding.message)) for finding in report.findings}


@pytest.mark.parametrize("name", EDITS)
async def test_each_edit_ends_in_a_program(name: str) -> None:
    text = JOB
    for key in keystrokes(name):
        text = key.applied(text)
    assert text == edited(name)
    assert not validate(JobVersion(text)).problems


@pytest.mark.parametrize("name", EDITS)
async def test_typing_shows_what_the_finished_edit_has(name: str, repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"job.sql": JOB})
    expected = finished(edited(name))
    async with editing(minimal(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        assert await editor.pushed(uri, 1) == []
        text = JOB
        for key in keystrokes(name):
            text = key.applied(text)
            version = editor.press(uri, key.offset, key.deleted, key.typed)
            await editor.pushed(uri, version)
        last = await editor.pushed_until(uri, lambda found: shown(found) >= expected)
        assert shown(last) >= expected
        seen = {each for params in editor.published if params.uri == uri for each in shown(params.diagnostics)}
        assert {code for code, _ in seen} <= {code for code, _ in expected}


async def test_a_pause_shows_what_is_wrong(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"job.sql": JOB})
    async with editing(minimal(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        await editor.pushed(uri, 1)
        at = JOB.index("SUM(amount)") + len("SUM(")
        version = editor.press(uri, at, 0, "x")
        assert await editor.pushed(uri, version) == []
        (refused,) = await editor.pushed_until(uri, lambda found: len(found) == 1)
        assert (refused.code, refused.severity) == ("invalid-sql", types.DiagnosticSeverity.Error)
        assert editor.text_at(uri, refused.range) == "xamount"
        # The mistake goes at once, with the key that mends it.
        version = editor.press(uri, at, 1, "")
        assert await editor.pushed(uri, version) == []


async def test_a_client_that_pulls_is_asked_to_after_the_pause(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"job.sql": JOB})
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        assert await editor.pulled(uri) == []
        refreshes = editor.diagnostic_refreshes
        editor.press(uri, JOB.index("SUM(amount)") + len("SUM("), 0, "x")
        assert await editor.pulled(uri) == []
        while editor.diagnostic_refreshes == refreshes:
            await editor.news()
        assert [one.code for one in await editor.pulled(uri)] == ["invalid-sql"]


async def test_findings_of_a_refused_statement_stay_as_those_of_the_last_text(
    repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"job.sql": JOB})
    async with editing(minimal(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        await editor.pushed(uri, 1)
        version = editor.replace(uri, "SUM(amount)", "MAX(amount_net)")
        (finding,) = await editor.pushed(uri, version)
        version = editor.replace(uri, "MAX(amount_net)", "MAX(amount_of_nothing)")
        stale, refused = sorted(await editor.pushed(uri, version), key=lambda one: str(one.code) == "invalid-sql")
        assert stale.code == finding.code and "last text" in stale.message
        assert refused.code == "invalid-sql" and editor.text_at(uri, refused.range) == "amount_of_nothing"


async def test_one_broken_view_is_one_diagnostic(repository: GitRepository, tmp_path: Path) -> None:
    readers = "".join(
        f"INSERT INTO s{n} SELECT category, COUNT(*) FROM big_orders GROUP BY category;\n" for n in range(22)
    )
    repository.commit({"job.sql": JOB + readers})
    capabilities = vscode()
    async with editing(capabilities, repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        assert await editor.pulled(uri) == []
        editor.replace(uri, "FROM orders WHERE amount", "FROM orders WHERE nothing")
        (refused,) = await editor.pulled(uri)
        assert refused.code == "invalid-sql" and editor.text_at(uri, refused.range) == "nothing"


@pytest.mark.parametrize("level", ["off", "hint"])
async def test_the_severity_of_refusals_is_a_setting(level: str, repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"job.sql": JOB, "keepstate.toml": f'[severity]\ninvalid-sql = "{level}"\n'})
    async with editing(minimal(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "job.sql")
        await editor.pushed(uri, 1)
        found = await editor.pushed(uri, editor.replace(uri, "SUM(amount)", "SUM(nothing)"))
        severities = [one.severity for one in found if one.code == "invalid-sql"]
        assert severities == ([] if level == "off" else [types.DiagnosticSeverity.Hint])

"""A program that a repository names is not run, in any way, and none of its files is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from editor import editing, neovim
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.cli.main import main
from keepstate_lsp.jobs.audit_rows import HistoryReader
from keepstate_lsp.jobs.survey import SurveyTerms
from program_starts import SERVER
from repositories import GitRepository
from traps import Traps, contents

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the traps are shell scripts")

TABLE = (
    "CREATE TABLE orders (shop STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'x');\n"
)
JOB = f"{TABLE}INSERT INTO totals\nSELECT shop, COUNT(*) AS n, SUM(amount) AS amount\nFROM orders\nGROUP BY shop;\n"
EDITED = JOB.replace("SUM(amount)", "MAX(amount)")


@pytest.fixture
def traps(repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Traps:
    """The repository has a job, edited, renamed and staged ones, a branch, a tag, a submodule; then it is armed."""
    elsewhere = GitRepository(tmp_path / "elsewhere")
    elsewhere.commit({"view.sql": JOB})
    repository.git("submodule", "--quiet", "add", elsewhere.folder.as_uri(), "library")
    repository.commit({"a.sql": JOB, "b.sql": JOB, "c.sql": JOB})
    repository.git("tag", "v1")
    repository.git("branch", "topic")
    repository.commit({"a.sql": JOB.replace("shop;", "shop, amount;"), "signed.sql": JOB})
    repository.git("mv", "b.sql", "moved.sql")
    repository.write("a.sql", EDITED)
    repository.write("c.sql", EDITED)
    repository.git("add", "c.sql")
    armed = Traps(tmp_path)
    armed.arm(repository, elsewhere.folder / ".git")
    # Variables that an attacker would like to be set.
    monkeypatch.setenv("GIT_PAGER", str(armed.program))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(armed.program))
    monkeypatch.setenv("GIT_EDITOR", str(armed.program))
    monkeypatch.chdir(repository.folder)
    return armed


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--staged"),
        ("check", "--against", "v1", "--current", "topic"),
        ("check", "--against", "merge-base:topic", "a.sql", "moved.sql"),
        ("check", "--against", "tag:v*", "--format", "json"),
        ("diff", "a.sql", "moved.sql"),
        ("history", "a.sql"),
        ("history", "moved.sql", "--format", "json"),
        ("baseline", "a.sql"),
        ("baseline", "moved.sql", "--against", "v1"),
        ("plan", "a.sql"),
        ("parse", "a.sql"),
        ("deployed", "list"),
        ("deployed", "diff"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_no_command_runs_anything(
    arguments: tuple[str, ...], repository: GitRepository, traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(repository.folder)
    try:
        status = main([*arguments])
    except SystemExit as ended:
        # An option that is none would test nothing.
        status = int(str(ended.code))
        assert "There is no option" not in capsys.readouterr().err
    assert status in (0, 1, 2)
    assert traps.marks == ""
    assert contents(repository.folder) == before


def test_a_record_of_what_is_deployed_is_all_that_is_ever_written(repository: GitRepository, traps: Traps) -> None:
    before = contents(repository.folder / ".git")
    assert main(["deployed", "mark", "moved.sql"]) == 0
    after = contents(repository.folder / ".git")
    written = {path for path in after if after[path] != before.get(path)} - {path for path in after if path in before}
    assert all(path.startswith(("objects/", "refs/keepstate")) for path in written), written
    assert "refs/keepstate/deployed/production" in written or (repository.folder / ".git/reftable").exists()
    assert traps.marks == ""


def test_the_history_of_an_audit_runs_nothing(repository: GitRepository, traps: Traps) -> None:
    before = contents(repository.folder)
    for merges in Merges:
        rows = list(HistoryReader(SurveyTerms(merges=merges))(str(repository.folder), None))
        assert {row["kind"] for row in rows} >= {"change"}
    assert traps.marks == ""
    assert contents(repository.folder) == before


@pytest.mark.asyncio
async def test_the_language_server_runs_nothing(repository: GitRepository, traps: Traps, tmp_path: Path) -> None:
    before = contents(repository.folder)
    # What a folder can do to the start of a server counts as well.
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER, by_fork=False) as editor:
        uri = editor.open(repository.folder / "a.sql")
        assert [one.code for one in await editor.pushed(uri, 1)]
        moved = editor.open(repository.folder / "moved.sql")
        await editor.pushed(moved, 1)
        version = editor.change(uri, JOB)
        await editor.pushed(uri, version)
        await editor.hover(uri, "COUNT(*)")
        await editor.actions(uri, "COUNT(*)")
        assert contents(repository.folder) == before
        seen = len(editor.published)
        # Another commit is checked out, by hand: git itself would step into the traps.
        (repository.folder / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
        await editor.pushed_until(uri, lambda found: not found, after=seen)
    assert traps.marks == ""


def test_the_traps_are_good_ones(repository: GitRepository, traps: Traps) -> None:
    """git on its own steps into them, whichever of them is taken away."""
    calm = ("-c", "core.fsmonitor=false")
    for command in (
        ("status",),
        (*calm, "diff", "HEAD"),
        (*calm, "diff", "--no-ext-diff", "HEAD"),
        (*calm, "add", "."),
    ):
        before = traps.marks
        subprocess.run(
            ["git", *command], cwd=repository.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert traps.marks != before, command


@pytest.mark.parametrize("where", ["git file", "core.worktree", "alternates"])
def test_a_repository_that_points_elsewhere_is_read_at_most(
    where: str, repository: GitRepository, traps: Traps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    victim = GitRepository(tmp_path / "victim")
    victim.commit({"secret.sql": JOB})
    folder = repository.folder
    if where == "git file":
        folder = tmp_path / "pointing"
        folder.mkdir()
        (folder / ".git").write_text(f"gitdir: {victim.folder / '.git'}\n")
        (folder / "secret.sql").write_text(EDITED)
    elif where == "core.worktree":
        repository.git("config", "core.worktree", str(victim.folder))
    else:
        (folder / ".git/objects/info/alternates").write_text(f"{victim.folder / '.git/objects'}\n")
    before = contents(victim.folder)
    os.chdir(folder)
    assert main(["check"]) in (0, 1, 2)
    assert contents(victim.folder) == before
    assert traps.marks == ""

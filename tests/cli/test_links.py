"""Jobs that are, become or lie behind symbolic links: a job is known by its own path, and a link is followed within the
state of the repository that holds it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from keepstate_lsp.baselines import links
from keepstate_lsp.cli.main import main
from repositories import GitRepository

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


def job(minutes: int) -> str:
    return f"""
    CREATE TABLE orders (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
        WITH ('connector' = 'kafka', 'topic' = 'o');
    CREATE TABLE daily (k STRING, ws TIMESTAMP(3), n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'd');
    INSERT INTO daily SELECT k, window_start, COUNT(*)
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '{minutes}' MINUTE)) GROUP BY k, window_start, window_end;
    """


def link(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(text)


def to_another_job(root: Path) -> None:
    link(root / "jobs/a.sql", "b.sql")


def to_another_job_by_absolute_path(root: Path) -> None:
    link(root / "jobs/a.sql", str(root / "jobs/b.sql"))


def through_another_link(root: Path) -> None:
    link(root / "second.sql", "jobs/b.sql")
    link(root / "jobs/a.sql", "../second.sql")


def to_its_changed_text(root: Path) -> None:
    (root / "jobs/a.sql").unlink()
    (root / "real.sql").write_text(job(2))
    link(root / "jobs/a.sql", "../real.sql")


def to_its_very_text(root: Path) -> None:
    shutil.move(root / "jobs/a.sql", root / "real.sql")
    link(root / "jobs/a.sql", "../real.sql")


def to_nothing(root: Path) -> None:
    link(root / "jobs/a.sql", "nowhere")


def to_itself(root: Path) -> None:
    link(root / "jobs/a.sql", "a.sql")


def out_to_a_job(root: Path) -> None:
    (root.parent / "outside.sql").write_text(job(1))
    link(root / "jobs/a.sql", "../../outside.sql")


def out_to_other_text(root: Path) -> None:
    (root.parent / "outside.txt").write_text("secret\n")
    link(root / "jobs/a.sql", str(root.parent / "outside.txt"))


def of_the_folder(root: Path) -> None:
    shutil.move(root / "jobs", root / "real")
    (root / "jobs").symlink_to("real")
    (root / "real/a.sql").write_text(job(2))


KINDS = {
    to_another_job: 1,
    to_another_job_by_absolute_path: 1,
    through_another_link: 1,
    to_its_changed_text: 1,
    to_its_very_text: 0,
    to_nothing: 2,
    to_itself: 2,
    out_to_a_job: 2,
    out_to_other_text: 2,
    of_the_folder: 1,
}
"""The fates of ``jobs/a.sql``, a job with windows of one minute, and the exit status that is due."""

WAYS = {
    "changed": ["check"],
    "named": ["check", "jobs/a.sql"],
    "folder": ["check", "jobs"],
    "configured": ["check"],
    "staged": ["check", "--staged"],
    "staged, named": ["check", "--staged", "jobs/a.sql"],
    "committed": ["check", "--against", "HEAD~1"],
    "commit": ["check", "--against", "HEAD~1", "--current", "HEAD"],
    "commit, named": ["check", "--against", "HEAD~1", "--current", "HEAD", "jobs/a.sql"],
    "deployed": ["check", "--against", "deployed"],
    "deployed diff": ["deployed", "diff"],
}


@pytest.fixture
def repository(isolated_git: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    made = GitRepository(tmp_path / "repository")
    made.commit({"jobs/a.sql": job(1), "jobs/b.sql": job(3)})
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_job_that_becomes_a_link_keeps_its_baseline(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], kind: Callable[[Path], None], way: str
) -> None:
    if way == "configured":
        repository.commit({"keepstate.toml": 'files = ["jobs/a.sql"]\n'})
    if way.startswith("deployed"):
        assert main(["deployed", "mark", "jobs/a.sql"]) == 0
    kind(repository.folder)
    if way.startswith("staged"):
        repository.git("add", "--all")
    if way.startswith("commit") or way == "deployed diff":
        repository.commit()
    capsys.readouterr()
    status = main(WAYS[way])
    said = capsys.readouterr()
    assert status == KINDS[kind], said.out + said.err
    assert "secret" not in said.out
    if status == 2:
        assert "link" in said.out + said.err
        assert "a.sql" in said.out + said.err


@pytest.mark.parametrize("way", ["changed", "staged", "commit"])
@pytest.mark.parametrize("text", ["nowhere", "../../outside.txt"])
def test_a_link_that_always_led_to_nothing_is_no_change(repository: GitRepository, text: str, way: str) -> None:
    link(repository.folder / "jobs/notes.sql", text)
    repository.commit()
    repository.commit()
    assert main(WAYS[way]) == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_link_has_the_text_that_it_led_to(repository: GitRepository, way: str) -> None:
    """The link is old, and the file behind it changes."""
    link(repository.folder / "jobs/a.sql", "../real.txt")
    repository.commit({"real.txt": job(1), "keepstate.toml": 'files = ["jobs/a.sql"]\n'})
    if way.startswith("deployed"):
        assert main(["deployed", "mark", "jobs/a.sql"]) == 0
    repository.write("real.txt", job(2))
    if way.startswith("staged"):
        repository.git("add", "--all")
    if way.startswith("commit") or way == "deployed diff":
        repository.commit()
    assert main(WAYS[way]) == 1


@pytest.mark.parametrize(("more", "status"), [(0, 1), (1, 2)])
def test_a_chain_of_links_has_a_bound(repository: GitRepository, more: int, status: int) -> None:
    names = ["jobs/a.sql", *(f"jobs/link{number}" for number in range(1, links._MOST_LINKS + more)), "jobs/b.sql"]
    for name, following in pairwise(names):
        link(repository.folder / name, following.removeprefix("jobs/"))
    repository.commit()
    assert main(WAYS["commit, named"]) == status


def test_what_is_marked_of_a_link_is_the_text_behind_it(repository: GitRepository) -> None:
    to_its_very_text(repository.folder)
    repository.commit()
    assert main(["deployed", "mark", "--commit", "HEAD", "jobs/a.sql"]) == 0
    assert main(["check", "--against", "deployed", "jobs/a.sql"]) == 0
    repository.write("real.sql", job(2))
    assert main(["check", "--against", "deployed", "jobs/a.sql"]) == 1


def test_a_link_to_nothing_is_not_marked(repository: GitRepository) -> None:
    to_nothing(repository.folder)
    repository.commit()
    assert main(["deployed", "mark", "--commit", "HEAD", "jobs/a.sql"]) == 2

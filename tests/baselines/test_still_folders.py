"""A server that waits looks at what may have changed, and at nothing twice: looks are counted, not their time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keepstate_lsp.analysis import document_context
from keepstate_lsp.analysis.document_context import DocumentContexts
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.files import still_folders
from repositories import GitRepository

NAMES = ("jobs/a/one.sql", "jobs/a/two.sql", "jobs/b/three.sql")


class Waiting:
    """The contexts of open documents, as a server that waits has them."""

    def __init__(self, reader: BaselineReader, repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repository = repository
        self.contexts = DocumentContexts(reader)
        self.uris = [(repository.folder / name).as_uri() for name in NAMES]
        self.read()
        self.whole = 0
        plain = document_context.configuration_state

        def counted(path: Path, stamps: dict[Path, tuple[str, ...]] | None = None) -> str:
            self.whole += 1
            return plain(path, stamps)

        monkeypatch.setattr(document_context, "configuration_state", counted)

    def read(self) -> None:
        for uri in self.uris:
            self.contexts.forget(uri)
            self.contexts.context(Document(uri, "sql", 0, "SELECT 1"), Settings(), self.repository.folder, True)

    def age(self) -> None:
        """Let all folders be old, but those above the repository."""
        for folder, _, _ in os.walk(self.repository.folder):
            os.utime(folder, (1_000_000_000, 1_000_000_000))

    def look(self) -> list[str]:
        return self.contexts.stale_documents().result(30)

    def settle(self) -> None:
        while self.look():
            self.read()
        for _ in range(2):
            assert self.look() == []


@pytest.fixture
def waiting(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Waiting]:
    repository.commit(dict.fromkeys(NAMES, "SELECT 1;\n") | {"jobs/b/keepstate.toml": "engine = 'vvr'\n"})
    with BaselineReader() as reader:
        yield Waiting(reader, repository, monkeypatch)


def test_nothing_is_looked_for_again_while_folders_are_still(waiting: Waiting) -> None:
    waiting.age()
    waiting.settle()
    before = waiting.whole
    looks = still_folders._LOOKS - 5
    assert [waiting.look() for _ in range(looks)] == [[]] * looks
    assert waiting.whole == before


def test_one_look_in_some_is_whole(waiting: Waiting) -> None:
    waiting.age()
    waiting.settle()
    before = waiting.whole
    for _ in range(still_folders._LOOKS):
        waiting.look()
    # Once for each of the two folders.
    assert waiting.whole == before + 2


def replaced_by_a_link(repository: GitRepository) -> None:
    other = GitRepository(repository.folder.parent / "other")
    other.commit({"one.sql": "SELECT 2;\n", "two.sql": "SELECT 2;\n", "keepstate.toml": "engine = 'flink'\n"})
    (repository.folder / "jobs/a").rename(repository.folder / "jobs/former")
    (repository.folder / "jobs/a").symlink_to(other.folder, target_is_directory=True)


CHANGES: dict[str, Callable[[GitRepository], object]] = {
    "a configuration comes": lambda one: one.write("jobs/a/keepstate.toml", "engine = 'flink'\n"),
    "a configuration comes above": lambda one: one.write("keepstate.toml", "engine = 'flink'\n"),
    "a configuration is edited": lambda one: one.write("jobs/b/keepstate.toml", "engine = 'flink' # Other.\n"),
    "a configuration goes": lambda one: (one.folder / "jobs/b/keepstate.toml").unlink(),
    "a ledger comes": lambda one: one.write("keepstate.accepted.toml", "\n"),
    "a commit": lambda one: one.commit({"jobs/a/one.sql": "SELECT 2;\n"}),
    "a checkout": lambda one: one.git("checkout", "--quiet", "-b", "topic"),
    "a repository within": lambda one: GitRepository(one.folder / "jobs/a"),
    "the repository goes": lambda one: (one.folder / ".git").rename(one.folder / "was.git"),
    "a folder becomes a link": replaced_by_a_link,
}


@pytest.mark.parametrize("is_old", [True, False])
@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_noticed_at_the_next_look(waiting: Waiting, what: str, is_old: bool) -> None:
    if is_old:
        waiting.age()
    waiting.settle()
    CHANGES[what](waiting.repository)
    assert waiting.look() != []
    # It is new until it was read.
    assert waiting.look() != []


def test_a_change_within_the_time_of_a_stamp_is_noticed(waiting: Waiting) -> None:
    """A folder that changed a moment ago may change again without another stamp."""
    waiting.settle()
    folder = waiting.repository.folder / "jobs/a"
    status = folder.stat()
    waiting.repository.write("jobs/a/keepstate.toml", "engine = 'flink'\n")
    os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert waiting.look() != []


def test_other_documents_are_looked_at_whole(waiting: Waiting) -> None:
    waiting.age()
    waiting.settle()
    before = waiting.whole
    waiting.contexts.forget(waiting.uris[0])
    assert waiting.look() == []
    assert waiting.whole > before

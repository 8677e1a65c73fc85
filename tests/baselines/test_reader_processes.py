"""Processes, files and threads of a reader of baselines, and repositories that change below it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from repositories import GitRepository

JOB = "INSERT INTO totals\nSELECT shop, COUNT(*) AS orders, SUM(amount) AS amount\nFROM orders\nGROUP BY shop;\n"


@pytest.fixture
def reader() -> Iterator[BaselineReader]:
    with BaselineReader() as reader:
        yield reader


def spec(text: str) -> BaselineSpec:
    return BaselineSpec.parse(text)


def found(answer: Baseline | NoBaseline) -> Baseline:
    assert isinstance(answer, Baseline), str(answer)
    return answer


def missing(answer: Baseline | NoBaseline, reason: Reason) -> NoBaseline:
    assert isinstance(answer, NoBaseline), answer
    assert answer.reason is reason, str(answer)
    assert answer.sentence.endswith(".")
    assert "\n" not in answer.sentence
    return answer


def test_a_killed_process_is_replaced(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": "one"})
    path = repository.folder / "a.sql"
    assert found(reader.read(path, HEAD)).text == "one"
    for process in cat_files(reader):
        process.kill()
        process.wait()
    repository.commit({"a.sql": "two"})
    assert found(reader.read(path, HEAD)).text == "two"


def test_closing_ends_all_processes_and_the_reader_can_go_on(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": "one"})
    found(reader.read(repository.folder / "a.sql", HEAD))
    processes = cat_files(reader)
    assert processes
    reader.close()
    assert all(process.poll() is not None for process in processes)
    assert found(reader.read(repository.folder / "a.sql", HEAD)).text == "one"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files through /proc")
def test_nothing_leaks(isolated_git: None, tmp_path: Path) -> None:
    repositories = [GitRepository(tmp_path / str(number)) for number in range(12)]
    for number, repository in enumerate(repositories):
        repository.commit({"a.sql": str(number)})

    def read_all(reader: BaselineReader) -> None:
        for number, repository in enumerate(repositories):
            assert found(reader.read(repository.folder / "a.sql", HEAD)).text == str(number)
            missing(reader.read(repository.folder / "b.sql", HEAD), Reason.NEW_FILE)
            missing(reader.read(repository.folder / "a.sql", spec("v1")), Reason.MISSING_REVISION)

    with BaselineReader() as reader:
        read_all(reader)
    before = len(os.listdir("/proc/self/fd"))
    with BaselineReader() as reader:
        for _ in range(3):
            read_all(reader)
        assert len(os.listdir("/proc/self/fd")) <= before + 8 * 6
    assert len(os.listdir("/proc/self/fd")) == before
    reader = BaselineReader()
    read_all(reader)
    del reader
    assert len(os.listdir("/proc/self/fd")) == before


def test_many_threads_get_their_own_answers(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({f"{number}.sql": f"job {number}" for number in range(40)})
    wrong: list[object] = []

    def read(offset: int) -> None:
        for number in range(40):
            name = (number + offset) % 40
            answer = reader.read(repository.folder / f"{name}.sql", HEAD)
            if not isinstance(answer, Baseline) or answer.text != f"job {name}":
                wrong.append(answer)

    threads = [threading.Thread(target=read, args=(offset,)) for offset in range(0, 40, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_repository_that_was_replaced(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": "one"})
    found(reader.read(repository.folder / "a.sql", HEAD))
    (repository.folder / ".git").rename(repository.folder.parent / "kept")
    missing(reader.read(repository.folder / "a.sql", HEAD), Reason.NO_REPOSITORY)
    GitRepository(repository.folder).commit({"a.sql": "two"})
    assert found(reader.read(repository.folder / "a.sql", HEAD)).text == "two"


def test_a_repository_with_sha256_hashes(isolated_git: None, tmp_path: Path, reader: BaselineReader) -> None:
    repository = GitRepository(tmp_path / "long", "--object-format=sha256")
    commit = repository.commit({"a.sql": JOB})
    baseline = found(reader.read(repository.folder / "a.sql", HEAD))
    assert (baseline.text, baseline.commit) == (JOB, commit)
    assert len(commit) == 64
    missing(reader.read(repository.folder / "b.sql", HEAD), Reason.NEW_FILE)


def test_a_broken_repository(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": JOB})
    blob = repository.git("rev-parse", "HEAD:a.sql")
    (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    answer = missing(reader.read(repository.folder / "a.sql", HEAD), Reason.UNREADABLE)
    assert blob in answer.sentence
    assert not answer.new


def cat_files(reader: BaselineReader) -> list:  # type: ignore[type-arg]
    return [pipe.process for known in reader._repositories.values() for pipe in known.objects._pipes.values()]

"""Repositories whose files are damaged, truncated or gone, and files with odd names and encodings."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from command_line import run
from fuzz_target import Target
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline
from repositories import GitRepository, isolate_git

_JOB = "SELECT a, COUNT(*) FROM t GROUP BY a;\n"
_FILES: dict[str, str | bytes] = {
    "jobs/plain.sql": _JOB,
    "jobs/latin.sql": "SELECT 'é';".encode("latin-1"),
    "jobs/wide.sql": _JOB.encode("utf-16"),
    "jobs/binary.sql": b"\x00\x01\x02",
    "jobs/pointer.sql": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "jobs/two\nlines.sql": _JOB,
}
_LATIN_NAME = os.fsdecode(b"jobs/caf\xe9.sql")
_SPECS = ("HEAD", "HEAD~1", "HEAD~9", "merge-base:main", "tag:*", "deployed", "side")


@cache
def _template() -> Path:
    """A repository with loose objects and packs, branches, a tag and a merge; made once."""
    folder = Path(tempfile.mkdtemp(prefix="keepstate-fuzz-"))
    isolate_git(os.environ, folder)
    repository = GitRepository(folder / "template")
    repository.commit(_FILES)
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit({"jobs/plain.sql": _JOB.replace("a", "b")})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"jobs/other.sql": _JOB})
    repository.git("gc", "--quiet")
    with contextlib.suppress(OSError):
        # Not every file system takes such a name.
        (repository.folder / _LATIN_NAME).write_text(_JOB)
    repository.commit({"jobs/plain.sql": _JOB + "-- loose\n"})
    repository.git("tag", "v1")
    return repository.folder


@contextlib.contextmanager
def damaged(data: bytes) -> Iterator[Path]:
    """A copy with some of git's own files damaged: four bytes say which one, how, and where."""
    template = _template()
    with tempfile.TemporaryDirectory(prefix="keepstate-fuzz-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "repository"
        shutil.copytree(template, copy, symlinks=True)
        files = sorted(path for path in (copy / ".git").rglob("*") if path.is_file() and "hooks" not in path.parts)
        for start in range(0, min(len(data) - 3, 16), 4):
            _damage(files[data[start] % len(files)], data[start + 1] % 6, data[start + 2] * 256 + data[start + 3])
        yield copy


def _damage(file: Path, kind: int, where: int) -> None:
    if not file.is_file():
        return
    file.chmod(0o644)
    content = file.read_bytes()
    where = where % (len(content) + 1)
    if kind == 0:
        file.unlink()
    elif kind == 1:
        file.write_bytes(content[:where])
    elif kind == 2:
        file.write_bytes(content[:where] + bytes([(content + b"\x00")[where] ^ 0xFF]) + content[where + 1 :])
    elif kind == 3:
        file.write_bytes(b"")
    elif kind == 4:
        file.write_bytes(content[:where] + b"\xff\x00\n" + content[where:])
    else:
        file.unlink()
        file.mkdir()


def read_baselines(data: bytes) -> None:
    """The reader answers with a text or with a sentence, and is as well as before for another repository."""
    with damaged(data) as folder, BaselineReader() as reader:
        files = [folder / name for name in (*_FILES, _LATIN_NAME, "jobs/gone.sql")]
        for name in _SPECS[: 2 + data[0] % len(_SPECS) if data else 2]:
            spec = BaselineSpec.parse(name, folder)
            for file in files[:3] if spec != HEAD else files:
                _check_answer(reader.read(file, spec))
        whole = reader.read(_template() / "jobs" / "plain.sql", HEAD)
        assert isinstance(whole, Baseline), whole


def run_commands(data: bytes) -> None:
    """The command line says what it cannot read, and ends with one of its statuses."""
    with damaged(data) as folder:
        job = str(folder / "jobs" / "plain.sql")
        commands = (["check", job], ["history", job], ["check", "--against", "HEAD~1", str(folder / "jobs")])
        command = commands[data[1] % len(commands) if len(data) > 1 else 0]
        run(command)


def _check_answer(answer: Baseline | NoBaseline) -> None:
    if isinstance(answer, NoBaseline):
        assert answer.sentence.strip() and "Traceback" not in answer.sentence, answer
    else:
        assert isinstance(answer.text, str)


def _seeds() -> list[bytes]:
    return [b"", *(bytes((number * 7, number % 6, number, 40)) for number in range(24)), bytes(range(16))]


TARGETS = (
    Target("repositories", read_baselines, _seeds),
    Target("commands", run_commands, _seeds),
)

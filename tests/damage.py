"""Repositories with something wrong in them, and all that asks about a job in one.

The job in the work tree, and in the index, is incompatible with every baseline that it has. So each command fails for
it, whatever it is compared with; a command that succeeds has compared it with nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.virtual_documents import VirtualDocuments
from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.client_settings import Settings
from repositories import GitRepository

MINUTES = """\
CREATE TABLE orders (
  region STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO daily
SELECT region, window_start, COUNT(*) AS orders
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '{}' MINUTE))
GROUP BY region, window_start, window_end;
"""
JOB = "jobs/daily.sql"
DEPLOYED = "refs/keepstate/deployed/production"

# ------------------------------------------------------------------------------------------------ repositories


def make(folder: Path, *init: str) -> GitRepository:
    """A repository whose job was edited by each commit, staged with another edit, and marked as deployed."""
    repository = GitRepository(folder, *init)
    repository.commit({JOB: MINUTES.format(1), "other.txt": "one", "keepstate.toml": 'engine = "vvr"\n'})
    repository.git("tag", "-a", "-m", "the first", "v1")
    repository.commit({JOB: MINUTES.format(2), "other.txt": "two"})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({JOB: MINUTES.format(3), "other.txt": "three"})
    here = Path.cwd()
    os.chdir(folder)
    try:
        assert answer("deployed", "mark", "--commit", "v1", "--by", "Ada", JOB)[0] == 0
    finally:
        os.chdir(here)
    repository.write(JOB, MINUTES.format(9))
    repository.git("add", "--all")
    return repository


def packed(repository: GitRepository) -> None:
    """All objects in one pack, all refs in one file."""
    repository.git("repack", "-a", "-d", "--quiet")
    repository.git("prune-packed")
    repository.git("pack-refs", "--all")


# ------------------------------------------------------------------------------------------------ what asks


@dataclass(frozen=True)
class Asking:
    """A way to ask about the job, by the words of a command; ``None``: by an editor."""

    name: str
    words: tuple[str, ...] | None
    fails: int = 1
    """The exit status where nothing is wrong: findings, but for commands that only show."""


ASKING = (
    Asking("check", ("check", "--format", "json")),
    Asking("staged", ("check", "--staged", "--format", "json")),
    Asking("named", ("check", JOB, "--format", "json")),
    Asking("folder", ("check", "jobs", "--format", "json")),
    Asking("staged named", ("check", "--staged", JOB, "--format", "json")),
    Asking("merge base", ("check", "--against", "merge-base:main", "--format", "json")),
    Asking("tag", ("check", "--against", "tag:v*", "--format", "json")),
    Asking("deployed", ("check", "--against", "deployed", "--format", "json")),
    Asking("blame", ("check", "--against", "deployed", "--new-since", "merge-base:main", "--format", "json")),
    Asking("current", ("check", "--against", "HEAD~1", "--current", "HEAD", "--format", "json")),
    Asking("deployed diff", ("deployed", "diff", "--format", "json")),
    Asking("history", ("history", JOB, "--format", "json"), 0),
    Asking("baseline", ("baseline", JOB), 0),
    Asking("editor", None, 0),
)


def answer(*words: str) -> tuple[int, str]:
    """Exit status and output of a command."""
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, "utf-8", write_through=True)
    with redirect_stdout(stdout), redirect_stderr(io.StringIO()):
        status = main(list(words))
    stdout.flush()
    return status, raw.getvalue().decode()


def ask(asking: Asking, folder: Path) -> tuple[bool, str]:
    """The answer to the question, and whether there was one at all."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        if asking.words is None:
            return _in_an_editor(folder)
        status, output = answer(*asking.words)
        return status != 2, _stripped(output)
    finally:
        os.chdir(here)


def _in_an_editor(folder: Path) -> tuple[bool, str]:
    path = folder / JOB
    document = Document(uri_of(path), "flink-sql", 1, MINUTES.format(9))
    with BaselineReader() as reader:
        service = AnalysisService(KeepstateAnalyzer(), reader, VirtualDocuments(folder / ".git-shelf", in_memory=True))
        analysis = service.analyse(document, Settings(), folder, None)
    if analysis.without is not None:
        return not analysis.without.amiss, analysis.without.sentence
    assert analysis.report is not None, analysis.failure
    return True, analysis.report.verdict.value


def _stripped(output: str) -> str:
    """An answer without what two copies of a repository do not share."""
    try:
        return json.dumps(json.loads(output), sort_keys=True)
    except ValueError:
        return output


# ------------------------------------------------------------------------------------------------ objects


def objects(repository: GitRepository) -> dict[str, str]:
    """Hashes of the objects on the way to a baseline, by name."""
    names = {
        "commit of HEAD": "HEAD",
        "commit of main": "main",
        "commit of the tag": "v1^{commit}",
        "tag": "v1",
        "tree of HEAD": "HEAD^{tree}",
        "folder of HEAD": "HEAD:jobs",
        "blob of HEAD": f"HEAD:{JOB}",
        "configuration of HEAD": "HEAD:keepstate.toml",
        "tree of main": "main^{tree}",
        "folder of main": "main:jobs",
        "blob of main": f"main:{JOB}",
        "folder of the tag": "v1:jobs",
        "blob of the tag": f"v1:{JOB}",
        "commit of the mark": DEPLOYED,
        "tree of the mark": f"{DEPLOYED}^{{tree}}",
        "folder of the mark": f"{DEPLOYED}:records/jobs",
        "record of the mark": f"{DEPLOYED}:records/{JOB}.json",
        "staged blob": f":{JOB}",
    }
    return {name: repository.git("rev-parse", revision) for name, revision in names.items()}


def place(folder: Path, identity: str) -> Path:
    """The file of a loose object, which may be written to."""
    path = folder / ".git/objects" / identity[:2] / identity[2:]
    path.chmod(0o644)
    return path


def _missing(path: Path, _: str) -> None:
    path.unlink()


def _empty(path: Path, _: str) -> None:
    path.write_bytes(b"")


def _truncated(path: Path, _: str) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _garbage(path: Path, _: str) -> None:
    path.write_bytes(b"\x78\x01 this is no object " * 3)


def _other_content(path: Path, identity: str) -> None:
    """A well-formed object of the same kind, of another content: git itself takes it as it is."""
    kind, _, body = _inflated(path)
    if kind == b"blob":
        body = body.replace(b"INTERVAL", b"interval") + b"-- other\n"
    elif kind == b"tree":
        # The first entry under another name.
        mode, _, rest = body.partition(b" ")
        name, _, hashes = rest.partition(b"\0")
        body = mode + b" " + bytes(reversed(name)) + b"\0" + hashes
    elif kind == b"commit":
        # Without its parents, so that all files came with it.
        body = b"\n".join(line for line in body.split(b"\n") if not line.startswith(b"parent ")) + b"other\n"
    else:
        body += b"other\n"
    _deflated(path, kind, body)


def _other_kind(path: Path, identity: str) -> None:
    kind, _, body = _inflated(path)
    _deflated(path, b"blob" if kind != b"blob" else b"tree", body)


def _folder(path: Path, _: str) -> None:
    path.unlink()
    path.mkdir()


SERIOUS = ("commit of HEAD", "folder of HEAD", "blob of HEAD", "tag", "record of the mark")
"""Objects that are spoiled in all ways; the others only in the most different ways."""
WAYS: dict[str, Callable[[Path, str], None]] = {
    "missing": _missing,
    "empty": _empty,
    "truncated": _truncated,
    "garbage": _garbage,
    "of another content": _other_content,
    "of another kind": _other_kind,
    "a folder": _folder,
}


def _inflated(path: Path) -> tuple[bytes, bytes, bytes]:
    header, _, body = zlib.decompress(path.read_bytes()).partition(b"\0")
    kind, _, size = header.partition(b" ")
    return kind, size, body


def _deflated(path: Path, kind: bytes, body: bytes) -> None:
    data = b"%b %d\0" % (kind, len(body)) + body
    assert hashlib.sha1(data).hexdigest() != path.parent.name + path.name
    path.write_bytes(zlib.compress(data))


# ------------------------------------------------------------------------------------------------ refs and the rest


def _write(name: str, text: str | bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        path = folder / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    return write


def _remove(name: str) -> Callable[[Path], None]:
    def remove(folder: Path) -> None:
        path = folder / ".git" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return remove


def _changed(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        path = folder / ".git" / name
        path.write_bytes(change(path.read_bytes()))

    return write


def _flipped(data: bytes) -> bytes:
    """One byte in the middle is another one."""
    middle = len(data) // 2
    return data[:middle] + bytes((data[middle] ^ 0x20,)) + data[middle + 1 :]


REFS = {
    "HEAD": "refs/heads/topic",
    "main": "refs/heads/main",
    "tag": "refs/tags/v1",
    "deployed": DEPLOYED,
}
NOWHERE = "0123456789" * 4
REF_WAYS: dict[str, Callable[[str], Callable[[Path], None]]] = {
    "missing": _remove,
    "empty": lambda ref: _write(ref, ""),
    "blank": lambda ref: _write(ref, "\n"),
    "zeros": lambda ref: _write(ref, "0" * 40 + "\n"),
    "NULs": lambda ref: _write(ref, b"\0" * 41),
    "words": lambda ref: _write(ref, "this is no hash\n"),
    "half a hash": lambda ref: _write(ref, NOWHERE[:20] + "\n"),
    "to nothing": lambda ref: _write(ref, NOWHERE + "\n"),
    "in a circle": lambda ref: _write(ref, f"ref: {ref}\n"),
    "to a ref that is gone": lambda ref: _write(ref, "ref: refs/heads/gone\n"),
}


def to_object(ref: str, revision: str) -> Callable[[Path], None]:
    """A ref that names another object."""

    def write(folder: Path) -> None:
        identity = GitRepository(folder).git("rev-parse", revision)
        _write(ref, identity + "\n")(folder)

    return write


STAGING = {
    "missing": _remove("index"),
    "empty": _write("index", b""),
    "truncated": _changed("index", lambda data: data[: len(data) // 2]),
    "garbage": _write("index", b"DIRC this is no index"),
    "one bit": _changed("index", _flipped),
    "a folder": lambda folder: ((folder / ".git/index").unlink(), (folder / ".git/index").mkdir()),
}
FILES: dict[str, Callable[[Path], None]] = {
    "HEAD is missing": _remove("HEAD"),
    "HEAD is empty": _write("HEAD", ""),
    "HEAD is garbage": _write("HEAD", b"\xff\xfe\0"),
    "HEAD names no commit": _write("HEAD", NOWHERE + "\n"),
    "HEAD names a file": _write("HEAD", "ref: refs/heads/../config\n"),
    "no objects": _remove("objects"),
    "no refs": _remove("refs"),
    "no branches": _remove("refs/heads"),
    "configuration is garbage": _write("config", b"[core\n"),
    "a later format": _write("config", "[core]\n\trepositoryformatversion = 99\n"),
    "an unknown extension": _write("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnoSuch = true\n"),
    "refs in a table": _write(
        "config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"
    ),
    "a table without its extension": _write("HEAD", "ref: refs/heads/.invalid\n"),
    "packed refs are garbage": _write("packed-refs", b"\0\1\2 this is no list\n"),
    "history was cut off by garbage": _write("shallow", "this is no hash\n"),
}

"""Configuration and files that lead out of the workspace, never end, or are made to be hard to read."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from keepstate_lsp.cli.main import main
from keepstate_lsp.config.acceptance_file import AcceptanceFile, AcceptanceFileError
from keepstate_lsp.config.file import Configuration, ConfigurationError
from repositories import GitRepository
from traps import contents

JOB = "CREATE TABLE o (a INT) WITH ('connector' = 'x');\nINSERT INTO s SELECT a, COUNT(*) FROM o GROUP BY a;\n"
FAR = (
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "//host/share/x",
    "\\\\\\\\host\\\\share\\\\x",
    "~root/x",
    "$HOME/x",
)
BOMBS = {
    "nested arrays": "a = " + "[" * 100_000,
    "nested tables": "parameters.a = " + "{b = " * 5_000,
    "dotted keys": "parameters." + "a." * 50_000 + "a = 1",
    "a dotted header": "[parameters" + ".a" * 100_000 + "]",
    "a large number": "parameters.a = " + "9" * 900_000,
    "many tables": "[[job]]\nfiles = ['a']\n" * 10_000,
    "many keys": "[parameters]\n" + "".join(f"k{n} = 1\n" for n in range(20_000)),
    "too much": "# " + "x" * 2_000_000,
    "no set of characters": 'files = ["[!]", "[z-a]", "[[[[", "*/**/**/*"]',
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_configuration_that_is_hard_to_read_is_answered(name: str, tmp_path: Path) -> None:
    path = tmp_path / "keepstate.toml"
    path.write_text(BOMBS[name])
    with suppress(ConfigurationError):
        found = Configuration.around(tmp_path)
        assert found is not None
        found.job_config(tmp_path / "a.sql")
    ledger = tmp_path / "keepstate.accepted.toml"
    ledger.write_text(BOMBS[name])
    with pytest.raises(AcceptanceFileError):
        AcceptanceFile.at(ledger)


@pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices are those of Unix")
@pytest.mark.parametrize(
    "kind",
    [
        "pipe",
        "device",
        "link to a device",
        "link to itself",
        "dangling link",
        "folder",
        "full folder",
        "link out of it",
    ],
)
@pytest.mark.parametrize("name", ["keepstate.toml", "keepstate.accepted.toml", "pyproject.toml", "a.fql"])
def test_a_file_that_is_none_is_reported(
    kind: str, name: str, repository: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({"a.fql": JOB, "b.fql": JOB})
    repository.write("b.fql", JOB.replace("COUNT(*)", "SUM(a)"))
    path = repository.folder / name
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "link to a device":
        (tmp_path / "between").symlink_to("/dev/zero")
        path.symlink_to(tmp_path / "between")
    elif kind == "link to itself":
        path.symlink_to(path)
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "folder":
        path.mkdir()
    elif kind == "full folder":
        path.mkdir()
        (path / "a.fql").write_text(JOB)
    else:
        (tmp_path / "secret").write_text("root:x:0:0")
        path.symlink_to(tmp_path / "secret")
    status = main(["check", str(repository.folder / "b.fql"), str(repository.folder / "a.fql")])
    said = capsys.readouterr()
    if name != "a.fql" and (name, kind) != ("pyproject.toml", "link out of it"):
        # A gate must not go on as if nothing was configured, or accepted. A readable pyproject.toml that does not name
        # Keepstate is that of other tools.
        assert status == 2 and name in said.err
    assert status in (0, 1, 2)
    assert "Traceback" not in said.err and "fault of Keepstate" not in said.out


@pytest.mark.parametrize("name", ["keepstate.toml", "pyproject.toml"])
def test_a_configuration_that_must_not_be_read_is_reported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).touch()

    def refused(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(ConfigurationError, match="Permission denied"):
        Configuration.around(tmp_path)
    # Where nothing of that name is seen, a folder may not be entered, and has no say.
    (tmp_path / name).unlink()
    assert Configuration.around(tmp_path) is None


@pytest.mark.parametrize("key", ["files", "job.files", "baseline", "job.baseline"])
@pytest.mark.parametrize("value", [*FAR, "a\0b", "a" * 5_000])
def test_a_path_in_a_configuration_leads_nowhere_but_to_reading(
    key: str, value: str, repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = f"file:{value}" if key.endswith("baseline") else [value]
    line = f"{key.removeprefix('job.')} = {json.dumps(entry)}\n"
    header = '[[job]]\nfiles = ["a.fql"]\n' if key == "job.baseline" else "[[job]]\n"
    repository.commit({"a.fql": JOB})
    repository.write("keepstate.toml", f"{header}{line}" if key.startswith("job.") else line)
    repository.write("a.fql", JOB.replace("COUNT(*)", "SUM(a)"))
    around = contents(repository.folder.parent)
    assert main(["check", str(repository.folder / "a.fql")]) in (0, 1, 2)
    said = capsys.readouterr()
    assert "Traceback" not in said.err and "fault of Keepstate" not in said.out
    assert contents(repository.folder.parent) == around


def test_a_link_out_of_the_tree_is_judged_as_what_git_stores_of_it(
    repository: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside.fql"
    outside.write_text(JOB)
    (repository.folder / "a.fql").symlink_to(outside)
    repository.commit()
    outside.write_text(JOB.replace("COUNT(*)", "SUM(a)"))
    assert main(["check", str(repository.folder)]) in (0, 1, 2)
    assert "fault of Keepstate" not in capsys.readouterr().out

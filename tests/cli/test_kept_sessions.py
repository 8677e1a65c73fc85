"""Warm Spark sessions without a Spark: who may ask them, when they end, and what they leave behind."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.cli.commands.spark.client import connected, start_session, status_of_warm_run
from keepstate_lsp.cli.commands.spark.messages import BrokenOff, is_of_this_user, receive, send
from keepstate_lsp.cli.commands.spark.session_folder import (
    NotPrivate,
    SessionFiles,
    can_be_warm,
    private_folder,
    require_private,
)
from keepstate_lsp.cli.commands.spark.session_key import SessionChoice, session_key
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.parser import parsed

pytestmark = pytest.mark.skipif(not can_be_warm(), reason="no session can be warm on this system")

# It says where its gateway is, as Spark does, and ends with its standard input.
JAVA = """#!/bin/sh
printf '\\000\\000\\000\\001\\000\\000\\000\\000' > "$_PYSPARK_DRIVER_CONN_INFO_PATH.new"
mv "$_PYSPARK_DRIVER_CONN_INFO_PATH.new" "$_PYSPARK_DRIVER_CONN_INFO_PATH"
exec cat > /dev/null
"""
LONG = 3600.0


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionFiles]:
    """The place of a session that no other test has, on a Java that runs nothing."""
    pytest.importorskip("pyspark")
    # The name of a socket is short, and folders of tests are not.
    home = Path(tempfile.mkdtemp(prefix="ks-"))
    java = home / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA)
    java.chmod(0o755)
    (home / "jdk" / "release").write_text('JAVA_VERSION="17.0.9"\n')
    (home / "run").mkdir(mode=0o700)
    for name, value in {"XDG_RUNTIME_DIR": home / "run", "XDG_CACHE_HOME": home, "JAVA_HOME": home / "jdk"}.items():
        monkeypatch.setenv(name, str(value))
    yield SessionFiles(private_folder(), "0123456789abcdef")
    main(["spark", "stop"])
    shutil.rmtree(home)


def start(place: SessionFiles, idle: float = LONG) -> int:
    """Start a session. Return its process when it answers, or when it ends soon."""
    connection = start_session(place, SessionChoice("1g", {}), idle)
    assert connection is not None
    connection.close()
    record = place.read()
    assert record is not None
    if idle == LONG:
        assert "commands" in asked(place, {"secret": record["secret"], "ask": "status"})
    return int(record["process"])


def wait_for_end(process: int) -> None:
    """Wait until a process that is no child of this one has ended."""
    if not hasattr(os, "pidfd_open"):
        pytest.skip("this system tells no end of a process")
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return
    assert select.select([watched], [], [], 120)[0]
    os.close(watched)


def asked(place: SessionFiles, message: dict[str, Any]) -> dict[str, Any]:
    connection = connected(place)
    assert connection is not None
    with closing(connection):
        send(connection, message)
        return receive(connection)[0]


def test_it_ends_when_idle_and_leaves_nothing_behind(place: SessionFiles) -> None:
    wait_for_end(start(place, idle=0.2))
    assert list(place.folder.iterdir()) == []
    assert connected(place) is None


def test_it_is_shown_and_stopped(place: SessionFiles, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spark", "status"]) == 0
    assert capsys.readouterr().out == "No Spark session is kept warm.\n"
    process = start(place)
    assert main(["spark", "status", "--format", "json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["sessions"]
    assert (shown["process"], shown["commands"], shown["busy"]) == (process, 0, False)
    assert main(["spark", "status"]) == 0
    assert "with 1g, 0 commands, ends after 3600 s without a command\n" in capsys.readouterr().out
    assert main(["spark", "stop"]) == 0
    assert capsys.readouterr().out == "1 warm Spark session ended.\n"
    wait_for_end(process)
    assert list(place.folder.iterdir()) == []
    assert main(["spark", "stop"]) == 0
    assert capsys.readouterr().out == "No Spark session was kept warm.\n"


def test_a_second_start_finds_the_first(place: SessionFiles) -> None:
    assert start(place) == start(place)


def test_its_files_are_of_one_user(place: SessionFiles) -> None:
    start(place)
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    for path in (place.socket, place.record):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("secret", ["", "0" * 64, "é"])
def test_without_its_secret_it_answers_nothing(place: SessionFiles, secret: str) -> None:
    start(place)
    for ask in ("status", "stop", "run"):
        assert asked(place, {"secret": secret, "ask": ask}) == {"refused": "The secret of this session is another one."}
    record = place.read()
    assert record is not None
    assert asked(place, {"secret": record["secret"], "ask": "status"})["commands"] == 0


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0\0\5{}", b"\xff\xff\xff\xff{}", b"\0\0\0\2[]", b"\0\0\0\2{{"])
def test_it_outlives_what_is_no_message(place: SessionFiles, data: bytes) -> None:
    process = start(place)
    connection = connected(place)
    assert connection is not None
    with closing(connection):
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        # A connection that is closed before all was read breaks.
        with suppress(ConnectionResetError):
            assert connection.recv(1) == b""
    assert start(place) == process


def test_processes_of_other_users_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(socket, "SO_PEERCRED"):
        pytest.skip("this system does not say whose process the other side is")
    one, other = socket.socketpair()
    with one, other:
        assert is_of_this_user(one)
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert not is_of_this_user(one)


def test_folders_that_others_can_enter_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    require_private(folder)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        with pytest.raises(NotPrivate, match="is no folder"):
            require_private(tmp_path / name)
    for mode in (0o710, 0o701, 0o720):
        folder.chmod(mode)
        with pytest.raises(NotPrivate, match="Other users can enter"):
            require_private(folder)
    folder.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(NotPrivate, match="belongs to another user"):
        require_private(folder)


def test_a_folder_of_others_is_said(place: SessionFiles, capsys: pytest.CaptureFixture[str]) -> None:
    place.folder.chmod(0o755)
    assert main(["spark", "status"]) == 0
    assert "Other users can enter" in capsys.readouterr().err
    place.folder.chmod(0o700)


def test_keys_differ_by_all_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = Path(sys.executable)
    usual = SessionChoice("1g", {"a": "b"})
    environment = {"HOME": "/home/me", "TERM": "xterm"}
    key = session_key(usual, java, environment)
    assert key == session_key(SessionChoice("1g", {"a": "b"}), java, {**environment, "TERM": "vt100", "PWD": "/x"})
    others = [
        session_key(SessionChoice("2g", {"a": "b"}), java, environment),
        session_key(SessionChoice("1g", {"a": "c"}), java, environment),
        session_key(usual, java, {**environment, "AWS_PROFILE": "other"}),
        session_key(usual, java, {**environment, "PYTHONPATH": "other"}),
        session_key(usual, java, {**environment, "https_proxy": "other"}),
        session_key(usual, Path(__file__), environment),
    ]
    monkeypatch.setattr("keepstate_lsp.cli.commands.spark.session_key.VERSION", "0.0.0")
    others.append(session_key(usual, java, environment))
    assert len({key, *others}) == len(others) + 1


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--no-warm"], {"KEEPSTATE_WARM": "1"}),
        ([], {"KEEPSTATE_WARM": "0"}),
        ([], {"CI": "true"}),
        ([], {"KEEPSTATE_WARM": "", "CI": "1"}),
        (["--master", "spark://host:7077"], {"KEEPSTATE_WARM": "1"}),
        ([], {"KEEPSTATE_WARM": "1", "PYSPARK_GATEWAY_PORT": "1"}),
    ],
)
def test_nothing_is_kept_where_that_is_refused(
    place: SessionFiles, words: list[str], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEEPSTATE_WARM", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    line = ["run", "job.sql", *words]
    assert status_of_warm_run(parsed(line), line) is None
    assert list(place.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("KEEPSTATE_WARM", "yes", "KEEPSTATE_WARM is 'yes': it can be 0 or 1."),
        ("KEEPSTATE_WARM_IDLE", "0", "KEEPSTATE_WARM_IDLE is '0': it can be a number of seconds above 0."),
        ("KEEPSTATE_WARM_IDLE", "nan", "KEEPSTATE_WARM_IDLE is 'nan': it can be a number of seconds above 0."),
        ("KEEPSTATE_WARM_IDLE", "soon", "KEEPSTATE_WARM_IDLE is 'soon': it can be a number of seconds above 0."),
    ],
)
def test_variables_without_a_meaning(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert main(["run", "job.sql"]) == 2
    assert words in capsys.readouterr().err


def test_a_broken_connection_is_no_message() -> None:
    one, other = socket.socketpair()
    other.close()
    with one, pytest.raises(BrokenOff):
        receive(one)


def test_messages_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keepstate_lsp.cli.commands.spark.messages._MOST_BYTES", len('{"a": 1}'))
    one, other = socket.socketpair()
    with one, other:
        send(one, {"a": 1})
        assert receive(other)[0] == {"a": 1}
        send(one, {"a": 10})
        with pytest.raises(BrokenOff):
            receive(other)


def test_folders_with_a_long_name_have_no_socket(place: SessionFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = len(os.fsencode(place.socket))
    monkeypatch.setattr("keepstate_lsp.cli.commands.spark.session_folder._LONGEST_SOCKET", longest)
    assert private_folder() == place.folder
    monkeypatch.setattr("keepstate_lsp.cli.commands.spark.session_folder._LONGEST_SOCKET", longest - 1)
    with pytest.raises(NotPrivate, match="too long for the name of a socket"):
        private_folder()


def test_open_files_travel_beside_a_message(tmp_path: Path) -> None:
    one, other = socket.socketpair()
    with one, other, (tmp_path / "file").open("w") as file:
        send(one, {"ask": "run"}, [file.fileno()])
        message, (copy,) = receive(other, 4)
    os.write(copy, b"there")
    os.close(copy)
    assert (message, (tmp_path / "file").read_text()) == ({"ask": "run"}, "there")


def test_the_session_imports_nothing_from_the_folder_of_a_command(
    place: SessionFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text(f"open({str(tmp_path / 'taken')!r}, 'w')")
    (tmp_path / "keepstate_spark.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    start(place)
    assert asked(place, {"secret": (place.read() or {})["secret"], "ask": "status"})["busy"] is False
    assert not (tmp_path / "taken").exists()

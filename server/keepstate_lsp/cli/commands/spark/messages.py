"""Messages between a command and a warm session: a length, and as many bytes of JSON; open files travel beside it."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Any

_LENGTH = struct.Struct("!I")
_MOST_BYTES = 16 << 20
_PEER = struct.Struct("3i")


class BrokenOff(Exception):
    """The other side closed the connection, or sent no message."""


def send(connection: socket.socket, message: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    """Send a message, with copies of open files."""
    data = json.dumps(message).encode()
    head = _LENGTH.pack(len(data))
    if files:
        socket.send_fds(connection, [head], list(files))
        connection.sendall(data)
    else:
        connection.sendall(head + data)


def receive(connection: socket.socket, most_files: int = 0) -> tuple[dict[str, Any], list[int]]:
    """The next message and its open files, which the caller has to close.

    Raises:
        BrokenOff: there is none.
    """
    files: list[int] = []
    try:
        if most_files:
            head, files, _, _ = socket.recv_fds(connection, _LENGTH.size, most_files)
            head += _bytes(connection, _LENGTH.size - len(head)) if head else b""
        else:
            head = _bytes(connection, _LENGTH.size)
        if len(head) < _LENGTH.size:
            raise BrokenOff
        (length,) = _LENGTH.unpack(head)
        if length > _MOST_BYTES:
            raise BrokenOff
        message = json.loads(_bytes(connection, length))
        if not isinstance(message, dict):
            raise BrokenOff
    except (BrokenOff, OSError, ValueError) as error:
        for file in files:
            os.close(file)
        raise BrokenOff from error
    return message, files


def is_of_this_user(connection: socket.socket) -> bool:
    """Return whether the other side is a process of this user. Systems that do not say so rely on the folder."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or sys.platform == "win32":
        return True
    _, user, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, option, _PEER.size))
    return bool(user == os.geteuid())


def _bytes(connection: socket.socket, number: int) -> bytes:
    data = b""
    while len(data) < number:
        more = connection.recv(number - len(data))
        if not more:
            raise BrokenOff
        data += more
    return data

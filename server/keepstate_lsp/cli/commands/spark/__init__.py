"""``keepstate spark``: show and end the Spark sessions that ``replay`` and ``run`` keep warm."""

from __future__ import annotations

import argparse
import json
import socket
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from keepstate_lsp.cli.commands.spark.messages import BrokenOff, receive, send
from keepstate_lsp.cli.commands.spark.session_folder import (
    NotPrivate,
    SessionFiles,
    can_be_warm,
    places,
    private_folder,
)
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.terminal.output import Output

_ANSWER_SECONDS = 10.0
_END_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    status = actions.add_parser("status", help="show the warm sessions", description="Show the warm sessions.")
    status.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    status.set_defaults(action=_status)
    stop = actions.add_parser("stop", help="end all warm sessions", description="End all warm sessions.")
    stop.set_defaults(action=_stop)


def run(arguments: argparse.Namespace) -> int:
    status: int = arguments.action(arguments)
    return status


def _status(arguments: argparse.Namespace) -> int:
    found = []
    for place in _places():
        record, answer = place.read(), _session_answer(place, "status", _ANSWER_SECONDS)
        if record is not None and answer:
            process = {"key": place.key, "process": record["process"], "seconds": round(time.time() - record["begin"])}
            found.append({**process, **answer})
    with Output() as output:
        if arguments.format == "json":
            output.write_text(json.dumps({"sessions": found}, indent=2) + "\n")
        else:
            output.write_text("".join(map(_line, found)) or "No Spark session is kept warm.\n")
    return FINE


def _line(session: Mapping[str, Any]) -> str:
    process = f"process {session['process']}, {session['seconds'] // 60} min old: "
    if session.get("late"):
        return f"{process}no answer within {_ANSWER_SECONDS:g} s; it may be starting\n"
    commands = session["commands"]
    served = f"{commands} command{'' if commands == 1 else 's'}"
    work = "at work" if session["busy"] else f"ends after {session['idle']:g} s without a command"
    return f"{process}Java {session['jvm']} with {session['memory']}, {served}, {work}\n"


def _stop(_: argparse.Namespace) -> int:
    status, ended = FINE, 0
    for place in _places():
        record, answer = place.read(), _session_answer(place, "stop", _END_SECONDS)
        if answer == {}:
            ended += 1
        elif record is not None and answer is not None:
            tell(f"The warm Spark session of process {record['process']} has not ended within {_END_SECONDS:g} s.")
            status = NOT_COMPARED
    with Output() as output:
        sessions = f"{ended} warm Spark session{'' if ended == 1 else 's'} ended."
        output.write_text(f"{sessions if ended else 'No Spark session was kept warm.'}\n")
    return status


def _places() -> list[SessionFiles]:
    """The places of this user's sessions; none where there can be none."""
    if not can_be_warm():
        return []
    try:
        return places(private_folder(make=False))
    except FileNotFoundError:
        return []
    except NotPrivate as error:
        tell(str(error))
        return []


def _session_answer(place: SessionFiles, ask: str, patience: float) -> dict[str, Any] | None:
    """The answer of a session: nothing in it once the session has ended; ``None`` if there is no session."""
    record = place.read()
    with closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.settimeout(patience)
        try:
            connection.connect(str(place.socket))
            send(connection, {"secret": (record or {}).get("secret", ""), "ask": ask})
        except OSError:
            return None
        try:
            return receive(connection)[0]
        except BrokenOff as error:
            return {"late": True} if isinstance(error.__cause__, TimeoutError) else {}

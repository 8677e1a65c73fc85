"""The command line of a replay, to run it again."""

from __future__ import annotations

import argparse
import re
import shlex

_SECRET = re.compile(r"password|passwd|secret|token|credential|access.?key|api.?key", re.IGNORECASE)
_PLAIN = (
    "against",
    "restart_at",
    "config",
    "engine",
    "engine_version",
    "baseline_engine_version",
)
_PAIRS = ("data", "arrival", "parameter", "baseline_parameter")


def command_line(arguments: argparse.Namespace) -> str:
    """The options that decide on the result, quoted for a shell. Settings of Spark and secret parameters are left out:
    a page is passed on.
    """
    words = ["keepstate", "replay", str(arguments.file)]
    for name in _PLAIN:
        value = getattr(arguments, name)
        if value is not None:
            words += [_option(name), str(value)]
    for name in _PAIRS:
        pairs = getattr(arguments, name)
        for key, value in pairs:
            words += [_option(name), f"{key}={'...' if _SECRET.search(key) else value}"]
    # A caller that hands the versions over has a private folder.
    if arguments.output is not None and arguments.versions is None:
        words += ["--output", str(arguments.output)]
    return shlex.join(words)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"

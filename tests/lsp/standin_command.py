"""A stand-in for the commands that the server runs beside itself, in the place of Python.

It leaves what it was given in ``arguments.json`` of its own folder, says one step, and waits at the pipe ``answer`` for
what it shall do: write a document to where ``--output`` says, or end with the words of a failure.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    home = Path(__file__).parent
    options = dict(word.removeprefix("--").partition("=")[::2] for word in arguments if word.startswith("--"))
    versions = json.loads(Path(options["versions"]).read_text("utf-8"))
    (home / "arguments.json").write_text(json.dumps({"arguments": arguments, "versions": versions}), "utf-8")
    sys.stderr.write('{"progress": {"query": "INSERT INTO daily", "done": 0, "total": 0}}\n')
    sys.stderr.flush()
    answer = json.loads((home / "answer").read_text("utf-8"))
    if "says" in answer:
        sys.stderr.write(f"keepstate verify: {answer['says']}\n")
        return 2
    Path(options["output"]).write_text(json.dumps(answer), "utf-8")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

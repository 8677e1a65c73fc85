"""How fast the language server is: start, and one keystroke.

    python bench/language_server.py [ROUNDS]

* start: from spawning the process to the response to `initialize`, against a bare pygls server (goal: at most 1.3
  times);
* keystroke: from sending `didChange` to receiving the diagnostics of that version, with scripts of 500 to 5,000 lines
  (goal: at most 3 times the parsing of the changed statement alone plus 10 ms, and less than twice as much from 500 to
  5,000 lines).

A and B alternate, and medians are told: other work on the machine then weighs on both.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BARE = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(params):
    pass


server.start_io()
"""
KEEPSTATE = [sys.executable, "-m", "keepstate_lsp"]
STATEMENT = """
-- Revenue of shop {number}.
INSERT INTO revenue_{number}
SELECT
  window_start,
  window_end,
  category,
  SUM(amount) AS gmv,
  COUNT(*) AS sold
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
WHERE shop = {number} AND amount > 0
GROUP BY window_start, window_end, category;
"""
TABLE = """CREATE TABLE orders (
  shop INT,
  category STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
"""


class Client:
    """The thinnest client there is, so that its own time does not count."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        size = 0
        while header := self._server.stdout.readline().strip():
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
        message: dict[str, Any] = json.loads(self._server.stdout.read(size))
        return message

    def receive_about(self, version: int) -> dict[str, Any]:
        while True:
            params = self.receive().get("params") or {}
            if params.get("version") == version:
                return params

    def initialize(self) -> None:
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
        self.receive()

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def start(command: list[str], folder: Path) -> float:
    began = time.perf_counter()
    client = Client(command, folder)
    client.initialize()
    took = time.perf_counter() - began
    client.close()
    return took


def script(lines: int) -> str:
    count = (lines - TABLE.count("\n")) // STATEMENT.count("\n")
    return TABLE + "".join(STATEMENT.format(number=number) for number in range(count))


def keystrokes(folder: Path, lines: int, rounds: int) -> list[float]:
    """Seconds from each change to its diagnostics; every change makes a statement that was never seen before."""
    text = script(lines)
    path = folder / f"job_{lines}.sql"
    path.write_text(text)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "job"]):
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)
    client = Client(KEEPSTATE, folder)
    client.initialize()
    client.send("initialized", {})
    document = {"uri": path.as_uri(), "languageId": "sql", "version": 0, "text": text}
    client.send("textDocument/didOpen", {"textDocument": document})
    client.receive_about(0)
    line = text[: text.index("INTERVAL '10'", len(text) // 2)].count("\n")
    column = text.splitlines()[line].index("'10'") + 1
    times = []
    written = "10"
    for version in range(1, rounds + 1):
        number = str(10 + version)
        range_ = {
            "start": {"line": line, "character": column},
            "end": {"line": line, "character": column + len(written)},
        }
        written = number
        began = time.perf_counter()
        client.send(
            "textDocument/didChange",
            {
                "textDocument": {"uri": path.as_uri(), "version": version},
                "contentChanges": [{"range": range_, "text": number}],
            },
        )
        found = client.receive_about(version)
        times.append(time.perf_counter() - began)
        assert len(found["diagnostics"]) == 1, found
    client.close()
    return times


def parsing(rounds: int) -> list[float]:
    """Seconds for parsing one statement that was never seen before."""
    import keepstate

    keepstate.parse_script("SELECT 1")
    times = []
    for number in range(rounds):
        statement = STATEMENT.format(number=number + 1_000_000)
        began = time.perf_counter()
        keepstate.parse_script(statement)
        times.append(time.perf_counter() - began)
    return times


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    failures = 0

    def tell(what: str, value: float, limit: float) -> None:
        nonlocal failures
        failures += value > limit
        print(f"{what}: {value:.2f} (goal: at most {limit:.2f}){'' if value <= limit else '  MISSED'}")

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "bare.py").write_text(BARE)
        bare, own = [], []
        for _ in range(rounds):
            bare.append(start([sys.executable, str(folder / "bare.py")], folder))
            own.append(start(KEEPSTATE, folder))
        print(f"start: bare pygls {median(bare):.0f} ms, keepstate {median(own):.0f} ms")
        tell("start, ratio", median(own) / median(bare), 1.3)
        parse = median(parsing(100))
        print(f"parsing one statement: {parse:.2f} ms")
        medians = {}
        for lines in (500, 1000, 5000):
            place = folder / str(lines)
            place.mkdir()
            medians[lines] = median(keystrokes(place, lines, 4 * rounds))
            tell(f"keystroke at {lines} lines, ms", medians[lines], 3 * parse + 10)
        tell("keystroke, 5,000 lines to 500 lines", medians[5000] / medians[500], 2)
    return 1 if failures else 0


def median(seconds: list[float]) -> float:
    """The median in milliseconds."""
    return statistics.median(seconds) * 1000


if __name__ == "__main__":
    sys.exit(main())

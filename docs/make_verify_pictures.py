"""Makes docs/images/verify-terminal.svg and verify-ci.svg: the job of docs/picture, restarted on a real Flink.

.venv/bin/python docs/make_verify_pictures.py
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).parent
FILE = "shop.flink.sql"
SINK = """CREATE TABLE revenue (ws TIMESTAMP(3), category STRING, a DECIMAL(38, 2), b DECIMAL(38, 2))
WITH ('connector' = 'print');

"""
WIDTH = 96
FONTS = re.compile(r"@font-face \{\{.*?\}\}\n", re.DOTALL)
"""Fonts from the web: a picture of a page may load none, and a reader's own do."""
COMMANDS = {
    "verify-terminal": ("verify", FILE, "--generate"),
    "verify-ci": ("check", FILE, "--verify"),
}
_ADVICE = "\nNext, on "
"""Begins a part of the text that would make the picture long."""


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "keepstate.toml").write_text('engine = "flink"\n')
        (folder / FILE).write_text(SINK + (DOCS / "picture/flink-baseline.sql").read_text("utf-8"))
        author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        commit = [*author, "commit", "--quiet", "--message", "Revenue"]
        for arguments in (["init", "--quiet"], ["add", "."], commit):
            subprocess.run(["git", *arguments], cwd=folder, check=True)
        (folder / FILE).write_text(SINK + (DOCS / "picture/flink-current.sql").read_text("utf-8"))
        for name, words in COMMANDS.items():
            command = [str(Path(sys.executable).with_name("keepstate")), *words, "--color", "always"]
            # Exit status 1 is that of a finding.
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "COLUMNS": str(WIDTH)},
                capture_output=True,
                text=True,
                check=False,
            )
            picture(f"$ keepstate {' '.join(words)}\n{done.stdout.partition(_ADVICE)[0]}", name)


def picture(shown: str, name: str) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown), overflow="fold")
    text = console.export_svg(title="keepstate", code_format=FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id=name)
    (DOCS / "images" / f"{name}.svg").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

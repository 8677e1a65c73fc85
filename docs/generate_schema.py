"""Writes docs/keepstate.schema.json; with --check, says whether it is fresh."""

from __future__ import annotations

import sys
from pathlib import Path

from keepstate_lsp.config.schema import schema_text

TARGET = Path(__file__).with_name("keepstate.schema.json")


def main(arguments: list[str]) -> int:
    text = schema_text()
    if "--check" in arguments:
        if not TARGET.is_file() or TARGET.read_text("utf-8") != text:
            print(f"{TARGET.name} is not fresh: run make docs")
            return 1
        return 0
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

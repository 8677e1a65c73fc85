"""Writes the examples of the rule pages as the playground opens them, by the names in their links.

python playground/rule_examples.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analyzer")]


def main() -> int:
    from keepstate.rules.page_files import page_examples, setup
    from keepstate.rules.rule_pages import PAGES

    tables: dict[str, str] = {}
    examples: dict[str, Any] = {}
    for page in PAGES:
        before = setup(page.query_kind)
        tables[page.query_kind] = before
        for number, example in enumerate(page_examples(page.query_kind, page.name), start=1):
            alone = example.baseline.alone or example.current.alone
            sides = {}
            for name, block in (("baseline", example.baseline), ("current", example.current)):
                # An example that brings tables of its own has all of its text in its editors.
                text, _ = block.script(before if alone else "", page.name)
                sides[name] = {"text": text, "parameters": block.parameters, "engineVersion": block.engine}
            name = f"{page.query_kind}/{page.name}/{number}"
            examples[name] = {"engine": example.current.profile or "vvr", **sides}
            if not alone:
                examples[name]["tables"] = page.query_kind
    json.dump({"tables": tables, "examples": examples}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

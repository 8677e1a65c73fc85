"""Every test that SECURITY.md names exists, and every part of it names one."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")


def test_the_tests_that_are_named_exist() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = set(re.findall(r"^(?:async )?def (test_\w+)\(", sources, re.MULTILINE))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert named
    assert named <= known, named - known


def test_every_claim_names_the_test_that_holds_it() -> None:
    claims = PAGE[PAGE.index("## What is read") : PAGE.index("## Reporting")]
    rows = [line for line in claims.splitlines() if line.startswith("| ") and not line.startswith("| of ")]
    assert rows and all("`test_" in row for row in rows)
    for part in re.split(r"^## ", claims, flags=re.MULTILINE)[1:]:
        assert "`test_" in part, part


def test_the_bounds_are_those_of_the_code() -> None:
    from keepstate.plan.growth import MOST_OPERATORS, MOST_TERMS
    from keepstate.syntax.grammar.token_cursor import MAX_DEPTH
    from keepstate_lsp.analysis.document_context import MOMENT
    from keepstate_lsp.baselines.decoding import LARGEST_FILE
    from keepstate_lsp.baselines.git import patience
    from keepstate_lsp.baselines.git.objects import MOST_FILES
    from keepstate_lsp.baselines.history import file_renames
    from keepstate_lsp.config.file import LARGEST_FILE as LARGEST_CONFIGURATION
    from keepstate_lsp.runtime.time_limit import COMMAND_SECONDS, EDITOR_SECONDS

    for bound in (
        f"{LARGEST_FILE >> 20} MiB",
        f"{MAX_DEPTH} levels",
        f"{MOST_OPERATORS:,} operators",
        f"{MOST_TERMS:,} terms",
        f"{EDITOR_SECONDS:g} seconds",
        f"{COMMAND_SECONDS:g} seconds",
        f"{LARGEST_CONFIGURATION // 1_000_000} MB",
        f"{patience.EDITOR_SECONDS:g} seconds by the clock",
        f"{patience.COMMAND_SECONDS:g} seconds by the clock",
        f"after {MOMENT:g} seconds work goes on",
        f"{MOST_FILES:,}, in folders",
        f"{file_renames.MOST_CANDIDATES:,} are compared",
    ):
        assert bound in PAGE, bound

"""docs/rules/ is made from the rule pages; here is shown that it is up to date and that its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
RULES = DOCS / "rules"


def _generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DOCS / "generate_rules.py", *arguments], capture_output=True, text=True, check=False
    )


def test_up_to_date() -> None:
    assert (_generate("--check").returncode, _generate("--check").stderr) == (0, "")


def test_what_is_stale_is_named_and_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("old", "utf-8")
    (tmp_path / "gone.md").write_text("nothing makes this one", "utf-8")
    checked = _generate("--check", "--folder", str(tmp_path))
    assert checked.returncode == 1
    assert "README.md" in checked.stderr
    assert "gone.md" in checked.stderr
    assert (tmp_path / "README.md").read_text("utf-8") == "old"

    assert _generate("--folder", str(tmp_path)).returncode == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in RULES.iterdir()
    }


def test_links_lead_to_headings() -> None:
    anchors = {path.name: _anchors(path.read_text("utf-8")) for path in RULES.glob("*.md")}
    broken = [
        f"{path.name}: {target}"
        for path in RULES.glob("*.md")
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
        for name, _, anchor in [target.partition("#")]
        if name not in anchors or (anchor and anchor not in anchors[name])
    ]
    assert broken == []


def _anchors(text: str) -> set[str]:
    """As GitHub makes them: small letters, no punctuation, hyphens for blanks."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

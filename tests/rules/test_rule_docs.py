"""docs/rules/ is made from the rule pages; here is shown that it is up to date and that its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from keepstate.rules.specification import INFERRED, SPEC_IDS
from spec_marks import marked_tests

DOCS = Path(__file__).parents[2] / "docs"
RULES = DOCS / "rules"


def _generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DOCS / "generate_rules.py", *arguments], capture_output=True, text=True, check=False
    )


def test_up_to_date() -> None:
    checked = _generate("--check")
    assert (checked.returncode, checked.stderr) == (0, "")


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


def test_the_list_of_messages_is_up_to_date(tmp_path: Path) -> None:
    page = tmp_path / "messages.md"
    for arguments, status in ((["--check"], 1), ([], 0), (["--check"], 0)):
        command = [sys.executable, DOCS / "generate_messages.py", *arguments, "--page", str(page)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == status
    assert page.read_text("utf-8") == (DOCS / "messages.md").read_text("utf-8")


def test_links_lead_to_headings_and_files() -> None:
    anchors = {path.name: _anchors(path.read_text("utf-8")) for path in RULES.glob("*.md")}
    broken = [
        f"{path.name}: {target}"
        for path in RULES.glob("*.md")
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
        for name, _, anchor in [target.partition("#")]
        if not (RULES / name).is_file() or (anchor and anchor not in anchors[name])
    ]
    assert broken == []


def test_every_page_is_in_the_index() -> None:
    index = (RULES / "README.md").read_text("utf-8")
    assert [
        path.name for path in RULES.glob("*.md") if f"]({path.name})" not in index and path.name != "README.md"
    ] == []


def test_marks_are_read_from_functions_classes_parameters_and_files(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        """
import pytest
pytestmark = pytest.mark.spec("OL-01")

@pytest.mark.spec("OL-02", "OL-03")
def test_one(): ...

@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.spec("OL-04"))])
async def test_two(x): ...

@pytest.mark.spec("OL-05")
class TestThree:
    @pytest.mark.spec("OL-06")
    def test_four(self): ...

def helper():
    return pytest.mark.skip("OL-07")
""",
        "utf-8",
    )
    assert {spec_id: [test.name for test in tests] for spec_id, tests in marked_tests(tmp_path).items()} == {
        "OL-01": ["test_a"],
        "OL-02": ["test_one"],
        "OL-03": ["test_one"],
        "OL-04": ["test_two"],
        "OL-05": ["TestThree"],
        "OL-06": ["TestThree.test_four"],
    }


def _anchors(text: str) -> set[str]:
    """Anchors of its own, and of headings as GitHub makes them: small letters, no punctuation, hyphens for blanks."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'^<a id="([a-z-]+)"></a>$', text, re.MULTILINE))


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("window-tvf/window-size-changed", "as the vendor documents it"),
        ("window-tvf/window-slide-changed", "inferred from changes that the vendor documents"),
        ("set-operation/set-operation-changed", "no page of the vendor lists this change"),
    ],
)
def test_an_effect_without_a_measurement_has_its_source(rule: str, source: str) -> None:
    query, _, name = rule.partition("/")
    section = (DOCS / "rules" / f"{query}.md").read_text("utf-8").partition(f"## `{name}`")[2].partition("\n## ")[0]
    assert re.search(rf"^\| `vvr` \| [^|]+ \| not measured: {source} \|$", section, re.MULTILINE)


def test_inferred_ids_are_ids_of_the_specification() -> None:
    assert set(SPEC_IDS) >= INFERRED

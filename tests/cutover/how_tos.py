"""The how-tos of docs/cutover.md: edits, commands, rows and what is shown, in a repository of the example."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from repositories import GitRepository

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples" / "shop-jobs"
PAGE = ROOT / "docs" / "cutover.md"
ROWS = Path("history/orders/orders.json")


@dataclass(frozen=True)
class HowTo:
    """One how-to. ``shown`` are texts of a terminal, each behind the command that it belongs to."""

    title: str
    diff: str
    commands: tuple[str, ...]
    shown: tuple[str, ...]
    rows: str


def how_tos() -> Iterator[HowTo]:
    part = PAGE.read_text("utf-8").partition("\n## Three how-tos\n")[2].partition("\n## ")[0]
    for section in re.split(r"^### ", part, flags=re.MULTILINE)[1:]:
        blocks: dict[str, list[str]] = {}
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            blocks.setdefault(language, []).append(text)
        (diff,) = blocks["diff"]
        commands = tuple(line for block in blocks["sh"] for line in block.splitlines())
        yield HowTo(
            section.partition("\n")[0], diff, commands, tuple(blocks.get("text", ())), "".join(blocks.get("json", ()))
        )


def deployed_shop(folder: Path) -> GitRepository:
    """The example as a repository of its own."""
    shutil.copytree(SHOP, folder)
    made = GitRepository(folder)
    made.commit(message="Jobs of the shop")
    return made


def edit(repository: GitRepository, how_to: HowTo) -> None:
    """Make the edit of a how-to, and write its rows."""
    subprocess.run(["git", "apply"], cwd=repository.folder, input=how_to.diff.encode(), check=True)
    if how_to.rows:
        repository.write(ROWS.as_posix(), how_to.rows)

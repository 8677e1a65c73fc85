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
    """One how-to. ``shown`` are texts of a terminal, of the first command and maybe of the last one; ``on_page`` is SQL
    of the page of the plan.
    """

    title: str
    diff: str
    commands: tuple[str, ...]
    shown: tuple[str, ...]
    on_page: tuple[str, ...]


def how_tos() -> Iterator[HowTo]:
    part = PAGE.read_text("utf-8").partition("\n## Three how-tos\n")[2].partition("\n## ")[0]
    for section in re.split(r"^### ", part, flags=re.MULTILINE)[1:]:
        blocks: dict[str, list[str]] = {}
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            blocks.setdefault(language, []).append(text)
        (diff,) = blocks["diff"]
        commands = tuple(line for block in blocks["sh"] for line in block.splitlines())
        title = section.partition("\n")[0]
        yield HowTo(title, diff, commands, tuple(blocks["text"]), tuple(blocks.get("sql", ())))


def rows() -> str:
    """The rows of the page, which all how-tos share."""
    (found,) = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


def deployed_shop(folder: Path) -> GitRepository:
    """The example as a repository of its own."""
    shutil.copytree(SHOP, folder)
    made = GitRepository(folder)
    made.commit(message="Jobs of the shop")
    return made


def edit(repository: GitRepository, how_to: HowTo) -> None:
    """Make the edit of a how-to, and write the rows of the page."""
    subprocess.run(["git", "apply"], cwd=repository.folder, input=how_to.diff.encode(), check=True)
    repository.write(ROWS.as_posix(), rows())

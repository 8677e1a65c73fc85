"""Jobs of several files whose last file is another one than in the baseline, in a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor import editing, neovim
from repositories import GitRepository
from shops import ORDERS, REVENUE, SERVER, shop

pytestmark = pytest.mark.asyncio

REPLACED = "only-aggregate-changed"
INIT = ORDERS + str(shop()["ddl/sinks.sql"])
OTHER = "CREATE TABLE other (a INT) WITH ('connector' = 'blackhole');\n"
MAX = REVENUE.replace("SUM", "MAX")


def script(*files: str, name: str = 'name = "revenue"\n') -> str:
    names = ", ".join(f'"{file}"' for file in files)
    return f"[[job]]\n{name}script = [{names}]\n"


BEFORE = {"init.sql": INIT, "run.sql": REVENUE, "keepstate.toml": script("init.sql", "run.sql")}
CASES = {
    "a file is appended": (
        {"run.sql": MAX, "more.sql": OTHER, "keepstate.toml": script("init.sql", "run.sql", "more.sql")},
        "run.sql",
    ),
    "the last file is renamed": (
        {"run.sql": "", "sums.sql": MAX, "keepstate.toml": script("init.sql", "sums.sql")},
        "sums.sql",
    ),
    "the last file of a job without a name is renamed": (
        {"run.sql": "", "sums.sql": MAX, "keepstate.toml": script("init.sql", "sums.sql", name="")},
        "sums.sql",
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_the_edit_is_shown(case: str, repository: GitRepository, tmp_path: Path) -> None:
    after, edited = CASES[case]
    named = 'name = "revenue"' in after["keepstate.toml"]
    repository.commit(
        {**BEFORE, "keepstate.toml": BEFORE["keepstate.toml"] if named else script("init.sql", "run.sql", name="")}
    )
    for path, text in after.items():
        if text:
            repository.write(path, text)
        else:
            (repository.folder / path).unlink()
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / edited)
        (one,) = await editor.pushed_until(uri, bool)
        assert (one.code, editor.cut(MAX, one.range)) == ("all-aggregates-replaced", "MAX(amount)")


async def test_a_new_file_of_a_job_is_compared_with_the_former_job(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit(BEFORE)
    repository.write("keepstate.toml", script("init.sql", "run.sql", "more.sql"))
    repository.write("run.sql", OTHER)
    path = repository.write("more.sql", MAX)
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        (one,) = await editor.pushed_until(uri, bool)
        assert (one.code, editor.cut(MAX, one.range)) == ("all-aggregates-replaced", "MAX(amount)")


async def test_a_file_that_no_job_had_is_new(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit(BEFORE)
    path = repository.write("more.sql", INIT + MAX)
    async with editing(neovim(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        assert not await editor.pushed(uri, 1)

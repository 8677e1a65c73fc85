"""A repository whose jobs read tables that other files declare."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types

from editor import Editor, editing, neovim
from program_starts import SERVER
from repositories import GitRepository

ORDERS = """\
-- Orders of all shops.
CREATE TABLE orders (
  shop STRING,
  amount DECIMAL(10, 2),
  note STRING,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
"""
SINKS = """\
CREATE TABLE revenue (shop STRING, total DECIMAL(38, 2)) WITH ('connector' = 'print');
CREATE TABLE hourly (shop STRING, started TIMESTAMP(3), orders BIGINT) WITH ('connector' = 'print');
"""
REVENUE = "INSERT INTO revenue\nSELECT shop, SUM(amount) AS total\nFROM orders\nGROUP BY shop;\n"
HOURLY = """\
INSERT INTO hourly
SELECT shop, window_start, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""
CONFIGURATION = 'context = ["ddl/*.sql"]\n'
TYPE = ("amount DECIMAL(10, 2)", "amount DOUBLE")


def shop(*jobs: str, configuration: str | None = CONFIGURATION) -> dict[str, str | bytes]:
    """The files of a repository with these jobs, both without any."""
    texts = {"jobs/revenue.sql": REVENUE, "jobs/hourly.sql": HOURLY}
    files: dict[str, str | bytes] = {"ddl/orders.sql": ORDERS, "ddl/sinks.sql": SINKS}
    files |= {path: texts[path] for path in jobs or texts}
    if configuration is not None:
        files["keepstate.toml"] = configuration
    return files


@asynccontextmanager
async def at_work(
    repository: GitRepository,
    cache: Path,
    files: Mapping[str, str | bytes],
    client: Callable[[], types.ClientCapabilities] = neovim,
) -> AsyncIterator[Editor]:
    """An editor in a repository with these files committed."""
    repository.commit(dict(files))
    async with editing(client(), repository.folder, cache, command=SERVER) as editor:
        yield editor

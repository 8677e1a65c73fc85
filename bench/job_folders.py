"""A workspace to measure with: as many job files as a large team has, in a git repository, some of them edited."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

LINES_PER_FILE = 20
EDITED_EACH = 10
"""One in so many files differs from what was committed."""
_FOLDERS = 40

_JOB = """\
-- Orders of shop {n}, and what it sells.
CREATE TABLE orders_{n} (
  order_id BIGINT,
  category STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders-{n}',
  'format' = 'json'
);
{query}"""
_QUERIES = (
    """\
INSERT INTO revenue_{n}
SELECT window_start, category, SUM(amount) AS gmv,
  COUNT(*) AS orders
FROM TABLE(
  TUMBLE(TABLE orders_{n}, DESCRIPTOR(order_time), INTERVAL '10' MINUTES)
)
WHERE amount > 0
GROUP BY window_start, window_end, category;
""",
    """\
INSERT INTO best_sellers_{n}
SELECT category, order_id, amount FROM (
  SELECT category, order_id, amount,
    ROW_NUMBER() OVER (PARTITION BY category ORDER BY amount DESC) AS place
  FROM orders_{n}
  WHERE amount > 0
)
WHERE place <= 10;
""",
    """\
INSERT INTO totals_{n}
SELECT
  category,
  SUM(amount) AS gmv,
  MAX(amount) AS largest
FROM orders_{n}
WHERE amount > 0
GROUP BY category;
""",
    """\
INSERT INTO visits_{n}
SELECT TUMBLE_START(order_time, INTERVAL '1' DAY) AS day_start,
  category,
  COUNT(*) AS orders,
  SUM(amount) AS gmv
FROM orders_{n}
WHERE amount > 0
GROUP BY TUMBLE(order_time, INTERVAL '1' DAY), category;
""",
)
_EDITS = (
    ("COUNT(*) AS orders", "AVG(amount) AS mean, COUNT(*) AS orders"),
    ("amount DESC", "amount"),
    ("MAX(amount) AS largest", "MAX(amount) AS largest, MIN(amount) AS least"),
    ("WHERE amount > 0", "WHERE amount >= 10"),
)


def job(number: int) -> str:
    """The text of a job; no two are the same."""
    return _JOB.format(n=number, query=_QUERIES[number % len(_QUERIES)].format(n=number))


def edited(number: int) -> str:
    """The text that differs from what was committed."""
    return job(number).replace(*_EDITS[number % len(_EDITS)])


def is_edited(number: int) -> bool:
    # Of each ten files another one, so that all kinds of queries are among the edited ones.
    return number % EDITED_EACH == number // EDITED_EACH % EDITED_EACH


def path_of(repository: Path, number: int) -> Path:
    return repository / f"team_{number % _FOLDERS}" / f"job_{number}.sql"


def lay_out(repository: Path, files: int, more: Mapping[str, str]) -> None:
    """Write the jobs and ``more`` files by name, commit all, and edit some of the jobs."""
    paths = {number: path_of(repository, number) for number in range(files)}
    for number, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(job(number))
    for name, text in more.items():
        (repository / name).write_text(text)
    commit_all(repository)
    for number, path in paths.items():
        if is_edited(number):
            path.write_text(edited(number))


def commit_all(folder: Path) -> None:
    """Make a repository of ``folder``, with all that is in it in one commit."""
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "jobs"]):
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)

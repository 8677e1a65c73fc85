"""The world of a soak: repositories with jobs, people who edit them, and failures around them."""

from __future__ import annotations

import os
import random
import re
import shutil
import stat
import subprocess
from pathlib import Path

AUTHOR = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_TABLES = """CREATE TABLE orders (
  id BIGINT, shop STRING, category STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE rates (category STRING, rate DECIMAL(10, 2)) WITH ('connector' = 'kafka');
"""
_JOBS = (
    "INSERT INTO sums_{n}\nSELECT category, SUM(amount) AS total, COUNT(*) AS orders_{n}\n"
    "FROM orders\nWHERE amount > {n}\nGROUP BY category;\n",
    "INSERT INTO windows_{n}\nSELECT window_start, category, SUM(amount) AS total\n"
    "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))\n"
    "GROUP BY window_start, window_end, category;\n",
    "INSERT INTO joined_{n}\nSELECT o.id, o.amount * r.rate AS price\nFROM orders AS o\n"
    "JOIN rates AS r ON o.category = r.category AND o.amount > {n};\n",
    "INSERT INTO top_{n}\nSELECT * FROM (\n  SELECT category, id, amount, ROW_NUMBER() OVER (\n"
    "    PARTITION BY category ORDER BY amount DESC) AS place\n  FROM orders\n)\nWHERE place <= 10;\n",
    "INSERT INTO unions_{n}\nSELECT category, amount FROM orders WHERE amount > {n}\nUNION ALL\n"
    "SELECT category, rate FROM rates;\n",
)
_EDITS = (
    (r"\bSUM\b", ("MAX", "MIN", "AVG", "SUM")),
    (r"\bMAX\b|\bMIN\b|\bAVG\b", ("SUM", "COUNT")),
    (r"\d+", ("1", "7", "20", "500")),
    (r"\bamount\b", ("id", "amount", "amount + 1")),
    (r"\bcategory\b", ("shop", "category")),
    (r"\bMINUTE\b|\bHOUR\b", ("HOUR", "MINUTE")),
    (r"\bDESC\b|\bASC\b", ("ASC", "DESC")),
    (r"\bJOIN\b", ("LEFT JOIN", "JOIN")),
    (r"\bUNION ALL\b", ("UNION", "UNION ALL")),
    (r"[;,()']", ("", ";", "''", "(")),
    # Not within a line break of two characters: no position of the protocol lies there.
    (r"(?<!\r)\n", ("\n-- a remark\n", "\r\n", "\n\n", "\u2028\n")),
)
_SETTINGS = (
    '[parameters]\n"table.exec.state.ttl" = "{n} h"\n',
    'baseline = "HEAD~1"\n',
    'engine = "flink"\n',
    'preset = "strict"\n[[job]]\nfiles = ["jobs/*.fql"]\n[job.parameters]\n"table.exec.mini-batch.enabled" = true\n',
    "this is = = no TOML {n}\n",
    'baseline = "no-such-revision"\n',
)
GIT_WRAPPER = """#!/bin/sh
if test -e "{slow}"; then sleep 0.2; fi
if test -e "{broken}"; then echo "disk quota exceeded" >&2; exit 128; fi
exec "{git}" "$@"
"""


def first_text(number: int) -> str:
    return _TABLES + _JOBS[number % len(_JOBS)].format(n=number)


def edited(text: str, chance: random.Random) -> tuple[int, int, str]:
    """One edit as a person makes it: begin, end, and the new text."""
    choices = [(found, into) for pattern, into in chance.sample(_EDITS, 4) for found in re.finditer(pattern, text)]
    if not choices:
        return len(text), len(text), "SELECT 1;"
    found, into = chance.choice(choices)
    return found.start(), found.end(), chance.choice(into)


class Repository:
    """A workspace folder: a repository with two branches and some jobs."""

    def __init__(self, folder: Path, numbers: range) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.paths = [folder / "jobs" / f"job_{number}.fql" for number in numbers]
        (folder / "jobs").mkdir()
        for number, path in zip(numbers, self.paths, strict=True):
            path.write_text(first_text(number))
        self.commit("First")
        self.git("branch", "topic")

    def git(self, *arguments: str) -> bool:
        """Return whether a git command succeeded; a command that conflicts with another state does not."""
        run = subprocess.run(
            ["git", *arguments], cwd=self.folder, env={**os.environ, **AUTHOR}, capture_output=True, check=False
        )
        return run.returncode == 0

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def configure(self, chance: random.Random) -> None:
        path = self.folder / "keepstate.toml"
        if path.exists() and chance.random() < 0.4:
            path.unlink()
        else:
            path.write_text(chance.choice(_SETTINGS).format(n=chance.randint(1, 9)))

    def switch(self, chance: random.Random) -> None:
        self.git("checkout", "--quiet", "--force", chance.choice(("main", "topic")))

    def rebase(self) -> None:
        self.commit("Before a rebase")
        if not self.git("rebase", "--quiet", "main", "topic"):
            self.git("rebase", "--abort")

    def rewind(self) -> None:
        self.git("reset", "--quiet", "--hard", "HEAD~1")

    def lose_jobs(self) -> None:
        shutil.rmtree(self.folder / "jobs", ignore_errors=True)

    def find_jobs(self) -> None:
        self.git("checkout", "--quiet", "--force", "HEAD", "--", "jobs")
        (self.folder / "jobs").mkdir(exist_ok=True)

    def lose_git(self) -> None:
        (self.folder / ".git").rename(self.folder / "git-elsewhere")

    def find_git(self) -> None:
        (self.folder / "git-elsewhere").rename(self.folder / ".git")

    def lock(self, locked: bool) -> None:
        """Make the folders read-only, and those of git."""
        for folder in (self.folder / "jobs", self.folder, self.folder / ".git"):
            if folder.exists():
                mode = stat.S_IMODE(folder.stat().st_mode)
                folder.chmod(mode & ~0o222 if locked else mode | 0o200)

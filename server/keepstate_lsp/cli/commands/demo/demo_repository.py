"""The repository of the demo: a small shop's streaming jobs, as deployed and as edited."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from keepstate_lsp.cli.commands.demo.programs import output_of

_SHOP = Path(__file__).parent / "shop"
OLD_FILE = "revenue.flink.sql"
PAST = (
    (
        "Count the orders as well",
        (
            ("SUM(amount) AS gmv,\n  COUNT(*)    AS orders", "SUM(amount) AS gmv"),
            ("2),\n  orders       BIGINT", "2)"),
        ),
    ),
    (
        "Per city as well",
        (("category, city, window_start", "category, window_start"), ("  city         STRING,\n  window", "  window")),
    ),
    ("Ten minutes are enough", (("'10' MINUTES", "'5' MINUTES"),)),
)
"""The past edits of a job, the last one first, each with new and old texts."""


def make_repository(folder: Path) -> Path:
    """Make a repository with the deployed jobs committed and the edited ones in the work tree. Return the folder of the
    jobs.
    """
    jobs = folder / "jobs"
    shutil.copytree(_SHOP / "deployed", jobs)
    _run_git(folder, "init", "--quiet", "--initial-branch=main")
    versions = [("", (jobs / OLD_FILE).read_text("utf-8"))]
    for subject, edits in PAST:
        text = versions[0][1]
        versions[0] = (subject, text)
        for new, old in edits:
            text = text.replace(new, old)
        versions.insert(0, ("Deploy the shop's jobs", text))
    for subject, text in versions:
        (jobs / OLD_FILE).write_text(text, "utf-8")
        _run_git(folder, "add", ".")
        _run_git(folder, "commit", "--quiet", "--message", subject)
    shutil.copytree(_SHOP / "edited", jobs, dirs_exist_ok=True)
    return jobs


def differences(folder: Path) -> str:
    """The lines that were edited, counted by file."""
    return _run_git(folder, "--no-pager", "diff", "--stat")


def _run_git(folder: Path, *arguments: str) -> str:
    """The output of git, whose settings are neither those of the user nor of the machine."""
    identity = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{role}_NAME": "Keepstate demo" for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": "demo@keepstate.example" for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_DATE": "2026-01-05T09:00:00+00:00" for role in ("AUTHOR", "COMMITTER")},
    }
    # Variables that lead git to another repository are those of a hook, from which the demo may be started.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return output_of(["git", "-C", str(folder), *arguments], folder, {**inherited, **identity})

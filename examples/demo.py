"""Keepstate at work, from nothing: a small shop's streaming jobs in a git repository, edited as an engineer would.

    python examples/demo.py [--keep]

Makes a repository in a temporary folder, commits the deployed version of four jobs, edits them, and shows what
`keepstate check` says in the terminal, what `keepstate history` says of former changes, and what the language server
publishes for one of the files. Needs git and no network. With --keep the repository stays, to be opened in an editor.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from language_client import LanguageClient

SHOP = Path(__file__).parent / "shop"
FILE = "bestsellers.flink.sql"
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="leave the repository and say where it is")
    options = parser.parse_args()
    if shutil.which("git") is None:
        print("The demo needs git, and there is none on PATH.", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="keepstate-demo-"))
    try:
        jobs = make_repository(folder / "shop")
        in_the_terminal(jobs.parent)
        in_the_past(jobs.parent)
        in_the_editor(jobs / FILE)
        if options.keep:
            print(f"\nThe repository is in {jobs.parent}: open its jobs/ in an editor.")
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def make_repository(folder: Path) -> Path:
    """A repository with the deployed jobs committed and the edited ones in the work tree; returns the jobs' folder."""
    jobs = folder / "jobs"
    shutil.copytree(SHOP / "deployed", jobs)
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    versions = [("", (jobs / OLD_FILE).read_text("utf-8"))]
    for subject, edits in PAST:
        text = versions[0][1]
        versions[0] = (subject, text)
        for new, old in edits:
            text = text.replace(new, old)
        versions.insert(0, ("Deploy the shop's jobs", text))
    for subject, text in versions:
        (jobs / OLD_FILE).write_text(text, "utf-8")
        run_git(folder, "add", ".")
        run_git(folder, "commit", "--quiet", "--message", subject)
    shutil.copytree(SHOP / "edited", jobs, dirs_exist_ok=True)
    return jobs


def run_git(folder: Path, *arguments: str) -> None:
    who = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{role}_NAME": "Keepstate demo" for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": "demo@keepstate.example" for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_DATE": "2026-01-05T09:00:00+00:00" for role in ("AUTHOR", "COMMITTER")},
    }
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env={**os.environ, **who})


def in_the_terminal(repository: Path) -> None:
    heading("In the terminal: git diff --stat, then keepstate check")
    run_git(repository, "--no-pager", "diff", "--stat")
    print(flush=True)
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "check"]
    status = subprocess.run(command, cwd=repository, check=False).returncode
    print(f"\n(exit status {status}: something was found at or above --fail-on unknown)")


def in_the_past(repository: Path) -> None:
    heading(f"What former changes would have meant: keepstate history jobs/{OLD_FILE}")
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "history", f"jobs/{OLD_FILE}"]
    subprocess.run(command, cwd=repository, check=True)


def in_the_editor(path: Path) -> None:
    heading(f"In the editor: what the language server publishes for {path.name}")
    text = path.read_text("utf-8")
    with LanguageClient([sys.executable, "-m", "keepstate_lsp"], path.parent) as client:
        diagnostics = client.open(path, text)
        for diagnostic in diagnostics:
            start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
            shown = text.splitlines()[start["line"]]
            print(f"{path.name}:{start['line'] + 1}:{start['character'] + 1}  {diagnostic['code']}")
            print(f"    {shown}")
            print(f"    {' ' * start['character']}{'~' * (end['character'] - start['character'])}")
            print(f"    {diagnostic['message']}")
            for related in diagnostic.get("relatedInformation", ()):
                print(f"    {related['message']}")
            print("\n  hover:")
            for line in client.hover(path, start).splitlines():
                print(f"    {line}")
            print("\n  quick-fixes:")
            for title in client.code_actions(path, diagnostic):
                print(f"    {title}")


def heading(text: str) -> None:
    print(f"\n{'=' * len(text)}\n{text}\n{'=' * len(text)}\n", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())

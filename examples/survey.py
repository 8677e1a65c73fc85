"""The verdict of Keepstate on every past change of every job in a repository of yours.

    python examples/survey.py REPOSITORY [--since YYYY-MM-DD] [--engine NAME] [--full]

The repository may be bare. It is read and nothing else; needs git and no network. For one file with all its findings
there is `keepstate history FILE`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from keepstate.report import Verdict
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.cli.result.history_rows import HistoryRow, Tally, history_rows
from keepstate_lsp.config.job_names import is_job, may_be_job
from keepstate_lsp.jobs.job_history import JobHistory, PastJudge

MOST_RULES = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--since", metavar="YYYY-MM-DD")
    parser.add_argument("--engine", default="vvr")
    parser.add_argument("--full", action="store_true", help="the commits of all branches, not the main line alone")
    options = parser.parse_args()
    merges = Merges.FULL if options.full else Merges.FIRST_PARENT
    try:
        with History.around(options.repository.resolve()) as history:
            past, judge = JobHistory(history), PastJudge(options.engine)
            rows: list[HistoryRow] = []
            for path in jobs(history):
                of_job = list(history_rows(past.changes(path, merges=merges, since=options.since), judge))
                print(Tally.of(of_job).words(path), flush=True)
                rows += of_job
    except GitFailure as failure:
        print(f"git failed: {failure.message}", file=sys.stderr)
        return 2
    print(f"\n{Tally.of(rows).words('all jobs')}")
    rules = Counter(
        (finding.rule, finding.verdict)
        for row in rows
        for finding in row.findings
        if finding.verdict is not Verdict.COMPATIBLE
    )
    for (rule, verdict), number in rules.most_common(MOST_RULES):
        print(f"{number:6}  {verdict.value}[{rule}]")
    return 0


def jobs(history: History) -> list[str]:
    """The jobs of the last commit."""
    found = []
    for file in history.files():
        if may_be_job(file.path):
            text = history.text(file)
            if not isinstance(text, NotText) and is_job(file.path, (text,)):
                found.append(file.path)
    return found


if __name__ == "__main__":
    raise SystemExit(main())

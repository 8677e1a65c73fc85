"""``keepstate check --fix``: the files afterwards, and what is said of them."""

from __future__ import annotations

import pytest

from fixed_jobs import AND_A_METRIC, TWO, content, fix, jobs, judged
from jobs import BROKEN, DECLARED, INCOMPATIBLE, JOB, NOTICE, OPENED, OPENED_AND_LOST, PARTIAL, REFORMATTED, UNREAD
from keepstate.report import Verdict
from keepstate_lsp.cli.main import main
from repositories import GitRepository

__all__ = ["jobs"]

TEMPLATE = UNREAD.replace("'1' MINUTE", "'2' MINUTE")
CASES: dict[str, tuple[str, str, tuple[str, ...], str | None]] = {
    # baseline, current, options, the text afterwards: none if any text with the verdict will do
    "another window": (JOB, INCOMPATIBLE, (), JOB),
    "a new metric": (JOB, PARTIAL, (), JOB),
    "a new metric that may stay": (JOB, PARTIAL, ("--fix-verdict", "partial"), JOB),
    "two changes at once": (JOB, TWO, (), JOB),
    "a window and a metric": (JOB, AND_A_METRIC, (), JOB),
    "a window and a metric, partial": (JOB, AND_A_METRIC, ("--fix-verdict", "partial"), JOB),
    "a removed metric, a notice": (JOB, NOTICE, (), NOTICE),
    "another layout": (JOB, REFORMATTED, (), REFORMATTED),
    "another layout, and a window": (JOB, REFORMATTED.replace("'1' MINUTE", "'2' MINUTE"), (), REFORMATTED),
    "nothing": (JOB, JOB, (), JOB),
    "unknown by a function": (OPENED, OPENED_AND_LOST, (), OPENED),
    "not valid": (DECLARED, BROKEN, (), None),
    "a template": (JOB, UNREAD, (), UNREAD),
    "a template, and a window": (JOB, TEMPLATE, (), TEMPLATE),
    "line ends of Windows": (JOB, INCOMPATIBLE.replace("\n", "\r\n"), (), JOB.replace("\n", "\r\n")),
    "a removed setting": (f"SET 'a.b' = 'c';\n{JOB}", INCOMPATIBLE, (), None),
    "profile flink": (JOB, INCOMPATIBLE, ("--engine", "flink"), JOB),
    "profile flink, a new metric": (JOB, PARTIAL, ("--engine", "flink"), JOB),
}


@pytest.mark.parametrize("case", CASES)
def test_the_text_afterwards(jobs: GitRepository, capsys: pytest.CaptureFixture[str], case: str) -> None:
    baseline, current, options, wanted = CASES[case]
    jobs.commit({"jobs/a.sql": baseline})
    jobs.write("jobs/a.sql", current)
    others = tuple(option for option in options if "fix" not in option and option != "partial")
    status, said, _ = fix(capsys, *options)
    once = content(jobs)
    if wanted is not None:
        assert once.decode() == wanted
    is_changed = once.decode() != current
    assert ("fixed: jobs/a.sql: " in said.replace("not fixed", "")) == is_changed
    # The status is that of the fixed text.
    assert main(["check", *others]) == status
    files = judged(capsys, *others)
    if is_changed and "jobs/a.sql" in files:
        asked = Verdict("partial" if "partial" in options else "compatible")
        assert files["jobs/a.sql"]["status"] in ("compared", "unchanged")
        assert Verdict(files["jobs/a.sql"]["verdict"]).rank <= asked.rank
    # A second time there is nothing to do.
    assert fix(capsys, *options)[0] == status
    assert content(jobs) == once
    assert (content(jobs, "jobs/b.sql"), content(jobs, "README.md")) == (JOB.encode(), b"Jobs")


@pytest.mark.parametrize("current", ["", "-- all is gone\n", JOB[: len(JOB) // 2], NOTICE + "INSERT INTO x SELECT"])
def test_no_text_gets_worse(jobs: GitRepository, capsys: pytest.CaptureFixture[str], current: str) -> None:
    jobs.write("jobs/a.sql", current)
    before = judged(capsys)
    fix(capsys)
    after = judged(capsys)
    for path, file in after.items():
        assert Verdict(file["verdict"]).rank <= Verdict(before[path]["verdict"]).rank
    once = content(jobs)
    fix(capsys)
    assert content(jobs) == once


def test_fixes_are_listed_in_front_of_the_report(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", TWO)
    status, said, errors = fix(capsys)
    assert (status, errors) == (0, "")
    lines = said.splitlines()
    assert lines[0] == "fixed: jobs/a.sql: Restore `INTERVAL '1' MINUTE` (compatible)"
    # All at once, in the place of one fix for each finding.
    assert lines[1].startswith("fixed: jobs/b.sql: ") and lines[1].endswith("(compatible)")
    assert lines[2].startswith("Nothing to compare")


def test_nothing_to_do_is_one_line(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert fix(capsys)[1].splitlines()[0] == "nothing to fix"
    jobs.write("jobs/a.sql", UNREAD)
    said = fix(capsys)[1].splitlines()
    assert said[0] == "not fixed: jobs/a.sql: it has statements that cannot be read"
    assert said[1].startswith("Against HEAD (") and said[3].startswith("jobs/a.sql: ")


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_other_formats_stay_what_they_are(jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", REFORMATTED)
    status, said, errors = fix(capsys, "--format", form)
    assert status == 0
    assert errors.startswith("keepstate: fixed: jobs/a.sql: ") and len(errors.splitlines()) == 1
    main(["check", "--format", form])
    assert capsys.readouterr().out == said


REFUSED = {
    ("--diff",): "--diff goes with --fix",
    ("--fix-verdict", "partial"): "--fix-verdict goes with --fix",
    ("--fix", "--staged"): "--staged",
    ("--fix", "--current", "HEAD"): "--current",
    ("--fix", "--planner", "flink"): "--planner",
    ("--fix", "--watch"): "--watch",
    ("--fix", "--against", "plan:p.json"): "plan:p.json",
    ("--fix", "--diff", "--format", "json"): "--format",
    ("--fix", "--diff", "--verify"): "--verify",
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_options_that_cannot_go_together(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    assert main(["check", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert REFUSED[options] in captured.err
    assert content(jobs) == INCOMPATIBLE.encode()


BASELINES = {
    "a revision": (("--against", "HEAD~1"), JOB),
    "a file": (("--against", "file:was.txt", "jobs/a.sql"), JOB),
    "what is deployed": (("--against", "deployed"), JOB),
    "the start of the change": (("--against", "deployed", "--new-since", "HEAD"), None),
    "processes": (("--against", "HEAD~1", "--jobs", "2"), JOB),
    "named": (("--against", "HEAD~1", "jobs/a.sql", "jobs/b.sql"), JOB),
}


@pytest.mark.parametrize("kind", BASELINES)
def test_other_baselines(jobs: GitRepository, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    options, wanted = BASELINES[kind]
    assert main(["deployed", "mark", "jobs/a.sql", "jobs/b.sql"]) == 0
    jobs.commit({"jobs/a.sql": INCOMPATIBLE, "was.txt": JOB})
    current = AND_A_METRIC.replace("SUM(amount) AS amount", "SUM(amount) AS amount")
    jobs.write("jobs/a.sql", current)
    fix(capsys, *options)
    if wanted is not None:
        assert content(jobs).decode() == wanted
    else:
        # What was there before the change stays.
        assert content(jobs).decode() == INCOMPATIBLE


def test_of_very_many_fixes_the_first_are_tried(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    monkeypatch.setattr("keepstate_lsp.cli.fixing.fixed_files._MOST_TRIED", 0)
    assert fix(capsys)[1].startswith("not fixed: jobs/a.sql: ")
    monkeypatch.setattr("keepstate_lsp.cli.fixing.fixed_files._MOST_TRIED", 1)
    assert fix(capsys)[0] == 0


def test_what_is_accepted_stays(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    assert main(["accept", "--because", "A new start is planned", "--by", "Ada"]) == 0
    said = fix(capsys)[1]
    assert said.splitlines()[0] == "nothing to fix"
    assert content(jobs) == INCOMPATIBLE.encode()
    jobs.write("jobs/a.sql", AND_A_METRIC)
    assert fix(capsys)[0] == 0
    assert content(jobs) == INCOMPATIBLE.encode()


def test_what_a_client_printed_is_left(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/a.sql": "".join(f"Flink SQL> {line}\n" for line in JOB.splitlines())})
    current = "".join(f"Flink SQL> {line}\n" for line in INCOMPATIBLE.splitlines()).encode()
    jobs.write("jobs/a.sql", current)
    fix(capsys)
    assert content(jobs) in (current, jobs.git("show", "HEAD:jobs/a.sql").encode() + b"\n")

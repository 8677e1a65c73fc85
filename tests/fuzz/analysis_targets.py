"""Plans, diffs and fixes: nothing is raised, everything lies in its text, and every fix does what it says."""

from __future__ import annotations

import random
from collections import Counter

from fuzz_target import Target, joined, text_of, texts_of
from keepstate import (
    ENGINES,
    JobVersion,
    check,
    file_fixes,
    finding_evidence,
    fixes,
    plan_text,
    plans_text,
    state_hovers,
    state_outcome,
    with_revert,
)
from keepstate.report import Clause, Fix, Report, Verdict
from keepstate.text import apply_edits
from sql_seeds import SQL_WORDS, fresh_pair, fresh_script, pairs_of_scripts, scripts

_LONGEST = 20_000
"""Characters of a text that is analysed here: more only takes longer."""
UNRELATED = """
CREATE TABLE unrelated_source (unrelated_key STRING, unrelated_value INT)
  WITH ('connector' = 'kafka', 'topic' = 'unrelated');
CREATE TABLE unrelated_sink (a STRING, b BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO unrelated_sink
SELECT unrelated_key, COUNT(*) FROM unrelated_source GROUP BY unrelated_key;
"""


def plan_a_script(data: bytes) -> None:
    """One text alone: its plans, its state notes, and that it does not differ from itself."""
    text = text_of(data)[:_LONGEST]
    version = JobVersion(text)
    for engine in ENGINES:
        plan_text(version, engine)
        for note in state_hovers(version, engine):
            assert note.span.end <= len(text)
        report = check(version, version, engine)
        assert report.findings == (), [finding.message for finding in report.findings]
        assert report.verdict is Verdict.COMPATIBLE or not report.is_valid
        # What is written elsewhere means the same.
        moved = check(JobVersion(f"-- moved\n\n{text}"), version, engine)
        if not report.problems and not moved.problems:
            assert moved.findings == (), [finding.message for finding in moved.findings]


def compare_scripts(data: bytes) -> None:
    """Two texts: a report whose parts fit, and the same from the second look at it."""
    was, now = (text[:_LONGEST] for text in texts_of(data, 2))
    baseline, current = JobVersion(was), JobVersion(now)
    for engine in ENGINES:
        report = check(current, baseline, engine)
        check_report(report, was, now)
        assert check(current, baseline, engine) == report
        check_report(with_revert(current, baseline, report, engine), was, now)
        plans_text(current, baseline, engine)
        for index, finding in enumerate(report.findings):
            state_outcome(current, baseline, index, engine)
            finding_evidence(finding, engine)


def fix_scripts(data: bytes) -> None:
    """Every fix applies, parses, and leads to the verdict that it names."""
    was, now = (text[:_LONGEST] for text in texts_of(data, 2))
    baseline, current = JobVersion(was), JobVersion(now)
    for engine in ENGINES:
        report = check(current, baseline, engine)
        offered = [fix for index in range(len(report.findings)) for fix in fixes(current, baseline, index, engine)]
        for fix in (*offered, *file_fixes(current, baseline, engine)):
            check_fix(fix, report, baseline, now)


def check_fix(fix: Fix, report: Report, baseline: JobVersion, now: str) -> None:
    fixed = apply_edits(now, fix.edits)
    assert fixed != now or fix.new_files, fix.title
    after = check(JobVersion(fixed), baseline, report.engine)
    assert after.verdict is fix.verdict_after, f"{fix.title}: {after.verdict} is not {fix.verdict_after}"
    assert after.verdict.rank <= report.verdict.rank, f"{fix.title} makes it worse"
    assert len(after.problems) <= len(report.problems), f"{fix.title}: {after.problems}"


def add_an_unrelated_query(data: bytes) -> None:
    """A pipeline that has nothing to do with the others, on both sides, changes nothing that is said of these."""
    was, now = (text[:_LONGEST] for text in texts_of(data, 2))
    alone = check(JobVersion(now), JobVersion(was))
    if alone.problems or alone.baseline_problems:
        return
    behind = [f"{text};\n{UNRELATED}" for text in (now, was)]
    beside = check(JobVersion(behind[0]), JobVersion(behind[1]))
    if beside.problems or beside.baseline_problems or _holds(was) or _holds(now):
        return
    if not alone.pipelines:
        # What went, and which settings changed, is said of a query that is left: here that is the unrelated one.
        return
    assert _reported(beside) == _reported(alone), (_reported(alone), _reported(beside))
    assert beside.verdict is alone.verdict


def _holds(text: str) -> bool:
    """Return whether the text names the unrelated tables, or leaves a statement open that goes on behind it."""
    return "unrelated" in text.lower() or "begin" in text.lower()


def _reported(report: Report) -> Counter[tuple[str, ...]]:
    return Counter(
        (one.rule, one.query_kind, one.verdict.value, one.change, one.current.text) for one in report.findings
    )


def check_report(report: Report, was: str, now: str) -> None:
    for finding in report.findings:
        _check_clause(finding.current, now)
        if finding.baseline is not None:
            _check_clause(finding.baseline, was)
        assert finding.message and "{" not in finding.advice.replace("{{", ""), finding.advice
    for pipeline in report.pipelines:
        assert pipeline.span.end <= len(now)
        assert all(0 <= index < len(report.findings) for index in pipeline.findings)
    assert all(0 <= index < len(report.findings) for index in report.revert_to_be_compatible)
    for problems, text in ((report.problems, now), (report.baseline_problems, was)):
        assert all(problem.span is None or problem.span.end <= len(text) for problem in problems)
    worst = Verdict.worst(finding.verdict for finding in report.findings)
    if report.verdict is not Verdict.COMPATIBLE:
        unread = (*report.problems, *report.baseline_problems, *report.refusals, *report.baseline_refusals)
        assert report.findings or unread, "a verdict without a reason"
    if not report.findings:
        assert worst is Verdict.COMPATIBLE


def _check_clause(clause: Clause, text: str) -> None:
    assert 0 <= clause.span.start <= clause.span.end <= len(text)
    assert clause.span.of(text) == clause.text


def seeds() -> list[bytes]:
    return [script.encode() for script in scripts()]


def seeds_of_pairs() -> list[bytes]:
    return [joined(*pair) for pair in pairs_of_scripts()]


def fresh(chance: random.Random) -> bytes:
    return fresh_script(chance).encode()


def fresh_of_pairs(chance: random.Random) -> bytes:
    return joined(*fresh_pair(chance))


TARGETS = (
    Target("plans", plan_a_script, seeds, SQL_WORDS, fresh),
    Target("comparisons", compare_scripts, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("fixes", fix_scripts, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("unrelated-queries", add_an_unrelated_query, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
)

"""Rewrites and edits of jobs, and what holds of them whatever they mean: no oracle is needed for any of it.

The jobs are those of the generators, of the rule pages, and those that the caller of a run gives. A second target draws
the sizes of its texts on both sides of every bound of the code.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable

from analysis_targets import check_fix, check_report, fresh_of_pairs, seeds_of_pairs
from bounds import size_near_a_bound
from deep_texts import SHAPES
from fuzz_target import Target, texts_of
from keepstate import ENGINES, JobVersion, check, file_fixes, fixes, state_hovers, state_outcome
from keepstate.report import Report, Verdict
from keepstate.reporting.file_json import ComparedReport, report_members
from keepstate.text import LineIndex
from sql_seeds import SQL_WORDS
from token_rewrites import edited, respelled

_LONGEST = 20_000
_DEEPEST = 400
"""Levels and parts of a text with a shape."""
_LARGEST = 600_000
"""Characters of a literal."""


def rewrite_a_job(data: bytes) -> None:
    """Two versions of a job, each in another spelling, the current one with one more edit; in both directions."""
    was, now = (text[:_LONGEST] for text in texts_of(data, 2))
    chance = random.Random(data)
    for engine in ENGINES:
        for old, new in ((was, now), (now, was)):
            report = _checked(new, old, engine)
            _checked(old, old, engine, silent=True)
            # Of refused statements the spelling may decide which ones of the baseline stand in for them.
            refused = (*report.refusals, *report.baseline_refusals)
            if not report.problems and not report.baseline_problems and not refused:
                again = respelled(new, chance)
                _checked(again, new, engine, silent=True)
                _checked(new, again, engine, silent=True)
                said = _checked(again, old, engine)
                assert _reported(said) == _reported(report), (_reported(report), _reported(said), again)
            for index in range(len(report.findings)):
                for fix in fixes(JobVersion(new), JobVersion(old), index, engine):
                    check_fix(fix, report, JobVersion(old), new)
            for fix in file_fixes(JobVersion(new), JobVersion(old), engine):
                check_fix(fix, report, JobVersion(old), new)
            _checked(edited(new, chance), new, engine)


def _checked(now: str, was: str, engine: str, silent: bool = False) -> Report:
    """A report in which everything fits and that can be written as JSON; ``silent``: without any finding."""
    report = check(JobVersion(now), JobVersion(was), engine)
    check_report(report, was, now)
    if silent:
        assert report.findings == (), ([finding.message for finding in report.findings], was, now)
        refused = (*report.refusals, *report.baseline_refusals)
        assert report.verdict is Verdict.COMPATIBLE or report.problems or refused
    members = report_members(ComparedReport(report, LineIndex(now), LineIndex(was)))
    assert json.loads(json.dumps(members, allow_nan=False)) == members
    return report


def _reported(report: Report) -> Counter[tuple[str, str, str]]:
    return Counter((one.rule, one.query_kind, one.verdict.value) for one in report.findings)


def ask_at_a_bound(data: bytes) -> None:
    """A text as deep, as wide or as long as a bound is high, or by one less or more."""
    chance = random.Random(data)
    shape = chance.choice((*SHAPES, *_WIDE, *_LONG))
    if shape in SHAPES:
        was = SHAPES[shape](size_near_a_bound(chance, _DEEPEST))
    elif shape in _WIDE:
        was = _WIDE[shape](size_near_a_bound(chance, _DEEPEST))
    else:
        was = _LONG[shape].replace("@", "x" * size_near_a_bound(chance, _LARGEST))
    now = edited(was, chance)
    engine = chance.choice(ENGINES)
    same = check(JobVersion(was), JobVersion(was), engine)
    assert same.findings == ()
    report = _checked(now, was, engine)
    state_hovers(JobVersion(now), engine)
    for index in range(min(2, len(report.findings))):
        state_outcome(JobVersion(now), JobVersion(was), index, engine)


def _wide(template: str, piece: str, between: str) -> Callable[[int], str]:
    return lambda count: template.replace("@", between.join(piece.replace("#", str(n)) for n in range(count)))


_COUNTED = "INSERT INTO s SELECT k, COUNT(*) FROM t GROUP BY k"
_WIDE = {
    "columns": _wide(f"CREATE TABLE t (k STRING, @); {_COUNTED}", "c# INT", ", "),
    "aggregates": _wide("INSERT INTO s SELECT k, @ FROM t GROUP BY k", "SUM(a + #)", ", "),
    "keys": _wide("INSERT INTO s SELECT COUNT(*) FROM t GROUP BY @", "k#", ", "),
    "conditions": _wide("INSERT INTO s SELECT k, SUM(a) FROM t WHERE @ GROUP BY k", "a <> #", " AND "),
    "values": _wide("INSERT INTO s SELECT k, SUM(a) FROM t WHERE a IN (@) GROUP BY k", "#", ", "),
    "branches": _wide("INSERT INTO s SELECT k, SUM(a) FROM (@) GROUP BY k", "SELECT k, a FROM t#", " UNION ALL "),
    "statements": _wide("@", "INSERT INTO s# SELECT k, SUM(a) FROM t GROUP BY k;", "\n"),
    "settings": _wide("@ INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k", "SET 'x#' = '#';", "\n"),
    "options": _wide(f"CREATE TABLE t (k STRING) WITH (@); {_COUNTED}", "'o#' = '#'", ", "),
    "holes": _wide("INSERT INTO s SELECT k, SUM(a) FROM t WHERE @ GROUP BY k", "a <> ${h#}", " AND "),
    "odd characters": _wide("INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k; @", "\x01", " "),
}
_LONG = {
    "a literal": "INSERT INTO s SELECT k, SUM(a), '@' FROM t GROUP BY k, '@'",
    "a name": "INSERT INTO s SELECT k, SUM(`@`) FROM t GROUP BY k",
    "a comment": "INSERT INTO s SELECT k, SUM(a) /* @ */ FROM t GROUP BY k",
    "a hole": "INSERT INTO s SELECT k, SUM(a) FROM t WHERE b = ${@} GROUP BY k",
    "an option": f"CREATE TABLE t (k STRING) WITH ('x' = '@'); {_COUNTED}",
}


def seeds_of_sizes() -> list[bytes]:
    return [str(number).encode() for number in range(64)]


def fresh_size(chance: random.Random) -> bytes:
    return chance.randbytes(8)


TARGETS = (
    Target("rewrites", rewrite_a_job, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("sizes", ask_at_a_bound, seeds_of_sizes, fresh=fresh_size),
)

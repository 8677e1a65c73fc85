"""Messages of all examples and pairs: nothing is compared with itself, the first words are few, no engine's classes.

The rules are those of docs/style.md. Examples of the rules are read in the first tier, all pairs that were ever
measured or specified in the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Effect, Finding, Report
from keepstate.rules.rule_pages import PAGES
from measured import MeasuredPair, given_pairs, own_pairs, sampled_pairs
from rule_pages import all_examples
from shared_analyses import check
from truth import spec_cases

LONGEST_HEAD = 80
_CLASSES = re.compile(
    r"\b(?:GroupAggregate|WindowAggregate|GroupWindowAggregate|OverAggregate|WindowRank|Deduplicate|ChangelogNormalize"
    r"|SinkUpsertMaterializer|WindowTableFunction|TableSourceScan|Calc|Correlate|\w+WithRetract|distinctAcc_\d+)\b"
)
_CALLS_OF_NO_QUERY = re.compile(r"\b(?:CASE|IS|AND|OR|NEGATE|LIKE)\(")
_ENDS = (": ", "; ", " in the ", " (now ", " (by ")
"""Words behind the second side of an arrow."""
_QUERY_KINDS = list(dict.fromkeys(page.query_kind for page in PAGES))

Pair = tuple[str, JobVersion, JobVersion]
each_engine = pytest.mark.parametrize("engine", ENGINES)


def _of_examples(query_kind: str) -> list[Pair]:
    return [(each.name, each.baseline, each.current) for each in all_examples() if each.page == query_kind]


def _measured(pair: MeasuredPair) -> Pair:
    parameters, version = dict(pair.setting.parameters), pair.setting.engine_version
    was, now = (JobVersion(text, parameters, version) for text in (pair.baseline, pair.current))
    return pair.id, was, now


@cache
def _of_all_sets() -> tuple[Pair, ...]:
    found = [*map(_measured, (*given_pairs("pairs"), *given_pairs("pairs-2"), *own_pairs(), *sampled_pairs()))]
    found += [
        (
            case.id,
            JobVersion(case.baseline, case.parameters, case.baseline_engine_version),
            JobVersion(case.current, case.parameters, case.current_engine_version),
        )
        for case in spec_cases()
    ]
    return tuple({(pair[1].text, pair[2].text): pair for pair in found}.values())


_PARTS = 32


@each_engine
@pytest.mark.parametrize("query_kind", _QUERY_KINDS)
def test_messages_of_the_examples(query_kind: str, engine: str) -> None:
    assert _faults(_of_examples(query_kind), engine) == []


@each_engine
@pytest.mark.parametrize("part", range(_PARTS))
def test_messages_of_every_pair(part: int, engine: str) -> None:
    assert _faults(_of_all_sets()[part::_PARTS], engine) == []


def _faults(pairs: Iterable[Pair], engine: str) -> list[tuple[str, str, str]]:
    return [
        (name, fault, message)
        for name, baseline, current in pairs
        for fault, message in _of_report(check(current, baseline, engine))
    ]


def _of_report(report: Report) -> Iterator[tuple[str, str]]:
    stops = {finding.pipeline for finding in report.findings if finding.effect is Effect.DOES_NOT_START}
    for finding in report.findings:
        for fault in _of_finding(finding):
            yield fault, finding.message
        if finding.pipeline in stops and "silently" in finding.message:
            yield "wrong numbers of a job that does not start", finding.message
    said = [(each.message, each.current.span, each.baseline) for each in report.findings]
    yield from (("said twice", message) for message in {each[0] for each in said if said.count(each) > 1})


def _of_finding(finding: Finding) -> Iterator[str]:
    sentences = (finding.change, finding.consequence, finding.recovery, finding.advice)
    if _compares_with_itself(finding.change) or any(map(_compares_with_itself, finding.consequence.split("; "))):
        yield "compared with itself"
    head = f"{finding.change}: {finding.consequence.partition('; ')[0]}"
    if len(head) > LONGEST_HEAD:
        yield f"{len(head)} characters before the reason"
    if any(_CLASSES.search(sentence) for sentence in sentences):
        yield "a class of the engine"
    if any(_CALLS_OF_NO_QUERY.search(sentence) for sentence in sentences):
        yield "an expression that no query has"


def _compares_with_itself(text: str) -> bool:
    """Return whether both sides of an arrow are the same, up to words in front of the first and behind the second."""
    was, arrow, now = text.partition(" -> ")
    for end in _ENDS:
        now = now.partition(end)[0]
    stored, read, other = text.partition(" is read as ")
    return bool(arrow and (was == now or was.endswith(f" {now}"))) or bool(
        read and stored.removeprefix("the stored ") == other
    )

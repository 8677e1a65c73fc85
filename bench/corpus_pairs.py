"""Real edits: a verdict for each pair of versions, its time, and the subject of each unknown."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from corpus_statements import Entry, constructs
from keepstate import JobVersion, check
from keepstate.report import Finding, Report, Verdict


@dataclass
class Judgements:
    """Verdicts over pairs; ``seconds`` are CPU time, pair by pair."""

    engine: str
    seconds: list[float] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    """The findings that leave something open, by rule and by what they say is open."""
    nameless: Counter[str] = field(default_factory=Counter)
    """Unknown findings that name no construct, and unknown reports without a finding that says so."""
    failures: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)

    @property
    def slowest(self) -> float:
        return max(self.seconds, default=0.0)


def judge_all(pairs: Iterable[Entry], engine: str) -> Judgements:
    """A verdict for each pair."""
    judgements = Judgements(engine)
    for number, pair in enumerate(pairs, 1):
        baseline, current = (str(pair[side] or "") for side in ("baseline", "current"))
        began = time.process_time()
        try:
            report = check(JobVersion(current), JobVersion(baseline), engine)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is what this is to tell
            judgements.failures[f"pair {number}: {error!r}"] += 1
            continue
        judgements.seconds.append(time.process_time() - began)
        judgements.verdicts[report.verdict.value] += 1
        _note_unknown(judgements, report, number)
        judgements.constructs.update(constructs(baseline) | constructs(current))
    return judgements


def _note_unknown(judgements: Judgements, report: Report, number: int) -> None:
    found = [finding for finding in report.findings if finding.verdict is Verdict.UNKNOWN]
    if report.verdict is Verdict.UNKNOWN and not found:
        judgements.nameless[f"pair {number}: no finding says why"] += 1
    for finding in found:
        judgements.unknown[f"{finding.rule}: {_shortened(finding.change)}"] += 1
        if not _names_something(finding):
            judgements.nameless[f"pair {number}: {finding.rule}: {finding.change!r}"] += 1


def _names_something(finding: Finding) -> bool:
    """Return whether a finding names its subject: words in front of "changed", and a place with a text."""
    subject = finding.change.removesuffix("changed").strip()
    return bool(subject) and bool(finding.current.text.strip() or finding.baseline)


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"

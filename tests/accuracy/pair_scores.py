"""The score of a report on a labelled pair: verdict, rule and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from flink_edits import FlinkEdit
from keepstate.report import Effect, Finding, Report, Verdict
from kinds import checked
from labelled_pairs import LabelledPair
from places import is_unrelated, touches
from rule_labels import may_follow, may_tell


class Mistake(Enum):
    FALSE_ALARM = "false alarm"
    """A finding on a pair without a change of meaning, or at an unedited clause."""
    MISS = "miss"
    """Less is said than the label says."""
    TOO_LOUD = "too loud"
    """More is said than the label says, which is not silence."""
    OTHER_RULE = "another rule"
    OTHER_PLACE = "another place"
    OTHER_EFFECT = "another effect"
    """Another end than the measured one, of those that are all incompatible."""
    NOT_READ = "not read"


@dataclass(frozen=True)
class Score:
    """``rules`` are those of all findings as ``query kind/rule id``, ``reported`` those that go with the verdict.

    ``left_open`` says that a profile declares the case unknown.
    """

    verdict: Verdict
    mistakes: frozenset[Mistake]
    rules: tuple[str, ...]
    reported: tuple[str, ...]
    effect: Effect
    left_open: bool = False


def score(pair: LabelledPair) -> Score:
    report = _checked(pair)
    mistakes = set(_mistakes(pair, report))
    if not pair.edits:
        turned = pair.turned()
        mistakes |= set(_mistakes(turned, _checked(turned)))
        same = checked(pair.current, pair.current, pair.after, pair.after, pair.engine)
        if same.findings or not same.unchanged:
            mistakes.add(Mistake.FALSE_ALARM)
    reported = tuple(dict.fromkeys(_name(one) for one in report.findings if one.verdict is report.verdict))
    left_open = _may_be_left_open(pair) and report.verdict is Verdict.UNKNOWN
    return Score(
        report.verdict,
        frozenset(mistakes),
        tuple(dict.fromkeys(map(_name, report.findings))),
        reported,
        report.effect,
        left_open,
    )


def _checked(pair: LabelledPair) -> Report:
    return checked(pair.baseline, pair.current, pair.before, pair.after, pair.engine)


def _name(finding: Finding) -> str:
    return f"{finding.query_kind}/{finding.rule}"


def _may_be_left_open(pair: LabelledPair) -> bool:
    """Return whether the answer may be that only Flink's planner knows."""
    return pair.engine == "flink" and not any(isinstance(edit, FlinkEdit) and edit.decided for edit in pair.edits)


def _mistakes(pair: LabelledPair, report: Report) -> list[Mistake]:
    found: list[Mistake] = []
    if report.problems or report.baseline_problems:
        found.append(Mistake.NOT_READ)
    if any(is_unrelated(one, pair.baseline, pair.current) for one in report.findings):
        found.append(Mistake.FALSE_ALARM)
    if _may_be_left_open(pair) and report.verdict is Verdict.UNKNOWN:
        # What the profile of open-source Flink leaves open, with its reason, is neither alarm nor miss.
        return found
    if not pair.edits:
        if report.findings or report.verdict is not Verdict.COMPATIBLE:
            found.append(Mistake.FALSE_ALARM)
        return found
    if report.verdict is not pair.verdict:
        if all(report.verdict in edit.also for edit in pair.edits):
            return found
        if pair.verdict is Verdict.COMPATIBLE:
            found.append(Mistake.FALSE_ALARM)
        else:
            found.append(Mistake.MISS if report.verdict.rank < pair.verdict.rank else Mistake.TOO_LOUD)
    elif pair.verdict is Verdict.COMPATIBLE:
        found += _mistakes_about_a_compatible_pair(pair, report)
    elif pair.engine == "flink":
        found += _mistakes_about_a_measured_edit(pair, report)
    elif len(pair.edits) == 1:
        found += _mistakes_about_one_edit(pair, report)
    return found


def _mistakes_about_a_compatible_pair(pair: LabelledPair, report: Report) -> Iterator[Mistake]:
    loud = [one for one in report.findings if one.verdict is not Verdict.COMPATIBLE]
    if loud or (report.findings and all(edit.silent for edit in pair.edits)):
        yield Mistake.FALSE_ALARM
    reported = {one.rule for one in report.findings}
    if any(edit.rule and edit.rule not in reported for edit in pair.edits):
        yield Mistake.OTHER_RULE


def _mistakes_about_a_measured_edit(pair: LabelledPair, report: Report) -> Iterator[Mistake]:
    """Check the effect that Flink shows, not the rule; of several reported clauses, one is the edited one."""
    (edit,) = pair.edits
    assert isinstance(edit, FlinkEdit)
    if report.effect not in edit.effects:
        yield Mistake.OTHER_EFFECT
    marked = not edit.indirect and (pair.baseline.touched or pair.current.touched)
    if marked and not any(touches(one, pair.baseline, pair.current) for one in report.findings):
        yield Mistake.OTHER_PLACE


def _mistakes_about_one_edit(pair: LabelledPair, report: Report) -> list[Mistake]:
    (edit,) = pair.edits
    reported = [one for one in report.findings if one.verdict is report.verdict]
    found = []
    if not any(may_tell(one, edit) for one in reported):
        found.append(Mistake.OTHER_RULE)
    if not edit.indirect and (pair.baseline.touched or pair.current.touched):
        if not any(touches(one, pair.baseline, pair.current) for one in reported):
            found.append(Mistake.OTHER_PLACE)
        elsewhere = [one for one in report.findings if not touches(one, pair.baseline, pair.current)]
        if any(one.verdict is not Verdict.COMPATIBLE and one.rule not in may_follow(edit) for one in elsewhere):
            found.append(Mistake.FALSE_ALARM)
    return found

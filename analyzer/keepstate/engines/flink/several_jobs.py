"""Outcomes where the cluster runs a script as several jobs: each job has operator ids and savepoints of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import attrgetter

from keepstate.diff.changes import Change
from keepstate.diff.job_differences import JobDiff, PairDiff
from keepstate.diff.statements.job_groups import Division
from keepstate.engines.flink.assessment import Disagreement, FlinkAssessment, outcome_beside_state
from keepstate.engines.flink.split_jobs import QuietParts, split_job
from keepstate.engines.profile import Assessment, Outcome, clause_precedence
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.reserved_words import NewlyReserved, newly_reserved


@dataclass(frozen=True, eq=False)
class SeveralJobs:
    """The assessments of the jobs of a script, asked as if they were one."""

    division: Division
    assessments: Mapping[int, FlinkAssessment]
    """By the numbers of parts of the division."""
    quiet: Mapping[int, PhysicalOptions]
    """The options of the other parts. All their queries find their state: changes of the whole script may concern
    them.
    """

    @staticmethod
    def of(diff: JobDiff) -> Assessment:
        """The assessment of a comparison."""
        division = diff.division
        if len(division.parts) <= 1:
            return FlinkAssessment.of(diff)
        memory = QuietParts.of(diff)
        quiet = memory.of_former(diff, division)
        reserved = cache(partial(newly_reserved, diff.baseline.catalog, diff.current.catalog))
        if any(map(reserved, set(map(_FLINK, quiet.values())))):
            # A declaration keeps the whole script from being read.
            quiet = {}
        # Few of many parts, at nearly every keystroke.
        others = sorted({*range(len(division.parts))}.difference(quiet))
        former = _Former.of(diff)
        unreached = former.assessments_of(diff, others, reserved)
        assessments = {
            place: unreached.get(place) or _assessed(diff, division.parts[place], reserved) for place in others
        }
        former.keep(
            diff, assessments if not any(reserved(one.jobs.options.flink) for one in assessments.values()) else {}
        )
        more = {place: one.jobs.options for place, one in assessments.items() if one.is_quiet}
        memory.keep(diff, division, {**quiet, **more})
        return SeveralJobs(division, assessments, quiet)

    @property
    def disagreements(self) -> list[Disagreement]:
        return [
            replace(each, pair=self._number(place, each.pair))
            for place, assessment in self.assessments.items()
            for each in assessment.disagreements
        ]

    def outcome(self, change: Change, pair: int | None) -> Outcome:
        if pair is None:
            return max(self._outcomes(change), key=lambda one: clause_precedence(one.effect))
        place, number = self.division.owners[pair]
        if place in self.quiet:
            return outcome_beside_state(change, self.quiet[place])
        return self.assessments[place].outcome(change, number)

    @property
    def beyond_diff(self) -> frozenset[int]:
        return frozenset(
            self._number(place, number)
            for place, assessment in self.assessments.items()
            for number in assessment.beyond_diff
        )

    def further_changes(self, pair: int) -> tuple[Change, ...]:
        place, number = self.division.owners[pair]
        return () if place in self.quiet else self.assessments[place].further_changes(number)

    def foreign_changes_of(self, pair: int) -> frozenset[tuple[int, Change]]:
        place, number = self.division.owners[pair]
        felt = () if place in self.quiet else self.assessments[place].foreign_changes_of(number)
        return frozenset((self._number(place, other), change) for other, change in felt)

    def unpaired_outcome(self, pair: int) -> Outcome:
        # A quiet job has each of its queries in both versions.
        place, number = self.division.owners[pair]
        return self.assessments[place].unpaired_outcome(number)

    def _outcomes(self, change: Change) -> Iterator[Outcome]:
        """The outcomes of a change of the whole script, in the order of the jobs: of quiet ones with the same options
        one stands for all.
        """
        first: dict[PhysicalOptions, int] = {}
        for place, options in self.quiet.items():
            first[options] = min(place, first.get(options, place))
        beside = {place: options for options, place in first.items()}
        for place in sorted((*self.assessments, *beside)):
            if place in beside:
                yield outcome_beside_state(change, beside[place])
            else:
                yield self.assessments[place].outcome(change, None)

    def _number(self, place: int, index: int) -> int:
        """The number of a pair, by that of its part and by its own there."""
        return self.division.parts[place][index]


@dataclass(eq=False)
class _Former:
    """The last assessments of parts that are not quiet: what one was found to be, it is while nothing reaches it."""

    diff: JobDiff | None = None
    assessments: Mapping[int, FlinkAssessment] = field(default_factory=dict)

    @staticmethod
    def of(diff: JobDiff) -> _Former:
        """The assessments that the memory of a comparison has."""
        return diff.current.script.memo.of_group(_Former, (), _Former)

    def assessments_of(
        self, diff: JobDiff, places: Iterable[int], reserved: NewlyReserved
    ) -> dict[int, FlinkAssessment]:
        """The assessments that are known of parts, by their numbers: those in which the same pairs stand. No column was
        ``reserved`` for them.
        """
        former, parts = self.diff, diff.division.parts
        if former is None or not _is_alike(former, diff):
            return {}
        return {
            place: self.assessments[place]
            for place in places
            if place in self.assessments
            and not reserved(self.assessments[place].jobs.options.flink)
            and all(former.pairs[number] is diff.pairs[number] for number in parts[place])
        }

    def keep(self, diff: JobDiff, assessments: Mapping[int, FlinkAssessment]) -> None:
        """Keep the assessments of a comparison."""
        self.diff, self.assessments = diff, assessments


def _is_alike(former: JobDiff, diff: JobDiff) -> bool:
    """Return whether the changes that all parts share are the same."""
    return (
        former.division is diff.division
        and former.baseline is diff.baseline
        and former.source_changes == diff.source_changes
        and former.other_changes == diff.other_changes
        and former.tables == diff.tables
        and former.current.engine_version == diff.current.engine_version
    )


_FLINK = attrgetter("flink")


def _assessed(diff: JobDiff, pairs: tuple[int, ...], reserved: NewlyReserved) -> FlinkAssessment:
    part = split_job(diff.baseline, diff.current, diff.matches, pairs)
    own = tuple([diff.pairs[number] for number in pairs])
    tables = _read_tables(diff, own)
    return FlinkAssessment.of(diff.of_pairs(own, part.baseline, part.current, tables), reserved)


def _read_tables(diff: JobDiff, pairs: Iterable[PairDiff]) -> Mapping[str, str]:
    """The tables of the script that some pairs read: their names in the baseline, and today."""
    pipelines = (side for pair in pairs for side in (pair.baseline, pair.current, *pair.compared) if side is not None)
    names = {table for each in pipelines for table in each.equivalent_plan.sources}
    return {was: now for was, now in diff.tables.items() if was in names or now in names}

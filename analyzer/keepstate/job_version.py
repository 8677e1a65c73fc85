"""One side of a comparison, as it is given."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field
from functools import cached_property

from keepstate.engines import PROFILES
from keepstate.plan.job import Job, patched
from keepstate.plan.types.declared_signatures import Functions
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from keepstate.value_class import value_class


@value_class(frozen=True)
class JobVersion:
    """Text of a job with its configuration outside of the SQL: parameters, the version of the engine, whether the
    platform runs the whole text as one job (``JobUnit``), and the declared signatures of functions.

    >>> JobVersion("SELECT 1", {"table.exec.state.ttl": "1 d"}, "2.3") == JobVersion("SELECT 1")
    False
    """

    text: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    engine_version: str | None = None
    jobs: JobUnit = JobUnit.SCRIPT
    functions: Functions = field(default_factory=dict)

    @cached_property
    def key(self) -> tuple[str, Hashable]:
        """Equal keys mean equal versions."""
        return self.text, self.surroundings

    @cached_property
    def surroundings(self) -> Hashable:
        """The configuration outside of the SQL, as a value."""
        parameters, functions = (tuple(sorted(each.items())) for each in (self.parameters, self.functions))
        return parameters, self.engine_version, self.jobs, functions


def job_of(version: JobVersion, memo: Memo | None = None, former: Iterable[Job] = ()) -> Job:
    """The job that a version is. Never raises: statements that cannot be read are problems of its script. It is made of
    one of the ``former`` jobs, with the same surroundings, if one hardly differs.

    >>> [pipeline.name for pipeline in job_of(JobVersion("INSERT INTO s SELECT a FROM t; SELECT 1")).pipelines]
    ['INSERT INTO s', 'SELECT #1']
    """
    script = parse_script(version.text, memo)
    return patched(script, former) or Job.of(script, version.parameters, version.engine_version, version.jobs)


def job_unit(engine: str, unit: str | None) -> JobUnit:
    """The part of a script that is one job: the ``unit`` of the configuration, else as platforms of the engine do.

    >>> job_unit("flink", None).value, job_unit("flink", "script").value, job_unit("vvr", None).value
    ('each-insert', 'script', 'script')

    Raises:
        KeyError: there is no profile for ``engine``.
        ValueError: there is no such unit.
    """
    return JobUnit(unit) if unit is not None else PROFILES[engine].jobs

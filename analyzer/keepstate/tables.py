"""The tables that a job reads, and where their declarations say that the rows are."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.analysis import JobVersion
from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A declared table. ``connector`` and ``path`` are what its options say; ``None`` where they do not."""

    name: str
    connector: str | None
    path: str | None

    @property
    def has_files(self) -> bool:
        """Whether its declaration names files with its rows."""
        return self.connector == "filesystem" and self.path is not None


def read_tables(version: JobVersion) -> tuple[ReadTable, ...]:
    """The tables that the queries of a job read, in the order in which they come to them."""
    job = Job.of(parse_script(version.text), version.parameters, version.engine_version)
    found: dict[str, ReadTable] = {}
    for pipeline in job.pipelines:
        catalog = Catalog.of(pipeline.definitions)
        for scan in pipeline.plan.scans:
            table = catalog.tables.get(scan.table)
            if table is not None:
                options = catalog.options_of(table)
                said = (options[key].value if key in options else None for key in ("connector", "path"))
                found.setdefault(table.name, ReadTable(table.name, *said))
    return tuple(found.values())

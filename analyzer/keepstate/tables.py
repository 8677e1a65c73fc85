"""The tables that a job reads, and where their declarations say that the rows are."""

from __future__ import annotations

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Job
from keepstate.report import ReadTable
from keepstate.syntax.namespace import shown


def read_tables(job: Job) -> tuple[ReadTable, ...]:
    """The tables that the queries of a job read, in the order in which they come to them."""
    found: dict[str, ReadTable] = {}
    for pipeline in job.pipelines:
        catalog = Catalog.of(pipeline.definitions, job.script.memo)
        for scan in pipeline.plan.scans:
            table = catalog.tables.get(scan.table)
            if table is not None:
                options = catalog.options_of(table)
                said = (options[key].value if key in options else None for key in ("connector", "path"))
                found.setdefault(table.name, ReadTable(shown(table.name), *said))
    return tuple(found.values())

"""The tables that a job reads, and where their declarations say that the rows are; the tables that a script writes."""

from __future__ import annotations

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.job import Job
from keepstate.report import ReadTable
from keepstate.syntax.namespace import display_name
from keepstate.syntax.script import parse_script


def read_tables(job: Job) -> tuple[ReadTable, ...]:
    """The tables that the queries of a job read, in the order in which they come to them.

    >>> from keepstate.syntax.script import parse_script
    >>> text = "CREATE TABLE t (a INT) WITH ('connector' = 'kafka'); INSERT INTO s SELECT a FROM t"
    >>> [(table.name, table.connector) for table in read_tables(Job.of(parse_script(text), {}))]
    [('t', 'kafka')]
    """
    by_name: dict[str, ReadTable] = {}
    for pipeline in job.pipelines:
        catalog = Catalog.of(pipeline.definitions, job.script.memo)
        for scan in pipeline.plan.scans:
            table = catalog.tables.get(scan.table)
            if table is not None:
                options = catalog.options_of(table)
                connector, path = (options[key].value if key in options else None for key in ("connector", "path"))
                entry = ReadTable(display_name(table.name), connector, path, _columns(catalog, table))
                by_name.setdefault(table.name, entry)
    return tuple(by_name.values())


def written_tables(sql: str) -> frozenset[str]:
    """The tables that the queries of a script fill, by their full names.

    >>> sorted(written_tables("INSERT INTO b SELECT x FROM t; INSERT INTO c.d.a SELECT x FROM t"))
    ['b', 'c.d.a']
    """
    pipelines = Job.of(parse_script(sql), {}).pipelines
    return frozenset(pipeline.sink for pipeline in pipelines if pipeline.sink is not None)


def _columns(catalog: Catalog, table: TableDefinition) -> tuple[tuple[str, str], ...]:
    """The columns that are read, computed ones left out."""
    key = catalog.primary_key_of(table)[0]
    return tuple(
        (column.name, f"{column.stored_type}{' NOT NULL' if column.not_null or column.name in key else ''}")
        for column in catalog.columns_of(table)[0]
        if column.stored_type is not None
    )

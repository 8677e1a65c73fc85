"""A compiled plan of a file as the job of a table environment: its tables are those of the plan, and stand-ins."""

from __future__ import annotations

from typing import Any

from keepstate_flink.compiled.plan_file import PlanFile
from keepstate_flink.errors import NotRunnable
from keepstate_flink.scripts import LoadedScript, ScriptJob

_DEFAULT = "default_catalog"


def loaded_plan(java: Any, environment: Any, text: str) -> LoadedScript:
    """The job of a compiled plan, which was read once already.

    Raises:
        NotRunnable: the plan does not say what its tables are.
        Py4JJavaError: Flink refuses the plan.
    """
    plan = PlanFile.read(text)
    unknown = next((table.path for table in plan.tables if table.columns is None), None)
    if unknown is not None:
        raise NotRunnable(
            f"The compiled plan names {unknown} without its columns: compile it with "
            "table.plan.compile.catalog-objects = ALL, which is the default"
        )
    environment.getConfig().set("table.plan.restore.catalog-objects", "ALL_ENFORCED")
    memory = java.org.apache.flink.table.catalog.GenericInMemoryCatalog
    for catalog, databases in plan.catalogs.items():
        if catalog != _DEFAULT:
            environment.registerCatalog(catalog, memory(catalog, min(databases)))
    compiled = java.keepstate.flink.Jobs.loaded(environment, plan.text)
    sinks = [table.path for table in plan.tables if table.is_sink]
    columns = {table.path: table.columns for table in plan.tables if table.columns is not None}
    return LoadedScript((ScriptJob(compiled, list(plan.queries), sinks, columns),))

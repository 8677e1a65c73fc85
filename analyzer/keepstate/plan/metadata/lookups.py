"""Lookup joins that ask asynchronously: rows that wait for an answer are state."""

from __future__ import annotations

from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.operators import LookupJoin, TableSourceScan

_KEYS = ("async", "lookup.async")


def asynchronous(lookup: LookupJoin, catalog: Catalog) -> Option | None:
    """Return the option that makes a lookup join asynchronous: in its LOOKUP hint, or else in the WITH clause of its
    table; ``None`` without one.

    >>> query = "SELECT /*+ LOOKUP('table' = 'buyers', 'async' = 'true') */ id, city FROM orders AS o"
    >>> lookup = root(f"{query} JOIN buyers FOR SYSTEM_TIME AS OF o.proctime ON name = buyer")
    >>> asynchronous(lookup, catalog()).key
    'async'
    """
    hinted = next((option for option in lookup.options if option.key.lower() == "async"), None)
    if hinted is not None:
        return hinted if _is_true(hinted) else None
    scan = lookup.right
    table = catalog.tables.get(scan.table) if isinstance(scan, TableSourceScan) else None
    options = catalog.options_of(table) if table is not None else {}
    return next((options[key] for key in _KEYS if key in options and _is_true(options[key])), None)


def _is_true(option: Option) -> bool:
    return option.value.strip().lower() == "true"

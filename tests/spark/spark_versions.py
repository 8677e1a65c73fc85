"""Functions that older versions of Spark refuse, for tests that `make ranges` runs with each of them."""

from __future__ import annotations

import pyspark

IS_OLD = pyspark.__version__.startswith("3.")
REFUSAL = "needs Spark 4.0 or newer"
"""The words of a refusal that names a function which Spark 3.5 does not have."""
_NEWER = ("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "IS JSON", "IS NOT JSON")


def is_newer(sql: str) -> bool:
    """Return whether an expression or a query has a function that this version of Spark is too old for."""
    return IS_OLD and any(name in sql for name in _NEWER)

"""Words that Flink takes for no column name without backticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from keepstate.plan.catalog import Catalog
from keepstate.plan.provenance import Place

_SINCE = (2, 0)
"""The version from which on the list was measured. Former ones reserve other words as well, and fewer."""
_RESERVED = frozenset(
    """
    AVG BUCKETS CLOSE COLUMN COMMENT CONDITION CONSTRAINT COUNT CURRENT DATABASES DATE DAY DEFAULT DESCRIBE
    DISTINCT EACH ELEMENT ELSE END EQUALS EVERY EXISTS EXPLAIN EXTEND FALSE FILTER FLOAT FULL FUNCTION FUNCTIONS
    GROUPING GROUPS HOLD HOUR IDENTITY INDICATOR INITIAL INTERVAL INTO LAG LANGUAGE LEAD LEFT LIKE LIMIT LOCAL
    LOWER MATCH MATCH_RECOGNIZE MAX MEASURES MEMBER MERGE METHOD MIN MINUTE MOD MODELS MODULE MODULES MONTH
    MULTISET NATIONAL NEXT NO NONE NORMALIZE NULL OF OFFSET OLD ON ONLY OPEN ORDER OUT OUTER OVER OVERLAY
    PARAMETER PARTITION PATTERN PER PERCENT PERIOD PORTION POSITION POWER PRECISION PREV PRIMARY PROCEDURE RANGE
    RANK RAW READS REAL REF REFERENCES RELEASE RESET RESULT RETURN RIGHT ROLLUP ROW ROWS ROW_NUMBER RUNNING
    SCOPE SEARCH SECOND SENSITIVE SET SHOW SIMILAR SKIP SOME SPECIFIC SQL START STATEMENT STATIC STRING
    SUBMULTISET SUBSET SUM SYMMETRIC SYSTEM SYSTEM_TIME TABLE TABLES THEN TIME TIMESTAMP TO TRAILING TRANSLATE
    TRIGGER TRIM TRUE TRUNCATE UESCAPE UNIQUE UNKNOWN UPDATE UPPER UPSERT USE USER USING VALUE VALUES VARIANT
    VIEWS WATERMARK WATERMARKS WHEN WHERE WINDOW WITH WITHIN WITHOUT YEAR
    """.split()
)
"""Measured on the parser of Flink 2.3: each as the name of a column of CREATE TABLE."""


NewlyReserved = Callable[[tuple[int, int]], "tuple[tuple[str, str, Place], ...]"]
"""Columns that cannot be declared (``newly_reserved``), by the version of Flink."""


def newly_reserved(baseline: Catalog, current: Catalog, flink: tuple[int, int]) -> tuple[tuple[str, str, Place], ...]:
    """Return the columns that cannot be declared and that the baseline does not declare: table, column, place.

    >>> was, now = (catalog(f"CREATE TABLE t (id INT, {column} STRING);") for column in ("name", "user"))
    >>> [(table, column) for table, column, _ in newly_reserved(was, now, (2, 2))]
    [('t', 'user')]
    """
    touched = tuple(current.declared_otherwise(baseline))
    was, now = (tuple(reserved_columns(each, touched, flink)) for each in (baseline, current))
    old_names = {(table, column) for table, column, _ in was}
    return tuple(one for one in now if one[:2] not in old_names)


def reserved_columns(
    catalog: Catalog, names: Iterable[str], flink: tuple[int, int]
) -> Iterator[tuple[str, str, Place]]:
    r"""The columns of the tables ``names`` that cannot be declared: table, column, and where it is declared.

    ``user STRING`` is refused, and with it the whole script; ``\`user\` STRING`` is fine.
    """
    if flink < _SINCE:
        return
    for table in (catalog.tables[name] for name in names if name in catalog.tables):
        for column in catalog.columns_of(table)[0]:
            is_quoted = column.place.text.startswith("`")
            if not is_quoted and column.name.upper() in _RESERVED:
                yield table.name, column.name, column.place

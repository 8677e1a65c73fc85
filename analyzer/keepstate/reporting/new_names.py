"""The names of the files that a fix makes beside the one that it edits."""

from __future__ import annotations

FLINK_SUFFIXES = (".fql", ".flink.sql")
"""Names that are Flink SQL whatever the text looks like."""


def name_beside(name: str, suffix: str) -> str:
    """``suffix`` put behind a file name, in front of its ending.

    >>> name_beside("revenue.flink.sql", "_sold"), name_beside(".fql", "_sold")
    ('revenue_sold.flink.sql', '_sold.fql')
    """
    ending = next(
        (flink_suffix for flink_suffix in FLINK_SUFFIXES if name.lower().endswith(flink_suffix)), _ending(name)
    )
    stem = name[: len(name) - len(ending)]
    return f"{stem}{suffix}{ending and name[-len(ending) :]}"


def _ending(name: str) -> str:
    """The ending with its dot; a dot in front of a name, or behind it, begins none."""
    stem, dot, ending = name.rpartition(".")
    return dot + ending if ending and stem.strip(".") else ""

"""All functions that depend on more than their arguments, by the names of calls."""

from __future__ import annotations

from keepstate_spark.lowering.functions import (
    collections,
    comparisons,
    numbers,
    regular_expressions,
    texts,
    time_functions,
)
from keepstate_spark.lowering.functions.json import json_texts, json_writing
from keepstate_spark.lowering.scalars import Rule

RULES: dict[str, Rule] = {
    **comparisons.RULES,
    **numbers.RULES,
    **time_functions.RULES,
    **texts.RULES,
    **json_texts.RULES,
    **json_writing.RULES,
    **regular_expressions.RULES,
    **collections.RULES,
}

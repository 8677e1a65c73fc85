"""Results that are NULL though no argument is. Flink takes them as NOT NULL where all arguments are."""

from __future__ import annotations

from pyspark.sql import Column

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.expressions import Column as TableColumn
from keepstate_spark.lowering.refusals import script_text
from keepstate_spark.lowering.spark_columns import failing, nothing, text


def made_null(call: Call) -> Column:
    """NULL as the result of ``call``, which ends the query where all arguments are columns NOT NULL and constants:
    Flink stops there, or counts the result as a value.
    """
    if all(map(_is_required, call.args)):
        return failing(text(f"Flink takes {script_text(call)} as NOT NULL, and it is NULL."))
    return nothing()


def _is_required(arg: Expr) -> bool:
    match arg:
        case Literal():
            return arg.type != "NULL"
        case TableColumn():
            return arg.not_null and not arg.may_be_missing
        case Call(name="CAST"):
            return _is_required(arg.args[0])
    return False

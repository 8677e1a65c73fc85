"""Columns of Spark for the lowering: constants, columns of frames, or calls of functions.

No text here is parsed by Spark. A text of a script is a constant, whatever it looks like. A column of a frame has a
name that ``Lowering.name`` made. The callable functions are those of ``FUNCTIONS``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate_spark.lowering.older_versions import STAND_INS

FUNCTIONS = frozenset(
    """
    abs acos add_months array array_append array_distinct array_except array_intersect array_join array_max array_min
    array_position array_prepend array_union asin atan atan2 avg base64 bin ceil char_length chr coalesce
    collect_list collect_set concat concat_ws conv convert_timezone cos cosh cot count count_if cume_dist
    current_timestamp date_add date_format date_sub date_trunc day dayofweek dayofyear decode degrees dense_rank div
    e element_at encode endswith exp explode extract first first_value flatten floor format_number format_string
    from_json get_json_object get greatest hex hour if inline instr isnan lag last_day last_value lead least left
    length like ln locate log log10 log2 lower lpad ltrim map map_concat map_entries map_from_arrays map_from_entries
    map_keys map_values max max_by md5 min min_by minute monotonically_increasing_id month named_struct ntile nullif
    overlay percent_rank pi pmod posexplode posexplode_outer power quarter radians raise_error rand rank
    regexp_count regexp_extract regexp_extract_all regexp_instr regexp_replace repeat replace reverse
    right rlike round row_number rpad rtrim second sequence sha1 sha2 shiftrightunsigned sign sin sinh size slice
    sort_array split sqrt startswith stddev_pop stddev_samp struct substring substring_index sum tan tanh
    timestamp_micros timestamp_millis timestamp_seconds to_date to_json translate trim try_element_at try_parse_json
    try_to_binary try_to_timestamp try_url_decode try_variant_get unbase64 unhex unix_micros unix_millis unix_seconds
    upper url_encode uuid var_pop var_samp weekday weekofyear year
    """.split()
)
"""All functions of Spark that a query can reach by name."""

STRING, BINARY, BOOLEAN = spark.StringType(), spark.BinaryType(), spark.BooleanType()
INT, BIGINT, FLOAT, DOUBLE = spark.IntegerType(), spark.LongType(), spark.FloatType(), spark.DoubleType()
DATE, WALL_CLOCK, INSTANT = spark.DateType(), spark.TimestampNTZType(), spark.TimestampType()


def function_call(function: str, *args: Column) -> Column:
    """A call of one of ``FUNCTIONS``. Raises ``KeyError`` for any other."""
    if function not in FUNCTIONS:
        raise KeyError(function)
    if function in STAND_INS:
        return STAND_INS[function](*args)
    return fn.call_function(function, *args)


def single(number: Column) -> Column:
    """A number as a FLOAT. Without the sum, Spark makes a DOUBLE of a whole number at once where one is made of that
    FLOAT, and digits are left that a FLOAT does not have.
    """
    return number.cast(FLOAT) + text("0").cast(FLOAT)


def frame_column(name: str) -> Column:
    """The column of a frame that is called ``name``: letters, digits and underscores, as ``Lowering.name`` makes them.

    A dot or a backtick would mean something to Spark. Raises ``ValueError`` for names with such characters.
    """
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(name)
    return fn.col(name)


def text(value: str) -> Column:
    """The constant text ``value``, with the characters that it has."""
    return fn.lit(value)


def whole(number: int) -> Column:
    """A constant of type INT, or BIGINT if it is too large for that."""
    return fn.lit(number)


def large(number: int) -> Column:
    """Return a constant of type BIGINT, so that calculations with it do not wrap around as with an INT."""
    return fn.lit(number).cast(BIGINT)


def nothing(type_: spark.DataType | None = None) -> Column:
    """NULL, of ``type_`` if one is given."""
    return fn.lit(None) if type_ is None else fn.lit(None).cast(type_)


def true() -> Column:
    return fn.lit(True)


def choice(condition: Column, then: Column, otherwise: Column | None = None) -> Column:
    """``then`` where ``condition`` is true, and ``otherwise``, or NULL, where it is false or NULL."""
    return function_call("if", condition, then, nothing() if otherwise is None else otherwise)


def unless_null(value: Column, result: Column) -> Column:
    """``result``, and NULL where ``value`` is."""
    return choice(value.isNull(), nothing(), result)


def all_true(*conditions: Column) -> Column:
    """All of ``conditions``; true if there are none."""
    return reduce(and_, conditions) if conditions else true()


def failing(*words: Column) -> Column:
    """Return a column that ends the query with the concatenation of ``words`` as its error."""
    return function_call("raise_error", words[0] if len(words) == 1 else function_call("concat", *words))


def let(value: Column, of: Callable[[Column], Column]) -> Column:
    """Apply ``of`` to ``value``, which is computed once: as the one element of an array.

    A column is a tree. Used twice it stands in it twice, and what is made of such trees in steps doubles with each.
    """
    return function_call("element_at", fn.transform(function_call("array", value), of), whole(1))

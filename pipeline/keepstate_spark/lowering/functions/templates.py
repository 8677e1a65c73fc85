"""Functions that need no more than the texts of their arguments, by name and number of arguments.

What depends on types or on constants has a rule in one of the other modules. What has neither is unknown, and a query
with it is refused. What Flink answers was asked of Flink itself: ``tests/spark/flink_values.txt``.
"""

from __future__ import annotations

import re

_TEXT = """
CHAR_LENGTH/1       char_length({0})
UPPER/1             upper({0})
LOWER/1             lower({0})
REVERSE/1           reverse({0})
REPEAT/2            repeat({0}, {1})
CONCAT/*            concat({*})
CONCAT_WS/*         concat_ws({*})
||/2                concat({0}, {1})
LEFT/2              if({1} <= 0, if({0} is null, null, ''), left({0}, {1}))
RIGHT/2             if({1} <= 0, if({0} is null, null, ''), right({0}, {1}))
LTRIM/1             ltrim({0})
RTRIM/1             rtrim({0})
BTRIM/1             trim({0})
LTRIM/2             ltrim({1}, {0})
RTRIM/2             rtrim({1}, {0})
BTRIM/2             trim({1}, {0})
LPAD/3              if({2} = '' and length({0}) < {1} or {1} < 0, null, lpad({0}, {1}, {2}))
RPAD/3              if({2} = '' and length({0}) < {1} or {1} < 0, null, rpad({0}, {1}, {2}))
INSTR/2             instr({0}, {1})
LOCATE/2            locate({0}, {1})
LOCATE/3            locate({0}, {1}, {2})
POSITION/2          locate({0}, {1})
ASCII/1             ascii({0})
STARTSWITH/2        startswith({0}, {1})
ENDSWITH/2          endswith({0}, {1})
TRANSLATE/3         translate({0}, {1}, {2})
REGEXP/2            ({0} rlike {1})
REGEXP_SUBSTR/2     if({0} rlike {1}, regexp_substr({0}, {1}), null)
REGEXP_INSTR/2      regexp_instr({0}, {1})
STR_TO_MAP/1        str_to_map({0}, ',', '=')
STR_TO_MAP/3        str_to_map({0}, {1}, {2})
UNHEX/1             unhex({0})
UUID/0              uuid()
REGEXP_COUNT/2      regexp_count({0}, {1})
REGEXP_REPLACE/3    regexp_replace({0}, {1}, replace(replace({2}, '\\\\', '\\\\\\\\'), '$', '\\\\$'))
REGEXP_EXTRACT/2    if({0} rlike {1}, regexp_extract({0}, {1}, 0), null)
REGEXP_EXTRACT/3    if({0} rlike {1}, regexp_extract({0}, {1}, {2}), null)
SUBSTRING/2         case when {1} < -char_length({0}) then '' else substring({0}, {1}) end
SUBSTRING/3         case when {2} < 0 then null when {1} < -char_length({0}) then '' else substring({0}, {1}, {2}) end
MD5/1               md5({0})
SHA1/1              sha1({0})
SHA224/1            sha2({0}, 224)
SHA256/1            sha2({0}, 256)
SHA384/1            sha2({0}, 384)
SHA512/1            sha2({0}, 512)
SHA2/2              sha2({0}, {1})
TO_BASE64/1         base64(cast({0} as binary))
FROM_BASE64/1       cast(unbase64({0}) as string)
HEX/1               hex({0})
BIN/1               bin({0})
URL_ENCODE/1        url_encode({0})
URL_DECODE/1        try_url_decode({0})
IS_ALPHA/1          coalesce({0} rlike '^\\\\p{IsAlphabetic}+$', false)
CHR/1               chr({0} % 256)
PARSE_URL/2         try_parse_url({0}, {1})
PARSE_URL/3         try_parse_url({0}, {1}, {2})
IS_DIGIT/1          coalesce({0} rlike '^[0-9]+$', false)
"""

_NUMBERS = """
ABS/1               abs({0})
SIGN/1              sign({0})
NEGATE/1            (- {0})
POWER/2             power({0}, {1})
SQRT/1              sqrt({0})
EXP/1               exp({0})
LN/1                if({0} = 0, double('-Infinity'), ln({0}))
LOG/1               if({0} = 0, double('-Infinity'), ln({0}))
LOG/2               log({0}, {1})
LOG2/1              if({0} = 0, double('-Infinity'), log2({0}))
LOG10/1             if({0} = 0, double('-Infinity'), log10({0}))
SIN/1               sin({0})
COS/1               cos({0})
TAN/1               tan({0})
COT/1               cot({0})
ASIN/1              asin({0})
ACOS/1              acos({0})
ATAN/1              atan({0})
ATAN2/2             atan2({0}, {1})
SINH/1              sinh({0})
COSH/1              cosh({0})
TANH/1              tanh({0})
DEGREES/1           degrees({0})
RADIANS/1           radians({0})
PI/0                pi()
E/0                 e()
"""

_COLLECTIONS = """
CARDINALITY/1       if({0} is null, null, size({0}))
ARRAY_CONTAINS/2    array_contains({0}, {1})
ARRAY_JOIN/2        array_join({0}, {1})
ARRAY_DISTINCT/1    array_distinct({0})
ARRAY_REVERSE/1     reverse({0})
ARRAY_POSITION/2    array_position({0}, {1})
ARRAY_MAX/1         array_max({0})
ARRAY_MIN/1         array_min({0})
MAP_KEYS/1          map_keys({0})
MAP_VALUES/1        map_values({0})
ARRAY_SORT/1        sort_array({0}, true)
ARRAY_APPEND/2      array_append({0}, {1})
ARRAY_PREPEND/2     array_prepend({0}, {1})
ARRAY_CONCAT/*      concat({*})
ARRAY_UNION/2       array_union({0}, {1})
MAP_ENTRIES/1       map_entries({0})
MAP_FROM_ARRAYS/2   map_from_arrays({0}, {1})
MAP_UNION/2         map_concat({0}, {1})
SPLIT/2             split({0}, concat('\\\\Q', {1}, '\\\\E'))
"""

_TIMES = """
CURRENT_TIMESTAMP/0         cast(current_timestamp() as timestamp_ltz)
CURRENT_ROW_TIMESTAMP/0     cast(current_timestamp() as timestamp_ltz)
PROCTIME/0                  cast(current_timestamp() as timestamp_ltz)
"""


def _read(*tables: str) -> dict[str, str]:
    lines = (line for table in tables for line in table.strip().splitlines())
    return {name: text.strip() for name, text in (line.split(None, 1) for line in lines)}


TEMPLATES = _read(_TEXT, _NUMBERS, _COLLECTIONS, _TIMES)
"""``NAME/count`` (``*`` for any number) to text in which ``{0}`` is the first argument and ``{*}`` are all of them."""


def template(name: str, count: int) -> str | None:
    """The text for a call of ``name`` with ``count`` arguments; ``None`` if there is none."""
    return TEMPLATES.get(f"{name}/{count}") or TEMPLATES.get(f"{name}/*")


def filled(text: str, args: list[str]) -> str:
    """``text`` with the arguments in their places."""

    def argument(match: re.Match[str]) -> str:
        return ", ".join(args) if match[1] == "*" else args[int(match[1])]

    return re.sub(r"\{(\*|\d+)\}", argument, text)

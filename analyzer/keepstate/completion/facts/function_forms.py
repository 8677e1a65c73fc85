"""Built-in functions of Flink: the form of a call, and its meaning in a line.

Forms and meanings follow Flink's documentation of system functions. Parameters in ``[...]`` may be left out, ``...``
repeats the last one. A function with two forms has two lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.plan.types.builtin_functions import AGGREGATES
from keepstate.syntax.keywords import NILADIC_FUNCTIONS

_TABLE = """
ABS(number)  the number without its sign
ACOS(number)  the arc cosine
ARRAY_AGG([DISTINCT] value)  an array of all values of the group
ARRAY_APPEND(array, element)  the array with one more element at its end
ARRAY_CONCAT(array, ...)  the arrays behind one another
ARRAY_CONTAINS(array, element)  TRUE if the array has the element
ARRAY_DISTINCT(array)  the array with each element once
ARRAY_EXCEPT(array, other)  elements of the first array that are not in the other
ARRAY_INTERSECT(array, other)  elements that are in both arrays, each once
ARRAY_JOIN(array, delimiter[, null_replacement])  the elements as one string
ARRAY_MAX(array)  the largest element
ARRAY_MIN(array)  the smallest element
ARRAY_POSITION(array, element)  the place of the element, from 1; 0 if it is not there
ARRAY_PREPEND(array, element)  the array with one more element at its start
ARRAY_REMOVE(array, element)  the array without all elements that equal this one
ARRAY_REVERSE(array)  the elements in the other order
ARRAY_SLICE(array, start[, end])  elements from one place to another, from 1
ARRAY_SORT(array[, ascending[, nulls_first]])  the elements in order
ARRAY_UNION(array, other)  elements of both arrays, each once
ASCII(string)  the code of the first character
ASIN(number)  the arc sine
ATAN(number)  the arc tangent
ATAN2(y, x)  the angle of the point (x, y)
AVG([DISTINCT] number)  the mean of the group
BIN(number)  a whole number in binary digits
BTRIM(string[, characters])  the string without blanks, or these characters, at both ends
CARDINALITY(collection)  the number of elements of an array or map
CAST(value AS type)  the value in another type; fails where it has none
CEIL(number)  the next whole number above
CEIL(time TO unit)  the time, rounded up to a unit
CEILING(number)  the next whole number above
CHARACTER_LENGTH(string)  the number of characters
CHAR_LENGTH(string)  the number of characters
CHR(number)  the character with this code
COALESCE(value, ...)  the first value that is not NULL
COLLECT([DISTINCT] value)  a multiset of all values of the group
CONCAT(string, ...)  the strings behind one another; NULL if one is
CONCAT_WS(separator, string, ...)  the strings with a separator between them, those that are NULL left out
CONVERT_TZ(timestamp, from_zone, to_zone)  a timestamp in another time zone, as a string
COS(number)  the cosine
COSH(number)  the hyperbolic cosine
COT(number)  the cotangent
COUNT(*)  the number of rows of the group
COUNT([DISTINCT] value)  the number of rows of the group whose value is not NULL
CUME_DIST()  the share of rows that come up to this one, in its window
CURRENT_DATABASE()  the name of the database in use
CURRENT_DATE  the date in the time zone of the session
CURRENT_ROW_TIMESTAMP()  the time when the row is processed
CURRENT_TIME  the time of day in the time zone of the session
CURRENT_TIMESTAMP  the present time, as TIMESTAMP_LTZ(3)
CURRENT_WATERMARK(rowtime)  the watermark of this time attribute at this operator; NULL before the first one
DATE_FORMAT(timestamp, format)  the timestamp as a string of a Java format
DAYOFMONTH(date)  the day of the month, from 1
DAYOFWEEK(date)  the day of the week; 1 is Sunday
DAYOFYEAR(date)  the day of the year, from 1
DECODE(binary, charset)  the bytes as a string
DEGREES(radians)  an angle in degrees
DENSE_RANK()  the rank of the row in its window, without gaps
E()  the number e
ELEMENT(array)  the only element of an array
ELT(index, value, ...)  the value at this place of the list, from 1
ENCODE(string, charset)  the string as bytes
ENDSWITH(string, end)  TRUE if the string ends so
EVERY(condition)  TRUE if the condition holds for all rows of the group
EXP(number)  e to the power of the number
EXTRACT(unit FROM time)  one field of a date, a time or an interval
FIRST_VALUE(value)  the first value of the group
FLOOR(number)  the next whole number below
FLOOR(time TO unit)  the time, rounded down to a unit
FROM_BASE64(string)  the decoded string
FROM_UNIXTIME(seconds[, format])  seconds since 1970 as a string, in the time zone of the session
GREATEST(value, ...)  the largest value; NULL if one is
GROUPING(key, ...)  1 for a key that is rolled up in this row, 0 else
GROUPING_ID(key, ...)  the bits of GROUPING for several keys
GROUP_ID()  a number that tells equal grouping sets apart
HASH_CODE(value)  a hash of the value
HEX(value)  a whole number or a string in hexadecimal digits
HOUR(time)  the hour of the day
IF(condition, then, else)  one of two values
IFNULL(value, replacement)  the value, or its replacement if it is NULL
INITCAP(string)  the string with a capital at the start of each word
INSTR(string, part[, position[, occurrence]])  the place of a part in the string, from 1; 0 if it is not there
IS_ALPHA(string)  TRUE if there are letters only
IS_DECIMAL(string)  TRUE if it is a number
IS_DIGIT(string)  TRUE if there are digits only
JSON(string)  a JSON text, put as it is into JSON_ARRAY or JSON_OBJECT
JSON_ARRAY(value, ...)  a JSON array, as a string
JSON_ARRAYAGG(value)  a JSON array of the values of the group
JSON_EXISTS(json, path)  TRUE if the path leads to something
JSON_OBJECT(KEY key VALUE value, ...)  a JSON object, as a string
JSON_OBJECTAGG(KEY key VALUE value)  a JSON object of the rows of the group
JSON_QUERY(json, path)  the part of a JSON text at this path, as JSON
JSON_QUOTE(string)  the string as a JSON text, in double quotes
JSON_STRING(value)  the value as JSON
JSON_UNQUOTE(string)  the content of a JSON text in double quotes
JSON_VALUE(json, path)  one value of a JSON text, by default as a string
LAG(value[, offset[, default]])  the value of an earlier row of the window
LAST_VALUE(value)  the last value of the group
LEAD(value[, offset[, default]])  the value of a later row of the window
LEAST(value, ...)  the smallest value; NULL if one is
LEFT(string, length)  the first characters
LISTAGG([DISTINCT] string[, separator])  the strings of the group behind one another
LN(number)  the natural logarithm
LOCALTIME  the time of day in the time zone of the session
LOCALTIMESTAMP  the present time in the time zone of the session, as TIMESTAMP(3)
LOCATE(part, string[, position])  the place of a part in the string, from 1; 0 if it is not there
LOG([base, ]number)  the logarithm; the natural one without a base
LOG10(number)  the logarithm to base 10
LOG2(number)  the logarithm to base 2
LOWER(string)  the string in small letters
LPAD(string, length, pad)  the string, filled up at its start to a length
LTRIM(string[, characters])  the string without blanks at its start
MAP_ENTRIES(map)  the entries as an array of rows
MAP_FROM_ARRAYS(keys, values)  a map of an array of keys and one of values
MAP_KEYS(map)  the keys as an array
MAP_UNION(map, ...)  one map of all entries; those of later maps win
MAP_VALUES(map)  the values as an array
MAX(value)  the largest value of the group
MD5(string)  the MD5 hash in hexadecimal digits
MIN(value)  the smallest value of the group
MINUTE(time)  the minute of the hour
MOD(dividend, divisor)  the rest of a division
MONTH(date)  the month of the year, from 1
NOW()  the present time, as TIMESTAMP_LTZ(3)
NTH_VALUE(value, n)  the value of the n-th row of the window
NTILE(n)  the number of the row's bucket, of n in the window
NULLIF(value, other)  NULL if both are equal, the first value else
OVERLAY(string PLACING part FROM start [FOR length])  the string with one part replaced
PARSE_JSON(string[, allow_duplicate_keys])  the JSON text as VARIANT; fails for other texts
PARSE_URL(url, part[, key])  a part of an address, such as 'HOST' or 'QUERY'
PERCENTILE(value, percentage[, frequency])  the value at this share of the group
PERCENT_RANK()  the rank of the row in its window, from 0 to 1
PI()  the number pi
POSITION(part IN string)  the place of a part in the string, from 1; 0 if it is not there
POWER(base, exponent)  a number to the power of another
PRINTF(format, value, ...)  a string with values filled in
PROCTIME()  the processing time, as a time attribute
QUARTER(date)  the quarter of the year, from 1
RADIANS(degrees)  an angle in radians
RAND([seed])  a number from 0 to below 1 by chance
RAND_INTEGER([seed, ]bound)  a whole number from 0 to below the bound by chance
RANK()  the rank of the row in its window, with gaps
REGEXP(string, pattern)  TRUE if a part of the string fits the Java pattern
REGEXP_COUNT(string, pattern)  how often the pattern fits
REGEXP_EXTRACT(string, pattern[, group])  the part that fits a pattern, or one of its groups
REGEXP_EXTRACT_ALL(string, pattern[, group])  all parts that fit a pattern, as an array
REGEXP_INSTR(string, pattern)  the place of the first part that fits, from 1
REGEXP_REPLACE(string, pattern, replacement)  the string with all parts replaced that fit
REGEXP_SUBSTR(string, pattern)  the first part that fits a pattern
REPEAT(string, count)  the string several times
REPLACE(string, part, replacement)  the string with all such parts replaced
REVERSE(string)  the characters in the other order
RIGHT(string, length)  the last characters
ROUND(number[, digits])  the number, rounded to digits behind the point
ROW_NUMBER()  the number of the row in its window, from 1
RPAD(string, length, pad)  the string, filled up at its end to a length
RTRIM(string[, characters])  the string without blanks at its end
SECOND(time)  the second of the minute
SHA1(string)  the SHA-1 hash in hexadecimal digits
SHA2(string, bits)  the SHA-2 hash of 224, 256, 384 or 512 bits
SHA224(string)  the SHA-224 hash in hexadecimal digits
SHA256(string)  the SHA-256 hash in hexadecimal digits
SHA384(string)  the SHA-384 hash in hexadecimal digits
SHA512(string)  the SHA-512 hash in hexadecimal digits
SIGN(number)  -1, 0 or 1
SIN(number)  the sine
SINGLE_VALUE(value)  the value of a group of one row
SINH(number)  the hyperbolic sine
SPLIT(string, delimiter)  the parts of the string as an array
SPLIT_INDEX(string, delimiter, index)  one part of the string, from 0
SQRT(number)  the square root
STARTSWITH(string, start)  TRUE if the string starts so
STDDEV(number)  the standard deviation of a sample
STDDEV_POP(number)  the standard deviation of the group
STDDEV_SAMP(number)  the standard deviation of a sample
STR_TO_MAP(string[, entry_delimiter, key_delimiter])  a map of a text such as 'a=1,b=2'
SUBSTR(string, start[, length])  a part of the string, from 1
SUBSTRING(string, start[, length])  a part of the string, from 1
SUM([DISTINCT] number)  the sum of the group
TAN(number)  the tangent
TANH(number)  the hyperbolic tangent
TIMESTAMPADD(unit, count, time)  the time, moved by a number of units
TIMESTAMPDIFF(unit, from, to)  the number of whole units between two times
TO_BASE64(string)  the string in base 64
TO_DATE(string[, format])  a date from a string
TO_TIMESTAMP(string[, format])  a TIMESTAMP(3) from a string
TO_TIMESTAMP_LTZ(epoch[, precision])  a TIMESTAMP_LTZ from seconds (precision 0) or milliseconds (3) since 1970
TO_TIMESTAMP_LTZ(string[, format[, zone]])  a TIMESTAMP_LTZ from a string
TRANSLATE(string, from, to)  the string with single characters replaced
TRIM([BOTH characters FROM] string)  the string without blanks, or these characters, at its ends
TRUNCATE(number[, digits])  the number, cut off behind some digits
TRY_CAST(value AS type)  the value in another type; NULL where it has none
TRY_PARSE_JSON(string[, allow_duplicate_keys])  the JSON text as VARIANT; NULL for other texts
TYPEOF(value[, force_serializable])  the type of the value, as a string
UNHEX(string)  the bytes of hexadecimal digits
UNIX_TIMESTAMP([string[, format]])  seconds since 1970, of now or of a string
UPPER(string)  the string in capitals
URL_DECODE(string)  the decoded form of a part of an address
URL_ENCODE(string)  the string as a part of an address
UUID()  an identifier by chance
VARIANCE(number)  the variance of a sample
VAR_POP(number)  the variance of the group
VAR_SAMP(number)  the variance of a sample
WEEK(date)  the week of the year
YEAR(date)  the year
"""

_WINDOW_TABLE = """
TUMBLE(DATA => TABLE table, TIMECOL => DESCRIPTOR(time), SIZE => interval[, OFFSET => interval])  windows of one size \
behind one another
HOP(DATA => TABLE table, TIMECOL => DESCRIPTOR(time), SLIDE => interval, SIZE => interval[, OFFSET => interval])  \
windows of one size that begin at every slide, and overlap
CUMULATE(DATA => TABLE table, TIMECOL => DESCRIPTOR(time), STEP => interval, SIZE => interval[, OFFSET => interval])  \
windows that grow by steps up to a size
SESSION(DATA => TABLE table [PARTITION BY key], TIMECOL => DESCRIPTOR(time), GAP => interval)  windows that a gap \
without rows ends
"""

_GROUP_WINDOW_TABLE = """
TUMBLE(time, size)  a group window of one size
HOP(time, slide, size)  group windows of one size that begin at every slide
SESSION(time, gap)  a group window that a gap without rows ends
"""


@dataclass(frozen=True)
class Form:
    """One form of a call. ``parameters`` are the places of the parameters in ``text``, start and end."""

    name: str
    text: str
    meaning: str
    parameters: tuple[tuple[int, int], ...]

    @property
    def has_arguments(self) -> bool:
        return bool(self.parameters)

    @property
    def is_aggregate(self) -> bool:
        return self.name in AGGREGATES

    @property
    def is_niladic(self) -> bool:
        """Return whether it is called without parentheses."""
        return self.name in NILADIC_FUNCTIONS

    @property
    def repeats(self) -> bool:
        return "..." in self.text

    def parameter_at(self, argument: int) -> int | None:
        """The number of the parameter that takes the argument of this number; ``None`` for one too many."""
        if argument < len(self.parameters):
            return argument
        return len(self.parameters) - 1 if self.repeats and self.parameters else None

    def parameter_named(self, name: str) -> int | None:
        """The number of a parameter that is given by its name, as in ``SIZE => ...``."""
        for number, (start, end) in enumerate(self.parameters):
            if self.text[start:end].partition("=>")[0].strip() == name:
                return number
        return None


def _forms(table: str) -> Iterator[Form]:
    for line in table.strip().splitlines():
        text, _, meaning = line.partition("  ")
        name = text.partition("(")[0]
        yield Form(name, text, meaning.strip(), tuple(_parameters(text)))


def _parameters(text: str) -> Iterator[tuple[int, int]]:
    """The places of the parameters: parts between commas, without brackets around optional ones."""
    start = text.find("(") + 1
    if not start:
        return
    depth = 0
    first = start
    for at in range(start, len(text)):
        sign = text[at]
        if (sign == "," or at == len(text) - 1) and not depth:
            yield from _trimmed(text, first, at)
            first = at + 1
        depth += (sign == "(") - (sign == ")" and at < len(text) - 1)


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The part without blanks, and without brackets that belong to the commas around it."""
    while first < last and (text[first] == " " or text[last - 1] == " " or not _is_balanced(text[first:last])):
        if text[last - 1] in "[] ":
            last -= 1
        else:
            first += 1
    if first < last and text[first:last] != "...":
        yield first, last


def _is_balanced(text: str) -> bool:
    return text.count("[") == text.count("]") and text.find("]") >= text.find("[")


FORMS: dict[str, tuple[Form, ...]] = {}
"""The forms of each function, by its name in upper case."""
for _form in _forms(_TABLE):
    FORMS[_form.name] = (*FORMS.get(_form.name, ()), _form)

WINDOWS: dict[str, Form] = {form.name: form for form in _forms(_WINDOW_TABLE)}
"""Window table functions."""

GROUP_WINDOWS: dict[str, Form] = {form.name: form for form in _forms(_GROUP_WINDOW_TABLE)}
"""Windows of GROUP BY."""

GROUP_WINDOW_PROPERTIES = tuple(
    f"{window}_{part}" for window in ("TUMBLE", "HOP", "SESSION") for part in ("START", "END", "ROWTIME", "PROCTIME")
)

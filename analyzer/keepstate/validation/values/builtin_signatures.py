"""Arguments that Flink's built-in functions take: how many, and of which types.

Measured on Flink 2.3: each function with each number of arguments, and each type in each place. The letters:

``N`` a number, ``I`` a whole number, ``J`` a whole number of at most INT, ``E`` an exact number, ``F`` a number that is
no DECIMAL, ``S`` a string, ``B`` a string or bytes, ``L`` a string that is a literal, ``H`` a whole number or a string,
``Y`` bytes, ``O`` a boolean, ``D`` a date or timestamp, ``T`` a date, time or timestamp, ``W`` a timestamp, ``A`` an
array, ``M`` a map, ``C`` a collection, ``X`` anything, ``G`` the arguments of one family. Letters behind ``[`` may be
left out, one by one; ``*`` repeats the last one. A small letter takes a bare NULL, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.types.builtin_functions import AGGREGATES, SCALARS
from keepstate.plan.types.logical_types import LogicalType
from keepstate.validation.values import families

_TABLE = """
N: ABS ACOS ASIN ATAN SIN COS TAN COT SINH COSH TANH DEGREES RADIANS EXP LN LOG2 LOG10 SQRT SIGN
X[X: CEILING
FF: ATAN2
N[N: LOG
NN: POWER
EE: MOD
[J: RAND
J[J: RAND_INTEGER
: PI E UUID NOW CURRENT_ROW_TIMESTAMP PROCTIME CURRENT_DATABASE
N[J: ROUND TRUNCATE
I: BIN CHR
s: UNHEX URL_ENCODE URL_DECODE JSON_QUOTE JSON_UNQUOTE JSON
S: TRIM UPPER LOWER INITCAP CHAR_LENGTH CHARACTER_LENGTH REVERSE ASCII
S[S: LTRIM RTRIM TO_DATE TO_TIMESTAMP
s[s: BTRIM
SI[I: SUBSTRING SUBSTR
SI: LEFT RIGHT REPEAT
SSS: REPLACE TRANSLATE REGEXP_REPLACE CONVERT_TZ
SS[I: LOCATE REGEXP_EXTRACT
SS[II: INSTR
SIS: LPAD RPAD
S*: CONCAT
SS*: CONCAT_WS
SXI: SPLIT_INDEX
ss: SPLIT REGEXP_COUNT REGEXP_INSTR REGEXP_SUBSTR STARTSWITH ENDSWITH
SS: REGEXP ENCODE
ss[i: REGEXP_EXTRACT_ALL
S|SSS: STR_TO_MAP
YS: DECODE
B: TO_BASE64 FROM_BASE64 MD5 SHA1 SHA224 SHA256 SHA384 SHA512
BI: SHA2
SS[S: PARSE_URL
s[x*: PRINTF
Is[s*: ELT
ODD: IF
gg: IFNULL
gg: NULLIF
g*: COALESCE
g*: GREATEST LEAST
x[X: TYPEOF
ZS: DATE_FORMAT
I[S: FROM_UNIXTIME
[SS: UNIX_TIMESTAMP
U: YEAR QUARTER MONTH WEEK DAYOFYEAR DAYOFMONTH DAYOFWEEK
T: HOUR MINUTE SECOND
C: CARDINALITY
X: ELEMENT
A: ARRAY_DISTINCT ARRAY_MAX ARRAY_MIN ARRAY_REVERSE
Ax: ARRAY_APPEND ARRAY_CONTAINS ARRAY_POSITION ARRAY_PREPEND ARRAY_REMOVE
AA: ARRAY_EXCEPT ARRAY_INTERSECT ARRAY_UNION MAP_FROM_ARRAYS
A*: ARRAY_CONCAT
As[s: ARRAY_JOIN
Aj[j: ARRAY_SLICE
A[oo: ARRAY_SORT
M: MAP_KEYS MAP_VALUES MAP_ENTRIES
M*: MAP_UNION
N[I|S[SS: TO_TIMESTAMP_LTZ
s[o: PARSE_JSON TRY_PARSE_JSON
H: HEX
X: IS_ALPHA IS_DECIMAL IS_DIGIT HASH_CODE CURRENT_WATERMARK
x: JSON_STRING
N: SUM AVG STDDEV_POP STDDEV_SAMP STDDEV VAR_POP VAR_SAMP VARIANCE
X: MIN MAX SINGLE_VALUE
X: FIRST_VALUE LAST_VALUE COLLECT ARRAY_AGG
S[L: LISTAGG
X[XX: LAG LEAD
I: NTILE
nX[i: PERCENTILE
: ROW_NUMBER RANK DENSE_RANK CUME_DIST PERCENT_RANK CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP
"""

_LETTERS: dict[str, frozenset[str]] = {
    "N": frozenset({families.NUMBER}),
    "I": frozenset({families.NUMBER}),
    "J": frozenset({families.NUMBER}),
    "E": frozenset({families.NUMBER}),
    "F": frozenset({families.NUMBER}),
    "S": frozenset({families.STRING}),
    "L": frozenset({families.STRING}),
    "H": frozenset({families.STRING, families.NUMBER}),
    "B": frozenset({families.STRING, families.BYTES}),
    "Y": frozenset({families.BYTES}),
    "O": frozenset({families.BOOLEAN}),
    "U": frozenset({families.DATE, families.TIMESTAMP, families.INTERVAL}),
    "T": frozenset({families.DATE, families.TIME, families.TIMESTAMP, families.INTERVAL}),
    "Z": frozenset({families.STRING, families.TIMESTAMP}),
    "A": frozenset({"array"}),
    "M": frozenset({"map"}),
    "C": frozenset({"array", "map", "multiset"}),
    "D": frozenset(
        (
            families.NUMBER,
            families.STRING,
            families.BYTES,
            families.BOOLEAN,
            families.DATE,
            families.TIME,
            families.TIMESTAMP,
        )
    ),
}
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT"})
_ROOTS: dict[str, frozenset[str]] = {
    "I": _WHOLE,
    "J": _WHOLE - {"BIGINT"},
    "E": _WHOLE | {"DECIMAL"},
    "F": _WHOLE | {"FLOAT", "DOUBLE"},
    "H": _WHOLE | {"CHAR", "VARCHAR"},
}
_WORDS = {
    "N": "a number",
    "I": "a whole number",
    "J": "a whole number",
    "E": "an exact number",
    "F": "a number that is no DECIMAL",
    "S": "a string",
    "L": "a string",
    "H": "a whole number or a string",
    "B": "a string or bytes",
    "Y": "bytes",
    "O": "a boolean",
    "U": "a date or a timestamp",
    "T": "a date, a time or a timestamp",
    "Z": "a timestamp or a string",
    "A": "an array",
    "M": "a map",
    "C": "an array or a map",
    "D": "a single value",
}


@dataclass(frozen=True, slots=True)
class SignatureParameter:
    """One place of a signature."""

    letter: str

    @property
    def takes_null(self) -> bool:
        return self.letter.islower()

    @property
    def merged(self) -> bool:
        """Return whether it shares one family with the others of its kind."""
        return self.letter.upper() in "GD"

    @property
    def words(self) -> str:
        return _WORDS.get(self.letter.upper(), "something else")

    def takes(self, type_: LogicalType | None) -> bool:
        """Return whether a value of this type may stand here."""
        family = families.family_of(type_)
        letter_families = _LETTERS.get(self.letter.upper())
        if type_ is None or family is None or letter_families is None:
            return True
        roots = _ROOTS.get(self.letter.upper())
        return family in letter_families and (roots is None or type_.root in roots)


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one function; ``least`` of them are needed, and the last repeats if ``open``."""

    parameters: tuple[SignatureParameter, ...]
    least: int
    open: bool

    def takes_count(self, count: int) -> bool:
        return count >= self.least and (self.open or count <= len(self.parameters))

    def parameter(self, index: int) -> SignatureParameter:
        return self.parameters[min(index, len(self.parameters) - 1)]


def _read(text: str) -> tuple[Signature, ...]:
    signatures = []
    for form in text.split("|"):
        required, _, rest = form.partition("[")
        letters = (required + rest).replace("*", "")
        least = len(required.replace("*", ""))
        signatures.append(Signature(tuple(map(SignatureParameter, letters)), least, form.endswith("*")))
    return tuple(signatures)


def _table() -> dict[str, tuple[Signature, ...]]:
    table: dict[str, tuple[Signature, ...]] = {}
    for line in _TABLE.strip().splitlines():
        form, _, names = line.partition(":")
        for name in names.split():
            table[name] = _read(form)
    return table


SIGNATURES = _table()
"""By the name of the function in upper case."""


def counts_in_words(signatures: tuple[Signature, ...]) -> str:
    """The number of arguments of a function in words: ``1 or 3``, ``at least 2``."""
    if any(signature.open for signature in signatures):
        return f"at least {min(signature.least for signature in signatures)}"
    counts = sorted({n for each in signatures for n in range(each.least, len(each.parameters) + 1)})
    return " or ".join(map(str, counts)) if counts != [0] else "no"


_OF_OTHER_ENGINES = frozenset(
    """LENGTH DATEDIFF NVL KEYVALUE DATE_ADD DATE_SUB TO_CHAR IS_JSON SIMILAR SOURCE_WATERMARK OBJECT_OF
    OBJECT_UPDATE""".split()
)


SINCE_FLINK_2 = frozenset(
    """BTRIM ELT ENDSWITH JSON JSON_QUOTE JSON_UNQUOTE PARSE_JSON PERCENTILE PRINTF REGEXP_COUNT REGEXP_EXTRACT_ALL
    REGEXP_INSTR REGEXP_SUBSTR STARTSWITH TRANSLATE TRY_PARSE_JSON UNHEX URL_DECODE URL_ENCODE""".split()
)
"""Functions that Flink 1.20 does not have."""

GROUPINGS = frozenset({"GROUPING", "GROUPING_ID", "GROUP_ID"})
"""Functions that tell by which keys a row is grouped."""


def is_built_in(name: str) -> bool:
    """Return whether open-source Flink has a function of this name in upper case.

    >>> is_built_in("CONCAT"), is_built_in("MY_FUNCTION")
    (True, False)
    """
    return name in SIGNATURES or name in AGGREGATES or (name in SCALARS and name not in _OF_OTHER_ENGINES)


def is_aggregate(name: str, functions: frozenset[str]) -> bool:
    """Return whether a name in upper case means a built-in aggregate and none of the script's own ``functions``."""
    return name in AGGREGATES and name not in functions

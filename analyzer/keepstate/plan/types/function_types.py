"""Types that Flink's built-in operators and scalar functions give.

``FIXED`` are functions with a constant type, ``RULES`` those whose type follows from their arguments. The type of any
other function is unknown: of users' functions, and of those whose type depends on the version of Flink (ENCODE).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.arithmetic_types import OPERATORS, arithmetic_type, rounded
from keepstate.plan.types.common_types import BINARY, DATETIMES, NUMERIC, TEXT, TypeMergeRule, common_type
from keepstate.plan.types.logical_types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    LONGEST,
    STRING,
    TIME,
    LogicalType,
    array,
    char,
    decimal,
    map_of,
    timestamp,
    timestamp_ltz,
    varchar,
)

Types = Sequence[LogicalType | None]
Rule = Callable[[Sequence[Expr], Types], LogicalType | None]
"""From the arguments (at least one) and their types to the type of the call."""

_FIXED: tuple[tuple[LogicalType, str], ...] = (
    (
        BOOLEAN,
        """= <> < <= AND OR NOT IS IN LIKE ESCAPE SIMILARTO OVERLAPS NULLSAFEEQ NULLSAFENEQ REGEXP STARTSWITH ENDSWITH
        IS_ALPHA IS_DECIMAL IS_DIGIT JSON_EXISTS ARRAY_CONTAINS""",
    ),
    (
        STRING,
        """DATE_FORMAT FROM_UNIXTIME CONVERT_TZ BTRIM REPLACE REVERSE REPEAT LPAD RPAD CONCAT CONCAT_WS SPLIT_INDEX
        REGEXP_EXTRACT REGEXP_REPLACE REGEXP_SUBSTR CHR DECODE TO_BASE64 FROM_BASE64 HEX BIN URL_ENCODE URL_DECODE
        PARSE_URL PRINTF TRANSLATE JSON JSON_STRING JSON_OBJECT JSON_ARRAY JSON_QUOTE JSON_UNQUOTE ARRAY_JOIN
        TYPEOF CURRENT_DATABASE""",
    ),
    (
        INT,
        """TIMESTAMPDIFF DATEDIFF CHAR_LENGTH POSITION INSTR LOCATE ASCII HASH_CODE CARDINALITY ARRAY_POSITION
        RAND_INTEGER REGEXP_COUNT REGEXP_INSTR""",
    ),
    (
        BIGINT,
        """UNIX_TIMESTAMP EXTRACT YEAR QUARTER MONTH WEEK DAYOFYEAR DAYOFMONTH DAYOFWEEK HOUR MINUTE SECOND GROUPING
        GROUPING_ID GROUP_ID""",
    ),
    (
        DOUBLE,
        """POWER SQRT EXP LN LOG LOG2 LOG10 SIN COS TAN COT ASIN ACOS ATAN ATAN2 SINH COSH TANH DEGREES RADIANS PI E
        RAND""",
    ),
    (DATE, "TO_DATE CURRENT_DATE"),
    (TIME, "CURRENT_TIME LOCALTIME"),
    (timestamp(3), "TO_TIMESTAMP LOCALTIMESTAMP"),
    (timestamp_ltz(3), "TO_TIMESTAMP_LTZ CURRENT_TIMESTAMP CURRENT_ROW_TIMESTAMP PROCTIME"),
    (char(32), "MD5"),
    (char(36), "UUID"),
    (char(40), "SHA1"),
    (char(56), "SHA224"),
    (char(64), "SHA256"),
    (char(96), "SHA384"),
    (char(128), "SHA512"),
    (varchar(128), "SHA2"),
    (BYTES, "UNHEX"),
    (LogicalType("VARIANT"), "PARSE_JSON TRY_PARSE_JSON"),
    (array(STRING), "SPLIT REGEXP_EXTRACT_ALL"),
    (map_of(STRING, STRING), "STR_TO_MAP"),
)
FIXED = {name: type_ for type_, names in _FIXED for name in names.split()}


def merged(args: Sequence[Expr], types: Types, merging: TypeMergeRule = TypeMergeRule.IN_ORDER) -> LogicalType | None:
    """The common type of the arguments; NULL adapts to the others."""
    return common_type(
        [type_ for arg, type_ in zip(args, types, strict=True) if not _is_null(arg)],
        merging,
    )


def _is_null(arg: Expr) -> bool:
    return isinstance(arg, Literal) and arg.type == "NULL"


def _first(_: Sequence[Expr], types: Types) -> LogicalType | None:
    return types[0]


def _cast(args: Sequence[Expr], _: Types) -> LogicalType | None:
    """The type that stands behind the other arguments, as in the columns of UNNEST."""
    target = args[-1]
    if not isinstance(target, Literal) or target.type != "TYPE":
        return None
    written_type = LogicalType.as_written(target.written_type) if target.written_type is not None else None
    return written_type if written_type is not None else LogicalType.declared(target.value)


def _case(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """Conditions and values alternate; the last argument is ELSE."""
    values = [*args[1::2], args[-1]]
    return merged(values, [*types[1::2], types[-1]])


def _arithmetic(operator: str, args: Sequence[Expr], types: Types) -> LogicalType | None:
    return arithmetic_type(operator, types[0], types[1]) if len(args) == 2 else None


def _concatenated(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """``||``, which adds lengths (CONCAT does not)."""
    if len(args) != 2 or types[0] is None or types[1] is None:
        return None
    for fixed, varying in (TEXT, BINARY):
        roots = {types[0].root, types[1].root}
        if roots <= {fixed, varying}:
            length = min((types[0].length or 0) + (types[1].length or 0), LONGEST)
            return LogicalType(varying if varying in roots else fixed, length=length)
    return None


def _overlaid(args: Sequence[Expr], types: Types) -> LogicalType | None:
    head = _concatenated(args[:2], types[:2])
    return _varying(args, (head,))


def _varying(_: Sequence[Expr], types: Types) -> LogicalType | None:
    """The first argument's type, without its padding."""
    text = types[0]
    return varchar(text.length or 0) if text is not None and text.root in TEXT else None


def _text(_: Sequence[Expr], types: Types) -> LogicalType | None:
    return types[0] if types[0] is not None and types[0].root in TEXT else None


def _numeric(_: Sequence[Expr], types: Types) -> LogicalType | None:
    return types[0] if types[0] is not None and types[0].root in NUMERIC else None


def _whole(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """CEIL and FLOOR, of a number or of a time to a unit."""
    value = types[0]
    if value is None or len(args) > 2:
        return None
    if len(args) == 2:
        return value if value.root in DATETIMES else None
    return decimal(value.precision or 0, 0) if value.root == "DECIMAL" else _numeric(args, types)


def _rounded(args: Sequence[Expr], types: Types) -> LogicalType | None:
    number = _numeric(args, types)
    if number is None or number.root != "DECIMAL":
        return number
    digits = args[1] if len(args) > 1 else Literal("0", "NUMBER")
    if isinstance(digits, Literal) and digits.value.lstrip("-").isdecimal():
        return rounded(number, int(digits.value))
    return number


def _time_added(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """TIMESTAMPADD: hours of a date make it a timestamp, and fractions of a second may make a time more precise."""
    unit = next((node.value for node in args[0].walk() if isinstance(node, Literal)), "").rpartition("=")[2]
    time = types[-1]
    if time is None or unit not in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"):
        return None
    return timestamp(6) if time.root == "DATE" and unit in ("HOUR", "MINUTE", "SECOND") else time


def _json_value(args: Sequence[Expr], _: Types) -> LogicalType | None:
    """Return the type of JSON_VALUE and JSON_QUERY: that of RETURNING."""
    for clause in args:
        if isinstance(clause, Call) and clause.name == "FUNCTIONCLAUSE":
            words = [part.value for part in clause.args if isinstance(part, Literal) and part.type == "NAME"]
            if "this=RETURNING" in words:
                return LogicalType.declared(next((word for word in words if word != "this=RETURNING"), ""))
    return STRING


def _array(args: Sequence[Expr], types: Types) -> LogicalType | None:
    element = merged(args, types)
    return array(element) if element is not None else None


def _map(args: Sequence[Expr], types: Types) -> LogicalType | None:
    key, value = common_type(types[::2]), common_type(types[1::2])
    return map_of(key, value) if key is not None and value is not None else None


def _row(_: Sequence[Expr], types: Types) -> LogicalType | None:
    elements = tuple(type_ for type_ in types if type_ is not None)
    if len(elements) < len(types):
        return None
    return LogicalType("ROW", elements=elements, names=tuple(f"EXPR${index}" for index in range(len(elements))))


def _bytes_of_digits(args: Sequence[Expr], _: Types) -> LogicalType | None:
    """``X'0A'``: two digits for each byte."""
    if len(args) == 1 and isinstance(args[0], Literal):
        return LogicalType("BINARY", length=len(args[0].value.rpartition("=")[2]) // 2)
    return None


def _item(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """``a[i]`` of an array or a map."""
    whole = types[0]
    if len(args) == 2 and whole is not None and whole.root in ("ARRAY", "MAP"):
        return whole.elements[-1]
    return None


def _nested(args: Sequence[Expr], types: Types) -> LogicalType | None:
    whole, name = types[0], args[-1]
    return whole.field(name.value) if whole is not None and isinstance(name, Literal) else None


def _element(_: Sequence[Expr], types: Types) -> LogicalType | None:
    whole = types[0]
    return whole.elements[0] if whole is not None and whole.root in ("ARRAY", "MULTISET") else None


def _arrays(args: Sequence[Expr], types: Types) -> LogicalType | None:
    result_type = merged(args, types, TypeMergeRule.GENERAL)
    return result_type if result_type is not None and result_type.root in ("ARRAY", "MAP") else None


def _elt_type(args: Sequence[Expr], types: Types) -> LogicalType | None:
    """ELT: one of the arguments behind its number."""
    return merged(args[1:], types[1:], TypeMergeRule.GENERAL)


def _map_part(index: int, _: Sequence[Expr], types: Types) -> LogicalType | None:
    return array(types[0].elements[index]) if types[0] is not None and types[0].root == "MAP" else None


def _map_entries(_: Sequence[Expr], types: Types) -> LogicalType | None:
    whole = types[0]
    if whole is None or whole.root != "MAP":
        return None
    return array(LogicalType("ROW", elements=whole.elements, names=("KEY", "VALUE"), required=whole.required))


def _map_of_arrays(_: Sequence[Expr], types: Types) -> LogicalType | None:
    arrays = [type_ for type_ in types if type_ is not None and type_.root == "ARRAY"]
    return map_of(arrays[0].elements[0], arrays[1].elements[0]) if len(arrays) == len(types) == 2 else None


_GENERAL: Rule = partial(merged, merging=TypeMergeRule.GENERAL)

_RULES: tuple[tuple[Rule, str], ...] = (
    (_cast, "CAST TRY_CAST COLUMN"),
    (_case, "CASE"),
    (_GENERAL, "COALESCE IFNULL GREATEST LEAST"),
    (_elt_type, "ELT"),
    (
        _first,
        "NULLIF NEGATE COMPUTED CURRENT_WATERMARK ARRAY_DISTINCT ARRAY_REMOVE ARRAY_REVERSE ARRAY_SLICE ARRAY_SORT",
    ),
    (_first, "ARRAY_APPEND ARRAY_PREPEND FIRST LAST"),
    (_arrays, "ARRAY_CONCAT ARRAY_UNION ARRAY_INTERSECT ARRAY_EXCEPT MAP_UNION"),
    (_element, "ELEMENT ARRAY_MAX ARRAY_MIN"),
    (_numeric, "ABS SIGN"),
    (_whole, "CEIL FLOOR"),
    (_rounded, "ROUND TRUNCATE"),
    (partial(_arithmetic, "%"), "MOD"),
    (_text, "UPPER LOWER INITCAP"),
    (_varying, "TRIM LTRIM RTRIM SUBSTRING LEFT RIGHT"),
    (_overlaid, "OVERLAY"),
    (_concatenated, "||"),
    (_time_added, "TIMESTAMPADD"),
    (_json_value, "JSON_VALUE JSON_QUERY"),
    (_array, "ARRAY"),
    (_map, "MAP"),
    (_row, "ROW TUPLE"),
    (_bytes_of_digits, "HEXSTRING"),
    (_item, "BRACKET"),
    (_nested, "."),
    (partial(_map_part, 0), "MAP_KEYS"),
    (partial(_map_part, 1), "MAP_VALUES"),
    (_map_entries, "MAP_ENTRIES"),
    (_map_of_arrays, "MAP_FROM_ARRAYS"),
)
RULES: dict[str, Rule] = {
    **{name: rule for rule, names in _RULES for name in names.split()},
    **{operator: partial(_arithmetic, operator) for operator in OPERATORS},
}

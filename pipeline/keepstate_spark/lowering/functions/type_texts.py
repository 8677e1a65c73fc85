"""Types as Flink writes them, and TYPEOF of an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.logical_types import LogicalType

_SERIALIZABLE = {"STRING": "VARCHAR(2147483647)", "BYTES": "VARBINARY(2147483647)"}
_NULL = LogicalType("NULL"), True
_TEXT = Literal("STRING", "TYPE")


def with_type_names(expr: Expr, typed: Callable[[Expr], tuple[LogicalType, bool] | None]) -> Expr:
    """``expr`` with constants in the place of TYPEOF. ``typed`` gives the type of an argument and whether it may be
    NULL; ``None`` where that is not known.
    """

    def step(node: Expr) -> Expr:
        if not (isinstance(node, Call) and node.name == "TYPEOF"):
            return node
        type_ = _NULL if _is_null(node.args[0]) else typed(node.args[0])
        name = _name(type_[0], node.args[1:]) if type_ is not None else None
        if name is None or type_ is None:
            return node
        words = name if type_[1] else f"{name} NOT NULL"
        return Call("CAST", (Literal(words, "STRING", place=node.place), _TEXT), place=node.place)

    return expr.rewrite(step)


def _name(type_: LogicalType, words: tuple[Expr, ...]) -> str | None:
    """Return the name of a type; ``None`` where Flink's spelling is not known."""
    is_serializable = [word.value.upper() == "TRUE" for word in words if isinstance(word, Literal)]
    if len(is_serializable) < len(words) or any(map(_is_unknown, _parts(type_))):
        return None
    if not any(is_serializable):
        return flink_type(_as_written(type_))
    instants = [part for part in _parts(type_) if part.root == "TIMESTAMP_LTZ"]
    zoned = {str(part): f"TIMESTAMP({part.precision}) WITH LOCAL TIME ZONE" for part in instants}
    return flink_type(_as_written(type_), {**_SERIALIZABLE, **zoned})


def _is_null(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type == "NULL"


def _parts(type_: LogicalType) -> list[LogicalType]:
    return [type_, *(part for element in type_.elements for part in _parts(element))]


def _is_unknown(type_: LogicalType) -> bool:
    is_made = type_.names == tuple(f"EXPR${index}" for index in range(len(type_.elements)))
    return type_.root == "ROW" and not type_.exact_names and not is_made


def _as_written(type_: LogicalType) -> LogicalType:
    elements = tuple(map(_as_written, type_.elements))
    return replace(type_, elements=elements, names=type_.exact_names or type_.names)


def flink_type(type_: LogicalType, spellings: Mapping[str, str] = MappingProxyType({})) -> str:
    """A type as Flink prints it: ``DECIMAL(10, 2)``, with NOT NULL behind its elements. ``spellings`` are other
    names of types.
    """
    if type_.root == "DECIMAL":
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if type_.root == "TIME":
        return f"TIME({type_.precision or 0})"
    required = type_.required or (False,) * len(type_.elements)
    elements = [
        f"{flink_type(element, spellings)}{' NOT NULL' * own}"
        for element, own in zip(type_.elements, required, strict=True)
    ]
    if type_.root == "ROW":
        fields = (f"`{name}` {element}" for name, element in zip(type_.names, elements, strict=True))
        return f"ROW<{', '.join(fields)}>"
    if elements:
        return f"{type_.root}<{', '.join(elements)}>"
    return spellings.get(str(type_), str(type_))

"""Constant paths of JSON, as Flink's functions take them: ``$.a[0]``, ``lax $.a[*].b``, ``$..name``."""

from __future__ import annotations

import re
from typing import NamedTuple

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate_spark.lowering.refusals import NotLowerable

_STEP = re.compile(
    r"""\.([\w-]+)|\[(-?\d+)\]|\[\s*'([^'\\?]+)'\s*\]|\[\s*"([^"\\?]+)"\s*\]|(\[\*\]|\.\*)"""
    r"""|(\.\.(?:[\w-]+|\*)|\[\d+:\d+\]|\[:-?\d+\]|\[-?\d+:\]|\[-?\d+(?:,-?\d+)+\])"""
)
_MODE = re.compile(r"(lax|strict)\s+", re.IGNORECASE)


class JsonPath(NamedTuple):
    steps: tuple[str, ...]
    """The steps of the path, as Spark writes them. ``[*]`` are all elements, ``[1:3]`` and ``[0,2]`` some of them, and
    ``..name`` values in any depth.
    """
    is_strict: bool

    @property
    def is_definite(self) -> bool:
        """Return whether the path names one value at most."""
        return not any(map(names_several, self.steps))


def names_several(step: str) -> bool:
    return step == "[*]" or step.startswith("..") or (step[1] not in "'\"" and not {":", ","}.isdisjoint(step))


def path_of(expr: Expr, call: Call) -> JsonPath:
    """The constant path of ``call``. Without a mode it is strict, as in Flink."""
    path_text = expr.value.strip() if isinstance(expr, Literal) and expr.type == "STRING" else ""
    mode = _MODE.match(path_text)
    rest = path_text[mode.end() :] if mode else path_text
    steps, end = [], 1
    for match in _STEP.finditer(rest, 1):
        if match.start() != end:
            break
        name = match[1] or match[3] or match[4]
        quote = '"' if name and "'" in name else "'"
        steps.append(f"[{quote}{name}{quote}]" if name else "[*]" if match[5] else match[0])
        end = match.end()
    if "[?(" in rest:
        # A class of json-smart, which no jar of Flink has.
        raise NotLowerable("Flink stops at a filter in a path of JSON.", call.place)
    if not rest.startswith("$") or end != len(rest):
        raise NotLowerable(
            f"{call.name} needs a constant path of names, numbers and [*], like '$.a.b[0]' or '$.a[*]'.", call.place
        )
    if call.name != "JSON_VALUE" and any(step.startswith("..") for step in steps):
        raise NotLowerable(
            f"{call.name} of a path with .. takes values in the order of the text, which Spark does not keep.",
            call.place,
        )
    return JsonPath(tuple(steps), mode is None or mode[1].lower() == "strict")

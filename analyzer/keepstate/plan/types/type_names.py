"""Type names in one spelling."""

from __future__ import annotations

import re

from keepstate.plan.types.logical_types import LogicalType


def canonical_type(text: str) -> str:
    """A type as written, in the spelling that equal types share: ``decimal(12, 2)`` and ``DEC(12,2)`` are one.

    >>> canonical_type("dec( 12,2 )"), canonical_type("my_type < a >")
    ('DECIMAL(12,2)', 'MY_TYPE<A>')
    """
    type_ = LogicalType.parse(text)
    if type_ is not None:
        return str(type_)
    name = re.sub(r"\s+", " ", text.replace("`", "").strip()).upper()
    return re.sub(r"\s*([(),<>])\s*", r"\1", name)

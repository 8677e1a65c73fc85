"""A job whose plans are made anew although it means the same, so that a comparison has something to compare.

Equal texts of statements share one plan, and where both sides hold the same plan nothing is compared.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate import JobVersion, parse_script
from keepstate.text import Edit, Span, apply_edits

_COMMENT = " /* made anew */ "


def made_anew(version: JobVersion) -> JobVersion:
    """``version`` with a comment behind the first word of each statement."""
    ends = [
        statement.span.start + statement.parsed.tokens[0].end
        for statement in parse_script(version.text).statements
        if statement.parsed.tokens
    ]
    return replace(version, text=apply_edits(version.text, [Edit(Span(end, end), _COMMENT) for end in ends]))

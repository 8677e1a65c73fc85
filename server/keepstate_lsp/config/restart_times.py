"""Times of restarts as people write them."""

from __future__ import annotations

from datetime import datetime

EXAMPLE = "2026-03-01 10:05:00"


def restart_time(text: str) -> str:
    """``text`` without spaces around it, if it is ISO 8601 with a space or a ``T``, with an offset or without.

    >>> restart_time(" 2026-03-01T10:05:00Z ")
    '2026-03-01T10:05:00Z'

    Raises:
        ValueError: it is no time; the message is for a person.
    """
    text = text.strip()
    try:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise ValueError(f"{text!r} is no time: write it like {EXAMPLE!r}.") from error
    return text

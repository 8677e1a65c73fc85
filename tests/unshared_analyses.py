"""Analyses as if no statements said the same: what shared ones are held against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from keepstate.diff import pipeline_pairing
from keepstate.plan.planned import query_planning
from keepstate.validation.statements import answer_cache


@contextmanager
def nothing_shared() -> Iterator[None]:
    """An analysis as if no statements ever said the same, and no sinks paired their queries."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("wording_of", "meaning_of", "storage_of"):
            patch.setattr(query_planning, name, lambda *_: None)
        patch.setattr(answer_cache, "meaning_of", lambda *_: None)
        patch.setattr(pipeline_pairing, "_by_own_sinks", lambda *_: None)
        yield

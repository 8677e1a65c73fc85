"""The first minute of a soak (`make soak`): a server that is edited against while all around it goes wrong."""

from __future__ import annotations

import shutil
import sys

import pytest

from soak import run

pytestmark = pytest.mark.skipif(sys.platform != "linux" or shutil.which("ps") is None, reason="reads /proc, asks ps")


def test_a_short_soak() -> None:
    soak = run(edits=160, documents=6, seed=3, minutes=2, every=80)
    assert soak.faults == []
    assert soak.events["checkpoints"] >= 3 and soak.events["diagnostics compared"]

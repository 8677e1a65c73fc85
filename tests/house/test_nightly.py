"""The nightly run has the large sizes of tests (tests/night.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SIZES = "import night, program_starts; print(night.by_night('large', 'small'), program_starts.CAN_FORK)"


def test_each_night_tests_are_large_and_start_all_programs() -> None:
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text("utf-8"))
    given = {name: str(value) for name, value in nightly["jobs"]["all"]["env"].items()}
    environment = {**os.environ, **given, "PYTHONPATH": str(ROOT / "tests")}
    said = subprocess.run([sys.executable, "-c", SIZES], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == "large False\n"


def test_for_each_change_tests_are_small() -> None:
    environment = {**os.environ, "KEEPSTATE_NIGHT": "", "PYTHONPATH": str(ROOT / "tests")}
    said = subprocess.run([sys.executable, "-c", SIZES], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == f"small {sys.platform == 'linux'}\n"

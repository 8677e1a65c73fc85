"""The bounds of the code: every constant that counts something. A new one is found without being listed."""

from __future__ import annotations

import pkgutil
import random
import re
from functools import cache
from importlib import import_module

import keepstate
import keepstate_lsp

_NAME = re.compile(r"_?[A-Z][A-Z0-9_]*")
_LEAST = 3


@cache
def bounds() -> dict[str, int]:
    """The whole numbers that modules of the analyzer and the server hold as constants, by module and name."""
    found = {}
    for package in (keepstate, keepstate_lsp):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            for name, value in vars(import_module(module.name)).items():
                if type(value) is int and value >= _LEAST and _NAME.fullmatch(name):
                    found[f"{module.name}.{name}"] = value
    return found


def size_near_a_bound(chance: random.Random, most: int) -> int:
    """A size on one side of a bound or on the other, or the bound itself; none is above ``most``."""
    near = sorted({value for value in bounds().values() if value < most})
    return chance.choice(near) + chance.choice((-1, 0, 1))

"""The state of the files that is checked: the work tree, the index (staged files), or a commit."""

from __future__ import annotations

from enum import Enum


class Place(Enum):
    WORK_TREE = "work tree"
    INDEX = "index"


WORK_TREE = Place.WORK_TREE
INDEX = Place.INDEX

Target = Place | str
"""A :class:`Place`, or the full hash of a commit."""

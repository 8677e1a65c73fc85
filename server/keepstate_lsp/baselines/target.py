"""Which state of the files is looked at: the work tree, the index (what is staged), or a commit."""

from __future__ import annotations

from enum import Enum


class Place(Enum):
    WORK_TREE = "work tree"
    INDEX = "index"


WORK_TREE = Place.WORK_TREE
INDEX = Place.INDEX

Target = Place | str
"""A :class:`Place`, or the full hash of a commit."""

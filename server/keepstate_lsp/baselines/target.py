"""The state of the files that is checked: the work tree, the index (staged files), or a commit."""

from __future__ import annotations

from enum import Enum


class UncommittedTree(Enum):
    WORK_TREE = "work tree"
    INDEX = "index"


WORK_TREE = UncommittedTree.WORK_TREE
INDEX = UncommittedTree.INDEX

Target = UncommittedTree | str
"""A :class:`UncommittedTree`, or the full hash of a commit."""

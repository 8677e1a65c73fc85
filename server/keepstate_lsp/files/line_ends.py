"""Line ends: git may store others than the work tree has, which is no change, and no fix may bring them along."""

from __future__ import annotations


def line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def with_line_ends_of(text: str, other: str) -> str:
    """``text`` with the line ends of ``other``; lines and columns stay what they are."""
    line_ending = line_end(other)
    return text if line_ending == line_end(text) else text.replace("\r\n", "\n").replace("\n", line_ending)

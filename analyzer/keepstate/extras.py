"""Words for the installation of Keepstate, for every hint that names it.

No index of packages has Keepstate: a package of its name there is another program, which no hint may have installed.
"""

from __future__ import annotations


def install_words(extra: str | None = None) -> str:
    """The command that installs Keepstate, with the packages of an extra, and the folder to run it in.

    >>> install_words("spark")
    "pip install '.[spark]' in a clone of Keepstate, or with the path of its wheel in place of the dot"
    """
    source = "." if extra is None else f"'.[{extra}]'"
    return f"pip install {source} in a clone of Keepstate, or with the path of its wheel in place of the dot"

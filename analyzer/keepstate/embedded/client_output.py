"""Output of the SQL client for ``SHOW CREATE TABLE``: the statement in a frame.

.. code-block:: text

    +--------------+
    |       result |
    +--------------+
    | CREATE TABLE `c`.`db`.`orders` (
      ...
    )
     |
    +--------------+
    1 row in set

Flink 1.20 and 2.3 print it like this, from the client and from ``TableResult.print``.
"""

from __future__ import annotations

import re

_VISIBLE = re.compile(r"[^\r\n]")
_BREAK = r"[ \t]*(?:\r\n|\n|\r)"
_EDGE = rf"^\+-+\+{_BREAK}"
_FRAME = re.compile(
    rf"{_EDGE}^\|[ \t]*result[ \t]*\|{_BREAK}{_EDGE}^\|[ \t](?P<statement>[\s\S]*?)(?P<end>\|){_BREAK}"
    r"^\+-+\+[ \t]*(?=[\r\n]|\Z)",
    re.MULTILINE,
)
_BEGINS = re.compile(rf"{_EDGE}^\|[ \t]*result[ \t]*\|", re.MULTILINE)
_AROUND = re.compile(
    r"^(?:(?:\x1b\[[0-9;]*m)*(?:Flink SQL>|>|\[INFO\])[^\r\n]*|\d+ rows? in set[^\r\n]*|(?:\x1b\[[0-9;]*m)+[ \t]*"
    r"|(?:Shutting down the session\.\.\.|done\.)[ \t]*)(?=[\r\n]|\Z)",
    re.MULTILINE,
)


def is_client_output(text: str) -> bool:
    """Return whether a text has a statement in a frame.

    >>> is_client_output("SELECT a | b FROM t")
    False
    """
    return "+-" in text and _BEGINS.search(text) is not None


def statements_of_output(text: str) -> str:
    r"""The statements of all frames, each with a semicolon, in their places: frames, prompts and notes become spaces.
    Other lines between the frames stay.

    >>> edge = "+--------+\n"
    >>> print(statements_of_output(f"{edge}| result |\n{edge}| CREATE VIEW v AS SELECT 1\n |\n{edge}").strip())
    CREATE VIEW v AS SELECT 1
     ;
    """
    parts: list[str] = []
    position = 0
    for frame in _FRAME.finditer(text):
        start, end = frame.span("statement")
        parts += (_outside(text[position : frame.start()]), _VISIBLE.sub(" ", text[frame.start() : start]))
        statement = text[start:end]
        # A row that ends in its semicolon needs none of ours.
        parts += (statement, " " if statement.rstrip().endswith(";") else ";")
        parts.append(_VISIBLE.sub(" ", text[frame.end("end") : frame.end()]))
        position = frame.end()
    parts.append(_outside(text[position:]))
    return "".join(parts)


def _outside(text: str) -> str:
    return _AROUND.sub(lambda line: " " * len(line[0]), text)

"""Errors of Spark in one sentence."""

from __future__ import annotations

import re

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\]\s*(.*?)\s*(?:SQLSTATE: \w+)?$", re.MULTILINE)
_OF_WORKERS = "org.apache.spark.api.python"
"""The package of the JVM's side of Python workers, in the stack of an error."""
_OF_PY4J = "An error occurred while calling "
_BROKEN_OFF = ("Python worker exited unexpectedly", "java.io.EOFException", "Connection reset")


def said_by_spark(error: Exception) -> str:
    """Return the error of Spark in one sentence, out of pages of Java."""
    text = str(error)
    raised = _RAISED.search(text)
    if raised is not None:
        return raised[1]
    _, is_worker, said_by_worker = text.partition("Error from python worker:")
    if is_worker:
        said_last = [line.strip() for line in said_by_worker.partition("PYTHONPATH was:")[0].splitlines()]
        return (
            f"Spark could not start Python: {next(filter(None, reversed(said_last)), 'it said nothing').rstrip('.')}."
        )
    if _OF_WORKERS in text and any(words in text for words in _BROKEN_OFF):
        return "A Python process of Spark ended before its work was done; there may have been too little memory."
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].startswith(_OF_PY4J):
        # The exception follows, behind a colon.
        lines[:2] = [lines[1].removeprefix(": ")]
    causes = [line.partition("Caused by: ")[2] for line in lines if "Caused by: " in line]
    sentence = causes[-1] if causes else lines[0] if lines else type(error).__name__
    if "stopped SparkContext" in sentence:
        # The context waited for a master, and then gave up: only its log says so.
        return "The Spark application ended; its master did not answer, or the cluster ended it."
    return re.sub(r"^[\w.$]+(?:Exception|Error): ", "", sentence).rstrip(".") + "."

"""The JVM that another process of this user keeps, lent to this one for the length of a command."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from keepstate_spark.jvm import Address

SMALL_SETTINGS: Mapping[str, str] = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""Settings for few rows, which are not worth planning twice, or dividing. A JVM that is kept has them."""
_END_SECONDS = 2.0
"""Seconds after a broken connection in which a JVM that dies lets go of its port."""
_LOOK_SECONDS = 0.05


class JvmLost(SystemExit):
    """The lent JVM ended before a result was written, so that the command may begin anew elsewhere.

    As an end of the process, with a status of its own, it passes all code that turns errors into sentences.
    """

    STATUS = 88

    def __init__(self) -> None:
        super().__init__(self.STATUS)


@dataclass(frozen=True)
class JvmSettings:
    """The settings of a JVM of Spark. ``spark`` holds every setting of its application."""

    memory: str
    quick: bool
    spark: Mapping[str, str]


@dataclass(frozen=True)
class LentJvm:
    """A running JVM, with a folder for the files of its application."""

    address: Address
    folder: str
    settings: JvmSettings
    may_begin_anew: Callable[[], bool]
    """Return whether the command has written no result yet."""

    def has_ended(self) -> bool:
        """Return whether its gateway answers no more, now or in a moment."""
        end = time.monotonic() + _END_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.address[0]), _END_SECONDS).close()
            except OSError:
                return True
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK_SECONDS)


_lent: LentJvm | None = None


@contextmanager
def lending(jvm: LentJvm) -> Iterator[None]:
    """A block in which the sessions of this process with the settings of ``jvm`` run there.

    >>> settings = JvmSettings("1g", True, {})
    >>> with lending(LentJvm((1, "secret"), "folder", settings, lambda: True)):
    ...     lent_jvm(settings) is None, lent_jvm(JvmSettings("2g", True, {})) is None
    (False, True)
    """
    global _lent
    _lent = jvm
    try:
        yield
    finally:
        _lent = None


def is_lent() -> bool:
    """Return whether this process has a lent JVM.

    >>> is_lent()
    False
    """
    return _lent is not None


def lent_jvm(settings: JvmSettings) -> LentJvm | None:
    """Return the lent JVM, if it has these ``settings``.

    >>> lent_jvm(JvmSettings("1g", True, {})) is None
    True
    """
    return _lent if _lent is not None and _lent.settings == settings else None

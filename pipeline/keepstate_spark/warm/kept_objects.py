"""The objects that a JVM keeps for processes that have ended, and the heap that stays full.

Each object of the JVM that Python has a name for stays until Python says that it is done with it. A command in a fork
ends without these words, and would leave every plan that it made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from keepstate_spark.jvm import Address

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway  # type: ignore[import-untyped]

_OF_THE_GATEWAY = ("GATEWAY_SERVER", "j", "t")
"""The names that a gateway has before anyone asks it: itself, its view of classes, its entry."""
_FULL = 0.6
"""The share of the heap from which on Spark collects garbage so often that a new JVM answers sooner."""
_PATIENCE = 10.0
"""Seconds for an answer. A collection of a full heap of a gigabyte takes about one."""
_HEAP = "Heap memory"


def can_go_on(address: Address) -> bool:
    """Let the JVM at ``address``, where no process is at work, forget the objects of a command that has ended. Return
    whether it can take another one.

    >>> can_go_on((1, "the secret of a JVM that is gone"))
    False
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    try:
        forget_objects(address)
        return not stays_full(address)
    except (Py4JError, OSError):
        # A JVM that does not answer now would not answer a command.
        return False


def forget_objects(address: Address) -> None:
    """Let the JVM at ``address`` forget every object that a process named. No process may be at work there.

    Raises ``OSError`` or ``Py4JError`` if it does not answer.
    """
    with _gateway(address) as gateway:
        names = gateway.jvm.java.util.HashSet()
        for name in _OF_THE_GATEWAY:
            names.add(name)
        # This forgets the four objects of these lines, too.
        gateway.java_gateway_server.getGateway().getBindings().keySet().retainAll(names)


def stays_full(address: Address) -> bool:
    """Return whether the heap of the JVM at ``address`` is too full for another command, also after a collection.

    Raises ``OSError`` or ``Py4JError`` if it does not answer.
    """
    with _gateway(address) as gateway:
        if _share(gateway) < _FULL:
            return False
        # The last collection may have come in the midst of a command, which let go of its rows since.
        gateway.jvm.java.lang.System.gc()
        return _share(gateway) >= _FULL


def _share(gateway: JavaGateway) -> float:
    """The part of the heap that was in use after the last collection, from 0 to 1."""
    factory = gateway.jvm.java.lang.management.ManagementFactory
    size = 0
    for pool in factory.getMemoryPoolMXBeans():
        after = pool.getCollectionUsage() if pool.getType().toString() == _HEAP else None
        size += after.getUsed() if after is not None else 0
    return float(size / factory.getMemoryMXBean().getHeapMemoryUsage().getMax())


@contextmanager
def _gateway(address: Address) -> Iterator[Any]:
    """A connection to a JVM that is not PySpark's. Nothing of it is left in this process."""
    from py4j.java_gateway import GatewayParameters, JavaGateway

    port, secret = address
    # Without memory management no object of Python says later that it has gone.
    parameters = GatewayParameters(
        "127.0.0.1", port, auth_token=secret, enable_memory_management=False, read_timeout=_PATIENCE
    )
    gateway = JavaGateway(gateway_parameters=parameters)
    try:
        yield gateway
    finally:
        gateway.close()

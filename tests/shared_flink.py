"""The cluster of a real Flink, for the modules that a worker runs one after the other.

A start and the first restart take as long as ten further restarts. The cluster ends before a module that does not
import this one (conftest.py).
"""

from __future__ import annotations

from contextlib import ExitStack

from keepstate_flink.cluster import Cluster, cluster


class _SharedCluster:
    """At most one cluster, that of the version that was asked for last."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._cluster: Cluster | None = None

    def of(self, version: str) -> Cluster:
        if self._cluster is None or self._cluster.version != version:
            self.end()
            self._cluster = self._opened.enter_context(cluster(version))
        return self._cluster

    def end(self) -> None:
        self._cluster = None
        self._opened.close()


_SHARED = _SharedCluster()


def shared_cluster(version: str) -> Cluster:
    """The cluster of an installed version, which other tests use as well."""
    return _SHARED.of(version)


def end_the_cluster() -> None:
    """End the cluster, if there is one."""
    _SHARED.end()

"""Versions of engines: ``vvr-8.0.11-flink-1.17``, ``1.20``, ``11.1``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VVR = re.compile(r"vvr-(\d+)(?:\.(\d+))?", re.IGNORECASE)
_FLINK = re.compile(r"flink-(\d+)\.(\d+)", re.IGNORECASE)
_BARE = re.compile(r"v?(\d+)\.(\d+)(?:[.-].*)?", re.IGNORECASE)
_NEWEST_FLINK_MAJOR = 2
_FLINK_OF_VVR = {3: (1, 12), 4: (1, 13), 6: (1, 15), 8: (1, 17), 11: (1, 20)}
"""The Flink versions on which the major versions of Ververica Runtime were built."""
_FIRST_VVR_WITH_OWN_GROUP_WINDOWS = 11


@dataclass(frozen=True)
class EngineVersion:
    """Version of an engine. ``flink`` is the first two numbers of the Flink version, ``vvr`` the major version of
    Ververica Runtime; ``None`` for a part that the text lacks.
    """

    text: str
    flink: tuple[int, int] | None = None
    vvr: int | None = None

    @staticmethod
    def of(text: str) -> EngineVersion:
        """The version that a text names, of Flink or of a Ververica Runtime.

        >>> EngineVersion.of("2.1").flink
        (2, 1)
        >>> version = EngineVersion.of("vvr-11.2-jdk11-flink-1.20")
        >>> version.vvr, version.flink
        (11, (1, 20))
        """
        flink, vvr = _FLINK.search(text), _VVR.search(text)
        if flink is None and vvr is None and (bare := _BARE.fullmatch(text.strip())):
            major = int(bare[1])
            if major <= _NEWEST_FLINK_MAJOR:
                return EngineVersion(text, (major, int(bare[2])))
            return EngineVersion(text, _FLINK_OF_VVR.get(major), major)
        number = int(vvr[1]) if vvr is not None else None
        numbers = (int(flink[1]), int(flink[2])) if flink is not None else None
        return EngineVersion(text, numbers or _FLINK_OF_VVR.get(number or 0), number)

    def has_same_flink(self, other: EngineVersion) -> bool:
        """Return whether both are built on one Flink version. Versions whose text names no Flink version are compared
        as texts.

        >>> EngineVersion.of("vvr-11.2-jdk11-flink-1.20").has_same_flink(EngineVersion.of("1.20"))
        True
        """
        if self.flink is None or other.flink is None:
            return self.text.strip().lower() == other.text.strip().lower()
        return self.flink == other.flink

    def plans_group_windows_alike(self, other: EngineVersion) -> bool:
        """Return whether both plan group windows in the same way.

        Ververica Runtime before version 11 rewrites group windows to table-valued functions. The same versions take the
        keys of a SESSION table-valued function from GROUP BY (spec CFG-04, CFG-05).

        >>> EngineVersion.of("1.20").plans_group_windows_alike(EngineVersion.of("2.1"))
        True
        """
        if self.vvr is None or other.vvr is None:
            return True
        first = _FIRST_VVR_WITH_OWN_GROUP_WINDOWS
        return (self.vvr < first) == (other.vvr < first)

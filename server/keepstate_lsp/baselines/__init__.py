"""Baselines: the text that a file is compared with. The only code that touches git.

:class:`BaselineReader` answers with a :class:`Baseline` or with a :class:`NoBaseline` that says why; it never raises
for what it finds. What git may and may not do is written in :mod:`keepstate_lsp.baselines.git.process`.
"""

from keepstate_lsp.baselines.baseline import Baseline, NoBaseline, Reason
from keepstate_lsp.baselines.head import WatchedPath
from keepstate_lsp.baselines.reader import BaselineReader
from keepstate_lsp.baselines.spec import HEAD, BaselineSpec, BaselineSpecError, SpecKind

__all__ = [
    "HEAD",
    "Baseline",
    "BaselineReader",
    "BaselineSpec",
    "BaselineSpecError",
    "NoBaseline",
    "Reason",
    "SpecKind",
    "WatchedPath",
]

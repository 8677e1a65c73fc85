"""The replays that run."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepstate_lsp.analysis.replays.process import ReplayProcess


@dataclass
class RunningReplays:
    """The replays that run, one of a document at most."""

    running: dict[str, ReplayProcess] = field(default_factory=dict)
    suggested: dict[str, str] = field(default_factory=dict)
    """Times of restarts that lie within the rows of a document, as replays that failed found them."""

    def cancel(self, uri: str) -> bool:
        """End the replay of a document; whether there is one."""
        process = self.running.get(uri)
        if process is not None:
            process.cancel()
        return process is not None

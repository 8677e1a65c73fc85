"""The entry point of ``keepstate``: makes the start quick before anything large is imported, and runs the command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

_ANALYSING = frozenset({"check", "diff", "history", "plan", "validate"})
"""The commands that import the analyzer and start often."""
_THRESHOLDS = (100_000, 20, 100)
"""Collections of a short command find nothing: its objects are freed without them, and those of imports stay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: of this process) and answer with the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if not words or words[0] not in _ANALYSING:
        return _run(words)
    with _seldom_collected(ends_process=arguments is None), _quick_classes(words[0]):
        return _run(words)


def _run(words: Sequence[str]) -> int:
    # Imported here, so that its classes are remembered as well.
    from keepstate_lsp.cli.program import run

    return run(words)


@contextmanager
def _seldom_collected(ends_process: bool) -> Iterator[None]:
    """A block with few garbage collections, which took a tenth of the CPU of a start.

    At the end of a process CPython collects all objects twice, a fifth of the CPU of a short command. The system frees
    them anyway, so they are exempt.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        if ends_process:
            gc.freeze()
        else:
            gc.set_threshold(*before)


def _quick_classes(command: str) -> AbstractContextManager[None]:
    """A block that keeps what Python compiles for the classes of a command, a third of a start, for the next one."""
    from keepstate_lsp.runtime.cache_folder import CODE, cache_folder
    from keepstate_lsp.runtime.compiled_methods import remembered_methods

    try:
        folder = cache_folder()
    except RuntimeError:
        # A user without a home has no such folder.
        return nullcontext()
    return remembered_methods(folder / CODE, command, with_attrs=False)


if __name__ == "__main__":
    sys.exit(main())

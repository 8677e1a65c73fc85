"""The quickest way to a running language server."""

from __future__ import annotations

import gc


def main(tcp_port: int | None = None) -> int:
    """Serve one client as ``server.main`` does.

    Importing lsprotocol makes a few hundred thousand objects that live as long as the process. Looking through them for
    garbage again and again took an eighth of the time from start to the answer to ``initialize``; later every full
    collection would go through them once more, in the middle of a keystroke.
    """
    gc.disable()
    try:
        from keepstate_lsp import server
    finally:
        gc.freeze()
        gc.enable()
    return server.main(tcp_port)

"""The quickest way to a running language server."""

from __future__ import annotations

from keepstate_lsp.garbage import permanent


def main(tcp_port: int | None = None) -> int:
    """Serve one client as ``server.main`` does."""
    with permanent():
        from keepstate_lsp.compiled_methods import remembered_methods
        from keepstate_lsp.shelf import CODE, cache_folder

        with remembered_methods(cache_folder() / CODE, "server"):
            from keepstate_lsp import server
    return server.main(tcp_port)

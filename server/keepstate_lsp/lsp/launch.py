"""The quickest way to a running language server."""

from __future__ import annotations

from keepstate_lsp.runtime.gc_policy import permanent


def main(tcp_port: int | None = None) -> int:
    """Serve one client as ``server.main`` does."""
    with permanent():
        from keepstate_lsp.runtime.cache_folder import CODE, cache_folder
        from keepstate_lsp.runtime.compiled_methods import remembered_methods

        with remembered_methods(cache_folder() / CODE, "server"):
            from keepstate_lsp.lsp import server
    return server.main(tcp_port)

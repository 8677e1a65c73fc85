"""LSP's base protocol: framing, JSON-RPC rules, capabilities, positions, the client's log."""

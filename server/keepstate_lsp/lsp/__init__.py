"""The language server: from the protocol, one call, to the protocol."""

"""Names of a script: where each is declared and used, and what another name for it costs."""

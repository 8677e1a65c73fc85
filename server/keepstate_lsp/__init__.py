"""Everything of Keepstate that talks: the language server and the command line."""

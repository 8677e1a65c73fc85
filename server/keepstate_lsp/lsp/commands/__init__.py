"""Commands of the server that run a command of Keepstate beside it."""

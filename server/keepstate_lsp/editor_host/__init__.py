"""Keepstate in an editor without a server: the contract of hosts, and the settings of documents."""

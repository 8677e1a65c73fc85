"""Dumps of platforms: what the interface of a platform says of its running deployments, as a file."""

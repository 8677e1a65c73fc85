"""Configuration: keepstate.toml, client settings, accepted findings, and what holds for a job."""

"""Completion and signature help: what can stand at a place of a text that is being written."""

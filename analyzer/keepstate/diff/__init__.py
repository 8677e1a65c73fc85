"""Differences of two plans as changes, before any verdict."""

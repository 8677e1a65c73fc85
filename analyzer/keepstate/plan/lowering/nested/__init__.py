"""Queries inside of queries: in expressions, in HAVING and in LATERAL."""

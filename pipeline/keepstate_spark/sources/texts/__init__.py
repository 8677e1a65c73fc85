"""Texts of files: the forms of values in JSON and CSV, as Flink takes them."""

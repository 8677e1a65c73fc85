"""Flink's type system: logical types, and the types of expressions and functions."""

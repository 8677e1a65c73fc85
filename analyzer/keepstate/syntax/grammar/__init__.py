"""Flink's grammar: a recursive descent from tokens to trees."""

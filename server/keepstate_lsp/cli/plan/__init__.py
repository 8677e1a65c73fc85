"""Formats of keepstate plan: text, Graphviz, JSON."""

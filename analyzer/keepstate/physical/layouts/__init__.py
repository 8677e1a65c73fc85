"""Layouts: the names, forms and row types of the state of each operator."""

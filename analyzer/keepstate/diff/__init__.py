"""Differences of two plans as changes, before any verdict.

Examples begin with a line of SQL over the tables ``orders`` and ``buyers``: ``plan``, ``root``, ``expr``, ``job``,
``catalog`` and ``statement`` make a value of it (``tests/house/sql_for_examples.py``).
"""

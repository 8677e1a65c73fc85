"""Syntax nodes that sqlglot lacks: what Flink's grammar has beyond the common core of SQL.

All other constructs use sqlglot's own nodes. Spans do not live here: ``span_of(node)`` gives them.
"""

from __future__ import annotations

from sqlglot import exp


class TableFunction(exp.Expression):
    """A function call in FROM: ``TABLE(f(...))``, ``LATERAL TABLE(f(...))`` or, without the wrapper, ``f(...)``.

    It is the ``this`` of an ``exp.Table`` (so that the alias is where every other alias is) or, after LATERAL, of an
    ``exp.Lateral``. ``this`` is the name as an ``exp.Identifier`` (``exp.Dot`` for a qualified one); ``expressions``
    are arguments in source order: expressions, ``TableArgument``, ``ModelArgument``, ``Descriptor``,
    ``NamedArgument``.
    """

    arg_types = {"this": True, "expressions": False}


class TableArgument(exp.Expression):
    """``TABLE t [PARTITION BY k | PARTITION BY (k, ...)] [ORDER BY ...]``, or the same after a subquery in parentheses.

    ``this``: ``exp.Table`` or ``exp.Subquery``; ``partition_by``: ``PartitionKeys``; ``order_by``: ``exp.Order``.
    """

    arg_types = {"this": True, "partition_by": False, "order_by": False}


class PartitionKeys(exp.Expression):
    """``PARTITION BY ...`` of a table argument; the span starts at the keyword PARTITION."""

    arg_types = {"expressions": True}


class ModelArgument(exp.Expression):
    """``MODEL m`` as an argument of a table function."""

    arg_types = {"this": True}


class Descriptor(exp.Expression):
    """``DESCRIPTOR(a, ...)``; ``expressions`` are ``exp.Column``s (a column may bear a type in a descriptor)."""

    arg_types = {"expressions": True}


class NamedArgument(exp.Expression):
    """``name => value``; ``this`` is an ``exp.Identifier``, ``expression`` the value."""

    arg_types = {"this": True, "expression": True}


class MetadataColumn(exp.ColumnConstraintKind):
    """``METADATA [FROM 'key'] [VIRTUAL]`` of a column; ``this`` is the key literal if there is one."""

    arg_types = {"this": False, "virtual": False}


class SetOption(exp.Expression):
    """``SET 'key' = 'value'`` (also without quotes, and bare ``SET``): literals or identifiers as written."""

    arg_types = {"this": False, "expression": False}


class ResetOption(exp.Expression):
    """``RESET 'key'`` or ``RESET``."""

    arg_types = {"this": False}


class StatementSetStart(exp.Expression):
    """``EXECUTE STATEMENT SET BEGIN``, ``BEGIN STATEMENT SET;`` (also EXPLAIN/COMPILE forms)."""

    arg_types = {}


class StatementSetEnd(exp.Expression):
    """``END`` of a statement set."""

    arg_types = {}

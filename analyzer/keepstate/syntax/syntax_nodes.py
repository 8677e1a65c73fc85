"""Syntax nodes that sqlglot lacks: constructs of Flink's grammar beyond the common core of SQL.

All other constructs use sqlglot's own nodes. Spans do not live here: ``span_of(node)`` gives them.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class TableFunction(exp.Expression):
    """A function call in FROM: ``TABLE(f(...))``, ``LATERAL TABLE(f(...))`` or, without the wrapper, ``f(...)``.

    It is the ``this`` of an ``exp.Table`` (so that the alias is where every other alias is) or, after LATERAL, of an
    ``exp.Lateral``. ``this`` is the name as an ``exp.Identifier`` (``exp.Dot`` for a qualified one); ``expressions``
    are arguments in source order: expressions, ``TableArgument``, ``ModelArgument``, ``Descriptor``,
    ``NamedArgument``.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False}


class TableArgument(exp.Expression):
    """``TABLE t [PARTITION BY k | PARTITION BY (k, ...)] [ORDER BY ...]``, or the same after a subquery in parentheses.

    ``this``: ``exp.Table`` or ``exp.Subquery``; ``partition_by``: ``PartitionKeys``; ``order_by``: ``exp.Order``.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "partition_by": False, "order_by": False}


class PartitionKeys(exp.Expression):
    """``PARTITION BY ...`` of a table argument; the span starts at the keyword PARTITION."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class ModelArgument(exp.Expression):
    """``MODEL m`` as an argument of a table function."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Descriptor(exp.Expression):
    """``DESCRIPTOR(a, ...)``; ``expressions`` are ``exp.Column``s (a column may bear a type in a descriptor)."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class NamedArgument(exp.Expression):
    """``name => value``; ``this`` is an ``exp.Identifier``, ``expression`` the value."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True}


class TimeDifference(exp.Expression):
    """``(a - b) DAY TO SECOND``: ``this`` is the ``exp.Paren``, ``unit`` an ``exp.Var`` or ``exp.IntervalSpan``."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "unit": True, "precision": False}


class MetadataColumn(exp.Expression, exp.ColumnConstraintKind):
    """``METADATA [FROM 'key'] [VIRTUAL]`` of a column; ``this`` is the key literal if there is one."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False, "virtual": False}


class SetOption(exp.Expression):
    """``SET 'key' = 'value'`` (also without quotes, and bare ``SET``): literals or identifiers as written."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False, "expression": False}


class ResetOption(exp.Expression):
    """``RESET 'key'`` or ``RESET``."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False}


class StatementSetStart(exp.Expression):
    """``EXECUTE STATEMENT SET BEGIN``, ``BEGIN STATEMENT SET;`` (also EXPLAIN/COMPILE forms)."""

    arg_types: ClassVar[dict[str, bool]] = {}


class StatementSetEnd(exp.Expression):
    """``END`` of a statement set."""

    arg_types: ClassVar[dict[str, bool]] = {}


class TimeLiteral(exp.Expression):
    """``TIMESTAMP '2024-01-01 00:00:00'``: ``this`` is the string literal, ``kind`` the type's words in upper case.

    Kinds: ``DATE``, ``TIME``, ``TIMESTAMP``, ``TIMESTAMP WITH LOCAL TIME ZONE``, ``TIMESTAMP WITH TIME ZONE``,
    ``TIMESTAMP_LTZ``.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True}


class FunctionClause(exp.Expression):
    """Words behind the arguments of a call that belong to the call: ``RETURNING INT``, ``NULL ON EMPTY``.

    ``this`` has the words in upper case; ``expressions`` are the types and values between them, in source order
    (``DEFAULT 0 ON ERROR`` is ``DEFAULT ON ERROR`` with one expression).
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False}


class JoinedTables(exp.Expression):
    """Tables joined inside of parentheses in FROM: ``(a JOIN b ON ...)``; ``this`` is the first, ``joins`` the rest."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "joins": True, "alias": False}


class PivotedTable(exp.Expression):
    """``t PIVOT (...)`` or ``t UNPIVOT (...)``; ``body``: ``exp.Var`` with the tokens between the parentheses."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "body": True, "alias": False}


class RowPattern(exp.Expression):
    """``MATCH_RECOGNIZE (...)`` over a table in FROM.

    ``this`` is the relation it reads. ``partition_by``: list; ``order``: ``exp.Order``; ``measures``: list of
    ``exp.Alias``; ``rows``: ``exp.Var`` with the words of ``ONE ROW PER MATCH``; ``after``: ``exp.Var`` with those of
    ``AFTER MATCH SKIP ...``; ``pattern``: ``exp.Var`` with the tokens of the pattern, one space between them;
    ``within``: ``exp.Interval``; ``subsets``, ``define``: lists of ``exp.Alias`` (the alias is the pattern variable);
    ``alias``: ``exp.TableAlias``.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "pattern": True,
        "within": False,
        "subsets": False,
        "define": False,
        "alias": False,
    }


class Explain(exp.Expression):
    """``EXPLAIN ...`` of a statement; ``this`` is that statement's tree, ``details`` the words between."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "details": False}


class OtherStatement(exp.Expression):
    """A statement that changes nothing of a job's state (``SHOW``, ``CALL``, ...); ``this`` has its words."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


def nodes_of(tree: exp.Expr) -> list[exp.Expr]:
    """All nodes of a tree, level by level: those of ``tree.walk()``, in a third of the time.

    >>> from keepstate.syntax.statement import parse_statement
    >>> tree = parse_statement("SELECT a + 1 FROM t").tree
    >>> [type(node).__name__ for node in nodes_of(tree)] == [type(node).__name__ for node in tree.walk()]
    True
    """
    nodes = [tree]
    # It grows while it is read.
    for node in nodes:
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [child for child in value if isinstance(child, exp.Expr)]
    return nodes

"""Stand-ins for functions of the user in an environment of Flink.

A stand-in has the types of a declared signature and values of its own. Its values follow from its arguments, and are
the same for functions of one class.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from keepstate.plan.types.declared_signatures import FunctionSignature
from keepstate.syntax.splitting.splitter import split
from keepstate_flink.errors import NotRunnable
from keepstate_flink.functions.part import StandIn

Declared = tuple[tuple[str, tuple[FunctionSignature, ...]], ...]
"""Signatures by the names of functions, in upper case."""
Identities = tuple[tuple[str, str], ...]
"""A name for all classes that stand for the same values, by each of these classes."""
_CREATED = re.compile(
    r"CREATE\s+(?:TEMPORARY\s+)?(?:SYSTEM\s+)?FUNCTION\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"((?:`[^`]+`|\w+)(?:\s*\.\s*(?:`[^`]+`|\w+))*)\s+AS\s+'([^']*)'",
    re.IGNORECASE,
)
_UNGROUPED = re.compile(r"Expression '(.+)' is not being grouped")
HOW_TO_DECLARE = "name its jar with --jar, or declare its signature with --function or in [functions] of keepstate.toml"


_MISFITS = {
    "An aggregate function has no stand-in, since no signature says its accumulator: name its jar": re.compile(
        r"is not being grouped|not allowed with \S+ function|must be applied to aggregate function"
    ),
    "A process table function has no stand-in, since no signature says its state: name its jar": re.compile(
        r"set semantics|row semantics|table argument", re.IGNORECASE
    ),
    "A table function is declared with RETURNS TABLE (...), a scalar function with a type": re.compile(
        r"cannot be used as a table function|Cannot call table function here"
    ),
    "Calls have to fit the declared signature": re.compile(
        r"Unsupported argument type|No match found for function signature|[Ii]nvalid (number of|input) arguments"
    ),
}
"""Reasons why Flink refuses a call of a stand-in, by what a signature has to do with them."""


class StandIns:
    """The stand-ins of one script in an environment; ``script`` is a name for it that no other has."""

    def __init__(
        self, java: Any, environment: Any, script: str, declared: Declared = (), identities: Identities = ()
    ) -> None:
        self._java = java
        self._environment = environment
        self._script = script
        self._declared = dict(declared)
        self._identities = dict(identities)
        self._classes: dict[str, str] = {}
        """The classes that they stand for, by their names; also of those that were dropped behind the queries."""
        self._made: dict[str, tuple[str, bool]] = {}
        """By the paths of those that are there: the name, and true for one that belongs to no database."""

    def declares(self, name: str) -> bool:
        """Return whether a function has a declared signature."""
        return name.upper() in self._declared

    def create(self, name: str, path: str, implementation: str, is_system: bool, only_new: bool) -> bool:
        """Register a stand-in for a function; ``False`` if it has no declared signature. ``only_new`` leaves one of
        the same path as it is.
        """
        signatures = self._declared.get(name.upper())
        if signatures is None:
            return False
        if only_new and path.upper() in self._made:
            return True
        identity = self._identities.get(implementation, implementation)
        stand_in = self._java.keepstate.flink.Functions.standIn(self._script, name, identity, _as_json(signatures))
        if is_system:
            self._environment.createTemporarySystemFunction(name, stand_in)
        else:
            self._environment.createTemporaryFunction(path, stand_in)
        self._classes[name.upper()] = implementation
        self._made[path.upper()] = name.upper(), is_system
        return True

    def drop(self, name: str, path: str) -> bool:
        """Remove a stand-in; ``False`` if there is none."""
        if path.upper() not in self._made:
            return False
        _, is_system = self._made.pop(path.upper())
        if is_system:
            self._environment.dropTemporarySystemFunction(name)
        else:
            self._environment.dropTemporaryFunction(path)
        return True

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._made.values())

    def take_planned(self) -> tuple[StandIn, ...]:
        """The stand-ins that were planned since the last question.

        Raises:
            NotRunnable: Flink called one of them while it planned, so that the plan follows from its value.
        """
        if not self._declared:
            return ()
        called: Mapping[str, bool] = json.loads(self._java.keepstate.flink.Functions.called(self._script))
        for name, is_folded in called.items():
            if is_folded:
                raise NotRunnable(
                    f"Flink calls {name} with constants while it plans, and the plan follows from the value, which no "
                    "signature says: name its jar with --jar"
                )
        return tuple(StandIn(name, self._classes[name.upper()]) for name in called)

    def raise_misfit(self, statement: str, chain: Sequence[str]) -> None:
        """Raise ``NotRunnable`` if Flink refuses a statement that calls stand-ins for a reason of their signatures."""
        called = [name for name in self._names if re.search(rf"(?i)\b{re.escape(name)}`?\s*\(", statement)]
        reason = chain[-1].partition(": ")[2] or chain[-1]
        kind = next((kind for kind, pattern in _MISFITS.items() if pattern.search(reason)), None)
        if not called or kind is None:
            return
        if (column := _UNGROUPED.search(reason)) and not any(_holds(statement, name, column[1]) for name in called):
            # A mistake of the query itself.
            return
        declared = "; ".join(f"{name.lower()}{each}" for name in called for each in self._declared[name])
        raise NotRunnable(f"Flink does not take a call of a stand-in ({declared}): {reason.rstrip('.')}. {kind}")


def _holds(statement: str, function: str, argument: str) -> bool:
    """Return whether a call of a function has a text among its arguments.

    >>> _holds("SELECT k, rate(ABS(a)) FROM t", "RATE", "a"), _holds("SELECT b, rate(a) FROM t", "RATE", "b")
    (True, False)
    """
    for call in re.finditer(rf"(?i)\b{re.escape(function)}`?\s*\(", statement):
        depth, start = 1, call.end()
        for end in range(start, len(statement)):
            depth += (statement[end] == "(") - (statement[end] == ")")
            if depth == 0:
                if re.search(rf"(?<![\w`]){re.escape(argument)}(?![\w`])", statement[start:end]):
                    return True
                break
    return False


def _as_json(signatures: Sequence[FunctionSignature]) -> str:
    return json.dumps(
        [
            {
                "arguments": signature.arguments,
                **({"columns": signature.columns} if signature.is_table else {"result": signature.result}),
            }
            for signature in signatures
        ]
    )


def identities(*scripts: str) -> Identities:
    """The classes of the functions of scripts that stand for the same values: a name that has another class in another
    version, since nothing is known of either, and a class that has another name.

    >>> dict(identities("CREATE FUNCTION f AS 'a.F'; CREATE FUNCTION g AS 'a.G'", "CREATE FUNCTION F AS 'b.F'"))
    {'a.F': 'a.F', 'a.G': 'a.G', 'b.F': 'a.F'}
    """
    of_class: dict[str, str] = {}
    of_name: dict[str, str] = {}
    for name, implementation in (pair for script in scripts for pair in _created(script)):
        first = of_name.setdefault(name, of_class.get(implementation, implementation))
        other = of_class.setdefault(implementation, first)
        if other != first:
            of_class = {key: first if value == other else value for key, value in of_class.items()}
            of_name = {key: first if value == other else value for key, value in of_name.items()}
    return tuple(sorted(of_class.items()))


def _created(script: str) -> Iterator[tuple[str, str]]:
    for span in split(script).statements:
        for match in _CREATED.finditer(script, span.start, span.end):
            yield match[1].rpartition(".")[2].strip().strip("`").upper(), match[2]

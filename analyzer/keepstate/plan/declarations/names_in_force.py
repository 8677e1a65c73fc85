"""The names that declarations have given a meaning, as temporary ones hide lasting ones and DROP lets go of both."""

from __future__ import annotations

from typing import Generic, TypeVar

from keepstate.plan.declarations.definitions import FunctionDefinition, TableDefinition, ViewDefinition

_D = TypeVar("_D", TableDefinition | ViewDefinition, FunctionDefinition)


class NamesInForce(Generic[_D]):
    """The definitions of one kind of names that are in force, statement by statement.

    >>> from keepstate.plan.declarations.definitions import define
    >>> from keepstate.syntax.script import parse_script
    >>> names, table = NamesInForce(), define(parse_script("CREATE TABLE t (a INT)").statements[0].parsed)
    >>> names.declare(table, keeps=False), names.declare(table, keeps=False), list(names.known)
    (True, False, ['t'])
    """

    def __init__(self) -> None:
        self.known: dict[str, _D] = {}
        self._hidden: dict[str, _D] = {}
        """Lasting ones that temporary ones of their names hide."""
        self._gone: set[str] = set()
        """Names of lasting ones that were dropped. What was declared of them last still says what they were."""

    def declare(self, definition: _D, keeps: bool) -> bool:
        """Take a definition; ``keeps``: not if there is one. Return whether it is the first of its name."""
        name, predecessor = definition.name, self.known.get(definition.name)
        if predecessor is None:
            self.known[name] = definition
            return True
        if predecessor.temporary and not definition.temporary:
            if not (keeps and name in self._hidden and name not in self._gone):
                self._hidden[name] = definition
                self._gone.discard(name)
            return False
        if definition.temporary and not predecessor.temporary:
            self._hidden[name] = predecessor
        elif keeps and (predecessor.temporary or name not in self._gone):
            return False
        if not definition.temporary:
            self._gone.discard(name)
        self.take_place(name, definition)
        return False

    def drop(self, name: str, temporary: bool) -> bool:
        """Let go of a name. Return whether it means the same still."""
        definition = self.known.get(name)
        if definition is None:
            return True
        if not temporary:
            if not definition.temporary:
                self._gone.add(name)
            return True
        if definition.temporary:
            beneath = self._hidden.pop(name, None)
            del self.known[name]
            if beneath is not None:
                self.known[name] = beneath
        return not definition.temporary

    def take_place(self, name: str, definition: _D) -> None:
        """Put a definition, which may have another name, in the place of the one of ``name``."""
        self.known.pop(name, None)
        self.known.pop(definition.name, None)
        self.known[definition.name] = definition
        if definition.name != name:
            self._gone.discard(definition.name)
            if name in self._hidden:
                self.known[name] = self._hidden.pop(name)

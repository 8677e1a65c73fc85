"""The declarations that each statement of a script sees, where a name is declared twice, altered or dropped."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import accumulate

from keepstate.plan.catalog import Catalog, TableDefinition, define
from keepstate.plan.declarations.alterations import altered_name, dropped
from keepstate.plan.names.full_names import names_in
from keepstate.syntax.kinds import QUERYING
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, Script


class DeclarationsInForce:
    """The catalogs of the statements of a script: of a name declared twice the last declaration before a statement,
    else the next one. Statements between two that matter share their catalog: one for each statement takes the square
    of them.
    """

    def __init__(self, script: Script, catalog: Catalog) -> None:
        """``catalog`` is that of the whole script."""
        self._script = script
        self._catalog = catalog
        self._made: dict[int, Catalog] = {}

    def at(self, number: int) -> Catalog:
        """The declarations that the statement with an index sees.

        >>> from keepstate.syntax.script import parse_script
        >>> text = "CREATE VIEW v AS SELECT 1 AS a; SELECT a FROM v; CREATE TEMPORARY VIEW v AS SELECT 2 AS a"
        >>> script = parse_script(text + "; SELECT a FROM v; SELECT 1 FROM v")
        >>> in_force = DeclarationsInForce(script, Catalog.of_script(script))
        >>> [in_force.at(number).views["v"].temporary for number in (1, 3)], in_force.at(3) is in_force.at(4)
        ([False, True], True)
        """
        if self._catalog.unambiguous:
            return self._catalog
        if self._script.statements[number].kind not in QUERYING:
            # What it declares itself it does not see.
            return self._catalog_at(number)
        place = self._changes[number]
        if place not in self._made:
            self._made[place] = self._catalog_at(number)
        return self._made[place]

    def _catalog_at(self, number: int) -> Catalog:
        statements, memo = self._script.statements, self._script.memo
        before, after = statements[:number], statements[number + 1 :]
        prefix_catalog = Catalog.of((other.parsed for other in before), memo, of_query=True)
        # What comes later hides nothing, however temporary it is.
        later: dict[str, ParsedStatement] = {}
        for other in after:
            definition = memo.of(define, other.parsed)
            if definition is not None and prefix_catalog.declaration(definition.name) is None:
                later.setdefault(definition.name, other.parsed)
        return Catalog.of((*later.values(), *(other.parsed for other in before)), memo)

    @cached_property
    def _changes(self) -> tuple[int, ...]:
        """For each statement the number of statements before it that change what a name means."""
        parsed, memo = self._script.contents.parsed, self._script.memo
        definitions = memo.of_contents(define, self._script.contents)
        counts = Counter(each.name.upper() for each in definitions if each is not None)
        names = {name for name, count in counts.items() if count > 1}
        for each in parsed:
            names.update(map(str.upper, _touched(each, memo)))
        matters = [
            bool(_touched(each, memo))
            or (
                definition is not None
                and (
                    definition.name.upper() in names
                    or (isinstance(definition, TableDefinition) and (definition.like or "").upper() in names)
                )
            )
            for each, definition in zip(parsed, definitions, strict=True)
        ]
        return tuple(accumulate(matters, initial=0))


def _touched(statement: ParsedStatement, memo: Memo) -> tuple[str, ...]:
    """The names that a statement alters or drops, those that it mentions with them."""
    drop = dropped(statement)
    if drop is not None:
        return (drop.name,)
    name = altered_name(statement)
    return () if name is None else (name, *memo.of(names_in, statement))

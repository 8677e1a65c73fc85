"""Hints: ``/*+ STATE_TTL('o' = '1 d') */`` behind SELECT, ``/*+ OPTIONS('k' = 'v') */`` behind a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from sqlglot import exp

from keepstate.plan.catalog import Option
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Aggregate, Join, LookupJoin, TableSourceScan
from keepstate.plan.provenance import place_of
from keepstate.plan.scalars.name_scope import Relation, Source
from keepstate.syntax.script import ParsedStatement
from keepstate.value_class import value_class

TtlHints = dict[str, Option]
"""Entries of STATE_TTL by the alias of the input that they are about."""


@value_class(frozen=True)
class JoinHints:
    """The hints of a query about its joins."""

    ttl: TtlHints = field(default_factory=dict)
    lookups: tuple[tuple[Option, ...], ...] = ()
    """The entries of each LOOKUP hint; one of them names the table."""
    merge_hints: tuple[Option, ...] = ()
    """The MULTI_JOIN hints as written, one for each input that they name: the names are the keys."""

    @staticmethod
    def of(select: exp.Select, statement: ParsedStatement) -> JoinHints:
        hint = select.args.get("hint")
        if hint is None:
            return JoinHints()
        lookups = (tuple(_options(item, statement)) for item in _items([hint]) if item.name.upper() == "LOOKUP")
        merge_hints = (
            Option(each.name, place.token_text, place)
            for item in _items([hint])
            if item.name.upper() == "MULTI_JOIN"
            for place in (place_of(statement, item),)
            for each in item.expressions
        )
        return JoinHints(ttl_hints(select, statement), tuple(lookups), tuple(merge_hints))

    def applied(self, source: Source, left: Source, right: Relation) -> Source:
        """A join that was just made of ``left`` and ``right``, with the hints about it. A join on the left is no input
        that a hint could name.
        """
        join = source.input
        if isinstance(join, LookupJoin):
            options = next((entries for entries in self.lookups if _is_about(entries, right)), ())
            return with_fields(source, input=with_fields(join, options=options))
        if not isinstance(join, Join):
            return source
        names = (left.relations[0].alias if len(left.relations) == 1 else None, right.alias)
        merge_hint = next((option for option in self.merge_hints if option.key in names), None)
        if merge_hint is not None:
            join = with_fields(join, merge_hint=merge_hint)
            source = with_fields(source, input=join)
        ttls = tuple(self.ttl.get(name) if name is not None else None for name in names)
        return with_fields(source, input=with_fields(join, ttl_hints=ttls)) if any(ttls) else source


def ttl_hints(select: exp.Select, statement: ParsedStatement) -> TtlHints:
    """The entries of the STATE_TTL hint of a query."""
    return {option.key: option for option in _entries("STATE_TTL", [select.args.get("hint")], statement)}


def table_options(table: exp.Expression, statement: ParsedStatement) -> tuple[Option, ...]:
    """The entries of the OPTIONS hint behind a table, which stand in front of those of its WITH clause."""
    return tuple(_entries("OPTIONS", table.args.get("hints") or (), statement))


def with_aggregate_hint(operator: Aggregate, inputs: tuple[Relation, ...], hints: TtlHints) -> Aggregate:
    """An aggregation with the hint about its input, if that is a single relation."""
    name = inputs[0].alias if len(inputs) == 1 else None
    hint = hints.get(name) if name is not None else None
    return with_fields(operator, ttl_hints=(hint,)) if hint is not None else operator


def _is_about(entries: tuple[Option, ...], relation: Relation) -> bool:
    table = next((entry.value for entry in entries if entry.key.lower() == "table"), None)
    scan = relation.input
    return table is not None and table in (relation.alias, scan.table if isinstance(scan, TableSourceScan) else None)


def _entries(name: str, hints: Iterable[exp.Expression | None], statement: ParsedStatement) -> Iterator[Option]:
    for item in _items(hints):
        if item.name.upper() == name:
            yield from _options(item, statement)


def _items(hints: Iterable[exp.Expression | None]) -> Iterator[exp.Expression]:
    return (item for hint in hints if hint is not None for item in hint.expressions)


def _options(item: exp.Expression, statement: ParsedStatement) -> Iterator[Option]:
    for entry in item.expressions:
        if isinstance(entry, exp.Property):
            yield Option(entry.this.name, entry.args["value"].name, place_of(statement, entry))

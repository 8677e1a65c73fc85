"""The text of a query that can be evaluated: its layers as subqueries, common table expressions or views."""

from __future__ import annotations

import re
from random import Random

from row_expressions import Names
from row_queries import Distinct, Filter, First, Group, Join, Project, Relation, RowQuery, Scan, UnionAll

_TABLES = ("one", "two")
DECLARATIONS = "".join(
    f"CREATE TABLE {name} (k STRING, u STRING, c STRING, v BIGINT, w BIGINT) "
    f"WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json');\n"
    for name in _TABLES
)


def script_of(query: RowQuery, random: Random | None = None) -> str:
    """The whole script. Chance decides about what means nothing: layers, names, and the order of inputs of a union."""
    text = _Text(random)
    select, _ = text.select(query.root)
    views = "".join(f"CREATE VIEW {name} AS {body};\n" for name, body in text.views)
    shared = ", ".join(f"{name} AS ({body})" for name, body in text.shared)
    return f"{DECLARATIONS}{views}INSERT INTO s {f'WITH {shared} ' if shared else ''}{select};\n"


class _Text:
    def __init__(self, random: Random | None) -> None:
        self._random = random
        self._number = 0
        self.views: list[tuple[str, str]] = []
        self.shared: list[tuple[str, str]] = []

    def _chance(self, share: float) -> bool:
        return self._random is not None and self._random.random() < share

    def _name(self, stem: str) -> str:
        self._number += 1
        return f"{stem}{self._number}"

    def _called(self, relation: Relation) -> Names:
        """The names of its columns: their own, or others."""
        if self._chance(0.3):
            return {name: self._name(f"{name}_") for name in relation.columns}
        return {name: name for name in relation.columns}

    def select(self, relation: Relation) -> tuple[str, Names]:
        """The query that gives the rows of ``relation``, and the names of its columns."""
        if isinstance(relation, UnionAll):
            return self._union(relation)
        called = self._called(relation)
        if isinstance(relation, Project):
            source, names, where = self._rows(relation.input)
            items = ", ".join(f"{item.text(names)} AS {called[name]}" for name, item, _ in relation.items)
            return f"SELECT {items} FROM {source}{where}", called
        if isinstance(relation, Group):
            return self._group(relation, called)
        if isinstance(relation, Join):
            return self._join(relation, called)
        if isinstance(relation, First):
            return self._first(relation, called)
        source, names, where = self._rows(relation.input if isinstance(relation, Distinct) else relation)
        items = ", ".join(_item(names[name], called[name]) for name in relation.columns)
        return f"SELECT {'DISTINCT ' if isinstance(relation, Distinct) else ''}{items} FROM {source}{where}", called

    def _rows(self, relation: Relation) -> tuple[str, Names, str]:
        """The text behind FROM, its names for the columns, and its WHERE clause."""
        if isinstance(relation, Filter) and not self._chance(0.3):
            source, names, where = self._rows(relation.input)
            condition = relation.condition.text(names)
            return source, names, f"{where} AND {condition}" if where else f" WHERE {condition}"
        if isinstance(relation, Filter):
            source, names, where = self._rows(relation.input)
            items = ", ".join(names[name] for name in relation.columns)
            condition = relation.condition.text(names)
            where = f"{where} AND {condition}" if where else f" WHERE {condition}"
            return self._layer(f"SELECT {items} FROM {source}{where}"), names, ""
        if isinstance(relation, Scan):
            return relation.table, {name: name for name in relation.columns}, ""
        text, names = self.select(relation)
        return self._layer(text), names, ""

    def _layer(self, text: str) -> str:
        form = self._random.choice(("subquery", "shared", "view")) if self._random is not None else "subquery"
        # A view stands in front of the query with its common table expressions.
        if form == "view" and not any(re.search(rf"\b{name}\b", text) for name, _ in self.shared):
            name = self._name("view_")
            self.views.append((name, text))
            return name
        if form == "shared":
            name = self._name("rows_")
            self.shared.append((name, text))
            return name
        return f"({text})"

    def _union(self, relation: UnionAll) -> tuple[str, Names]:
        inputs = list(relation.inputs)
        if self._random is not None:
            self._random.shuffle(inputs)
        texts, all_names = zip(*(self.select(one) for one in inputs), strict=True)
        return " UNION ALL ".join(texts), all_names[0]

    def _group(self, relation: Group, called: Names) -> tuple[str, Names]:
        source, names, where = self._rows(relation.input)
        keys = [key.text(names) for key, _ in relation.keys]
        calls = [call.text(names) for call in relation.calls]
        texts = dict(zip(relation.columns, (*keys, *calls), strict=True))
        items = ", ".join(f"{text} AS {called[name]}" for name, text in texts.items())
        having = f" HAVING {relation.having.text(texts)}" if relation.having is not None else ""
        return f"SELECT {items} FROM {source}{where} GROUP BY {', '.join(keys)}{having}", called

    def _join(self, relation: Join, called: Names) -> tuple[str, Names]:
        (left, left_names, left_where), (right, right_names, right_where) = map(self._rows, relation.inputs)
        # A condition on one side stays in a layer of its own: which side it is on, its text does not say.
        left = self._filtered(left, left_names, left_where)
        right = self._filtered(right, right_names, right_where)
        one, other = self._name("l"), self._name("r")
        names = {f"l_{name}": f"{one}.{text}" for name, text in left_names.items()}
        names |= {f"r_{name}": f"{other}.{text}" for name, text in right_names.items()}
        items = ", ".join(f"{names[name]} AS {called[name]}" for name in relation.columns)
        sides = [f"{one}.{left_names[relation.left_key]}", f"{other}.{right_names[relation.right_key]}"]
        on = " = ".join(reversed(sides) if self._chance(0.5) else sides)
        return f"SELECT {items} FROM {left} AS {one} JOIN {right} AS {other} ON {on}", called

    def _filtered(self, source: str, names: Names, where: str) -> str:
        return f"(SELECT {', '.join(names.values())} FROM {source}{where})" if where else source

    def _first(self, relation: First, called: Names) -> tuple[str, Names]:
        source, names, where = self._rows(relation.input)
        place = self._name("place")
        own = ", ".join(names[name] for name in relation.columns)
        over = f"PARTITION BY {names[relation.partition]} ORDER BY {names[relation.order]} DESC"
        ranked = f"SELECT {own}, ROW_NUMBER() OVER ({over}) AS {place} FROM {source}{where}"
        items = ", ".join(_item(names[name], called[name]) for name in relation.columns)
        return f"SELECT {items} FROM {self._layer(ranked)} WHERE {place} <= {relation.bound}", called


def _item(text: str, name: str) -> str:
    return text if text == name else f"{text} AS {name}"

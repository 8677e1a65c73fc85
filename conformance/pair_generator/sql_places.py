"""Places of a script where a generator can change something: tables, SELECTs with their clauses, columns in reach."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from sql_tokens import Token, closing, replaced, split_at, tokens_of

_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH")
_ENDS = frozenset({";", "UNION", "INTERSECT", "EXCEPT"})
_JOINS = frozenset({"JOIN", ","})
_JOIN_WORDS = frozenset({"LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL", "SEMI", "ANTI"})
_AFTER_RELATION = frozenset({"ON", "USING", "FOR", "MATCH_RECOGNIZE", "TABLESAMPLE"}) | _JOIN_WORDS
_COMMA = frozenset({","})
_TYPE = re.compile(r"[A-Z_]+")
Made = tuple[str, str] | None
"""Both scripts of a pair; ``None`` where a script has no place for a change."""
AGGREGATES = frozenset({"SUM", "COUNT", "MIN", "MAX", "AVG", "FIRST_VALUE", "LAST_VALUE"})


@dataclass(frozen=True)
class PlaceColumn:
    """A column in reach: the reference to it, and the first word of its type, or ``ROWTIME``; empty if not known."""

    reference: str
    type: str = ""
    not_null: bool = False

    @property
    def name(self) -> str:
        return self.reference.rpartition(".")[2].strip("`")


@dataclass(frozen=True)
class DeclaredTable:
    """A CREATE TABLE. ``entries`` are its columns, watermark and constraints, ``options`` those of WITH."""

    name: str
    start: int
    end: int
    name_token: Token
    entries: tuple[tuple[Token, ...], ...]
    options: tuple[tuple[Token, ...], ...]

    @property
    def physical(self) -> list[tuple[Token, ...]]:
        return [
            entry
            for entry in self.entries
            if len(entry) > 1
            and entry[0].is_name
            and entry[0].word not in ("WATERMARK", "PRIMARY", "CONSTRAINT")
            and entry[1].word not in ("AS", "METADATA")
            and not any(token.word == "METADATA" for token in entry)
        ]

    @cached_property
    def columns(self) -> tuple[PlaceColumn, ...]:
        times = {entry[2].name for entry in self.entries if entry[0].word == "WATERMARK" and len(entry) > 2}
        found = []
        for entry in self.physical:
            words = [token.word for token in entry]
            type_ = "ROWTIME" if entry[0].name in times else entry[1].word
            found.append(PlaceColumn(entry[0].text, type_, "NOT" in words))
        return tuple(found)


@dataclass
class Block:
    """A SELECT with its clauses: the tokens of each, with the keyword in front."""

    depth: int
    clauses: dict[str, list[Token]]
    columns: list[PlaceColumn] = field(default_factory=list)
    relations: list[tuple[str, list[Token]]] = field(default_factory=list)
    """Alias and tokens of each input."""

    @property
    def start(self) -> int:
        return self.clauses["SELECT"][0].start

    @property
    def end(self) -> int:
        return max(tokens[-1].end for tokens in self.clauses.values())

    @property
    def items(self) -> list[list[Token]]:
        """The select list, without DISTINCT."""
        tokens = [token for token in self.clauses["SELECT"][1:] if token.word not in ("DISTINCT", "ALL")]
        return split_at(tokens, _COMMA, self.depth)

    @property
    def is_grouped(self) -> bool:
        return "GROUP" in self.clauses or any(
            token.word in AGGREGATES for item in self.items for token in item if token.depth == self.depth
        )

    @property
    def keys(self) -> list[list[Token]]:
        return split_at(self.clauses["GROUP"][2:], _COMMA, self.depth) if "GROUP" in self.clauses else []

    @property
    def is_distinct(self) -> bool:
        tokens = self.clauses["SELECT"]
        return len(tokens) > 1 and tokens[1].word == "DISTINCT"


class Places:
    """The places of one script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)

    def changed(self, *changes: tuple[int, int, str]) -> Made:
        """The text before and after these changes; ``None`` without any."""
        return (self.text, replaced(self.text, *changes)) if changes else None

    @cached_property
    def tables(self) -> dict[str, DeclaredTable]:
        found = {}
        for index, token in enumerate(self.tokens):
            if token.word == "CREATE" and token.depth == 0:
                table = self._table(index)
                if table is not None:
                    found[table.name] = table
        return found

    def _table(self, index: int) -> DeclaredTable | None:
        tokens = self.tokens
        start = index
        while tokens[index].word in ("CREATE", "TEMPORARY", "TABLE", "IF", "NOT", "EXISTS"):
            index += 1
        if tokens[index - 1].word not in ("TABLE", "EXISTS") or tokens[index + 1].text != "(":
            return None
        close = closing(tokens, index + 1)
        entries = split_at(tokens[index + 2 : close], _COMMA, 1)
        options: list[list[Token]] = []
        end = close
        if close + 2 < len(tokens) and tokens[close + 1].word == "WITH":
            end = closing(tokens, close + 2)
            options = split_at(tokens[close + 3 : end], _COMMA, 1)
        name = tokens[index]
        return DeclaredTable(
            name.name,
            tokens[start].start,
            tokens[end].end,
            name,
            tuple(map(tuple, entries)),
            tuple(map(tuple, options)),
        )

    @cached_property
    def blocks(self) -> list[Block]:
        """All SELECTs, inner ones first, with the columns in reach where they are known."""
        found = [self._block(index) for index, token in enumerate(self.tokens) if token.word == "SELECT"]
        found.sort(key=lambda block: -block.depth)
        for block in found:
            self._resolve(block, found)
        return found

    def _block(self, index: int) -> Block:
        depth = self.tokens[index].depth
        clauses: dict[str, list[Token]] = {}
        now: list[Token] = []
        before = ""
        for token in self.tokens[index:]:
            if token.depth < depth or (token.depth == depth and token.word in _ENDS):
                break
            opens = token.depth == depth and token.word in _CLAUSES and token.word not in clauses
            if opens and not (token.word == "FROM" and before == "DISTINCT"):
                now = clauses[token.word] = []
            now.append(token)
            before = token.word
        return Block(depth, clauses)

    def _resolve(self, block: Block, every: list[Block]) -> None:
        tokens = block.clauses.get("FROM", [])[1:]
        for part in split_at(tokens, _JOINS, block.depth):
            relation = _until(part, _AFTER_RELATION, block.depth)
            if relation:
                block.relations.append((_alias(relation, block.depth), relation))
        several = len(block.relations) > 1
        for alias, relation in block.relations:
            for column in self._relation_columns(relation, every):
                reference = f"{alias}.{column.reference}" if several and alias else column.reference
                block.columns.append(PlaceColumn(reference, column.type, column.not_null))

    def _relation_columns(self, relation: list[Token], every: list[Block]) -> list[PlaceColumn]:
        first = relation[0]
        if first.text == "(":
            inside = [block for block in every if first.start < block.start < relation[-1].end]
            inside = [block for block in inside if block.depth == first.depth + 1]
            return _outputs(inside[0]) if inside else []
        name = first.name
        if first.word == "TABLE" and len(relation) > 4:
            names = [relation[index + 1].name for index in range(len(relation) - 1) if relation[index].word == "TABLE"]
            name = names[-1]
        elif len(relation) > 4 and relation[1].text == ".":
            name = relation[4].name
        if name in self.tables:
            return list(self.tables[name].columns)
        body = self.bodies.get(name)
        inner = [block for block in every if body is not None and block.start >= body]
        return _outputs(min(inner, key=lambda block: block.start)) if inner else []

    @cached_property
    def bodies(self) -> dict[str, int]:
        """The starts of the queries of views and of WITH, by name."""
        found = {}
        for index in range(1, len(self.tokens) - 2):
            token, after = self.tokens[index + 1], self.tokens[index + 2]
            if token.word == "AS" and (
                after.word == "SELECT" or (after.text == "(" and self.tokens[index].depth == after.depth)
            ):
                found[self.tokens[index].name] = after.start
        return found

    @cached_property
    def queries(self) -> list[Block]:
        """The blocks of which a statement, or a branch of its UNION, consists."""
        return sorted((block for block in self.blocks if block.depth == 0), key=lambda block: block.start)


def _until(tokens: list[Token], words: frozenset[str], depth: int) -> list[Token]:
    found: list[Token] = []
    for token in tokens:
        if token.depth == depth and token.word in words:
            if found:
                break
            continue
        found.append(token)
    return found


def _alias(relation: list[Token], depth: int) -> str:
    own = [token for token in relation if token.depth == depth and token.kind != "hint"]
    return own[-1].text if own[-1].is_name and own[-1].word != "TABLE" else ""


def _outputs(block: Block) -> list[PlaceColumn]:
    found: list[PlaceColumn] = []
    by_reference = {column.reference: column for column in block.columns}
    by_name = {column.name: column for column in block.columns}
    for item in block.items:
        text = "".join(token.text for token in item)
        if text == "*":
            found += [
                PlaceColumn(column.reference.rpartition(".")[2], column.type, column.not_null)
                for column in block.columns
            ]
            continue
        names = [token for token in item if token.is_name and token.word != "AS"]
        label = item[-1].text
        expression = "".join(
            token.text for token in item[: len(item) - (2 if len(item) > 2 and item[-2].word == "AS" else 0)]
        )
        column = by_reference.get(expression) or by_name.get(expression)
        if column is not None and names:
            found.append(PlaceColumn(label, column.type, column.not_null))
    return found

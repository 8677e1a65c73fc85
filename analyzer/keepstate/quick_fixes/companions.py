"""Further edits without which Flink refuses a fix: the sink of another column, the declaration of another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from keepstate.diff.reverting import EditedScript
from keepstate.plan.names.full_names import names_in, table_name
from keepstate.quick_fixes.lists import separator
from keepstate.syntax.script import Script, Statement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, Span

_DECLARING = (StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW)


def with_declarations(edited: EditedScript, edits: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """``edits``, and those that put the baseline's declarations back that the edited statements name; ``None`` if there
    are none.
    """
    statements = [now for _, now in edited.pairs if any(now.span.contains(edit.span) for edit in edits)]
    memo = edited.current.memo
    names = {name for statement in statements for name in memo.of(names_in, statement.parsed)}
    more = [
        edit
        for was, now in edited.pairs
        if was is not None and now.kind in _DECLARING and now not in statements and _declared(now) in names
        for edit in edited.reverting(edited.near(now.span, None))
    ]
    statements_back = edited.with_declarations((), statements)
    more += (edited.putting_back(statement) for statement in statements_back if statement not in statements)
    return (*edits, *more) if more else None


def sink_column(script: Script, item: Span, name: str) -> Iterator[Edit]:
    """Edits that give the sink of an INSERT one column more, ``name``, of the type of the column that the select item
    at ``item`` fills. There are none if the script does not declare the sink, or if the item is no output of the
    INSERT.
    """
    insert = next((one for one in script.statements if one.span.contains(item)), None)
    if insert is None or not isinstance(insert.tree, exp.Insert):
        return
    query, target = insert.tree.expression, insert.tree.this
    place = _position(insert, query, item)
    table = target.this if isinstance(target, exp.Schema) else target
    declared = next((one for one in script.statements if _declares(one, table)), None)
    if place is None or declared is None or declared.tree is None:
        return
    columns = [each for each in declared.tree.this.expressions if isinstance(each, exp.ColumnDef)]
    columns_with_type = [each for each in columns if isinstance(each.args.get("kind"), exp.DataType)]
    listed = target.expressions if isinstance(target, exp.Schema) else []
    filled = columns_with_type
    if listed:
        by_name = {each.name: each for each in columns_with_type}
        filled = [by_name[each.name] for each in listed if each.name in by_name]
    if place >= len(filled) or any(each.name == name for each in columns):
        return
    kind, columns_at, listed_at = span_of(filled[place].args["kind"]), _spans(columns), _spans(listed)
    last = span_of(columns_with_type[-1])
    if kind is None or last is None or columns_at is None or listed_at is None:
        return
    yield _entry(declared, last, columns_at, f"{name} {kind.of(declared.text)}")
    if listed_at:
        yield _entry(insert, listed_at[-1], listed_at, name)


def _spans(entries: Sequence[exp.Expression]) -> list[Span] | None:
    """The spans of the entries of a list; ``None`` if one has none."""
    spans = [span_of(entry) for entry in entries]
    known_spans = [span for span in spans if span is not None]
    return known_spans if len(known_spans) == len(spans) else None


def _entry(statement: Statement, last: Span, entries: Sequence[Span], text: str) -> Edit:
    """The edit that puts an entry behind ``last``, laid out as the others are."""
    end = statement.span.start + last.end
    return Edit(Span(end, end), f"{separator(statement.text, entries)}{text}")


def _position(insert: Statement, query: object, item: Span) -> int | None:
    """The place of a select item among the outputs of an INSERT."""
    if not isinstance(query, exp.Select):
        return None
    spans = [span_of(each) for each in query.expressions]
    placed = [None if span is None else span.shift(insert.span.start) for span in spans]
    return placed.index(item) if item in placed else None


def _declares(statement: Statement, table: exp.Expression) -> bool:
    return statement.kind is StatementKind.CREATE_TABLE and _declared(statement) == table_name(table)


def _declared(statement: Statement) -> str:
    """The name that a statement declares; empty if it declares none."""
    tree = statement.tree
    if not isinstance(tree, exp.Create):
        return ""
    return table_name(tree.this.this if isinstance(tree.this, exp.Schema) else tree.this)

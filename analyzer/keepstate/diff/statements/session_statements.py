"""Differences of statements that are neither query, declaration nor setting, but that queries depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.job import new_query_of_table
from keepstate.plan.metadata.connectors import is_address
from keepstate.plan.provenance import Place
from keepstate.syntax.script import ParsedStatement, Script, Statement, StatementKind
from keepstate.text import Span

_KINDS = (StatementKind.USE, StatementKind.ALTER, StatementKind.CREATE_OTHER)
_WORDS = frozenset({("EXECUTE", "PLAN"), ("ADD", "JAR"), ("REMOVE", "JAR"), ("LOAD", "MODULE"), ("UNLOAD", "MODULE")})


def surrounding_changes(baseline: Script, current: Script) -> Iterator[Change]:
    """Yield a change for catalogs, databases, archives, modules and altered tables that were added, removed or changed.

    The meaning of names in a query may depend on them, and Keepstate cannot see into them.
    """
    ours, theirs = _surroundings(baseline), _surroundings(current)
    was, now = Counter(key for key, _ in ours), Counter(key for key, _ in theirs)
    gone = [statement for key, statement in ours if was[key] > now[key]]
    for key, statement in theirs:
        if now[key] > was[key]:
            twin = next((other for other in gone if _first_words(other) == _first_words(statement)), None)
            if twin is not None:
                gone.remove(twin)
            yield _change(statement, twin)
    for statement in gone:
        yield _change(None, statement)


def runs_a_compiled_plan(script: Script) -> bool:
    """Return whether the script starts a job from a file with a compiled plan: the content of that file is not
    visible.
    """
    return any(_first_words(statement) == ("EXECUTE", "PLAN") for statement in script.statements)


def _surroundings(script: Script) -> list[tuple[tuple[str, ...], Statement]]:
    found = (
        statement
        for statement in script.statements
        if ((kind := statement.parsed.kind) in _KINDS and new_query_of_table(statement.parsed) is None)
        or (kind is StatementKind.OTHER and _first_words(statement) in _WORDS)
    )
    keys = ((_key(statement.parsed), statement) for statement in found)
    return [(key, statement) for key, statement in keys if key is not None]


def _key(statement: ParsedStatement) -> tuple[str, ...] | None:
    """Return the meaning of a statement for a comparison; ``None`` if no query depends on the statement.

    The address of a catalog is not part of the meaning, like the address of a table.
    """
    tree = statement.tree
    if not isinstance(tree, (exp.Create, exp.Alter)) or tree.args.get("kind") != "CATALOG":
        return statement.token_key
    if isinstance(tree, exp.Create):
        properties = tree.args.get("properties")
        return "CREATE CATALOG", tree.this.name, *_options(properties.expressions if properties is not None else ())
    actions = tree.args["actions"]
    is_about_addresses = all(isinstance(one, exp.AlterSet) and not _options(one.expressions) for one in actions)
    return None if is_about_addresses else statement.token_key


def _options(properties: Iterable[exp.Expression]) -> tuple[str, ...]:
    """Return the options of a catalog that determine its content."""
    pairs = ((prop.this.name, prop.args["value"].name) for prop in properties if isinstance(prop, exp.Property))
    return tuple(sorted(f"{key} = {value}" for key, value in pairs if not is_address(key)))


def _first_words(statement: Statement) -> tuple[str, ...]:
    return tuple(token.word for token in statement.parsed.tokens[:2])


def _change(current: Statement | None, baseline: Statement | None) -> Change:
    statement = current or baseline
    assert statement is not None
    return Change(
        ChangeKind.SURROUNDINGS_CHANGED,
        QueryKind.CONFIGURATION,
        _whole(current),
        _whole(baseline),
        removed=current is None,
        subject=" ".join(token.text for token in statement.parsed.tokens[:3]).strip(),
    )


def _whole(statement: Statement | None) -> Place | None:
    return Place(statement.parsed, Span(0, len(statement.text))) if statement is not None else None

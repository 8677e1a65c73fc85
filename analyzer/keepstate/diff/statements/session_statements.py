"""Differences of statements that are neither query, declaration nor setting, but that queries depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.declarations.alterations import is_followed
from keepstate.plan.job import Job
from keepstate.plan.lowering.statement_queries import new_query_of_table
from keepstate.plan.metadata.connectors import is_address
from keepstate.plan.names.full_names import names_in
from keepstate.plan.provenance import Place
from keepstate.syntax.namespace import display_name
from keepstate.syntax.script import ParsedStatement, Script, Statement, StatementKind
from keepstate.text import Span

_KINDS = (StatementKind.USE, StatementKind.ALTER, StatementKind.CREATE_OTHER)
_WORDS = frozenset({("EXECUTE", "PLAN"), ("ADD", "JAR"), ("REMOVE", "JAR"), ("LOAD", "MODULE"), ("UNLOAD", "MODULE")})


def surrounding_changes(baseline: Job, current: Job) -> Iterator[Change]:
    """Yield a change for catalogs, databases, archives, modules and altered tables that were added, removed or changed.

    The meaning of names in a query may depend on them, and Keepstate cannot see into them.
    """
    yield from _changes(_surroundings(baseline), _surroundings(current))


def use_changes(baseline: Job, current: Job) -> Iterator[Change]:
    """Yield a change for USE where a name that queries write as before means another table or function by it."""
    if not moved_names(baseline, current):
        return
    baseline_uses, current_uses = _uses(baseline.script), _uses(current.script)
    changes = list(_changes(baseline_uses, current_uses))
    if not changes:
        # The same ones stand in other places.
        changes = [_change(current_uses[0][1], baseline_uses[0][1])]
    yield from changes


def moved_names(baseline: Job, current: Job) -> dict[str, frozenset[str]]:
    """Full names that queries of the baseline read or call, and those that the same written names have now, where a
    USE makes them others.
    """
    if not _uses(baseline.script) and not _uses(current.script):
        return {}
    baseline_meanings, current_meanings = _meanings(baseline), _meanings(current)
    both = [
        (baseline_meanings[name], current_meanings[name]) for name in baseline_meanings.keys() & current_meanings.keys()
    ]
    return {name: frozenset(now) for was, now in both if was != now for name in was}


def _meanings(job: Job) -> dict[str, set[str]]:
    """The full names that the queries of a job read or call, by their written ones."""
    meanings: dict[str, set[str]] = {}
    statements = {one for pipeline in job.pipelines for one in (pipeline.statement, *pipeline.definitions)}
    for statement in statements:
        common = job.script.memo.of(_common_tables, statement)
        for name in job.script.memo.of(names_in, statement):
            if display_name(name) in common:
                continue
            function = job.catalog.function(name)
            meanings.setdefault(display_name(name), set()).add(name if function is None else function.name)
    return meanings


def _common_tables(statement: ParsedStatement) -> frozenset[str]:
    tree = statement.tree
    return frozenset(each.alias for each in tree.find_all(exp.CTE)) if tree is not None else frozenset()


_Found = list[tuple[tuple[str, ...], Statement]]


def _changes(baseline_statements: _Found, current_statements: _Found) -> Iterator[Change]:
    was, now = Counter(key for key, _ in baseline_statements), Counter(key for key, _ in current_statements)
    removals = [statement for key, statement in baseline_statements if was[key] > now[key]]
    for key, statement in current_statements:
        if now[key] > was[key]:
            twin = next((other for other in removals if _first_words(other) == _first_words(statement)), None)
            if twin is not None:
                removals.remove(twin)
            yield _change(statement, twin)
    for statement in removals:
        yield _change(None, statement)


def runs_a_compiled_plan(script: Script) -> bool:
    """Return whether the script starts a job from a file with a compiled plan: the content of that file is not
    visible.
    """
    return any(_first_words(statement) == ("EXECUTE", "PLAN") for statement in script.of_kind(StatementKind.OTHER))


def _surroundings(job: Job) -> _Found:
    alterations = {each for versions in job.catalog.altered.values() for each in versions if is_followed(each)}
    statements = (
        statement
        for statement in job.script.of_kind(*_KINDS, StatementKind.OTHER)
        if (
            (kind := statement.parsed.kind) in _KINDS
            and new_query_of_table(statement.parsed) is None
            and statement.parsed not in alterations
        )
        or (kind is StatementKind.OTHER and _first_words(statement) in _WORDS)
    )
    keys = ((_key(statement.parsed), statement) for statement in statements)
    return [(key, statement) for key, statement in keys if key is not None]


def _uses(script: Script) -> _Found:
    """The statements that choose a catalog or a database."""
    statements = script.of_kind(StatementKind.USE)
    return [(each.parsed.token_key, each) for each in statements if _chooses_database(each.tree)]


def _chooses_database(tree: exp.Expr | None) -> bool:
    return isinstance(tree, exp.Use) and tree.args.get("kind") != "MODULES"


def _key(statement: ParsedStatement) -> tuple[str, ...] | None:
    """Return the meaning of a statement for a comparison; ``None`` if no query depends on the statement.

    The address of a catalog is not part of the meaning, like the address of a table. USE of a catalog or a database is
    in the full names of all that follows (``use_changes``).
    """
    tree = statement.tree
    if _chooses_database(tree):
        return None
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


def _words(statement: ParsedStatement) -> tuple[str, ...]:
    """Return the words of a statement, independent of layout, comments and case."""
    return Place(statement, Span(0, len(statement.text))).words


def temporary_table_changes(baseline: Job, current: Job) -> Iterator[Change]:
    """Temporary tables that went or changed in the same edit as an INSERT (spec OL-05)."""
    for name, table in baseline.catalog.tables.items():
        now = current.catalog.tables.get(name)
        if not table.temporary or (now is not None and _words(now.statement) == _words(table.statement)):
            continue
        yield Change(
            ChangeKind.TEMPORARY_TABLE_CHANGED,
            QueryKind.JOB,
            now.place if now is not None else None,
            table.place,
            removed=now is None,
            subject=f"temporary table {name}",
        )

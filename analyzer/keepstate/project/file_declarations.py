"""Declarations of tables, views and functions in files, and the names that statements need."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from itertools import chain, compress

from sqlglot import exp

from keepstate.plan.catalog import (
    Definition,
    FunctionDefinition,
    TableDefinition,
    ViewDefinition,
    define,
)
from keepstate.plan.declarations.alterations import dropped
from keepstate.plan.lowering.statement_queries import runs_query
from keepstate.plan.names.full_names import names_in, unreadable_names
from keepstate.plan.provenance import place_of
from keepstate.project.source_files import SourceFile, distance
from keepstate.syntax import syntax_nodes
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import bare
from keepstate.syntax.script import ParsedStatement, Script, StatementKind, parse_script
from keepstate.syntax.tokens import lex
from keepstate.text import Span


class StatementRole(Enum):
    """The part that a statement of another file has in a job."""

    DECLARATION = "declaration"
    """A table, a view or a function."""
    ALTERATION = "alteration"
    """ALTER of a table or view."""
    CATALOG = "catalog"
    """CREATE CATALOG: it tells which tables there are, and the database that the catalog begins with."""
    PARAMETER = "parameter"
    """SET or RESET, which holds for the queries behind it."""


@dataclass(frozen=True, eq=False)
class Declaration:
    """A statement of a file that declares ``name``, with the USE statements in front of it that tell where."""

    name: str
    """Of a catalog its name; empty for SET and RESET, which declare nothing."""
    file: SourceFile
    span: Span
    """The statement with the comments in front of it and its semicolon."""
    needs: tuple[str, ...] = ()
    """The names that it reads, in the order of the alphabet."""
    uses: tuple[Span, ...] = ()
    part: StatementRole = StatementRole.DECLARATION
    session: tuple[Span, ...] = ()
    """SET and RESET in its file, where that runs no query: they hold for the jobs that are run behind it."""

    @property
    def text(self) -> str:
        return self.span.of(self.file.text)

    @property
    def says(self) -> str:
        """The declaration in a sentence.

        >>> file = SourceFile("init.sql", "CREATE CATALOG c WITH ('type' = 'hive');")
        >>> FileDeclarations.of(file, Memo()).catalogs[0].says
        'catalog c'
        """
        if self.part is StatementRole.PARAMETER:
            return words_of(self.text).partition(" = ")[0].removesuffix(" ;")
        return f"catalog {self.name}" if self.part is StatementRole.CATALOG else self.name

    @property
    def known_by(self) -> str:
        """The name that tells whom a change of the statement concerns: of SET and RESET one for their file."""
        return f"session {self.file.path}" if self.part is StatementRole.PARAMETER else self.says

    @property
    def words(self) -> str:
        """The statement, and the USE, SET and RESET that come with it, without layout and without comments, except
        those that accept findings.
        """
        preambles = (words_of(span.of(self.file.text)) for span in (*self.uses, *self.session))
        return "\n".join((*preambles, words_of(self.text)))

    @cached_property
    def _definition(self) -> Definition | None:
        statements = parse_script(self.text).statements
        return define(statements[0].parsed) if statements else None

    def meaning(self, words: Container[str] | None = None) -> object:
        """A value that two declarations share if they mean the same to the queries that read them: columns, times, keys
        and connector. Other options, such as the topic, do not count. A broken one means what it says. ``words`` are
        those of a job, in upper case: then columns with other names do not count.
        """
        if self._definition is None:
            return _words(self.text)
        return _meaning(self._definition, words)


@lru_cache(4096)
def words_in(text: str) -> frozenset[str] | None:
    """The words of a text in upper case, among which are the columns that it reads; ``None`` if it reads all."""
    return None if "*" in _COUNT_ALL.sub("", text) else frozenset(_WORD.findall(text.upper()))


_COUNT_ALL = re.compile(r"\bCOUNT\s*\(\s*\*\s*\)|/\*[\s\S]*?\*/|\w\s*\*\s*\w", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def _meaning(definition: Definition, words: Container[str] | None) -> object:
    match definition:
        case TableDefinition():
            columns = tuple(
                (
                    each.name,
                    each.stored_type,
                    _spelled(definition, each.expression),
                    each.metadata,
                    each.not_null,
                    each.virtual,
                )
                for each in definition.columns
                if words is None or each.name.upper() in words or each.expression is not None
            )
            watermark = "" if definition.watermark_place is None else _words(definition.watermark_place.token_text)
            connector = definition.options.get("connector")
            return (
                "table",
                columns,
                watermark,
                definition.primary_key,
                definition.partition_keys,
                connector and connector.value,
                definition.like,
                definition.left_out,
                _spelled(definition, definition.query),
            )
        case ViewDefinition():
            return "view", _spelled(definition, definition.query), definition.columns
        case FunctionDefinition():
            return "function", definition.implementation, definition.language


def _spelled(definition: TableDefinition | ViewDefinition, node: exp.Expression | None) -> tuple[str, ...]:
    return () if node is None else place_of(definition.statement, node).words


@lru_cache(2048)
def words_of(text: str) -> str:
    r"""A text without layout and comments; a comment that may accept a finding stays.

    >>> words_of("SELECT a, -- all\n  b")
    'SELECT a , b'
    """
    lexed = lex(text)
    accepting = (comment.text for comment in lexed.comments if "keepstate" in comment.text)
    return " ".join((*(token.text for token in lexed.tokens if token.text), *accepting))


def _words(text: str) -> str:
    return " ".join(text.split()).upper()


@dataclass(frozen=True, eq=False)
class FileDeclarations:
    """A file, read: what it declares, and what it does. No syntax tree: a workspace has thousands of files."""

    file: SourceFile
    declarations: tuple[Declaration, ...]
    needs: tuple[str, ...]
    """The names that its statements read or write, in the order of the alphabet."""
    alterations: tuple[Declaration, ...]
    """ALTER statements, each by a name that it mentions."""
    catalogs: tuple[Declaration, ...]
    parameters: tuple[Declaration, ...]
    """SET and RESET of a file that runs no query."""
    start: int | None
    """The offset of the first statement; ``None`` if there is none."""
    runs: bool
    """The file has statements that run a query, or may do so."""
    unread: tuple[str, ...]
    """The texts of the statements that cannot be read."""
    without_state: tuple[str, ...]
    """The first words of the statements that neither run a query nor define something: DELETE, CALL, ..."""
    has_functions: bool
    """The file declares functions as Flink does: other dialects have a list of parameters there."""
    only_views: bool
    """The file declares views and has no other statement."""
    only_declares: bool
    """The file declares something, and has nothing that runs a query or that cannot be read."""

    @staticmethod
    def of(file: SourceFile, memo: Memo) -> FileDeclarations:
        """Read a file. Never raises, for any text."""
        return FileDeclarations.of_script(file, parse_script(file.text, memo))

    @staticmethod
    def of_script(file: SourceFile, script: Script) -> FileDeclarations:
        """The declarations of a file whose text was read as ``script``."""
        statements, memo, contents = script.statements, script.memo, script.contents
        by_part: dict[StatementRole, list[Declaration]] = {part: [] for part in StatementRole}
        runs = any(contents.each(_runs, _runs))
        session = () if runs else tuple(each.span for each in statements if each.kind in _SETTING)
        uses: tuple[Span, ...] = ()
        # Most statements of a long script are queries, and declare nothing.
        declares = contents.each(_may_declare, lambda each: _may_declare(each, memo))
        for number in compress(range(len(statements)), declares):
            statement = statements[number]
            end = _end(file.text, statements[number - 1].span) if number else 0
            span = _with_surroundings(file.text, end, statement.span)
            if statement.kind is StatementKind.USE:
                uses = (*uses, statement.span)
            drop = None if runs else dropped(statement.parsed)
            if drop is not None:
                by_part[StatementRole.DECLARATION] = [
                    each for each in by_part[StatementRole.DECLARATION] if each.name != drop.name
                ]
            for part, name in _parts_of(statement.parsed, memo):
                needs = needed_names(statement.parsed, memo) if part is StatementRole.DECLARATION else ()
                own = uses if part in (StatementRole.DECLARATION, StatementRole.ALTERATION) else ()
                by_part[part].append(Declaration(name, file, span, needs, own, part, session))
        declarations = tuple(by_part[StatementRole.DECLARATION])
        broken, others = script.of_kind(StatementKind.BROKEN), script.of_kind(StatementKind.OTHER)
        functions = script.of_kind(StatementKind.CREATE_FUNCTION)
        return FileDeclarations(
            file,
            declarations,
            needs=tuple(sorted(needed_by(script))),
            alterations=tuple(by_part[StatementRole.ALTERATION]),
            catalogs=tuple(by_part[StatementRole.CATALOG]),
            parameters=() if runs else tuple(by_part[StatementRole.PARAMETER]),
            start=statements[0].span.start if statements else None,
            runs=runs,
            unread=tuple(each.span.of(file.text) for each in broken),
            without_state=tuple(each.parsed.head_tokens[0].word for each in others),
            has_functions=any(memo.of(define, each.parsed) is not None for each in functions),
            only_views=0 < len(statements) == len(contents.indexes_of(StatementKind.CREATE_VIEW)),
            only_declares=bool(declarations) and not runs and all(unreadable_names([each.parsed]) for each in broken),
        )


_BLANKS = re.compile(r"\s*")
_RUNNING = frozenset({StatementKind.INSERT, StatementKind.QUERY})
_SETTING = frozenset({StatementKind.SET, StatementKind.RESET})


def _runs(statement: ParsedStatement) -> bool:
    return statement.kind in _RUNNING or runs_query(statement)


def _may_declare(statement: ParsedStatement, memo: Memo) -> bool:
    """Return whether a statement has a part in other jobs, or in what the statements behind it declare."""
    return (
        statement.kind is StatementKind.USE
        or dropped(statement) is not None
        or next(_parts_of(statement, memo), None) is not None
    )


def _parts_of(statement: ParsedStatement, memo: Memo) -> Iterator[tuple[StatementRole, str]]:
    """The parts that a statement of another file may have in a job, with the names that they are known by."""
    tree = statement.tree
    name = _declared_name(statement, memo)
    if name is not None:
        yield StatementRole.DECLARATION, name
    elif statement.kind is StatementKind.ALTER:
        for each in needed_names(statement, memo):
            yield StatementRole.ALTERATION, each
    elif isinstance(tree, exp.Create) and tree.args.get("kind") == "CATALOG":
        yield StatementRole.CATALOG, tree.this.name
    elif isinstance(tree, syntax_nodes.ResetOption) or (
        isinstance(tree, syntax_nodes.SetOption) and tree.args.get("expression")
    ):
        yield StatementRole.PARAMETER, ""


def _declared_name(statement: ParsedStatement, memo: Memo) -> str | None:
    definition = memo.of(define, statement)
    if definition is not None:
        return definition.name
    if statement.kind is StatementKind.BROKEN:
        return next(iter(unreadable_names([statement])), None)
    return None


def _with_surroundings(text: str, end: int, span: Span) -> Span:
    """A statement from the end of the one before it to its semicolon, so that comments at its clauses come with it."""
    return Span(_behind_blanks(text, end, span.start), _end(text, span))


def _end(text: str, span: Span) -> int:
    """The end of a statement with its semicolon."""
    behind = _behind_blanks(text, span.end, len(text))
    return behind + 1 if text[behind : behind + 1] == ";" else span.end


def _behind_blanks(text: str, start: int, end: int) -> int:
    blanks = _BLANKS.match(text, start, end)
    assert blanks is not None
    return blanks.end()


def needed_names(statement: ParsedStatement, memo: Memo) -> tuple[str, ...]:
    """The names of tables, views and functions that a statement reads or writes, without those of its common tables.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("INSERT INTO s WITH c AS (SELECT a FROM t) SELECT a FROM c")
    >>> needed_names(script.statements[0].parsed, script.memo)
    ('s', 't')
    """
    return memo.of(_names_of, statement)


def _names_of(statement: ParsedStatement) -> tuple[str, ...]:
    if statement.tree is None:
        return ()
    common = {node.alias for node in syntax_nodes.nodes_of(statement.tree) if isinstance(node, exp.CTE)}
    own = define(statement)
    left_out = common if own is None else {*common, own.name}
    return tuple(sorted(name for name in names_in(statement) if name not in left_out))


@dataclass(frozen=True, eq=False)
class DeclarationIndex:
    """The declarations of files by name."""

    files: tuple[FileDeclarations, ...]

    @cached_property
    def _by_name(self) -> dict[str, tuple[Declaration, ...]]:
        by_name: dict[str, list[Declaration]] = {}
        for contents in self.files:
            # A file may declare a name again behind a DROP: the last one is in force.
            for name, declaration in {each.name: each for each in contents.declarations}.items():
                by_name.setdefault(name, []).append(declaration)
        return {name: tuple(each) for name, each in by_name.items()}

    def of(self, name: str) -> tuple[Declaration, ...]:
        """All declarations of a name, by path."""
        return self._by_name.get(name, ()) or self._by_name.get(name.upper(), ())

    def near(self, name: str, folder: tuple[str, ...]) -> tuple[Declaration, ...]:
        """The declarations of a name that are nearest to a folder: those in it, or else those at the least distance."""
        return tuple(nearest(self.of(name), folder))

    def catalogs(self, name: str) -> tuple[Declaration, ...]:
        """The statements that create a catalog, the last one of each file."""
        candidates = ({each.name: each for each in contents.catalogs}.get(name) for contents in self.all_files)
        return tuple(each for each in candidates if each is not None)

    @property
    def all_files(self) -> tuple[FileDeclarations, ...]:
        """The files that were read for the index, by path."""
        return self.files

    def of_bare_name(self, name: str) -> tuple[Declaration, ...]:
        """The declarations in any catalog and database whose own name this is."""
        return tuple(each for each in self.declarations if bare(each.name) == name != each.name)

    @property
    def alterations(self) -> tuple[Declaration, ...]:
        """All ALTER statements, in the order of files and texts."""
        return tuple(alteration for contents in self.all_files for alteration in contents.alterations)

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """All declarations, those that a file repeats too."""
        return tuple(declaration for contents in self.files for declaration in contents.declarations)


def nearest(candidates: Sequence[Declaration], folder: tuple[str, ...]) -> list[Declaration]:
    """The declarations at the least distance from a folder."""
    least = min((distance(folder, each.file.folder) for each in candidates), default=0)
    return [each for each in candidates if distance(folder, each.file.folder) == least]


def one_of(candidates: Iterable[Declaration]) -> Declaration | None:
    """The declaration that stands for all of ``candidates``: the first, if they mean the same; else ``None``."""
    declarations = list(candidates)
    if len(declarations) > 1 and len({declaration.meaning() for declaration in declarations}) > 1:
        return None
    return declarations[0] if declarations else None


def declares_below(script: Script) -> Iterator[str]:
    """The names that the statements of a script declare, in their order.

    >>> list(declares_below(parse_script("CREATE VIEW v AS SELECT a FROM t; SELECT a FROM v")))
    ['v']
    """
    names = script.contents.each(_declared_name, lambda each: _declared_name(each, script.memo))
    return (name for name in filter(None, names))


def needed_by(script: Script) -> tuple[str, ...]:
    """The names that the statements of a script read or write, each once, in the order of the text.

    >>> needed_by(parse_script("INSERT INTO s SELECT a FROM t; INSERT INTO s SELECT a FROM u"))
    ('s', 't', 'u')
    """
    names = script.memo.of_contents(_names_of, script.contents)
    return tuple(dict.fromkeys(chain.from_iterable(names)))

"""The composition of a job: its script, behind the declarations of other files that it reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot import exp

from keepstate.project.composed_text import ComposedText, FileRole, Segment, script_segments
from keepstate.project.farther_declarations import Takers, rivals_of
from keepstate.project.file_declarations import (
    Declaration,
    DeclarationIndex,
    StatementRole,
    declares_below,
    nearest,
    needed_by,
    one_of,
)
from keepstate.project.source_files import SourceFile
from keepstate.project.word_index import JobWords, WordCounts
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, Script, Statement, StatementKind, parse_script
from keepstate.text import Span

_NOTHING = DeclarationIndex(())
_BACK = "USE CATALOG `default_catalog`;\nUSE `default_database`;\n"
"""In front of the script, and of a file, behind the USE statements of another file."""


@dataclass(frozen=True)
class VisibleDeclarations:
    """The declarations outside of its script that a job can read."""

    context: DeclarationIndex = _NOTHING
    """Declarations that the configuration names."""
    assumed: DeclarationIndex = _NOTHING
    """Declarations of the other files of the repository, for names that the context does not have."""
    types: DeclarationIndex = _NOTHING
    """Types of columns, for names that no file declares: schemas that the configuration names, assumed as well."""
    takers: Callable[[str], Takers] = lambda _: {}
    """The jobs that take each declaration of a name, of all jobs of the repository."""


class Imports(tuple[tuple[Declaration, FileRole], ...]):
    """The declarations of other files that a job reads, each behind those that it needs. Texts of a script that ask for
    the same ones share them.
    """

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Their part of the text of the job."""
        return tuple(_import_segments(self))

    @cached_property
    def assumed(self) -> tuple[Declaration, ...]:
        """The declarations that were taken without a word of the configuration."""
        return tuple(declaration for declaration, role in self if role is FileRole.ASSUMED)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of their files."""
        return frozenset(declaration.file.file_path for declaration, _ in self)

    @cached_property
    def words(self) -> WordCounts:
        """The words of their texts."""
        return WordCounts.of(declaration for declaration, _ in self)

    @cached_property
    def not_assumed(self) -> Imports:
        """The others."""
        return Imports((declaration, role) for declaration, role in self if role is not FileRole.ASSUMED)


@dataclass(frozen=True, eq=False)
class ComposedJob:
    """A job as one text. ``script`` has its files in the order of execution; the last one gives the job its path."""

    script: tuple[SourceFile, ...]
    imports: Imports = field(default_factory=Imports)
    ambiguous: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    """Names with several declarations of different meanings, so that none was taken."""
    passed_over: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    """All declarations of each name that several files declare."""
    undeclared: tuple[str, ...] = ()
    """Names that no file declares, in the order of the alphabet."""
    duplicates: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    """The other declarations that a taken one stands for, by its name: they mean the same."""
    rivals: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    """The farther declarations of assumed names that may be the job's as well (see
    :mod:`keepstate.project.farther_declarations`).
    """

    @staticmethod
    def plain(text: str, path: str = "") -> ComposedJob:
        """The job that the text of one file is."""
        return ComposedJob((SourceFile(path, text),))

    def with_former(self, text: str, path: str) -> ComposedJob:
        """The baseline that ``text`` is, with the declarations of today: nothing tells which others there were."""
        was = ComposedJob.plain(text, path)
        return was if self.is_plain else replace(self, script=(*self.script[:-1], *was.script))

    @property
    def path(self) -> str:
        """The path of the last file of the script."""
        return self.script[-1].path

    @property
    def assumed(self) -> tuple[Declaration, ...]:
        """The declarations that were taken without a word of the configuration."""
        return self.imports.assumed

    @cached_property
    def doubtful(self) -> tuple[Declaration, ...]:
        """The declarations among which none was chosen, and those that may be the job's beside an assumed one."""
        several = (*self.ambiguous.values(), *self.rivals.values())
        return tuple(dict.fromkeys(each for group in several for each in group))

    @property
    def is_plain(self) -> bool:
        """Return whether the job is the text of one file."""
        return len(self.script) == 1 and not self.imports

    @cached_property
    def composed(self) -> ComposedText:
        further = (Segment(each.text, each.file, each.span, FileRole.ASSUMED) for each in self.doubtful)
        return ComposedText((*self.imports.segments, *script_segments(self.script)), tuple(further))

    @property
    def text(self) -> str:
        return self.composed.text

    def words_without(self, name: str | None = None) -> JobWords | None:
        """The words of the job in upper case, among which are the columns that it reads; ``None`` if it reads all. The
        declarations of ``name`` are left out.
        """
        left_out = WordCounts.of(declaration for declaration, _ in self.imports if declaration.name == name)
        return JobWords.of((file.text for file in self.script), self.imports.words, left_out)

    def told_as_by(self, other: ComposedJob) -> ComposedJob:
        """The job without a doubt about assumed declarations that the other version has from the same files by its
        configuration, or in its script.
        """
        if not self.assumed:
            return self
        keys = {(each.says, each.file.file_path) for each, _ in other.imports.not_assumed}
        scripts = {file.file_path for file in other.script}
        paths = scripts.union(path for _, path in keys)
        if paths.isdisjoint(self.imports.paths):
            return self
        return self.with_context(
            each for each in self.assumed if (each.says, each.file.file_path) in keys or each.file.file_path in scripts
        )

    def with_context(self, declarations: Iterable[Declaration]) -> ComposedJob:
        """The job as it is when the configuration names these declarations."""
        named_set = set(declarations)
        if not named_set:
            return self
        pairs = Imports((each, FileRole.CONTEXT if each in named_set else role) for each, role in self.imports)
        return replace(self, imports=pairs)

    @cached_property
    def without_assumptions(self) -> ComposedJob:
        """The job with the declarations of its script and of its configuration alone.

        A declaration of the context may need an assumed one, and then reads an undeclared table here.
        """
        if not self.assumed:
            return self
        remaining = self.imports.not_assumed
        names = {declaration.name for declaration in self.assumed if declaration.part is StatementRole.DECLARATION}
        return ComposedJob(self.script, remaining, self.ambiguous, {}, tuple(sorted({*self.undeclared, *names})))

    def without(self, names: Iterable[str]) -> ComposedJob:
        """The job without its declarations of these names, each of which is one of several then."""
        dropped_names = {declaration.name for declaration, _ in self.imports}.intersection(names)
        if not dropped_names:
            return self
        remaining = Imports(
            (declaration, role) for declaration, role in self.imports if declaration.name not in dropped_names
        )
        more = {
            declaration.name: (declaration,) for declaration, _ in self.imports if declaration.name in dropped_names
        }
        return replace(self, imports=remaining, ambiguous={**more, **self.ambiguous})


def agreed(current: ComposedJob, baseline: ComposedJob) -> tuple[ComposedJob, ComposedJob]:
    """Both sides of a comparison without the declarations that one of them cannot choose among several: a query over a
    view is not compared with one over a table that nothing is known of.

    >>> from keepstate.project.file_declarations import FileDeclarations
    >>> view = FileDeclarations.of(SourceFile("v.sql", "CREATE VIEW v AS SELECT 1 AS a;"), Memo())
    >>> script = SourceFile("jobs/a.sql", "SELECT a FROM v")
    >>> now = compose([script], VisibleDeclarations(DeclarationIndex((view,))), Memo())
    >>> sides = agreed(now, ComposedJob((script,), ambiguous={"v": ()}))
    >>> len(now.imports), [len(side.imports) for side in sides]
    (1, [0, 0])
    """
    return current.without(baseline.ambiguous), baseline.without(current.ambiguous)


def compose(script: Sequence[SourceFile], visible: VisibleDeclarations, memo: Memo) -> ComposedJob:
    """Compose a job of the files of its script and of the declarations that it reads, directly or through others.

    A name means what the script declares, else what the context declares, else what is assumed. Among several
    declarations of one name those of one meaning stand for each other; of others none is taken.

    >>> from keepstate.project.file_declarations import FileDeclarations
    >>> job = SourceFile("jobs/a.sql", "INSERT INTO s SELECT a FROM t")
    >>> ddl = SourceFile("ddl/t.sql", "CREATE TABLE t (a INT) WITH ('connector' = 'datagen');")
    >>> memo = Memo()
    >>> made = compose([job], VisibleDeclarations(DeclarationIndex((FileDeclarations.of(ddl, memo),))), memo)
    >>> print(made.text)
    CREATE TABLE t (a INT) WITH ('connector' = 'datagen');
    INSERT INTO s SELECT a FROM t
    >>> made.undeclared
    ('s',)
    """
    return _composed(script, _as_one_text(script, memo), visible, memo)


@dataclass(frozen=True)
class ScriptNeeds:
    """Names that a script takes from other files. Texts with the same needs are composed of the same declarations."""

    home: tuple[str, ...]
    paths: frozenset[str]
    names: tuple[str, ...]
    declared: frozenset[str]
    """In upper case."""
    catalogs: frozenset[str]
    """The catalogs of its own."""

    @staticmethod
    def of(script: Sequence[SourceFile], memo: Memo) -> ScriptNeeds | None:
        """The needs of a script; ``None`` if it enters a catalog: that of another file begins with a database.

        >>> needs = [ScriptNeeds.of([SourceFile("a.sql", f"SELECT {item} FROM t")], Memo()) for item in ("a", "b")]
        >>> needs[0] == needs[1], ScriptNeeds.of([SourceFile("a.sql", "USE CATALOG c")], Memo())
        (True, None)
        """
        whole = _as_one_text(script, memo)
        if any(map(_entered_catalog, whole.of_kind(StatementKind.USE))):
            return None
        return ScriptNeeds(
            script[-1].folder,
            frozenset(file.path for file in script),
            needed_by(whole),
            frozenset(map(str.upper, declares_below(whole))),
            frozenset(_created_catalogs(whole)),
        )


def _as_one_text(script: Sequence[SourceFile], memo: Memo) -> Script:
    """The files of a script as one text: a USE of one file holds in the next."""
    return parse_script("".join(segment.text for segment in script_segments(script)), memo)


def _composed(script: Sequence[SourceFile], whole: Script, visible: VisibleDeclarations, memo: Memo) -> ComposedJob:
    home, own_paths = script[-1].folder, {file.path for file in script}
    ambiguous: dict[str, tuple[Declaration, ...]] = {}
    catalogs = _Catalogs(visible, home, own_paths)
    catalogs.leave_to(whole)
    entered = "".join(f"{each.text}\n" for each in catalogs.entered_by(whole))
    if entered:
        # A catalog begins with a database of its own.
        whole = parse_script(entered + whole.text, memo)
    declared = {name.upper() for name in declares_below(whole)}
    resolved: dict[str, tuple[Declaration, FileRole]] = {}
    passed_over: dict[str, tuple[Declaration, ...]] = {}
    alike: dict[str, tuple[Declaration, ...]] = {}
    rivals: dict[str, tuple[Declaration, ...]] = {}
    undeclared: set[str] = set()
    visited: set[str] = set()
    taken: set[Declaration] = set()

    def take(name: str) -> None:
        # A stack of its own: a chain of views may be longer than Python's is deep. A name is left behind its needs.
        stack: list[tuple[str, Declaration | None, FileRole]] = [(name, None, FileRole.CONTEXT)]
        while stack:
            need, declaration, role = stack.pop()
            if declaration is not None:
                if declaration not in taken:
                    # A function has one declaration in any spelling of its name.
                    taken.add(declaration)
                    resolved[need] = (declaration, role)
                continue
            if need in visited or need.upper() in declared:
                continue
            visited.add(need)
            role, candidates = FileRole.CONTEXT, visible.context.of(need)
            # What a file of the job says on disk counts no more where its text is another one.
            everywhere = tuple(each for each in visible.assumed.of(need) if each.file.path not in own_paths)
            if not candidates:
                role, candidates = FileRole.ASSUMED, visible.assumed.near(need, home) or visible.types.of(need)
            if len(everywhere) > 1:
                passed_over[need] = everywhere
            candidates = tuple(each for each in candidates if each.file.path not in own_paths)
            choice = one_of(candidates)
            if choice is None:
                if not candidates and "." not in need:
                    # A session may begin in the database of one of these.
                    candidates = visible.context.of_bare_name(need) + visible.assumed.of_bare_name(need)
                if candidates:
                    ambiguous[need] = candidates
                else:
                    undeclared.add(need)
                continue
            if role is FileRole.ASSUMED and need in passed_over:
                farther = [each for each in passed_over[need] if all(each is not one for one in candidates)]
                rivals[need] = rivals_of(farther, home, own_paths, visible.takers(need)) if farther else ()
            if len(candidates) > 1:
                alike[need] = tuple(each for each in candidates if each is not choice)
            stack.append((need, choice, role))
            stack.extend((need, None, role) for need in reversed(choice.needs))

    for name in needed_by(whole):
        take(name)
        catalogs.of_name(name)
    for declaration, _ in resolved.values():
        for name in (declaration.name, *declaration.needs):
            catalogs.of_name(name)
    declarations = (*catalogs.taken.values(), *resolved.values(), *_alterations_of(resolved, visible))
    parameters = tuple(_parameters_of(declarations, visible, own_paths))
    every = {**ambiguous, **catalogs.ambiguous}
    unknown = tuple(sorted(undeclared))
    return ComposedJob(tuple(script), Imports((*declarations, *parameters)), every, passed_over, unknown, alike, rivals)


class _Catalogs:
    """The catalogs that other files create, for the names and the USE of a job."""

    def __init__(self, visible: VisibleDeclarations, home: tuple[str, ...], own_paths: Collection[str]) -> None:
        self._visible = visible
        self._home = home
        self._own_paths = own_paths
        self._met: set[str] = set()
        self.taken: dict[str, tuple[Declaration, FileRole]] = {}
        self.ambiguous: dict[str, tuple[Declaration, ...]] = {}

    def leave_to(self, script: Script) -> None:
        """Take none of the catalogs that the script itself creates."""
        self._met.update(_created_catalogs(script))

    def entered_by(self, script: Script) -> list[Declaration]:
        """The statements that create the catalogs of USE CATALOG."""
        entered = [*filter(None, map(_entered_catalog, script.of_kind(StatementKind.USE)))]
        for name in entered:
            self._take(name)
        return [self.taken[name][0] for name in dict.fromkeys(entered) if name in self.taken]

    def of_name(self, name: str) -> None:
        """Take the catalog that a full name begins with."""
        parts = name.split(".")
        if len(parts) > _IN_DEFAULT_CATALOG:
            self._take(parts[0])

    def _take(self, name: str) -> None:
        if name in self._met:
            return
        self._met.add(name)
        for role, index in ((FileRole.CONTEXT, self._visible.context), (FileRole.ASSUMED, self._visible.assumed)):
            candidates = [each for each in index.catalogs(name) if each.file.path not in self._own_paths]
            if role is FileRole.ASSUMED:
                candidates = nearest(candidates, self._home)
            choice = one_of(candidates)
            if choice is not None:
                self.taken[name] = (choice, role)
            elif candidates:
                self.ambiguous[candidates[0].says] = tuple(candidates)
            if candidates:
                return


_IN_DEFAULT_CATALOG = 2
"""The most parts of a full name in the catalog that a session begins with."""


def _created_catalogs(script: Script) -> Iterator[str]:
    return filter(None, script.contents.each(_created_catalog, _created_catalog))


def _created_catalog(statement: ParsedStatement) -> str:
    tree = statement.tree
    return tree.this.name if isinstance(tree, exp.Create) and tree.args.get("kind") == "CATALOG" else ""


def _entered_catalog(statement: Statement) -> str:
    tree = statement.tree
    return tree.this.name if isinstance(tree, exp.Use) and tree.args.get("kind") == "CATALOG" else ""


def _alterations_of(
    declarations: Mapping[str, tuple[Declaration, FileRole]], visible: VisibleDeclarations
) -> Iterator[tuple[Declaration, FileRole]]:
    """The ALTER statements about taken declarations: of the context, and of the files of assumed ones."""
    yield from ((each, FileRole.CONTEXT) for each in visible.context.alterations if each.name in declarations)
    assumed = {declaration.file for declaration, role in declarations.values() if role is FileRole.ASSUMED}
    for alteration in visible.assumed.alterations:
        if (
            alteration.name in declarations
            and alteration.file in assumed
            and declarations[alteration.name][1] is FileRole.ASSUMED
        ):
            yield alteration, FileRole.ASSUMED


def _parameters_of(
    declarations: Iterable[tuple[Declaration, FileRole]], visible: VisibleDeclarations, own_paths: Collection[str]
) -> Iterator[tuple[Declaration, FileRole]]:
    """SET and RESET of the context, and of the files of assumed declarations: a session runs such a file first."""
    yield from (
        (each, FileRole.CONTEXT)
        for contents in visible.context.all_files
        if contents.file.path not in own_paths
        for each in contents.parameters
    )
    assumed = {declaration.file for declaration, role in declarations if role is FileRole.ASSUMED}
    yield from (
        (each, FileRole.ASSUMED)
        for contents in visible.assumed.all_files
        if contents.file in assumed
        for each in contents.parameters
    )


def _import_segments(declarations: Iterable[tuple[Declaration, FileRole]]) -> Iterator[Segment]:
    in_use: tuple[SourceFile, tuple[Span, ...]] | None = None
    for declaration, role in declarations:
        file = declaration.file
        session_uses = (file, declaration.uses) if declaration.uses else None
        if session_uses != in_use:
            if in_use is not None:
                yield Segment(_BACK)
            for use in declaration.uses:
                yield Segment(use.of(file.text), file, use, role)
                yield Segment(";\n")
            in_use = session_uses
        text = declaration.text
        yield Segment(text, file, declaration.span, role)
        yield Segment("\n" if text.endswith(";") else ";\n")
    if in_use is not None:
        yield Segment(_BACK)

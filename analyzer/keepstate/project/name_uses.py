"""Places in a job at which it uses a name, and the declarations on the way from there to another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.project.composed_text import FilePlace, FileRole
from keepstate.project.composition import ComposedJob
from keepstate.project.file_declarations import Declaration
from keepstate.syntax.tokens import lex
from keepstate.text import Span

_IN_FRONT = frozenset({"FROM", "JOIN", "INTO", "TABLE", "LIKE", "OVERWRITE", ","})
"""Words in front of the name of a table."""


@dataclass(frozen=True)
class DeclarationUse:
    """The place in a file of a script at which the job reads a declaration: at the name of the table itself, or of the
    last of the views and tables that lead to it.
    """

    span: Span
    through: tuple[Declaration, ...] = ()
    """From the one beside the changed declaration to the one whose name stands there."""


def first_use(job: ComposedJob, name: str) -> Span:
    """The first place of ``name`` in the script of a job, as a span of the composed text; the first character of the
    script if it does not stand there, but in a view of another file.
    """
    begin = 0
    for segment in job.composed.segments:
        if segment.role is FileRole.SCRIPT and segment.file is not None:
            use = use_in(segment.text, name)
            if use is not None:
                return use.shift(begin)
        begin += len(segment.text)
    start = job.composed.offset(job.path, 0) or 0
    return Span(start, min(start + 1, len(job.text)))


def use_in(text: str, name: str, after: int = 0) -> Span | None:
    r"""The place of the name of a table in a text, the first from the offset ``after`` on, if there is one; names that
    stand where tables do come first.

    >>> use_in("-- orders\nSELECT orders FROM orders", "orders")
    Span(start=29, end=35)
    """
    uses = sorted(_uses(text, name), key=lambda use: (use[1].start < after, not use[0], use[1].start))
    return uses[0][1] if uses else None


def _uses(text: str, name: str) -> Iterator[tuple[bool, Span]]:
    """All places of a name, each with whether it stands where a table does."""
    last = name.rpartition(".")[2].upper()
    if last not in text.upper():
        return
    words = ("", "")
    for token in lex(text).tokens:
        if token.text.strip("`").upper() == last:
            # Of a qualified name the catalog and the database stand in front.
            is_table = words[1] in _IN_FRONT or words[1] == "."
            yield is_table, Span(token.start, token.end)
        words = words[1], token.word or token.text


def felt_at(job: ComposedJob, declared: Declaration, path: str, after: int = 0) -> DeclarationUse | None:
    """The place at which the script file at ``path`` reads a declaration, directly or through others.

    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> script, memo = SourceFile("jobs/a.sql", "SELECT a FROM v"), Memo()
    >>> views = SourceFile("ddl/v.sql", "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;")
    >>> context = DeclarationIndex((FileDeclarations.of(views, memo),))
    >>> job = compose([script], VisibleDeclarations(context), memo)
    >>> table = next(declaration for declaration, _ in job.imports if declaration.name.endswith("t"))
    >>> use = felt_at(job, table, "jobs/a.sql")
    >>> use.span.of(script.text), [view.name for view in use.through]
    ('v', ['v'])
    """
    text = next((file.text for file in job.script if file.path == path), "")
    waiting: list[tuple[str, tuple[Declaration, ...]]] = [(declared.name, ())]
    names = {declared.name}
    for name, through in waiting:
        use = use_in(text, name, after)
        if use is not None:
            return DeclarationUse(use, through)
        for each, _ in job.imports:
            if name in each.needs and each.name not in names:
                names.add(each.name)
                waiting.append((each.name, (*through, each)))
    return None


def declaration_at(job: ComposedJob, place: FilePlace) -> Declaration | None:
    """The declaration of another file that a place is in, one that the job reads or may read.

    >>> from keepstate.project.composed_text import FileRole
    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> table, memo = SourceFile("ddl/t.sql", "CREATE TABLE t (a INT);"), Memo()
    >>> context = DeclarationIndex((FileDeclarations.of(table, memo),))
    >>> job = compose([SourceFile("jobs/a.sql", "SELECT a FROM t")], VisibleDeclarations(context), memo)
    >>> declaration_at(job, FilePlace(table, Span(16, 17), FileRole.CONTEXT)).name
    't'
    """
    for each in (*(declaration for declaration, _ in job.imports), *job.doubtful):
        if each.file.path == place.path and each.span.touches(place.span.start):
            return each
    return None

"""The clause of a declaration that was edited, to which a finding or a refusal of its readers points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepstate.diff.text_alignment import Alignment
from keepstate.plan.catalog import Catalog, TableDefinition, define
from keepstate.plan.declarations.alterations import altered_name
from keepstate.project.composed_text import FilePlace, FileRole
from keepstate.project.composition import ComposedJob
from keepstate.project.file_declarations import Declaration
from keepstate.report import Clause, Finding, Refusal, RelatedInformation
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, Script, Statement, parse_script
from keepstate.syntax.tokens import lex
from keepstate.text import Span


def edited_clause(now: ParsedStatement, was: ParsedStatement | None) -> Span | None:
    """The first clause of a declaration that its former text does not have, or behind which a clause is gone: a column,
    the watermark, the key, an option. ``None`` if nothing was edited; of a new declaration its first words.

    >>> texts = ("CREATE TABLE t (a INT, b INT)", "CREATE TABLE t (a INT, b BIGINT)")
    >>> now, was = (parse_script(text).statements[0].parsed for text in texts)
    >>> edited_clause(now, was).of(now.text)
    'b INT'
    """
    clauses = sorted(set(_clauses(now)), key=lambda span: (len(span), span.start))
    if was is None:
        return _head(now)
    hunks = Alignment(was, now).hunks
    if not hunks:
        return None
    edit = hunks[0].current
    if edit.start < edit.end:
        within = (span for span in clauses if span.start <= edit.start and edit.end <= span.end)
        touched = (span for span in clauses if span.start < edit.end and edit.start < span.end)
        return next(within, None) or min(touched, key=lambda span: span.start, default=edit)
    before = [span for span in clauses if span.start < edit.start]
    return max(before, key=lambda span: (span.end, -len(span)), default=_head(now))


def _clauses(statement: ParsedStatement) -> Iterator[Span]:
    definition = define(statement)
    if not isinstance(definition, TableDefinition):
        return
    places = [
        definition.name_place,
        definition.watermark_place,
        definition.primary_key_place,
        *(column.place for column in definition.columns),
        *(option.place for option in definition.options.values()),
    ]
    yield from (place.span for place in places if place is not None)


def _head(statement: ParsedStatement) -> Span:
    """The statement up to the name that it declares."""
    definition = define(statement)
    if isinstance(definition, TableDefinition):
        return definition.place.span
    first = statement.head_tokens[0]
    return Span(first.start, first.end)


def placed(finding: Finding, current: ComposedJob, baseline: ComposedJob) -> Finding:
    """A finding about something that the current text does not have, at the begin of the file of the script that had it
    in the baseline; and one in a declaration that another configured one was chosen for, with the choice.
    """
    if current.is_plain and baseline.is_plain:
        return finding
    place = current.composed.place(finding.current.span)
    was = None if finding.baseline is None else baseline.composed.place(finding.baseline.span)
    if (
        finding.removed
        and place is not None
        and was is not None
        and was.role is FileRole.SCRIPT
        and place.path != was.path
    ):
        file = next((each for each in current.script if each.path == was.path), None)
        token = None if file is None else next((each for each in lex(file.text).tokens if each.text), None)
        start = None if file is None else current.composed.offset(file.path, 0 if token is None else token.start)
        if file is not None and start is not None:
            words = file.text.partition("\n")[0] if token is None else token.text
            return replace(finding, current=Clause(Span(start, start + len(words)), words))
    assumption = None if place is None else chosen_anew(place, current, baseline)
    if place is None or assumption is None:
        return finding
    choice = f"{place.path} is read in the place of {assumption.file.path} since keepstate.toml names it"
    return replace(finding, consequence=f"{finding.consequence}; {choice}")


def chosen_anew(place: FilePlace, current: ComposedJob, baseline: ComposedJob) -> Declaration | None:
    """The declaration that the baseline read in the place of the one at ``place``, if its file still has it: then the
    configuration chose another one.
    """
    if not current.passed_over:
        return None
    for declaration, role in current.imports:
        if role is not FileRole.CONTEXT or declaration.file.path != place.path:
            continue
        if not declaration.span.touches(place.span.start):
            continue
        former = next((each for each, _ in baseline.imports if each.says == declaration.says), None)
        passed_over = current.passed_over.get(declaration.name, ())
        if former is not None and former.file.path != place.path:
            return former if any(each.file.path == former.file.path for each in passed_over) else None
    return None


def refused_at_edit(refusal: Refusal, current: ComposedJob, baseline: ComposedJob) -> Refusal:
    """The refusal of an unedited statement, at the edited clause of a declaration that it reads."""
    if current.is_plain and baseline.is_plain:
        return refusal
    memo = Memo()
    return _at_edit(refusal, parse_script(current.text, memo), parse_script(baseline.text, memo), memo)


def _at_edit(refusal: Refusal, now: Script, was: Script, memo: Memo) -> Refusal:
    refused = next((each for each in now.statements if each.span.touches(refusal.span.start)), None)
    if refused is None or all(each.parsed is not refused.parsed for each in was.statements):
        return refusal
    former = _by_name(was, memo)
    # A later one of the same text is the one in force.
    starts = {each.parsed: each.span.start for each in now.statements}
    for statement in Catalog.of((each.parsed for each in now.statements), memo).reached_from(refused.parsed, memo):
        name = _name(statement, memo)
        twin = former.get(name or "", ())
        if statement in twin:
            continue
        clause = edited_clause(statement, twin[-1] if twin else None)
        if clause is not None:
            related = RelatedInformation(refusal.span, "This reads it.")
            return replace(refusal, span=clause.shift(starts[statement]), related=(related, *refusal.related))
    return refusal


def _by_name(script: Script, memo: Memo) -> dict[str, tuple[ParsedStatement, ...]]:
    statements: dict[str, tuple[ParsedStatement, ...]] = {}
    for statement in script.statements:
        name = _name(statement.parsed, memo)
        if name is not None:
            statements[name] = (*statements.get(name, ()), statement.parsed)
    return statements


def _name(statement: ParsedStatement, memo: Memo) -> str | None:
    definition = memo.of(define, statement)
    if definition is not None:
        return definition.name
    altered = altered_name(statement)
    return None if altered is None else f"ALTER {altered}"


def statement_of(text: str) -> Statement | None:
    """The statement that a text of one declaration is."""
    return next(iter(parse_script(text).statements), None)

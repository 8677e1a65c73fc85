"""Names with several declarations of different meanings, of which a change may be the job's."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from keepstate.plan.names.full_names import names_in
from keepstate.project.composition import ComposedJob
from keepstate.project.edited_clauses import edited_clause, statement_of
from keepstate.project.file_declarations import Declaration, StatementRole
from keepstate.project.name_uses import first_use
from keepstate.project.word_index import JobWords
from keepstate.report import Clause, Effect, Finding, Verdict
from keepstate.syntax.namespace import bare
from keepstate.syntax.script import parse_script
from keepstate.text import Span

AMBIGUOUS = "ambiguous-declaration"


def changed_ambiguities(current: ComposedJob, baseline: ComposedJob) -> Iterator[Finding]:
    """A finding for each name that several files declare in different ways, if one of the declarations changed: the
    declaration that the job reads is not known, so the change may be its own.

    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> def composed(type_: str) -> ComposedJob:
    ...     memo = Memo()
    ...     texts = {"a/t.sql": "INT", "b/t.sql": type_}
    ...     files = [SourceFile(path, f"CREATE TABLE t (a {text});") for path, text in texts.items()]
    ...     declared = DeclarationIndex(tuple(FileDeclarations.of(file, memo) for file in files))
    ...     return compose([SourceFile("jobs/a.sql", "SELECT a FROM t")], VisibleDeclarations(assumed=declared), memo)
    >>> [finding.change for finding in changed_ambiguities(composed("STRING"), composed("BIGINT"))]
    ['b/t.sql declares t in another way']
    """
    yield from changed_choices(current, baseline)
    yield from _changed_rivals(current, baseline)


def changed_choices(current: ComposedJob, baseline: ComposedJob) -> Iterator[Finding]:
    """The findings of names for which no declaration can be chosen, or another one is now."""
    yield from _changed_assumptions(current, baseline)
    for name in sorted({*current.ambiguous, *baseline.ambiguous}):
        now, was = _declarations(current, name), _declarations(baseline, name)
        if now == was:
            continue
        words = _words(current, baseline)
        meanings = [{path: each.meaning(words) for path, each in side.items()} for side in (now, was)]
        changed_paths = sorted({path for path, meaning in meanings[0].items() ^ meanings[1].items()})
        if not changed_paths:
            continue
        path = next((path for path in changed_paths if path in now), changed_paths[0])
        places = sorted({*now, *was})
        verb = "declare" if len(places) > 1 else "declares"
        doubt = ", and they differ" if len(places) > 1 else ", and nothing tells in which database the job begins"
        yield _finding(
            current,
            baseline,
            name,
            f"{path} declares {name} in another way",
            f"the job may read this declaration: {' and '.join(places)} {verb} {name}{doubt}",
            now.get(path),
            was.get(path),
        )


def _changed_assumptions(current: ComposedJob, baseline: ComposedJob) -> Iterator[Finding]:
    """A finding for each assumed declaration that is another file's than before, though the former file declares the
    name still, and in another way.
    """
    if not current.passed_over:
        return
    now = {each.name: each for each in current.assumed}
    for former in baseline.assumed:
        choice = now.get(former.name)
        remaining = next(
            (each for each in current.passed_over.get(former.name, ()) if each.file.path == former.file.path), None
        )
        if choice is None or remaining is None or choice.file.path == remaining.file.path:
            continue
        words = _words(current, baseline)
        if choice.meaning(words) == remaining.meaning(words):
            continue
        yield _finding(
            current,
            baseline,
            former.name,
            f"{choice.file.path} declares {former.name} nearer to the job than {remaining.file.path}",
            "the job may read the one or the other declaration, and they differ",
            choice,
        )


def _changed_rivals(current: ComposedJob, baseline: ComposedJob) -> Iterator[Finding]:
    """A finding for each assumed name of which a farther declaration changed that may be the job's. One that moved has
    not changed.
    """
    assumed = {job: _by_name(job.assumed) for job in (current, baseline)}
    for name in sorted({*current.rivals, *baseline.rivals}):
        now, was = (_every(job, assumed[job], name) for job in (current, baseline))
        if not now or not was or now == was:
            # The configuration names the declaration, or the job does not read it, on one side; or nothing differs.
            continue
        words = _words(current, baseline, name)
        meanings = [{path: each.meaning(words) for path, each in side.items()} for side in (now, was)]
        rivals = {each.file.path for side in (current, baseline) for each in side.rivals.get(name, ())}
        changed_paths = [path for path in sorted(rivals) if _is_other(path, *meanings)]
        if not changed_paths:
            continue
        path = next((path for path in changed_paths if path in now), changed_paths[0])
        places = " and ".join(sorted({*now, *was}))
        yield _finding(
            current,
            baseline,
            name,
            f"{path} declares {name} in another way" if path in now else f"{path} does not declare {name} any more",
            f"the job may read this declaration: {places} declare {name}, and the nearest one is only assumed",
            now.get(path),
            was.get(path),
        )


def _is_other(path: str, now: Mapping[str, object], was: Mapping[str, object]) -> bool:
    """Return whether a file declares a name with another meaning than before; one that comes or goes, with a meaning
    that no file had, or has.
    """
    if path in now and path in was:
        return now[path] != was[path]
    return now[path] not in was.values() if path in now else was[path] not in now.values()


def _every(job: ComposedJob, assumed: Mapping[str, list[Declaration]], name: str) -> dict[str, Declaration]:
    """All declarations of an assumed name, by path."""
    assumptions = assumed.get(name, [])
    return {each.file.path: each for each in (*assumptions, *job.passed_over.get(name, ())) if assumptions}


def _by_name(declarations: Iterable[Declaration]) -> dict[str, list[Declaration]]:
    names: dict[str, list[Declaration]] = {}
    for each in declarations:
        names.setdefault(each.name, []).append(each)
    return names


def changed_refuted(
    current: ComposedJob, baseline: ComposedJob, refused: Iterable[Span], finding_spans: Iterable[Span]
) -> Iterator[Finding]:
    """A finding for each assumed declaration that changed, and that a statement of the baseline read which Flink would
    refuse over it: the statement ran, so it may have read another declaration. ``refused`` are places in the text of
    the baseline, ``finding_spans`` those of other findings in the current one: a declaration with one needs no second.
    """
    spans, places = list(refused), list(finding_spans)
    names = {
        name
        for statement in parse_script(baseline.text).statements
        if any(statement.span.contains(span) for span in spans)
        for name in names_in(statement.parsed)
    }
    words = _words(current, baseline)
    for each in current.assumed:
        former = next((other for other in baseline.assumed if other.says == each.says), None)
        if each.part is not StatementRole.DECLARATION or each.name not in names:
            continue
        is_same = former is not None and former.meaning(words) == each.meaning(words)
        if not is_same and not any(_contains(current, each, span) for span in places):
            yield _finding(
                current,
                baseline,
                each.name,
                f"{each.file.path} declares {each.name} in another way",
                "the job may read this declaration, though the engine refuses the baseline with it",
                each,
                former,
            )


def _contains(job: ComposedJob, declaration: Declaration, span: Span) -> bool:
    """Return whether a place of the composed text is in a declaration."""
    start = job.composed.offset(declaration.file.path, declaration.span.start)
    return start is not None and start <= span.start < start + len(declaration.span)


def is_said_by(finding: Finding, ambiguity: Finding) -> bool:
    """Return whether an ambiguity is the reason of a finding that a table is not declared any more, or is now."""
    if finding.rule != "source-declaration-moved" or ambiguity.rule != AMBIGUOUS:
        return False
    table = ambiguity.key.removeprefix(f"{AMBIGUOUS}:")
    words = finding.current.text.split()[-1:]
    return [bare(each).strip("`") for each in words] == [bare(table)]


def _finding(
    job: ComposedJob,
    baseline: ComposedJob,
    name: str,
    change: str,
    consequence: str,
    now: Declaration | None,
    was: Declaration | None = None,
) -> Finding:
    """The finding about a name, at the edited clause of a declaration; of one that is gone, at the first use of its
    name in the script.
    """
    clause = None if now is None else _clause(job, now, was)
    former = None if clause is None or now is None or was is None else _clause(baseline, was, now)
    if clause is None:
        use = first_use(job, name.removeprefix("catalog "))
        clause = Clause(use, use.of(job.text))
    return Finding(
        rule=AMBIGUOUS,
        spec=(),
        query_kind="job",
        verdict=Verdict.UNKNOWN,
        effect=Effect.UNDETERMINED,
        change=change,
        consequence=consequence,
        recovery="",
        advice=f"Name the file with the declaration of {name} in `context` of keepstate.toml.",
        current=clause,
        baseline=former,
        removed=False,
        pipeline=None,
        key=f"{AMBIGUOUS}:{name}",
    )


@dataclass(frozen=True)
class _Words(Container[str]):
    """The words of both sides."""

    sides: tuple[JobWords, ...]

    def __contains__(self, word: object) -> bool:
        return any(word in side for side in self.sides)


def _words(current: ComposedJob, baseline: ComposedJob, without: str | None = None) -> _Words | None:
    """The words of the scripts and of the declarations that they read, but those of a name; ``None`` if one of them
    reads all columns.
    """
    now, was = current.words_without(without), baseline.words_without(without)
    return None if now is None or was is None else _Words((now, was))


def _clause(job: ComposedJob, declared: Declaration, other: Declaration | None) -> Clause | None:
    """The clause of a declaration that ``other`` does not have, in the text of the job or behind it."""
    statement = statement_of(declared.text)
    twin = None if other is None else statement_of(other.text)
    span = None if statement is None else edited_clause(statement.parsed, None if twin is None else twin.parsed)
    if statement is None or span is None:
        return None
    begin = declared.span.start + statement.span.start + span.start
    start = job.composed.offset(declared.file.path, begin)
    if start is None:
        return None
    return Clause(Span(start, start + len(span)), declared.file.text[begin : begin + len(span)])


def _declarations(job: ComposedJob, name: str) -> dict[str, Declaration]:
    """The declaration of a name in each file that has one, by path."""
    candidates = job.ambiguous.get(name) or tuple(each for each, _ in job.imports if each.says == name)
    return {each.file.path: each for each in candidates}

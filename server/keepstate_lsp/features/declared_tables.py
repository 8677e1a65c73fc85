"""Names of tables that other files declare: where each was found, and which jobs read what a file declares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import Verdict
from keepstate.text import Span
from keepstate_lsp.analysis.labels import VERDICT_WORDS, count
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.several_files.document_parts import DocumentPart

if TYPE_CHECKING:
    from keepstate.project.file_declarations import Declaration

_NAME = re.compile(r"`[^`\n]+`|\w+")
_MOST_FILES = 3
NO_READERS = "read by no job"
_NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class FoundName:
    """A name at a place of a document, with the declarations of other files that it may mean."""

    name: str
    span: Span
    role: str
    """``context``, ``assumed`` or ``ambiguous``: then none of several is taken."""
    declarations: tuple[Declaration, ...]


def found_name(text: str, offset: int, part: DocumentPart) -> FoundName | None:
    """The name of another file's table at an offset of a document.

    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> table = FileDeclarations.of(SourceFile("ddl/orders.sql", "CREATE TABLE orders (a INT);"), Memo())
    >>> text, context = "SELECT a FROM orders", VisibleDeclarations(DeclarationIndex((table,)))
    >>> job = compose([SourceFile("jobs/a.sql", text)], context, Memo())
    >>> name = found_name(text, text.index("orders"), DocumentPart(Path("/r"), "jobs/a.sql", "jobs/a.sql", job, job))
    >>> name.span.of(text), name.role
    ('orders', 'context')
    """
    line = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    word = next(
        (match for match in _NAME.finditer(text, line, len(text) if end < 0 else end) if _holds(match, offset)), None
    )
    if word is None:
        return None
    target, span = word[0].strip("`").upper(), Span(*word.span())
    for declaration, role in part.imports:
        if _last(declaration.name) == target:
            return FoundName(declaration.name, span, role, (declaration,))
    for name, declarations in part.current.ambiguous.items():
        if _last(name) == target:
            return FoundName(name, span, "ambiguous", tuple(declarations))
    return None


def with_files(part: DocumentPart | None) -> str:
    """The other files of a job in a few words, to stand behind its verdict; empty for a job of one file."""
    if part is None:
        return ""
    other_paths = [path for path in part.scripts if path != part.path]
    other_paths += [declaration.file.path for declaration, role in part.imports if role == "context"]
    words = [f"with {_file_list(other_paths)}"] if other_paths else []
    if part.assumed:
        words.append(f"assumed: {_file_list([f'{name} from {path}' for name, path in part.assumed])}")
    return "".join(f"; {each}" for each in words)


def readers_words(path: Path, name: str, jobs: Iterable[JobOverview]) -> str:
    """``read by 12 jobs: 3 incompatible, 9 compatible``, of the jobs that read a declaration of a file."""
    readers: dict[str, JobOverview] = {}
    for job in (each for overview in jobs for each in overview.every):
        if (path, name) in job.reads and not job.declares_only:
            readers.setdefault(job.job or job.uri, job)
    if not readers:
        return NO_READERS
    counted = Counter(_NOT_COMPARED if job.verdict is None else VERDICT_WORDS[job.verdict] for job in readers.values())
    order = [*(VERDICT_WORDS[verdict] for verdict in sorted(Verdict, key=lambda one: -one.rank)), _NOT_COMPARED]
    parts = ", ".join(f"{counted[words]} {words}" for words in order if counted[words])
    return f"read by {count(len(readers), 'job')}: {parts}"


def _file_list(items: Sequence[str]) -> str:
    names = list(dict.fromkeys(items))
    more = len(names) - _MOST_FILES
    return ", ".join(names[:_MOST_FILES]) + (f" and {more} more" if more > 0 else "")


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip("`").upper()


def _holds(match: re.Match[str], offset: int) -> bool:
    return match.start() <= offset <= match.end()

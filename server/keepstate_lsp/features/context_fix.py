"""An entry of the configuration that names the files whose declarations a job has assumed so far."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.analysis.several_files.document_parts import DocumentPart
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.features.acceptance_fix import FileAddition
from keepstate_lsp.reporting import context_entry as entries


def context_entry(part: DocumentPart, config: JobConfig) -> tuple[Path, tuple[str, ...]] | None:
    """The configuration file for the assumed declarations of a job, and their files relative to its folder. ``None``
    where nothing is assumed, or a file lies outside of that folder.

    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> table = FileDeclarations.of(SourceFile("ddl/t.sql", "CREATE TABLE t (a INT);"), Memo())
    >>> others = VisibleDeclarations(assumed=DeclarationIndex((table,)))
    >>> job = compose([SourceFile("jobs/a.sql", "SELECT a FROM t")], others, Memo())
    >>> part = DocumentPart(Path("/repository"), "jobs/a.sql", "jobs/a.sql", job, job)
    >>> context_entry(part, JobConfig())[1]
    ('ddl/t.sql',)
    """
    return entries.entry_files(part.root, (path for _, path in part.assumed), config)


def context_addition(part: DocumentPart, config: JobConfig, opened: str | None) -> FileAddition | None:
    """The addition to the configuration; ``opened`` is the text of its file as it stands in the editor.

    >>> from keepstate.project.composition import VisibleDeclarations, compose
    >>> from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
    >>> from keepstate.project.source_files import SourceFile
    >>> from keepstate.syntax.memo import Memo
    >>> table = FileDeclarations.of(SourceFile("ddl/t.sql", "CREATE TABLE t (a INT);"), Memo())
    >>> others = VisibleDeclarations(assumed=DeclarationIndex((table,)))
    >>> job = compose([SourceFile("jobs/a.sql", "SELECT a FROM t")], others, Memo())
    >>> part = DocumentPart(Path("/repository"), "jobs/a.sql", "jobs/a.sql", job, job)
    >>> print(context_addition(part, JobConfig(), None).text.strip())
    context = ["ddl/t.sql"]
    """
    entry = entries.context_entry(part.root, (path for _, path in part.assumed), config, opened)
    return None if entry is None else FileAddition(entry.path, entry.before, entry.text, entry.at)

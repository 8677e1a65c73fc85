"""Jobs of files whose roles are known, as records and other processes have them."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.project.composed_text import FileRole
from keepstate.project.composition import ComposedJob, VisibleDeclarations
from keepstate.project.file_declarations import DeclarationIndex
from keepstate.project.memory import ProjectMemory
from keepstate.project.source_files import SourceFile


def composed_of(files: Iterable[tuple[SourceFile, FileRole]], memory: ProjectMemory) -> ComposedJob:
    """Compose the job of these files: those of its script in their order, and those whose declarations it may read.

    >>> ddl, job = SourceFile("t.sql", "CREATE TABLE t (a INT);"), SourceFile("job.sql", "SELECT a FROM t")
    >>> composed_of([(job, FileRole.SCRIPT), (ddl, FileRole.ASSUMED)], ProjectMemory()).assumed[0].name
    't'
    """
    file_list = list(files)
    context, assumed = (
        DeclarationIndex(tuple(memory.read(file.path, file.text) for file, role in file_list if role is wanted_role))
        for wanted_role in (FileRole.CONTEXT, FileRole.ASSUMED)
    )
    return memory.compose(
        [file for file, role in file_list if role is FileRole.SCRIPT], VisibleDeclarations(context, assumed)
    )

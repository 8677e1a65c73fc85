"""Files as a project reads them: SQL as it is, and SQL that stands in the texts of other kinds."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.embedded.avro_tables import SCHEMA_SUFFIX, avro_table
from keepstate.embedded.client_output import is_client_output, statements_of_output
from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import FilePointer
from keepstate.project.source_files import SourceFile
from keepstate.text import Edit


def sql_file(path: str, text: str) -> SourceFile:
    """The SQL of a file, or of the value of it that a pointer names: ``text`` is that of the whole file.

    >>> sql_file("k8s/a.yaml#/sql", "sql: SELECT 1").text
    '     SELECT 1'

    Raises:
        EmbeddingError: a pointer names no SQL, or a schema is none.
    """
    pointer = FilePointer.parse(path)
    if pointer is not None:
        return SourceFile(path, EmbeddedSql.of(text, pointer).masked, text)
    if path.lower().endswith(SCHEMA_SUFFIX):
        return SourceFile(path, avro_table(path, text), text)
    if is_client_output(text):
        return SourceFile(path, statements_of_output(text), text)
    return SourceFile(path, text)


def written_edits(file: SourceFile, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Edits of the SQL of a file as edits of the file itself; ``None`` if they cannot be written there."""
    if file.host is None:
        return tuple(edits)
    pointer = FilePointer.parse(file.path)
    # What a program printed is not edited by hand.
    return None if pointer is None else EmbeddedSql.of(file.host, pointer).edits(edits)

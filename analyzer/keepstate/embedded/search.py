"""The search for Flink SQL in YAML and HCL files: for proposals and notices, never for a verdict."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.embedded.hcl_values import hcl_texts
from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import HCL_SUFFIXES, FilePointer
from keepstate.embedded.text_scalars import EmbeddingError
from keepstate.embedded.yaml_values import yaml_texts
from keepstate.recognition import looks_like_flink, may_be_flink_job

_STATEMENT = ("confluent_flink_statement", "statement")
"""The resource of Terraform, and its attribute, that hold a statement of Flink SQL, whatever the statement shows."""
LARGEST_SEARCHED = 200_000
"""Characters of a file that is searched."""
SHORTEST = 20
"""Characters of a text that is looked at: no statement has fewer that could be compared."""


def flink_texts(text: str, file: str) -> Iterator[FilePointer]:
    r"""The pointers to Flink SQL in a file, in its order: to texts with a construct of Flink, and in a file with one of
    these, or with the name of Flink, to others that write into a table.

    >>> host = "sql: |\n  CREATE TABLE t (a INT) WITH ('connector' = 'kafka');\nname: job\n"
    >>> [str(each) for each in flink_texts(host, "job.yaml")]
    ['job.yaml#/sql']
    """
    if len(text) > LARGEST_SEARCHED:
        return
    is_hcl = file.lower().endswith(HCL_SUFFIXES)
    try:
        texts = [(each, value) for each, value in (hcl_texts if is_hcl else yaml_texts)(text, file)]
    except EmbeddingError:
        return
    texts = [(pointer, value) for pointer, value in texts if len(value.strip()) >= SHORTEST]
    pointers = {pointer for pointer, value in texts if _is_statement(pointer) or looks_like_flink(value)}
    is_named = "flink" in text.lower()
    for pointer, value in texts:
        if pointer in pointers or ((pointers or is_named) and may_be_flink_job(value)):
            try:
                EmbeddedSql.of(text, pointer)
            except EmbeddingError:
                continue
            yield pointer


def _is_statement(pointer: FilePointer) -> bool:
    return len(pointer.parts) == 4 and (pointer.parts[1], pointer.parts[3]) == _STATEMENT

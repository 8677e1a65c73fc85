"""Files that were read for projects, held by their owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from keepstate.project.source_files import SourceFile

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob, VisibleDeclarations
    from keepstate.project.file_declarations import FileDeclarations
    from keepstate.syntax.memo import Memo
    from keepstate.syntax.statement import ParsedStatement

_Result = TypeVar("_Result")

_VERSIONS = 8
"""Texts of one file that an owner keeps who lets go of others: a keystroke makes a new one."""
_COMPOSED = 4
"""Jobs of which the declarations of other files are kept."""
_NEW_TEXTS = 64
"""New texts between two looks at all of them."""


class ProjectMemory:
    """The memory of a run or of a server. Revisions share most of their files, and a file is read once for each of its
    texts. Not for several threads.

    The parser is imported for the first file: a run in which nothing differs reads none.
    """

    def __init__(self) -> None:
        self._read: dict[SourceFile, FileDeclarations] = {}
        self._parsed: dict[SourceFile, tuple[ParsedStatement, ...]] = {}
        """The statements of the files that are likely to be composed, or read again with an edit."""
        self._characters = self._new = 0
        self._composed: dict[Hashable, ComposedJob] = {}
        self._results: dict[tuple[Callable[[str], Any], str], Any] = {}

    def read(self, path: str, text: str) -> FileDeclarations:
        """The declarations and statements of a file of SQL."""
        return self.read_file(SourceFile(path, text))

    def read_file(self, file: SourceFile) -> FileDeclarations:
        """The declarations and statements of a file."""
        if file not in self._read:
            from keepstate.project.file_declarations import FileDeclarations
            from keepstate.syntax.script import parse_script

            script = parse_script(file.text, self.memo)
            self._read[file] = FileDeclarations.of_script(file, script)
            self._parsed[file] = tuple(each.parsed for each in script.statements)
            self._characters += len(file.text)
            self._new += 1
        return self._read[file]

    def of_text(self, function: Callable[[str], _Result], text: str) -> _Result:
        """The result of a function of a text alone, which is computed once: revisions share most of their texts.

        >>> ProjectMemory().of_text(str.upper, "select 1")
        'SELECT 1'
        """
        key = function, text
        if key not in self._results:
            self._results[key] = function(text)
        result: _Result = self._results[key]
        return result

    @property
    def characters(self) -> int:
        """The size of the texts that were read."""
        return self._characters

    def compose(self, script: Sequence[SourceFile], visible: VisibleDeclarations) -> ComposedJob:
        """Compose a job."""
        from keepstate.project.composition import ScriptNeeds, compose
        from keepstate.syntax.memo import recent

        needs = ScriptNeeds.of(script, self.memo)
        if needs is None:
            return compose(script, visible, self.memo)
        # A keystroke within a statement needs the same declarations.
        job = recent(self._composed, (needs, visible), _COMPOSED, lambda: compose(script, visible, self.memo))
        return job if job.script == tuple(script) else replace(job, script=tuple(script))

    def keep_recent(self, most: int) -> None:
        """Let go of all but the last texts of each file, and of files that were read long ago, if there are more than
        ``most``. Of a file that runs queries the syntax trees go as well, unless it has several texts: an edited one.
        They take 70 KB for 20 lines, and only its own check needs them.

        >>> memory = ProjectMemory()
        >>> texts = [memory.read("t.sql", f"SELECT {number}").file.text for number in range(70)]
        >>> memory.keep_recent(4_000)
        >>> memory.texts
        8
        """
        if len(self._results) > most:
            self._results.clear()
        if self._new < _NEW_TEXTS and len(self._read) <= most:
            return
        self._new = 0
        versions = Counter[str]()
        files: list[SourceFile] = []
        for file in reversed(self._read):
            versions[file.path] += 1
            if versions[file.path] <= _VERSIONS:
                files.append(file)
        if len(files) > most:
            files = files[: most // 2]
        self._read = {file: self._read[file] for file in reversed(files)}
        self._parsed = {
            file: self._parsed[file]
            for file, contents in self._read.items()
            if file in self._parsed and (versions[file.path] > 1 or not contents.runs)
        }
        self.memo.keep(statement for statements in self._parsed.values() for statement in statements)

    @property
    def texts(self) -> int:
        """The number of texts that are kept."""
        return len(self._read)

    @cached_property
    def memo(self) -> Memo:
        """The statements of all files."""
        from keepstate.syntax.memo import Memo

        return Memo()

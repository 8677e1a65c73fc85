"""The files of a run with their fixes: each fix is analysed again in the whole file before it stands.

A file is fixed as long as a fix gives it a better verdict, and the asked one at least. Only its own text is edited, and
only if neither the file nor a job that reads it gets worse.
"""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import final

from keepstate.report import Fix, Verdict
from keepstate.text import Edit, apply_edits
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.decoding import NotText, decode, encoded_like
from keepstate_lsp.baselines.work_tree_files import is_same_file, regular_content
from keepstate_lsp.cli.fixing.patch import patch
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.progress import TerminalProgress
from keepstate_lsp.files.atomic_files import write_whole
from keepstate_lsp.files.line_ends import line_end

_MOST_TRIED = 24
"""Fixes that are tried in one file, one after the other, before it is left as it is."""
_FIXABLE = (FileStatus.COMPARED, FileStatus.NOT_VALID)


@dataclass(frozen=True)
class _Step:
    """A fix that helps: the text of the file with it."""

    title: str
    text: str
    verdict: Verdict


@final
class FixedFiles:
    """Fixes the files that the arguments of ``check`` select. Without ``writes`` the disk stays as it is, and
    ``edited`` has the texts. ``reader`` is a steady one.
    """

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader, *, writes: bool) -> None:
        self._arguments = arguments
        self._reader = reader
        self._writes = writes
        self._wanted = Verdict(arguments.fix_verdict or Verdict.COMPATIBLE.value)
        self.edited: dict[Path, str] = {}
        self.fixed: list[str] = []
        """Lines about the fixes, in the order of the files."""
        self._left: dict[str, list[str]] = {}
        """Files with findings that no fix takes away, by the reason."""
        self.patches: list[bytes] = []
        self.problems: list[RunProblem] = []
        """Files that could not be written."""

    def fix(self, progress: TerminalProgress) -> None:
        """Fix one file after the other."""
        run = CheckRun(self._arguments, self._reader, fixes=False)
        all_results = run.comparisons(progress)
        by_path = _by_path([result for result in all_results if _has_open_findings(result)])
        for path, results in by_path.items():
            assert path is not None, "a run has files"
            if Path(os.path.abspath(path)) not in run.selected:
                self._leave(path, "it is compared because of another file")
            elif any(map(_is_read, results)):
                self._fix_file(path)
            else:
                # A template, for one: what it becomes decides, and its text is not Keepstate's to take back.
                self._leave(path, "it has statements that cannot be read")

    @property
    def lines(self) -> list[str]:
        """Lines about what was fixed and what was left, or the one about nothing to do."""
        unfixed = [f"not fixed: {', '.join(paths)}: {reason}" for reason, paths in self._left.items()]
        return [*self.fixed, *unfixed] or ([] if self.problems else ["nothing to fix"])

    def _leave(self, path: str, reason: str) -> None:
        self._left.setdefault(reason, []).append(path)

    def _fix_file(self, path: str) -> None:
        file = Path(os.path.abspath(path))
        data = regular_content(file)
        text = None if data is None else decode(data)
        if file.is_symlink():
            self._leave(path, "a symbolic link is not written through")
        elif data is None or text is None or isinstance(text, NotText):
            self._leave(path, "not on disk as text")
        else:
            self._fix_text(path, file, data, text)

    def _fix_text(self, path: str, file: Path, data: bytes, text: str) -> None:
        now, titles = text, []
        elsewhere: dict[str, None] = {}
        readers: dict[str, None] = {}
        while step := self._step(path, file, now, readers, elsewhere):
            now = step.text
            titles.append(step.title)
            if step.verdict is Verdict.COMPATIBLE:
                break
        if not titles:
            reason = f"no fix in the file leads to {self._wanted.value}"
            self._leave(path, f"{reason}; see {', '.join(elsewhere)}" if elsewhere else reason)
            return
        after = encoded_like(now, data)
        obstacle = self._write(file, data, after) if self._writes else None
        if obstacle is not None:
            self.problems.append(RunProblem(path, f"Not fixed: {obstacle}."))
            return
        if not self._writes:
            self.edited[file] = now
            self.patches.append(patch(file, data, after))
        self.fixed += (f"fixed: {path}: {title}" for title in titles)

    @staticmethod
    def _write(file: Path, before: bytes, after: bytes) -> str | None:
        """Write the file, if it is the one that was analysed. Return the obstacle, if there is one."""
        try:
            if regular_content(file) != before:
                return "it changed on disk while it was analysed"
            mode = stat.S_IMODE(file.stat().st_mode)
            # The draft takes the place of a file that may not be written as well, and for root all may.
            if not mode & 0o222 or not os.access(file, os.W_OK):
                return "it is read-only"
            write_whole(file, after, mode)
        except OSError as error:
            return f"it cannot be written ({error.strerror})"
        return None

    def _step(
        self, path: str, file: Path, text: str, readers: dict[str, None], elsewhere: dict[str, None]
    ) -> _Step | None:
        """The best fix of a file that helps. ``readers`` gets the jobs that read the file, ``elsewhere`` the other
        files that fixes would edit.
        """
        before = self._checked(file, text, readers, fixes=True)
        # Behind a fix the file may be as at the baseline, and has no readers of a change.
        readers.update((result.path, None) for result in before if result.path is not None and result.path != path)
        own = [result for result in before if result.path == path]
        tried = {text}
        for number, title, edits in islice(self._candidates(own, file, elsewhere), _MOST_TRIED):
            try:
                edited = apply_edits(text, _with_line_ends(edits, text))
            except ValueError:
                continue
            if edited in tried:
                continue
            tried.add(edited)
            after = self._checked(file, edited, readers, fixes=False)
            now = [result for result in after if result.path == path]
            if len(now) != len(own) or now[number].status.failed or _is_worse(before, after):
                continue
            if _standing_findings(now[number]) < _standing_findings(own[number]):
                # It would take back what a person lets stand.
                continue
            verdict = now[number].open_verdict
            if verdict.rank < own[number].open_verdict.rank and verdict.rank <= self._wanted.rank:
                return _Step(title, edited, Verdict.worst(result.open_verdict for result in now))
        return None

    def _candidates(
        self, results: Sequence[FileResult], file: Path, elsewhere: dict[str, None]
    ) -> Iterator[tuple[int, str, tuple[Edit, ...]]]:
        """The fixes to try, those with the best verdict first: the number of the result, the title and the edits of the
        file. A fix of the whole file comes before those of single findings.
        """
        candidates: list[tuple[int, int, Fix]] = []
        for number, result in enumerate(results):
            if result.report is None or not (_has_open_findings(result) and _is_read(result)):
                continue
            own = [
                fix
                for finding, fixes in zip(result.report.findings, result.fixes, strict=True)
                if result.counts(finding)
                for fix in fixes
            ]
            # Beside findings that stand, only the analysis of the edited text gives the verdict of the others.
            decides = not _standing_findings(result)
            candidates += (
                (fix.verdict_after.rank, number, fix)
                for fix in (*result.file_fixes, *own)
                if not fix.new_files and not (decides and fix.verdict_after.rank > self._wanted.rank)
            )
        for _, number, fix in sorted(candidates, key=lambda entry: entry[0]):
            edits = _edits_of(results[number], fix, file, elsewhere)
            if edits:
                yield number, fix.title, edits

    def _checked(self, file: Path, text: str, readers: Iterable[str], *, fixes: bool) -> list[FileResult]:
        """The results of a file with another text, and of the jobs that read what it declares."""
        paths = [str(file), *readers]
        arguments = argparse.Namespace(**{**vars(self._arguments), "paths": paths, "jobs": 1})
        edited = {**self.edited, file: text}
        return CheckRun(arguments, self._reader, edited, fixes).comparisons(TerminalProgress(quiet=True))


def _has_open_findings(result: FileResult) -> bool:
    """Return whether a finding of a file counts for the gate."""
    has_findings = result.report is not None and any(map(result.counts, result.report.findings))
    return has_findings and result.open_verdict is not Verdict.COMPATIBLE


def _standing_findings(result: FileResult) -> int:
    """The number of findings that do not count for the gate: accepted, or there before the change."""
    findings = () if result.report is None else result.report.findings
    return sum(not result.counts(finding) for finding in findings)


def _is_read(result: FileResult) -> bool:
    """Return whether the whole text of a job was read and compared."""
    return result.status in _FIXABLE and not any(side == "current" for side, _ in result.problems)


def _edits_of(result: FileResult, fix: Fix, file: Path, elsewhere: dict[str, None]) -> tuple[Edit, ...] | None:
    """The edits of a fix in a file; ``None`` if it would edit another one."""
    if result.files is None:
        return fix.edits
    by_file = result.files.current.edits_by_file(fix.edits)
    if by_file is None:
        return None
    other_paths = [path for path in by_file if not is_same_file(result.files.root / path, file)]
    elsewhere.update(dict.fromkeys(other_paths))
    return None if other_paths else tuple(edit for edits in by_file.values() for edit in edits)


def _with_line_ends(edits: Sequence[Edit], text: str) -> list[Edit]:
    """The edits with the line ends of the file: some fixes have lines of their own."""
    return [Edit(edit.span, edit.new_text.replace("\r\n", "\n").replace("\n", line_end(text))) for edit in edits]


def _is_worse(before: Sequence[FileResult], after: Sequence[FileResult]) -> bool:
    """Return whether any job is worse than before, or has more that cannot be read or that the engine refuses. A job
    that was not in the results before had no change.
    """
    was = _by_path(before)
    for path, results in _by_path(after).items():
        former = was.get(path, [])
        for index, result in enumerate(results):
            then_standing = _standing(former[index]) if index < len(former) else (0, 0, 0, 0)
            if any(now > then for now, then in zip(_standing(result), then_standing, strict=True)):
                return True
    return False


def _by_path(results: Sequence[FileResult]) -> Mapping[str | None, list[FileResult]]:
    by_path: dict[str | None, list[FileResult]] = {}
    for result in results:
        by_path.setdefault(result.path, []).append(result)
    return by_path


def _standing(result: FileResult) -> tuple[int, int, int, int]:
    """Numbers of a result, each of which gets larger as the job gets worse."""
    current_faults = [side for side, _ in (*result.problems, *result.refusals) if side == "current"]
    return result.open_verdict.rank, result.verdict.rank, len(current_faults), int(result.status.failed)

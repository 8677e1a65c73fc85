"""Projects at past commits: a job composed of the files of one commit, and the jobs that a commit changed.

Texts are read once per blob. Only the files that declare a name of a job are read for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of, is_host
from keepstate.reporting.new_names import FLINK_SUFFIXES
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import FileChange, FileState
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.config.composition_entries import NO_COMPOSITION
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.jobs.job_parts import JobParts, parts_of
from keepstate_lsp.jobs.named_files import NamedFiles, folder_of
from keepstate_lsp.jobs.past.commit_files import CommitFiles
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.projects import MOST_FILES, CompositionError, Project, sql_source

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate.project.file_declarations import FileDeclarations
    from keepstate.project.memory import ProjectMemory
    from keepstate.project.text_names import TextNames

_MOST_TOGETHER = 500
"""Files that are read from git at once."""
_REMEMBERED_NAMES = 20_000
"""Blobs: some 60 MB."""
_REMEMBERED_SNAPSHOTS = 32
_MOST_CHARACTERS = 16_000_000
"""Of texts that are remembered."""
_MOST_READ = 1_000_000
"""Characters of texts whose statements are remembered: some 100 MB."""
_UNREADABLE = "\0"
"""Stands for the names that a file declares which cannot be read."""
_LINE_ENDS = "\n"
"""A text with the line ends that all files of a composed job get."""


@dataclass(frozen=True)
class PastJob:
    """A job as it is composed at one commit. ``parts`` is ``None`` for a job that is the text of its file."""

    file: FileState
    text: str
    config: JobConfig
    composed: ComposedJob | None = None
    parts: JobParts | None = None

    @property
    def job(self) -> ComposedJob:
        """The composed job; that of the file alone where nothing else belongs to it."""
        if self.composed is not None:
            return self.composed
        from keepstate.project.composition import ComposedJob

        return ComposedJob.plain(self.text, self.file.path)

    def is_like(self, other: PastJob) -> bool:
        """Return whether both are one job in one configuration, but for line ends."""
        if not self.config.is_like(other.config) or self.file.path != other.file.path:
            return False
        if self.parts is None or other.parts is None:
            return self.parts is other.parts and _lines(self.text) == _lines(other.text)
        return self.parts.means_like(other.parts) and not self._is_in_doubt(other)

    def _is_in_doubt(self, other: PastJob) -> bool:
        """Return whether a farther declaration changed that may be the job's."""
        from keepstate.project.ambiguity import changed_ambiguities

        has_rivals = any(self.job.rivals.values()) or any(other.job.rivals.values())
        return has_rivals and any(changed_ambiguities(self.job, other.job))


@dataclass(eq=False)
class _SomeFiles(Project):
    """Some files of a commit. ``flink`` tells which ones are Flink SQL, ``mention`` gives all files of the commit that
    may have a name in their text.
    """

    flink: Callable[[str], bool] = field(kw_only=True)
    mention: Callable[[str], list[FileDeclarations]] = field(kw_only=True)

    def mentioning(self, name: str) -> list[FileDeclarations]:
        return self.mention(name)

    def is_flink(self, path: str, text: str) -> bool:
        return self.flink(path)


class UnreadablePart(Exception):
    """The text of a job cannot be had; ``mend`` is a command that helps."""

    def __init__(self, sentence: str, mend: str | None) -> None:
        super().__init__(sentence)
        self.mend = mend


class PastProjects:
    """The projects of the commits of one repository."""

    def __init__(self, history: History, configs: PastJobConfigs) -> None:
        self._history = history
        self._configs = configs
        self._names: OrderedDict[str, TextNames | None] = OrderedDict()
        self._texts: OrderedDict[str, str | NotText] = OrderedDict()
        self._characters = 0
        self._snapshots: OrderedDict[str, CommitFiles] = OrderedDict()
        self._memory: ProjectMemory | None = None

    # --------------------------------------------------------------------------------------------- snapshots

    def snapshot(self, commit: str) -> CommitFiles:
        """The files of a commit, given by its hash.

        Raises:
            GitFailure: git cannot list or read them.
        """
        snapshot = self._snapshots.get(commit)
        if snapshot is not None:
            return snapshot
        files = self._history.files(commit)
        self._read_together(state for state in files if may_be_job(state.path) and state.blob not in self._names)
        return self.keep(commit, CommitFiles.of(files, self._declared))

    def _read_together(self, states: Iterable[FileState]) -> None:
        """Find the names in many files; one that cannot be read so is read by itself later."""
        from keepstate.project.text_names import names_of

        remaining = list({state.blob: state for state in states if state.is_text}.values())
        while remaining:
            some, remaining = remaining[:_MOST_TOGETHER], remaining[_MOST_TOGETHER:]
            try:
                texts = self._history.texts(some)
            except GitFailure:
                # One file may be at fault, and each is read by itself where that matters.
                return
            for blob, text in texts.items():
                self._names[blob] = names_of(text) if isinstance(text, str) else None
                if isinstance(text, str) and self._characters + len(text) <= _MOST_CHARACTERS:
                    self._texts[blob] = text
                    self._characters += len(text)

    def cached_snapshot(self, commit: str) -> CommitFiles | None:
        """The snapshot of a commit, if it was kept."""
        return self._snapshots.get(commit)

    def keep(self, commit: str, snapshot: CommitFiles) -> CommitFiles:
        """Remember the snapshot of a commit for a while."""
        self._snapshots[commit] = snapshot
        self._snapshots.move_to_end(commit)
        while len(self._snapshots) > _REMEMBERED_SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return snapshot

    def after(self, snapshot: CommitFiles, changes: Iterable[FileChange]) -> CommitFiles:
        """The snapshot behind changes."""
        return snapshot.after(changes, self._declared)

    def before(self, snapshot: CommitFiles, changes: Iterable[FileChange]) -> CommitFiles:
        """The snapshot in front of changes."""
        return snapshot.before(changes, self._declared)

    def _declared(self, state: FileState) -> Iterable[str]:
        names = self._names_or_none(state)
        return (_UNREADABLE,) if names is None else names.declared

    # ------------------------------------------------------------------------------------------------- files

    def text(self, state: FileState) -> str | NotText:
        """The text of a file.

        Raises:
            GitFailure: git cannot read it.
        """
        if not state.is_text:
            return self._history.text(state)
        text = self._texts.get(state.blob)
        if text is not None:
            self._texts.move_to_end(state.blob)
            return text
        text = self._texts[state.blob] = self._history.text(state)
        self._characters += _length(text)
        while self._characters > _MOST_CHARACTERS and len(self._texts) > 1:
            self._characters -= _length(self._texts.popitem(last=False)[1])
        return text

    def names(self, state: FileState) -> TextNames | None:
        """The names in a file; ``None`` for one that is no text."""
        if not state.is_text:
            return None
        if state.blob in self._names:
            self._names.move_to_end(state.blob)
            return self._names[state.blob]
        from keepstate.project.text_names import names_of

        text = self.text(state)
        text_names = self._names[state.blob] = None if isinstance(text, NotText) else names_of(text)
        if len(self._names) > _REMEMBERED_NAMES:
            self._names.popitem(last=False)
        return text_names

    def _names_or_none(self, state: FileState) -> TextNames | None:
        """The names in a file; ``None`` also for one that git cannot read. A job that it is a part of has the fault."""
        try:
            return self.names(state)
        except GitFailure:
            return None

    def runs(self, state: FileState) -> bool:
        """Return whether a file may run a query, so that it is a job and no list of declarations."""
        names = self.names(state)
        if names is None or not names.declared or names.inserts:
            return True
        if not names.may_run:
            return False
        contents = self._read(state)
        return contents is None or not contents.only_declares

    def _read(self, state: FileState) -> FileDeclarations | None:
        text = self.text(state)
        return None if isinstance(text, NotText) else self._reading.read(state.path, text)

    @property
    def _reading(self) -> ProjectMemory:
        if self._memory is None or self._memory.characters > _MOST_READ:
            from keepstate.project.memory import ProjectMemory

            self._memory = ProjectMemory()
        return self._memory

    # -------------------------------------------------------------------------------------------------- jobs

    def is_job(self, snapshot: CommitFiles, state: FileState) -> bool:
        """Return whether a file is Flink SQL and no list of declarations: by its name or text, or since it declares
        nothing and reads what a file of Flink SQL declares.
        """
        names = self.names(state)
        if names is None:
            return state.path.lower().endswith(FLINK_SUFFIXES)
        if names.is_flink or state.path.lower().endswith(FLINK_SUFFIXES):
            return self.runs(state)
        if names.declared or not any(self._foreign(snapshot, state.path, names)):
            return False
        paths = self._closure(snapshot, [state], [self._read(state)])
        return self._project(snapshot, paths).is_job(state.path)

    def job(self, snapshot: CommitFiles, state: FileState, config: JobConfig) -> PastJob:
        """The job whose last or only file is ``state``, composed of the files of a commit. The files of a job of
        several get the same line ends.

        Raises:
            CompositionError: a file of the job cannot be read.
            UnreadablePart: the file itself cannot be read.
            GitFailure: git cannot say.
        """
        text = self.text(state)
        if isinstance(text, NotText):
            raise UnreadablePart(f"{inline(state.path)} {text.fault}", text.mend)
        folder = folder_of(config, self._configs.root)
        script = snapshot.script_paths(config.composition, folder) if config.composition.script else ()
        names = self.names(state)
        assert names is not None, "the text was read"
        if (
            not is_host(state.path)
            and script in ((), (state.path,))
            and not any(self._foreign(snapshot, state.path, names))
        ):
            return PastJob(state, text, config)
        embedded = is_host(state.path)
        own = (snapshot.state(path) for path in script)
        states = {each.path: each for each in (*own, state) if each is not None}
        contents = [self._read(each) for each in states.values() if not is_host(each.path)]
        for path in script:
            if is_host(name := file_of(path)):
                contents.append(self._read_value(state if name == state.path else snapshot.state(path), path))
        paths = self._closure(snapshot, list(states.values()), contents)
        if len(snapshot.files) > MOST_FILES:
            # Nothing is assumed in a project of so many files.
            context_paths = self._project(snapshot, paths).names.context_paths(config.composition, folder)
            paths = {*context_paths, *map(file_of, script), state.path}
        project = self._project(snapshot, {*paths, *map(file_of, script)}, own=state)
        composed = project.compose(state.path, text, config.composition, folder, like=_LINE_ENDS)
        if composed.is_plain and not composed.ambiguous and not embedded:
            return PastJob(state, text, config)
        every = {path: snapshot.state(path) for path in (*project.paths, *map(file_of, script))}
        blobs = {path: each.blob for path, each in every.items() if each is not None}
        context = project.names.context_paths(config.composition, folder)
        parts = parts_of(composed, {**blobs, state.path: state.blob}, context)
        return PastJob(state, text, config, composed, parts)

    def _foreign(self, snapshot: CommitFiles, path: str, names: TextNames) -> Iterator[str]:
        """The names of a text that other files may declare for it."""
        for word in names.words.split():
            if word not in names.own and any(other != path for other in snapshot.declaring.get(word, ())):
                yield word
        for word in ("", _UNREADABLE):
            yield from (other for other in snapshot.declaring.get(word, ()) if other != path)

    def _read_value(self, state: FileState | None, pointer: str) -> FileDeclarations | None:
        """The value of a file that a pointer names; ``None`` if it names none, which composing reports."""
        text = None if state is None else self.text(state)
        try:
            return (
                None
                if text is None or isinstance(text, NotText)
                else self._reading.read_file(sql_source(pointer, text))
            )
        except CompositionError:
            return None

    def _closure(
        self, snapshot: CommitFiles, states: Sequence[FileState], texts: Iterable[FileDeclarations | None]
    ) -> set[str]:
        """The paths of these files, whose ``texts`` were read, and of all that declare what they need, directly or
        through others.
        """
        from keepstate.project.text_names import last_word

        closure = {state.path for state in states} | set(snapshot.declaring.get(_UNREADABLE, ()))
        waiting = {last_word(need) for content in texts if content is not None for need in content.needs}
        words_seen: set[str] = set()
        # A name without a letter may be any.
        waiting.add("")
        while waiting:
            word = waiting.pop()
            words_seen.add(word)
            for path in snapshot.declaring.get(word, ()):
                closure.add(path)
                content = self._read(snapshot.files[path])
                needs = (
                    last_word(need)
                    for each in (() if content is None else content.declarations)
                    if last_word(each.name) == word
                    for need in each.needs
                )
                waiting.update(need for need in needs if need not in words_seen)
        return closure

    def _project(self, snapshot: CommitFiles, paths: Iterable[str], own: FileState | None = None) -> Project:
        """The project of some files of a commit."""

        def text_of(path: str) -> str | None:
            state = own if own is not None and own.path == path else snapshot.state(path)
            try:
                text = None if state is None else self.text(state)
            except GitFailure:
                return None
            return text if isinstance(text, str) else None

        def is_flink(path: str) -> bool:
            names = self._names_or_none(snapshot.files[path]) if path in snapshot.files else None
            return names is not None and (names.is_flink or path.lower().endswith(FLINK_SUFFIXES))

        def mention(name: str) -> list[FileDeclarations]:
            return self._mentioning(snapshot, name)

        return _SomeFiles(
            NamedFiles(tuple(sorted(path for path in paths if not is_host(path)))),
            text_of,
            self._reading,
            flink=is_flink,
            mention=mention,
        )

    def _mentioning(self, snapshot: CommitFiles, name: str) -> list[FileDeclarations]:
        """The files of a commit that may have a name in their text."""
        from keepstate.project.text_names import last_word

        contents = []
        for state in snapshot.files.values():
            names = self._names_or_none(state)
            word = last_word(name)
            content = self._read(state) if names is not None and (not word or names.has(word)) else None
            if content is not None:
                contents.append(content)
        return contents

    # ----------------------------------------------------------------------------------------------- readers

    def readers(
        self,
        before: CommitFiles,
        after: CommitFiles,
        changes: Sequence[FileChange],
        values: Mapping[str, FileState] | None = None,
    ) -> set[str]:
        """The paths of files behind ``changes`` that read a declaration which the changes touched, directly or through
        others; ``values`` are files of other kinds with SQL. One too many does no harm.
        """
        from keepstate.project.text_names import last_word

        felt = self._changed_words(changes)
        paths: set[str] = set()
        waiting = list(felt)
        while waiting:
            word = waiting.pop()
            for path, state in (*after.files.items(), *(values or {}).items()):
                names = self._names_or_none(state)
                if names is None or not names.may_read(word):
                    continue
                paths.add(path)
                if not names.declared or is_host(path):
                    continue
                content = self._read(state)
                for each in () if content is None else content.declarations:
                    name = last_word(each.name)
                    if name not in felt and word in map(last_word, each.needs):
                        felt.add(name)
                        waiting.append(name)
        return paths

    def _changed_words(self, changes: Sequence[FileChange]) -> set[str]:
        """The names that files declare in other words on the two sides, or on one of them alone."""
        words: set[str] = set()
        for change in changes:
            was, now = (
                {} if state is None or (names := self._names_or_none(state)) is None else names.declared
                for state in (change.before, change.after)
            )
            is_moved = change.before is None or change.after is None or change.before.path != change.after.path
            words |= {word for word in {*was, *now} if is_moved or was.get(word) != now.get(word)}
        return words


def are_alike_and_plain(config: JobConfig, other: JobConfig) -> bool:
    """Return whether both have the same values and name no other file of the job."""
    return config.is_like(other) and config.composition == other.composition == NO_COMPOSITION


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _length(text: str | NotText) -> int:
    return len(text) if isinstance(text, str) else 0

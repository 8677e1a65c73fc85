"""The bounds of command line and server, each on both sides: one less, as much, one more."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from keepstate.text import LineIndex, Span
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, BaselineSpecError
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.file import ConfigurationError
from repositories import GitRepository

EACH = pytest.mark.parametrize("more", [-1, 0, 1])


class TestWhatIsRefused:
    """Past the bound there is a sentence about it, up to it there is an answer."""

    @EACH
    def test_a_configuration(self, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.config.file import Configuration
        from keepstate_lsp.files.small_files import LARGEST_FILE

        text = 'engine = "flink"\n#'
        (tmp_path / "keepstate.toml").write_text(text + "x" * (LARGEST_FILE + more - len(text)), "utf-8")
        if more > 0:
            with pytest.raises(ConfigurationError, match="more than 1,000,000 bytes"):
                Configuration.around(tmp_path)
        else:
            found = Configuration.around(tmp_path)
            assert found is not None and found.engine == "flink"

    @EACH
    def test_a_configuration_in_a_commit(self, tmp_path: Path, more: int) -> None:
        """Of characters, since what git stores is text by then."""
        from keepstate_lsp.config.file import Configuration
        from keepstate_lsp.files.small_files import LARGEST_FILE

        text = 'engine = "flink"\n#'
        whole = text + "é" * (LARGEST_FILE + more - len(text))
        if more > 0:
            with pytest.raises(ConfigurationError, match="more than 1,000,000 characters"):
                Configuration.parse(tmp_path / "keepstate.toml", whole, "keepstate.toml")
        else:
            found = Configuration.parse(tmp_path / "keepstate.toml", whole, "keepstate.toml")
            assert found is not None and found.engine == "flink"

    @EACH
    def test_a_ledger(self, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.config.acceptances import FILE_NAME, AcceptanceFile, AcceptanceFileError, LedgerEntry
        from keepstate_lsp.files.small_files import LARGEST_FILE

        text = LedgerEntry("r", "k", "so").to_toml() + "#"
        (tmp_path / FILE_NAME).write_text(text + "x" * (LARGEST_FILE + more - len(text)), "utf-8")
        if more > 0:
            with pytest.raises(AcceptanceFileError, match="more than 1,000,000 bytes"):
                AcceptanceFile.at(tmp_path / FILE_NAME)
        else:
            assert [entry.change for entry in AcceptanceFile.at(tmp_path / FILE_NAME).entries] == ["k"]

    @EACH
    def test_a_glob_and_the_dots_of_a_key(self, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.config.file import _MOST_DOTS, Configuration
        from keepstate_lsp.config.job_names import _LONGEST_GLOB

        texts = {
            f"files = ['{'x' * (_LONGEST_GLOB + more)}']": "files must be a list of globs",
            f"[parameters]\n{'.'.join('a' * (_MOST_DOTS + more + 1))} = 1": "more than 100 dots",
        }
        for text, says in texts.items():
            if more > 0:
                with pytest.raises(ConfigurationError, match=says):
                    Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml")
            else:
                assert Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml") is not None

    @EACH
    def test_a_baseline(self, more: int) -> None:
        from keepstate_lsp.baselines.spec import _LONGEST

        text = "x" * (_LONGEST + more)
        if more > 0:
            with pytest.raises(BaselineSpecError, match="more than 1,000 characters"):
                BaselineSpec.parse(text)
        else:
            assert BaselineSpec.parse(text).value == text

    @EACH
    @pytest.mark.parametrize("where", ["disk", "commit"])
    def test_a_file(
        self,
        repository: GitRepository,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        more: int,
        where: str,
    ) -> None:
        """A file with zeros is no text, which is known at the first read."""
        from keepstate_lsp.baselines.decoding import LARGEST_FILE

        monkeypatch.chdir(repository.folder)
        zeros, text = b"\0" * (LARGEST_FILE + more), b"SELECT 1;"
        repository.commit({"a.fql": text if where == "disk" else zeros})
        repository.write("a.fql", zeros if where == "disk" else text)
        assert main(["check", "a.fql"]) == 2
        said = capsys.readouterr().out
        assert ("is too large" in said, "is a binary file" in said) == (more > 0, more <= 0)

    @EACH
    def test_a_message_of_the_protocol(self, more: int) -> None:
        from keepstate_lsp.lsp.base_protocol.framing import LARGEST, Message, MessageStream

        stream = MessageStream(io.BytesIO(b"content-length: %d\r\n\r\n{}" % (LARGEST + more)))
        found = stream.read()
        # The stream ends before such a message does; what came of it is taken for what it is.
        assert isinstance(found, Message) == (more <= 0)

    @EACH
    def test_a_header_of_the_protocol(self, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
        """However little of one is looked at together, the message behind it is found."""
        from keepstate_lsp.lsp.base_protocol.framing import Message, MessageStream

        field, length = b"x-y: %b\r\n" % (b"z" * 300), b"content-length: 2\r\n"
        monkeypatch.setattr("keepstate_lsp.lsp.base_protocol.framing._CHUNK", 1)
        monkeypatch.setattr("keepstate_lsp.lsp.base_protocol.framing._LONGEST_HEADER", len(field) - more)
        assert MessageStream(io.BytesIO(field + length + b"\r\n{}")).read() == Message({})
        monkeypatch.undo()
        monkeypatch.setattr("keepstate_lsp.lsp.base_protocol.framing._LONGEST_EMPTY_LINE", 100)
        found = MessageStream(io.BytesIO(length + b" " * (97 + more) + b"\r\n{}")).read()
        assert found == Message({})

    @EACH
    def test_threads_that_wait_for_disks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
        from keepstate_lsp.analysis.document_context import MOST_READERS, DocumentContexts

        with BaselineReader() as reader:
            contexts = DocumentContexts(reader)
            for number in range(MOST_READERS + more):
                assert contexts.ask(tmp_path / str(number), lambda: 7).result(30) == 7
            assert len(contexts._all_readers) == min(MOST_READERS + more, MOST_READERS)

    @EACH
    def test_an_event_of_a_build(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
        from keepstate_lsp.cli.ci import pushes
        from keepstate_lsp.cli.errors import UsageError

        text = f'{{"before": "{"a" * 40}"}}'
        path = tmp_path / "event.json"
        path.write_text(text, "utf-8")
        monkeypatch.setattr("keepstate_lsp.cli.ci.events._LARGEST_EVENT", len(text) - more)
        environment = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(path)}
        if more > 0:
            with pytest.raises(UsageError, match="more than"):
                pushes.push_of(environment)
        else:
            assert pushes.push_of(environment) == pushes.Push("a" * 40, "GITHUB_EVENT_PATH")


@EACH
def test_a_ledger_that_would_grow_too_large_to_be_read_again(tmp_path: Path, more: int) -> None:
    from keepstate_lsp.config import acceptances as ledgers
    from keepstate_lsp.config.acceptances import FILE_NAME, HEAD, AcceptanceFile, AcceptanceFileError, LedgerEntry
    from keepstate_lsp.files.small_files import LARGEST_FILE

    path = tmp_path / FILE_NAME
    AcceptanceFile(path, (LedgerEntry("r", "old", "so"),)).write()
    size = len(f"{HEAD}\n{LedgerEntry('r', 'old', 'so').to_toml()}\n{LedgerEntry('r', 'new', 'x').to_toml()}")
    new = LedgerEntry("r", "new", "x" * (LARGEST_FILE - size + 1 + more))
    if more > 0:
        with pytest.raises(AcceptanceFileError, match="more than 1,000,000 bytes"):
            ledgers.change(path, lambda ledger: ledger.with_entries([new]))
        assert [entry.change for entry in AcceptanceFile.at(path).entries] == ["old"]
    else:
        assert ledgers.change(path, lambda ledger: ledger.with_entries([new]))
        assert [entry.change for entry in AcceptanceFile.at(path).entries] == ["old", "new"]


class TestWhatIsShortened:
    @EACH
    def test_clauses(self, more: int) -> None:
        from keepstate_lsp.cli.commands import explain_error
        from keepstate_lsp.cli.formats import markdown
        from keepstate_lsp.cli.terminal.sanitize import shortened
        from keepstate_lsp.features import hover

        for text_of, bound in (
            (hover._clipped, hover._LONGEST_CLAUSE),
            (lambda text: shortened(text, markdown._LONGEST_CLAUSE), markdown._LONGEST_CLAUSE),
        ):
            text = "x" * (bound + more)
            assert (text_of(text) == text) == (more <= 0)
        assert explain_error._LONGEST_CLAUSE > 3

    @EACH
    def test_a_name_in_a_command(self, more: int) -> None:
        from keepstate.reporting.accept_command import _LONGEST, AcceptCommand

        name = "x" * (_LONGEST + more)
        assert (f" {name} " in AcceptCommand(name).line()) == (more <= 0)
        assert (" FILE " in AcceptCommand(name).line()) == (more > 0)

    @EACH
    def test_lines_of_a_clause(self, more: int) -> None:
        from keepstate_lsp.cli.formats.excerpt import _LINES_AT_START, _MOST_LINES, Symbols, excerpt

        count = _MOST_LINES + more
        lines = LineIndex("\n".join(f"line {number}" for number in range(count + 2)))
        rows = excerpt(lines, Span(0, lines.line_span(count - 1).end), 80, Symbols.for_encoding("utf-8"))
        assert len(rows) == (count if more <= 0 else _LINES_AT_START + 2)
        assert [row.number for row in rows][-1] == count

    @EACH
    def test_a_line_that_is_laid_out(self, more: int) -> None:
        from keepstate_lsp.cli.formats.excerpt import _LONG, Symbols, excerpt

        width = 20
        for start in (0, _LONG * width // 2, _LONG * width - 4):
            text = "x" * start + "here" + "y" * (_LONG * width + more - start - 4)
            (row,) = excerpt(LineIndex(text), Span(start, start + 4), width, Symbols.for_encoding("utf-8"))
            assert len(row.text) <= width and row.marks is not None
            first, length = row.marks
            assert row.text[first : first + length] == "here"

    @EACH
    def test_rows_of_a_table(self, more: int) -> None:
        from keepstate_lsp.cli.terminal.job_results import _TABLE_ROWS, _table_lines

        class Query:
            name, names = "daily", ("n",)

            def values(self) -> Iterator[tuple[int]]:
                return ((number,) for number in range(_TABLE_ROWS + more))

        said = "".join(_table_lines(Query()))  # type: ignore[arg-type]
        assert f"{_TABLE_ROWS + more} rows" in said
        assert ("are shown" in said) == (more > 0)
        assert said.splitlines().count(str(_TABLE_ROWS - 2)) == 1

    @EACH
    def test_the_name_of_a_file_of_results(self, tmp_path: Path, more: int) -> None:
        """Each character takes four bytes, and a name of a file has 255 at most."""
        from keepstate_lsp.cli.terminal.job_results import _LONGEST_NAME, ResultWriter

        class Query:
            number, names, shown_types = 12_345, ("n",), ["INT"].copy
            name = "\N{CJK UNIFIED IDEOGRAPH-20000}" * (_LONGEST_NAME + more)

            def values(self) -> Iterator[list[int]]:
                return iter([[1]])

        ResultWriter(tmp_path, "jsonl").write(Query(), None)  # type: ignore[arg-type]
        (file,) = tmp_path.iterdir()
        assert file.name == f"12345-{Query.name[:_LONGEST_NAME]}.jsonl"
        assert file.read_text("utf-8").endswith("[1]\n")

    @EACH
    def test_names_in_a_sentence(self, more: int) -> None:
        from keepstate_lsp.cli.result.scope import _SHOWN, RunScope

        names = tuple(f"{number}.sql" for number in range(_SHOWN + more))
        said = RunScope("vvr", others=names).nothing_to_compare()
        assert sum(name in said for name in names) == min(len(names), _SHOWN)
        assert ("and 1 more" in said) == (more > 0)

    @EACH
    def test_a_comment_of_a_merge_request(
        self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: int
    ) -> None:
        """The limit is put where the whole comment ends."""
        from keepstate_lsp.cli.formats import markdown

        monkeypatch.chdir(repository.folder)
        repository.commit({"a.sql": JOB})
        repository.write("a.sql", INCOMPATIBLE)
        main(["check", "--format", "markdown"])
        whole = capsys.readouterr().out
        for limit in (len(whole) + markdown._SPARE + 1 - more, len(whole) - 200 - more):
            monkeypatch.setattr(markdown, "LIMIT", limit)
            main(["check", "--format", "markdown"])
            said = capsys.readouterr().out
            assert len(said) <= max(limit, 0) or "did not fit" in said
            assert said == whole or "did not fit in here" in said


class TestWhatIsRemembered:
    """With a memory as small as it can be, everything is found again, and nothing is said otherwise."""

    LOW: ClassVar = {
        "keepstate_lsp.config.job_config._REMEMBERED": 1,
        "keepstate_lsp.jobs.past.past_config._REMEMBERED": 1,
        "keepstate_lsp.jobs.history._REMEMBERED": 1,
        "keepstate_lsp.baselines.history.renames._REMEMBERED": 1,
        "keepstate_lsp.baselines.reader._CACHED_CHARACTERS": 1,
        "keepstate_lsp.baselines.reader._MOST_PATIENCES": 1,
        "keepstate_lsp.baselines.git.outputs.BLOCK": 3,
        "keepstate_lsp.baselines.git.objects._REMEMBERED_TREES": 1,
        "keepstate_lsp.baselines.git.objects._REMEMBERED_COMMITS": 1,
        "keepstate_lsp.baselines.git.objects._REMEMBERED_LISTINGS": 1,
        "keepstate_lsp.baselines.git.objects._ONE_BY_ONE": 0,
        "keepstate_lsp.cli.run.check_run._AT_ONCE": 1,
        "keepstate_lsp.cli.run.worker_pool._LARGEST_BATCH": 1,
        "keepstate_lsp.cli.run.worker_pool._BATCHES_EACH": 1,
        "keepstate_lsp.cli.run.comparison_tasks._MUCH": 0,
        "keepstate_lsp.config.job_names._MOST_STARS": 0,
    }

    @pytest.fixture
    def shop(self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
        monkeypatch.chdir(repository.folder)
        reported = "[parameters]\n'table.exec.unheard-of' = '{}'\n"
        repository.commit({f"{name}/{name}.sql": JOB for name in "abcd"})
        repository.commit({"a/keepstate.toml": reported.format(1), "b/keepstate.toml": reported.format(2)})
        repository.commit({"a/a.sql": PARTIAL, "b/b.sql": REFORMATTED, "a/keepstate.toml": reported.format(3)})
        repository.git("mv", "c/c.sql", "c/renamed.sql")
        repository.commit({"c/renamed.sql": PARTIAL, "d/new.sql": JOB})
        repository.write("a/a.sql", INCOMPATIBLE)
        repository.write("d/d.sql", REFORMATTED)
        return repository

    def said(self, capsys: pytest.CaptureFixture[str]) -> list[str]:
        answers = []
        for arguments in (
            ["check", "--format", "json"],
            ["check", "--against", "HEAD~3", "--jobs", "2", "--format", "json"],
            ["check", "**/*.sql", "--against", "HEAD~2", "--format", "json"],
            ["check", "--current", "HEAD~1", "--against", "HEAD~3", "--format", "json"],
            ["check", "--staged", "--against", "HEAD~1", "--format", "json"],
            ["history", "a/a.sql"],
            ["history", "c/renamed.sql", "--full"],
        ):
            status = main(arguments)
            answers.append(f"{status}\n{capsys.readouterr().out}")
        return answers

    @pytest.mark.parametrize("bound", LOW)
    def test_nothing_is_said_otherwise(
        self, shop: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bound: str
    ) -> None:
        usual = self.said(capsys)
        monkeypatch.setattr(bound, self.LOW[bound])
        assert self.said(capsys) == usual

    @EACH
    def test_repositories(self, isolated_git: None, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.baselines.reader import _MOST_REPOSITORIES

        folders = [tmp_path / str(number) for number in range(_MOST_REPOSITORIES + more)]
        for folder in folders:
            GitRepository(folder).commit({"a.sql": f"-- {folder.name}\n{JOB}"})
        with BaselineReader() as reader:
            for folder in [*folders, *folders]:
                found = reader.read(folder / "a.sql", HEAD)
                assert isinstance(found, Baseline) and found.text.startswith(f"-- {folder.name}\n")

    @EACH
    def test_files_with_declarations(
        self, shop: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: int
    ) -> None:
        shop.commit({"d/ddl.sql": "CREATE TABLE o (a INT) WITH ('connector' = 'kafka');\n"})
        shop.commit({"d/job.sql": "INSERT INTO s SELECT SUM(a) FROM o;\n"})
        count = sum(path.endswith(".sql") for path in shop.git("ls-files").splitlines())
        monkeypatch.setattr("keepstate_lsp.jobs.projects.MOST_FILES", count - more)
        shop.write("d/ddl.sql", "CREATE TABLE o (a BIGINT) WITH ('connector' = 'kafka');\n")
        capsys.readouterr()
        assert main(["check"]) == (0 if more > 0 else 1)
        assert ("declarations are looked for in contexts alone" in capsys.readouterr().err) is (more > 0)

    @EACH
    def test_texts_that_an_editor_opens(self, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.analysis.virtual_documents import _MOST_IN_MEMORY, VirtualDocuments

        virtual_documents = VirtualDocuments(tmp_path, in_memory=True)
        uris = [
            virtual_documents.baseline(
                Baseline(HEAD, None, "a.sql", f"SELECT {number}", f"{number:012}{0:028}", "HEAD")
            )
            for number in range(_MOST_IN_MEMORY + more)
        ]
        assert virtual_documents.text(uris[-1] or "") == f"SELECT {_MOST_IN_MEMORY + more - 1}"
        assert (virtual_documents.text(uris[0] or "") is None) == (more > 0)

    @EACH
    def test_tags_that_are_offered(self, repository: GitRepository, more: int) -> None:
        from keepstate_lsp.baselines.choices import _MOST_TAGS, choices

        repository.commit({"a.sql": JOB})
        for number in range(_MOST_TAGS + more):
            repository.git("tag", f"v{number}")
        with BaselineReader() as reader:
            offered = [choice for choice in choices(repository.folder / "a.sql", reader) if choice.words == "a tag"]
        assert len(offered) == min(_MOST_TAGS + more, _MOST_TAGS)

    @EACH
    def test_files_that_may_have_been_renamed(
        self,
        repository: GitRepository,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        more: int,
    ) -> None:
        """Files past the bound are not searched, and the message says so."""
        monkeypatch.chdir(repository.folder)
        repository.commit({"a.sql": JOB})
        monkeypatch.setattr("keepstate_lsp.baselines.history.renames.MOST_CANDIDATES", 1 + more)
        (repository.folder / "a.sql").rename(repository.folder / "b.sql")
        repository.write("b.sql", PARTIAL)
        status = main(["check"])
        said = " ".join(capsys.readouterr().out.split())
        assert ("there a.sql" in said, "too many to find out" in said) == (more >= 0, more < 0)
        assert (status == 2) == (more < 0)


class TestWhatIsListed:
    @EACH
    def test_files_of_a_workspace(
        self, isolated_git: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
    ) -> None:
        from keepstate_lsp.jobs.listing import has_file, job_files

        for name in ("a", "b", "c"):
            (tmp_path / name).mkdir()
            (tmp_path / name / f"{name}.sql").write_text(JOB, "utf-8")
        with BaselineReader() as reader:
            monkeypatch.setattr("keepstate_lsp.jobs.listing.MOST_FILES", 3 - more)
            assert len(job_files([tmp_path], reader)) == min(3, 3 - more)
            monkeypatch.undo()
            # The folder itself is one.
            monkeypatch.setattr("keepstate_lsp.jobs.listing._MOST_FOLDERS", 4 - more)
            assert len(job_files([tmp_path], reader)) == min(3, 3 - more)
            # Where not all is looked into, it is not said that nothing is there.
            assert has_file(tmp_path, lambda path: path == "nowhere.sql") == (more > 0)
            assert has_file(tmp_path, lambda path: path == "a/a.sql")

    @EACH
    @pytest.mark.parametrize("pieces", ["lines", "words"])
    def test_stretches_that_are_compared_piece_by_piece(self, pieces: str, more: int) -> None:
        from keepstate_lsp.analysis.offset_map import _MOST_LINES, _MOST_WORDS, OffsetMap

        bound = _MOST_LINES if pieces == "lines" else _MOST_WORDS
        sign = "\n" if pieces == "lines" else " "
        # Two more stand around them; behind the last line is an empty one.
        words = [f"w{number}" for number in range(bound // 2 - (3 if pieces == "lines" else 2) + more)]
        was, now = sign.join(["x", *words, "x"]), sign.join(["y", *words, "y"])
        place = was.index(words[len(words) // 2])
        moved = OffsetMap(was, now).span(Span(place, place + 3))
        assert 0 <= moved.start <= moved.end <= len(now)
        if more <= 0:
            assert moved.of(now) == Span(place, place + 3).of(was)

    @EACH
    def test_folders_that_repositories_are_looked_for_in(self, isolated_git: None, tmp_path: Path, more: int) -> None:
        from keepstate_lsp.cli.commands.audit.repositories import _DEEPEST, audited

        folder = tmp_path.joinpath(*"x" * (_DEEPEST + more))
        GitRepository(folder).commit({"a.sql": JOB})
        if more > 0:
            with pytest.raises(CommandError, match="There is no git repository"):
                audited([str(tmp_path)], None)
        else:
            assert list(audited([str(tmp_path)], None).values()) == [str(folder)]

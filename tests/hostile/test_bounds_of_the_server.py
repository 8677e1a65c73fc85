"""The bounds of command line and server, each on both sides: one less, as much, one more."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from keepstate_lsp.baselines import BaselineReader, BaselineSpec, BaselineSpecError
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
        from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile, AcceptanceFileError, LedgerEntry
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
    from keepstate_lsp.config import acceptance_file as ledgers
    from keepstate_lsp.config.acceptance_file import FILE_NAME, HEAD, AcceptanceFile, AcceptanceFileError, LedgerEntry
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

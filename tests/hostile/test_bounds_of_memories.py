"""The bounds of memories and lists, each on both sides: one less, as much, one more."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from keepstate.text import Span
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.main import main
from repositories import GitRepository
from test_bounds_of_the_server import EACH


class TestWhatIsRemembered:
    """With a memory as small as it can be, everything is found again, and nothing is said otherwise."""

    LOW: ClassVar = {
        "keepstate_lsp.config.job_config._REMEMBERED": 1,
        "keepstate_lsp.jobs.past.past_config._REMEMBERED": 1,
        "keepstate_lsp.jobs.job_history._REMEMBERED": 1,
        "keepstate_lsp.baselines.history.file_renames._REMEMBERED": 1,
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
        monkeypatch.setattr("keepstate_lsp.baselines.history.file_renames.MOST_CANDIDATES", 1 + more)
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

"""The bounds of what reports show, each on both sides: one less, as much, one more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.main import main
from repositories import GitRepository
from test_bounds_of_the_server import EACH


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
        from keepstate_lsp.cli.result.run_scope import _SHOWN, RunScope

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

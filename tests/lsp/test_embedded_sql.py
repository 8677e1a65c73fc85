"""SQL that stands in YAML and HCL files, in a real server: the documents are masked in place."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, Editor
from keepstate_lsp.analysis.documents import path_of, uri_of
from repositories import GitRepository
from shops import ORDERS, SINKS, TYPE, at_work

pytestmark = pytest.mark.asyncio

REPLACED = "all-aggregates-replaced"
SUM = ("SUM(amount)", "MAX(amount)")
LITERAL = ("''x''", "''y''")


@dataclass(frozen=True)
class Host:
    """A file with the SQL of a job as a value. A character outside of the basic plane stands in front of it."""

    path: str
    text: str
    pointer: str
    sum_at: str
    """The line of the text with the aggregate."""

    @property
    def files(self) -> Mapping[str, str | bytes]:
        script = f'[[job]]\nname = "revenue"\nscript = ["{self.path}#{self.pointer}"]\n'
        return {
            "ddl/orders.sql": ORDERS,
            "ddl/sinks.sql": SINKS,
            self.path: self.text,
            "keepstate.toml": f'context = ["ddl/*.sql"]\n{script}',
        }


QUERY = "INSERT INTO revenue\n{0}SELECT shop, SUM(amount) AS total\n{0}FROM orders\n{0}GROUP BY shop;\n"
HOSTS = {
    "a block scalar": Host(
        "k8s/revenue.yaml",
        "spec:\n  job:\n    args:   # \N{PARTY POPPER}\n    - |\n      " + QUERY.format(" " * 6),
        "/spec/job/args/0",
        "      SELECT shop, SUM(amount) AS total",
    ),
    "a quoted scalar": Host(
        "k8s/revenue.yml",
        'icon: \N{PARTY POPPER}\nsql: "INSERT INTO revenue SELECT shop, SUM(amount) FROM orders GROUP BY shop"\n',
        "/sql",
        "",
    ),
    "a value in single quotes": Host(
        "k8s/single.yaml",
        "sql: 'INSERT INTO revenue SELECT shop, SUM(amount) FILTER (WHERE note = ''x'') FROM orders GROUP BY shop'\n",
        "/sql",
        "",
    ),
    "a heredoc": Host(
        "main.tf",
        'resource "flink" "revenue" {\n  name = "\N{PARTY POPPER}"\n  statement = <<-EOT\n    '
        + QUERY.format(" " * 4)
        + "  EOT\n}\n",
        "/resource/flink/revenue/statement",
        "    SELECT shop, SUM(amount) AS total",
    ),
}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def at_host(editor: Editor, repository: GitRepository, host: Host) -> str:
    uri = editor.open(repository.folder / host.path)
    await editor.pushed(uri, 1)
    return uri


class TestValues:
    @pytest.mark.parametrize("name", HOSTS)
    async def test_a_changed_aggregate(self, name: str, repository: GitRepository, cache: Path) -> None:
        host = HOSTS[name]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            editor.replace(uri, *SUM)
            (one,) = await editor.pushed_until(uri, bool)
            assert one.code == REPLACED and editor.text_at(uri, one.range).startswith("MAX(amount)")
            back, *_ = await editor.actions(uri, "MAX(amount)")
            back = await editor.client.code_action_resolve_async(back) if back.edit is None else back
            assert back.edit is not None and editor.applied(uri, back.edit) == host.text
            hover = await editor.hover(uri, "MAX(amount)")
            assert hover is not None and hover.range is not None
            assert editor.text_at(uri, hover.range).startswith("MAX(amount)")
            assert "SUM" in _words(hover)
            table = await editor.hover(uri, "orders")
            assert "Declared in ddl/orders.sql" in _words(table)
            heard = len(editor.published)
            editor.replace(uri, *SUM[::-1])
            await editor.pushed_until(uri, lambda found: not found, after=heard)

    async def test_a_fix_is_written_with_the_quotes_of_its_value(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a value in single quotes"]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            editor.replace(uri, *LITERAL)
            (one,) = await editor.pushed_until(uri, bool)
            back, *_ = await editor.actions(uri, editor.text_at(uri, one.range))
            back = await editor.client.code_action_resolve_async(back) if back.edit is None else back
            assert back.edit is not None and editor.applied(uri, back.edit) == host.text

    @pytest.mark.parametrize("name", [name for name, host in HOSTS.items() if host.sum_at])
    async def test_a_comment_that_accepts_stands_in_the_value(
        self, name: str, repository: GitRepository, cache: Path
    ) -> None:
        host = HOSTS[name]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            editor.replace(uri, *SUM)
            await editor.pushed_until(uri, bool)
            (accept,) = [one for one in await editor.actions(uri, "MAX(amount)") if one.title.startswith("Accept")][:1]
            assert accept.edit is not None
            text = editor.applied(uri, accept.edit)
            assert f"-- keepstate: accept {REPLACED}" in text
            heard = len(editor.published)
            editor.change(uri, text.replace("<say why>", "the totals may go"))
            await editor.pushed_until(
                uri, lambda found: [one.severity for one in found] == [types.DiagnosticSeverity.Hint], after=heard
            )

    async def test_no_comment_is_offered_beside_a_quoted_value(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a quoted scalar"]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            editor.replace(uri, *SUM)
            await editor.pushed_until(uri, bool)
            titles = [action.title for action in await editor.actions(uri, "MAX(amount)")]
            assert titles and not any(title.endswith("here, with a reason") for title in titles)

    @pytest.mark.parametrize("name", HOSTS)
    async def test_a_declaration_that_the_value_reads(self, name: str, repository: GitRepository, cache: Path) -> None:
        """The clause in the declaration is underlined whether the document with the value is open or not."""
        host = HOSTS[name]
        async with at_work(repository, cache, host.files) as editor:
            orders = editor.open(repository.folder / "ddl/orders.sql")
            await editor.command("keepstate.report", {"show": False})
            editor.replace(orders, *TYPE)
            (at_clause,) = await editor.pushed_until(orders, bool)
            assert editor.text_at(orders, at_clause.range) == "amount DOUBLE"
            uri = uri_of(repository.folder / host.path)
            (closed,) = await editor.pushed_until(uri, bool)
            assert editor.cut(host.text, closed.range) == "orders"
            await editor.command("keepstate.report", {"show": False})
            titles = [lens.command.title for lens in await editor.lenses(orders) if lens.command]
            assert titles == ["read by 1 job: 1 incompatible"]
            await at_host(editor, repository, host)
            (opened,) = await editor.pushed_until(uri, bool)
            assert editor.text_at(uri, opened.range) == "orders"

    @pytest.mark.parametrize("name", HOSTS)
    async def test_the_definition_of_a_table(self, name: str, repository: GitRepository, cache: Path) -> None:
        host = HOSTS[name]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            params = types.DefinitionParams(types.TextDocumentIdentifier(uri), editor.range_of(uri, "orders").start)
            answer = await asyncio.wait_for(editor.client.text_document_definition_async(params), SECONDS)
            assert isinstance(answer, list)
            (place,) = answer
            assert isinstance(place, types.Location)
            assert path_of(place.uri) == str(repository.folder / "ddl/orders.sql")
            assert editor.cut(ORDERS, place.range) == "orders"

    async def test_half_a_value_is_said_and_keeps_the_findings(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a block scalar"]
        async with at_work(repository, cache, host.files) as editor:
            uri = await at_host(editor, repository, host)
            editor.change(uri, host.text.replace("args:", "arguments:"))
            (one,) = await editor.pushed_until(uri, bool)
            assert one.code == "not-compared" and "names nothing: /spec/job has no args" in one.message

    async def test_two_values_are_two_jobs(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a block scalar"]
        more = host.text.replace("SUM", "MIN")
        script = '[[job]]\nname = "{0}"\nscript = ["k8s/revenue.yaml#{1}/spec/job/args/0"]\n'
        files = {
            **host.files,
            host.path: f"{host.text}---\n{more}",
            "keepstate.toml": 'context = ["ddl/*.sql"]\n' + script.format("a", 1) + script.format("b", 2),
        }
        async with at_work(repository, cache, files) as editor:
            uri = await at_host(editor, repository, host)
            editor.replace(uri, "MIN(amount)", "MAX(amount)")
            (one,) = await editor.pushed_until(uri, bool)
            assert editor.text_at(uri, one.range) == "MAX(amount)" and one.message.endswith("(in b)")
            titles = [lens.command.title for lens in await editor.lenses(uri) if lens.command]
            assert [title.partition(":")[0] for title in titles] == ["a", "b"]
            fixed, *_ = await editor.actions(uri, "MAX(amount)")
            assert fixed.edit is not None and editor.applied(uri, fixed.edit) == files[host.path]

    async def test_a_value_that_is_new_has_no_state_to_lose(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a block scalar"]
        async with at_work(repository, cache, {**host.files, host.path: "spec: 1\n"}) as editor:
            uri = await at_host(editor, repository, host)
            editor.change(uri, host.text)
            assert not await editor.pushed_until(uri, lambda found: not found)
            (lens,) = await editor.lenses(uri)
            assert lens.command is not None and lens.command.title.startswith("No baseline: ")

    async def test_other_documents_of_these_languages_are_silent(self, repository: GitRepository, cache: Path) -> None:
        host = HOSTS["a block scalar"]
        files = {**host.files, "other.yaml": "sql: INSERT INTO revenue SELECT shop, SUM(amount) FROM orders\n"}
        async with at_work(repository, cache, files) as editor:
            uri = editor.open(repository.folder / "other.yaml")
            editor.replace(uri, "SUM(", "MAX((")
            await editor.command("keepstate.recheckAll")
            assert not [params for params in editor.published if params.uri == uri and params.diagnostics]
            assert await editor.lenses(uri) == [] and await editor.hover(uri, "orders") is None


def _words(hover: types.Hover | None) -> str:
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value.replace("\\", "")

"""Help with writing, over the wire: completion, signatures, the outline, folding, tokens and selections."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio
from lsprotocol import types

from editor import SECONDS, Editor, editing, minimal, neovim, vscode
from keepstate.text import Encoding
from keepstate_lsp.features.token_data import MODIFIERS, TYPES, token_edit
from program_starts import SERVER
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

T = TypeVar("T")

SHOP = """\
-- 🛒 Orders of the shop,
-- as they come.
CREATE TABLE orders (
  id BIGINT,
  `user` STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
"""
PARTS = f"""\
{SHOP}
BEGIN STATEMENT SET;
INSERT INTO totals
SELECT '🛒' AS icon, SUM(o.amount) AS total
FROM orders AS o;
END;
"""
CLIENTS = {"neovim": neovim, "vscode": vscode}


@pytest_asyncio.fixture(params=list(CLIENTS))
async def editor(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Editor]:
    capabilities = CLIENTS[request.param]()
    async with editing(capabilities, tmp_path, tmp_path / "cache", command=SERVER) as editor:
        yield editor


async def answered(question: Awaitable[T]) -> T:
    return await asyncio.wait_for(question, SECONDS)


async def completed(
    editor: Editor, uri: str, marked: str, trigger: str | None = None
) -> tuple[dict[str, types.CompletionItem], str]:
    """The proposals at ``|`` in a text that is typed now, by their labels, and the text without the mark."""
    text = marked.replace("|", "")
    editor.change(uri, text)
    place = editor.position(uri, marked.index("|"))
    kind = types.CompletionTriggerKind.TriggerCharacter if trigger else types.CompletionTriggerKind.Invoked
    params = types.CompletionParams(
        types.TextDocumentIdentifier(uri), place, context=types.CompletionContext(kind, trigger)
    )
    answer = await answered(editor.client.text_document_completion_async(params))
    assert isinstance(answer, types.CompletionList)
    return {item.label: item for item in answer.items}, text


def taken(editor: Editor, uri: str, item: types.CompletionItem) -> str:
    """The text after a proposal was taken."""
    assert isinstance(item.text_edit, types.TextEdit)
    edit = types.WorkspaceEdit(changes={uri: [item.text_edit]})
    return editor.applied(uri, edit)


# ------------------------------------------------------------------------------------------------ completion


async def test_completion_is_about_the_text_of_the_request(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", SHOP)
    items, _ = await completed(editor, uri, f"{SHOP}SELECT '🛒', o.| FROM orders AS o;", ".")
    assert list(items) == ["id", "user", "amount", "order_time"]
    assert items["amount"].detail == "DECIMAL(12,2)"
    assert taken(editor, uri, items["user"]) == f"{SHOP}SELECT '🛒', o.`user` FROM orders AS o;"
    items, _ = await completed(editor, uri, f"{SHOP}INSERT INTO or|")
    assert list(items) == ["orders"]
    assert taken(editor, uri, items["orders"]) == f"{SHOP}INSERT INTO orders"


async def test_columns_come_before_functions_and_keywords(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", SHOP)
    items, _ = await completed(editor, uri, f"{SHOP}SELECT | FROM orders AS o;")
    ordered = sorted(items.values(), key=lambda item: item.sort_text or "")
    labels = [item.label for item in ordered]
    assert labels[:5] == ["id", "user", "amount", "order_time", "o"]
    assert labels.index("SUM") < labels.index("CASE")


async def test_snippets_come_to_clients_that_take_them(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", SHOP)
    items, _ = await completed(editor, uri, f"{SHOP}SELECT * FROM TABLE(|", "(")
    edit = items["TUMBLE"].text_edit
    assert isinstance(edit, types.TextEdit)
    assert edit.new_text.startswith("TUMBLE(DATA => TABLE ${1:table}, TIMECOL => DESCRIPTOR(${2:time})")
    assert items["TUMBLE"].insert_text_format is types.InsertTextFormat.Snippet


async def test_a_client_without_snippets_gets_plain_text(tmp_path: Path) -> None:
    async with editing(minimal(), tmp_path, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(tmp_path / "shop.sql", SHOP)
        items, _ = await completed(editor, uri, f"{SHOP}SELECT * FROM TABLE(|")
        assert all(item.insert_text_format is None for item in items.values())
        assert taken(editor, uri, items["TUMBLE"]) == f"{SHOP}SELECT * FROM TABLE(TUMBLE("


@pytest.mark.parametrize(
    ("typed", "trigger"),
    [
        ("SELECT SUM(|", "("),
        ("SELECT 'a'| FROM orders", "'"),
        ("SELECT '| FROM orders", "'"),
        ("SELECT `id`| FROM orders", "`"),
        ("SELECT 1.|", "."),
        ("-- orders.|", "."),
    ],
)
async def test_nothing_pops_up_unasked_where_it_is_in_the_way(
    typed: str, trigger: str, editor: Editor, tmp_path: Path
) -> None:
    uri = editor.open(tmp_path / "shop.sql", SHOP)
    items, _ = await completed(editor, uri, f"{SHOP}{typed}", trigger)
    assert items == {}


async def test_options_complete_in_their_quotes(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", SHOP)
    table = "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', '|')"
    items, _ = await completed(editor, uri, f"{SHOP}{table}", "'")
    assert "connector" not in items
    assert taken(editor, uri, items["topic"]) == f"{SHOP}{table.replace('|', 'topic')}"
    # Editors compare what stands in the range with this.
    assert items["topic"].filter_text == "'topic'"


async def test_other_sql_gets_no_help(editor: Editor, tmp_path: Path) -> None:
    text = "SELECT a FROM t;\n"
    uri = editor.open(tmp_path / "other.sql", text)
    document = types.TextDocumentIdentifier(uri)
    place = types.Position(0, 7)
    client = editor.client
    assert await answered(client.text_document_completion_async(types.CompletionParams(document, place))) is None
    assert await answered(client.text_document_signature_help_async(types.SignatureHelpParams(document, place))) is None
    assert not await answered(client.text_document_document_symbol_async(types.DocumentSymbolParams(document)))
    assert not await answered(client.text_document_folding_range_async(types.FoldingRangeParams(document)))
    tokens = await answered(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)))
    assert tokens is not None and list(tokens.data) == []


# ------------------------------------------------------------------------------------------------ signatures


async def test_signature_help_marks_the_argument(editor: Editor, tmp_path: Path) -> None:
    text = f"{SHOP}SELECT COALESCE(id, ROUND(amount,  FROM orders"
    uri = editor.open(tmp_path / "shop.sql", text)
    place = editor.position(uri, text.index("  FROM") + 1)
    found = await answered(
        editor.client.text_document_signature_help_async(
            types.SignatureHelpParams(types.TextDocumentIdentifier(uri), place)
        )
    )
    assert found is not None and found.active_signature is not None
    signature = found.signatures[found.active_signature]
    assert (signature.label, found.active_parameter) == ("ROUND(number[, digits])", 1)
    assert signature.active_parameter == 1
    (_, digits) = signature.parameters or ()
    start, end = digits.label if not isinstance(digits.label, str) else (0, 0)
    assert signature.label[start:end] == "digits"


# ------------------------------------------------------------------------------------------------ the text's parts


async def test_the_outline_has_tables_with_columns_and_inserts_by_sink(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    found = await answered(
        editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(types.TextDocumentIdentifier(uri)))
    )
    table, set_ = found or ()
    assert isinstance(table, types.DocumentSymbol) and isinstance(set_, types.DocumentSymbol)
    assert (table.name, table.kind, editor.text_at(uri, table.selection_range)) == (
        "orders",
        types.SymbolKind.Struct,
        "orders",
    )
    columns = [(column.name, column.detail) for column in table.children or ()]
    assert columns[:3] == [("id", "BIGINT"), ("user", "STRING"), ("amount", "DECIMAL(12, 2)")]
    (insert,) = set_.children or ()
    assert (set_.name, insert.name) == ("STATEMENT SET", "totals")


async def test_a_client_without_levels_gets_a_flat_outline(tmp_path: Path) -> None:
    async with editing(minimal(), tmp_path, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(tmp_path / "shop.sql", PARTS)
        found = await answered(
            editor.client.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
            )
        )
        names = [symbol.name for symbol in found or ()]
        assert names == ["orders", "id", "user", "amount", "order_time", "STATEMENT SET", "totals"]


async def test_statements_and_comments_fold(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    found = await answered(
        editor.client.text_document_folding_range_async(types.FoldingRangeParams(types.TextDocumentIdentifier(uri)))
    )
    lines = PARTS.splitlines()
    folds = {lines[fold.start_line]: (lines[fold.end_line], fold.kind) for fold in found or ()}
    assert folds["-- 🛒 Orders of the shop,"] == ("-- as they come.", types.FoldingRangeKind.Comment)
    assert folds["CREATE TABLE orders ("] == (SHOP.splitlines()[-1], None)
    assert folds["BEGIN STATEMENT SET;"] == ("FROM orders AS o;", None)
    assert folds["INSERT INTO totals"] == ("FROM orders AS o;", None)


async def test_selections_grow(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    place = editor.position(uri, PARTS.index("amount)") + 2)
    (found,) = (
        await answered(
            editor.client.text_document_selection_range_async(
                types.SelectionRangeParams(types.TextDocumentIdentifier(uri), [place])
            )
        )
        or ()
    )
    grown: list[str] = []
    outer: types.SelectionRange | None = found
    while outer is not None:
        grown.append(editor.text_at(uri, outer.range))
        outer = outer.parent
    assert grown[:4] == ["amount", "o.amount", "(o.amount)", "SUM(o.amount)"]
    assert grown[4:6] == ["SUM(o.amount) AS total", "SELECT '🛒' AS icon, SUM(o.amount) AS total"]
    assert grown[-1] == PARTS


# ------------------------------------------------------------------------------------------------ semantic tokens


def decoded(data: list[int], text: str, encoding: Encoding) -> list[tuple[str, str, tuple[str, ...]]]:
    """The texts of the tokens with type and modifiers."""
    assert len(data) % 5 == 0
    lines = text.split("\n")
    found, line, start = [], 0, 0
    for behind, right, length, kind, modifiers in zip(*[iter(data)] * 5, strict=True):
        start = right if behind else start + right
        line += behind
        units = {Encoding.UTF8: "utf-8", Encoding.UTF16: "utf-16-le", Encoding.UTF32: "utf-32-le"}[encoding]
        size = {Encoding.UTF8: 1, Encoding.UTF16: 2, Encoding.UTF32: 4}[encoding]
        token = lines[line].encode(units)[start * size : (start + length) * size].decode(units)
        found.append((token, TYPES[kind], tuple(name for n, name in enumerate(MODIFIERS) if modifiers >> n & 1)))
    return found


async def test_tokens_have_meanings(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    document = types.TextDocumentIdentifier(uri)
    full = await answered(editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)))
    assert full is not None
    tokens = decoded(list(full.data), PARTS, editor.encoding)
    assert tokens[0] == ("-- 🛒 Orders of the shop,", "comment", ())
    assert ("orders", "struct", ("declaration",)) in tokens and ("orders", "struct", ()) in tokens
    assert ("`user`", "property", ("declaration",)) in tokens and ("STRING", "type", ()) in tokens
    assert tokens[-13:-10] == [("'🛒'", "string", ()), ("AS", "keyword", ()), ("icon", "property", ("declaration",))]
    assert ("SUM", "function", ("defaultLibrary",)) in tokens and ("o", "variable", ("declaration",)) in tokens


async def test_the_delta_makes_the_new_tokens_of_the_old_ones(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    document = types.TextDocumentIdentifier(uri)
    client = editor.client
    before = await answered(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)))
    assert before is not None and before.result_id is not None
    editor.replace(uri, "SUM(o.amount)", "MAX(o.amount) + 1")
    params = types.SemanticTokensDeltaParams(document, before.result_id)
    delta = await answered(client.text_document_semantic_tokens_full_delta_async(params))
    assert isinstance(delta, types.SemanticTokensDelta)
    (edit,) = delta.edits
    made = list(before.data)
    made[edit.start : edit.start + edit.delete_count] = edit.data or []
    after = await answered(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)))
    assert after is not None and made == list(after.data) and len(edit.data or []) < len(after.data) / 2
    stale = types.SemanticTokensDeltaParams(document, before.result_id)
    whole = await answered(client.text_document_semantic_tokens_full_delta_async(stale))
    assert isinstance(whole, types.SemanticTokens) and list(whole.data) == list(after.data)


async def test_tokens_of_a_range_are_those_of_the_whole_text(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "shop.sql", PARTS)
    document = types.TextDocumentIdentifier(uri)
    part = "SELECT '🛒' AS icon, SUM(o.amount) AS total"
    params = types.SemanticTokensRangeParams(document, editor.range_of(uri, part))
    found = await answered(editor.client.text_document_semantic_tokens_range_async(params))
    assert found is not None
    assert [token for token, *_ in decoded(list(found.data), PARTS, editor.encoding)] == [
        "SELECT", "'🛒'", "AS", "icon", "SUM", "o", "amount", "AS", "total"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"), [([], [1]), ([1, 2], []), ([1, 1, 1], [1, 1]), ([1, 2, 3], [1, 4, 3]), ([5], [5])]
)
async def test_one_edit_makes_one_list_of_another(before: list[int], after: list[int]) -> None:
    start, gone, new = token_edit(before, after)
    assert [*before[:start], *new, *before[start + gone :]] == after


async def test_help_does_not_wait_for_a_check(repository: GitRepository, tmp_path: Path) -> None:
    """An answer about the text comes while the worker is busy with that very text."""
    job = "INSERT INTO daily SIZE 10 KEYS a,b;\n"
    repository.commit({"daily.flink.sql": job})
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with editing(neovim(), repository.folder, tmp_path / "cache") as editor:
        uri = editor.open(repository.folder / "daily.flink.sql")
        await editor.pushed(uri, 1)
        busy = f"INSERT INTO daily SIZE 10 KEYS a,b WAIT {pipe} ;\n"
        editor.change(uri, busy)
        items, _ = await completed(editor, uri, f"{busy}SEL|")
        assert list(items) == ["SELECT"]
        assert [params.version for params in editor.settled()] == [1]
        pipe.write_bytes(b"")

"""The document store: positions as editors have them, edits as they send them."""

from __future__ import annotations

import random
import sys

import pytest

from keepstate.text import Encoding, Position
from keepstate_lsp.analysis.documents import ContentChange, Document, Documents, path_of, uri_of

URI = "file:///jobs/orders.sql"


def document(text: str) -> Document:
    return Document(URI, "sql", 1, text)


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> ContentChange:
    return ContentChange(Position(*start), Position(*end), text)


@pytest.mark.parametrize(
    ("encoding", "character"),
    [(Encoding.UTF8, 9), (Encoding.UTF16, 7), (Encoding.UTF32, 6)],
    ids=str,
)
def test_an_edit_behind_an_emoji(encoding: Encoding, character: int) -> None:
    before = document("SELECT 1\nAS '🛒', x")
    # The column of the closing quote in each encoding.
    after = before.edited([change((1, character - 1), (1, character - 1), "!")], 2, encoding)
    assert after.text == "SELECT 1\nAS '🛒!', x"
    assert after.version == 2


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c"])
def test_only_three_line_breaks_break_lines(separator: str) -> None:
    before = document(f"-- a{separator}b\nSELECT 1")
    assert before.edited([change((1, 7), (1, 8), "2")], 2, Encoding.UTF16).text == f"-- a{separator}b\nSELECT 2"


def test_line_breaks_of_all_kinds() -> None:
    before = document("a\r\nb\rc\nd")
    after = before.edited([change((3, 0), (3, 1), "D"), change((2, 0), (2, 1), "C")], 2, Encoding.UTF16)
    assert after.text == "a\r\nb\rC\nD"


def test_positions_beyond_the_line_and_the_text_are_clamped() -> None:
    before = document("ab\ncd")
    assert before.edited([change((0, 99), (0, 99), "!")], 2, Encoding.UTF16).text == "ab!\ncd"
    assert before.edited([change((9, 0), (9, 9), "!")], 2, Encoding.UTF16).text == "ab\ncd!"


def test_each_change_refers_to_the_text_that_the_one_before_left() -> None:
    before = document("one\ntwo\n")
    after = before.edited(
        [
            change((0, 0), (0, 0), "zero\n"),
            change((1, 0), (1, 3), "ONE"),
            ContentChange(None, None, "all\n"),
            change((0, 3), (0, 3), "!"),
        ],
        5,
        Encoding.UTF16,
    )
    assert after.text == "all!\n"


def test_random_edits_equal_those_made_one_by_one() -> None:
    """Edits of several cursors are batched; what comes out must be the same as without."""
    chance = random.Random(7)
    alphabet = ["a", "é", "🛒", "\n", "\r\n", "\r", "\u2028", " "]
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(chance.randrange(30)))
        before = document(text)
        one_by_one, changes = before, []
        for _ in range(chance.randrange(1, 5)):
            lines = one_by_one.lines
            ends = sorted(chance.randrange(len(one_by_one.text) + 1) for _ in range(2))
            start, end = (lines.position(offset, Encoding.UTF16) for offset in ends)
            changes.append(
                ContentChange(start, end, "".join(chance.choice(alphabet) for _ in range(chance.randrange(3))))
            )
            one_by_one = one_by_one.edited(changes[-1:], 2, Encoding.UTF16)
        assert before.edited(changes, 2, Encoding.UTF16).text == one_by_one.text


def test_many_cursors_need_one_line_index(monkeypatch: pytest.MonkeyPatch) -> None:
    before = document("SELECT 1;\n" * 2000)
    made = 0
    original = sys.modules["keepstate_lsp.analysis.documents"].LineIndex

    def counted(text: str) -> object:
        nonlocal made
        made += 1
        return original(text)

    monkeypatch.setattr("keepstate_lsp.analysis.documents.LineIndex", counted)
    changes = [change((line, 7), (line, 8), "2") for line in reversed(range(2000))]
    assert before.edited(changes, 2, Encoding.UTF16).text == "SELECT 2;\n" * 2000
    assert made == 1


def test_a_change_of_a_closed_document_is_an_error_of_the_client() -> None:
    documents = Documents()
    documents.open(URI, "sql", 1, "a")
    documents.close(URI)
    with pytest.raises(KeyError):
        documents.change(URI, 2, [])
    assert documents.get(URI) is None


@pytest.mark.skipif(sys.platform == "win32", reason="paths of this system")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///jobs/a%20b%3Bc%23.sql", "/jobs/a b;c#.sql"),
        ("file:///jobs/a;b.sql", "/jobs/a;b.sql"),
        ("file://localhost/jobs/x.sql", "/jobs/x.sql"),
        ("file:///jobs/%C3%A9.sql", "/jobs/é.sql"),
        ("file:///jobs/%E9.sql", "/jobs/\udce9.sql"),
        ("untitled:Untitled-1", None),
        ("git:/jobs/x.sql?ref=HEAD", None),
        ("file://", None),
        ("", None),
    ],
)
def test_paths_of_uris(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


def test_a_uri_made_leads_back(tmp_path: object) -> None:
    path = f"{tmp_path}/späte jobs;#1.sql"
    assert path_of(uri_of(path)) == path


@pytest.mark.parametrize(
    ("uri", "language", "declared"),
    [
        (URI, "sql", False),
        (URI, "flink-sql", True),
        ("file:///jobs/orders.FQL", "plaintext", True),
        ("file:///jobs/orders.flink.sql", "sql", True),
        ("untitled:Untitled-1", "flink-sql", True),
    ],
)
def test_what_name_and_language_say(uri: str, language: str, declared: bool) -> None:
    assert Document(uri, language, 1, "").is_declared_flink is declared

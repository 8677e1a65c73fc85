"""Hover texts, settings, clients, and the documents made for the client to open."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

import keepstate
from editor import minimal, neovim, vscode
from keepstate.report import Clause, Effect, Finding, Verdict
from keepstate.text import Encoding, Span
from keepstate_lsp.analysis.virtual_documents import KEEP_SECONDS, VirtualDocuments
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.config import client_settings
from keepstate_lsp.config.client_settings import Settings, read_settings
from keepstate_lsp.config.severity import LEVELS, PRESETS
from keepstate_lsp.features.hover import escaped
from keepstate_lsp.lsp import convert
from keepstate_lsp.runtime.edition import edition


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("COUNT(*) added", "COUNT(*) added"),
        ("COUNT(*) -> SUM(a * b)", r"COUNT(\*) -> SUM(a \* b)"),
        ("order_id and _private_", r"order_id and \_private\_"),
        ("a < b, <b>bold</b>", r"a < b, \<b>bold\</b>"),
        ("[x](http://example.com)", r"[x\](http://example.com)"),
        ("keep `a * b * c` and `x_`", "keep `a * b * c` and `x_`"),
        ("one ` alone", r"one \` alone"),
        ("# no heading", r"\# no heading"),
        (r"C:\temp and \*", r"C:\temp and \\*"),
        ("&lt; & x", r"\&lt; & x"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("value", "expected", "problems"),
    [
        (None, Settings(), 0),
        ({}, Settings(), 0),
        ({"engine": "vvr", "baseline": " HEAD~2 "}, Settings("vvr", "HEAD~2"), 0),
        ({"baseline": "", "engine": None}, Settings(), 0),
        ({"trace": "verbose"}, Settings(trace="verbose"), 0),
        ({"trace": {"server": "messages"}, "server": {"path": "x"}}, Settings(trace="messages"), 0),
        ({"severity": {"partial": "hint", "window-size-changed": "loud"}}, Settings(severity={"partial": "hint"}), 1),
        ({"severity": {"incompatibel": "off"}}, Settings(severity={"incompatibel": "off"}), 1),
        ({"engine": "spark", "docsUrl": 1, "nonsense": {}}, Settings(), 3),
        ({"preset": "strict", "inlayHints": True}, Settings(preset="strict", inlay_hints=True), 0),
        ({"preset": "loud", "inlayHints": "yes"}, Settings(), 2),
        ({"keepstate": {"baseline": "main", "nonsense": 1}}, Settings(baseline="main"), 1),
        ({"keepstate": None}, Settings(), 0),
        ("HEAD", Settings(), 1),
    ],
)
def test_settings(value: Any, expected: Settings, problems: int) -> None:
    found, sentences = read_settings(value)
    assert found == expected
    assert len(sentences) == problems
    assert all(sentence.startswith("keepstate") for sentence in sentences)


def test_a_key_of_severity_that_is_none_is_named_with_the_one_meant() -> None:
    _, (sentence,) = read_settings({"severity": {"window-size-change": "off"}})
    assert sentence.startswith("keepstate.severity: ") and "did you mean window-size-changed?" in sentence


def finding(rule: str, verdict: Verdict, effect: Effect) -> Finding:
    clause = Clause(Span(0, 1), "x")
    return Finding(rule, (), "job", verdict, effect, "", "", "", "", clause, None, False, None)


def test_rule_before_effect_before_verdict_before_preset() -> None:
    chosen = Settings(severity={"partial": "hint", "aggregate-added": "error", "state-lost": "off"})
    assert chosen.severity_of(finding("aggregate-added", Verdict.PARTIAL, Effect.STARTS_EMPTY)) == "error"
    assert chosen.severity_of(finding("aggregate-changed", Verdict.PARTIAL, Effect.STARTS_EMPTY)) == "hint"
    assert chosen.severity_of(finding("group-key-added", Verdict.INCOMPATIBLE, Effect.STATE_LOST)) == "off"
    assert chosen.severity_of(finding("group-key-added", Verdict.UNKNOWN, Effect.UNDETERMINED)) == "warning"


def test_presets() -> None:
    wrong = finding("group-keys-reordered", Verdict.INCOMPATIBLE, Effect.WRONG_RESULTS)
    reported = {preset: Settings(preset=preset).severity_of(wrong) for preset in PRESETS}
    assert reported == {"results": "error", "strict": "error", "restore": "warning", "advisory": "warning"}
    for preset, levels in PRESETS.items():
        named = {verdict.value for verdict in Verdict}
        assert named <= set(levels) <= named | {effect.value for effect in Effect}, preset
        order = [LEVELS.index(levels[verdict.value]) for verdict in sorted(Verdict, key=lambda one: -one.rank)]
        assert order == sorted(order), f"{preset}: what hurts more is never quieter"


def test_settings_know_the_engines_of_the_analyzer() -> None:
    assert tuple(client_settings.ENGINES) == tuple(keepstate.ENGINES)


def test_clients() -> None:
    code = convert.profile(types.InitializeParams(vscode()))
    assert code.encoding is Encoding.UTF16 and code.pulls_diagnostics and code.compares and code.reads_baseline_scheme
    assert code.resolves_edits and code.takes_versioned_edits and code.links_codes and code.refreshes_lenses
    vim = convert.profile(types.InitializeParams(neovim()))
    assert vim.encoding is Encoding.UTF8 and not vim.pulls_diagnostics and not vim.compares
    assert vim.resolves_edits and not vim.takes_versioned_edits and vim.shows_documents and vim.reads_markdown
    least = convert.profile(types.InitializeParams(minimal()))
    assert least == type(least)()


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-32", "utf-8"], Encoding.UTF32),
        (["utf-7", "utf-8"], Encoding.UTF8),
        (["utf-7"], Encoding.UTF16),
        ([], Encoding.UTF16),
    ],
)
def test_the_first_encoding_of_the_client_that_is_known(offered: list[str], chosen: Encoding) -> None:
    capabilities = types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=offered))
    assert convert.profile(types.InitializeParams(capabilities)).encoding is chosen


def baseline(text: str, path: str = "jobs/a b.sql", blob: str | None = "c0ffee" + "0" * 34) -> Baseline:
    return Baseline(HEAD, None, path, text, blob, "HEAD (0000000)")


def test_copies_are_written_once_and_tidied_after_a_week(tmp_path: Path) -> None:
    virtual_documents = VirtualDocuments(tmp_path / "cache")
    uri = virtual_documents.baseline(baseline("SELECT 'é';\r\n"))
    assert uri is not None and uri.endswith("/baselines/a_b.c0ffee000000.sql")
    (copy,) = (tmp_path / "cache" / "baselines").iterdir()
    assert copy.read_bytes() == "SELECT 'é';\r\n".encode()
    assert (
        virtual_documents.holds(str(copy))
        and not virtual_documents.holds(str(tmp_path / "a.sql"))
        and not virtual_documents.holds(None)
    )
    os.utime(copy, (0, 0))
    # Another server that is given the same text keeps the copy alive.
    assert VirtualDocuments(tmp_path / "cache").baseline(baseline("SELECT 'é';\r\n")) == uri
    VirtualDocuments(tmp_path / "cache").tidy()
    assert copy.exists()
    VirtualDocuments(tmp_path / "cache").tidy(time.time() + KEEP_SECONDS + 60)
    assert not copy.exists()


def test_a_copy_that_a_power_cut_left_empty_is_written_again(tmp_path: Path) -> None:
    assert VirtualDocuments(tmp_path / "cache").baseline(baseline("SELECT 1;")) is not None
    (copy,) = (tmp_path / "cache" / "baselines").iterdir()
    copy.chmod(0o600)
    copy.write_bytes(b"")
    assert VirtualDocuments(tmp_path / "cache").baseline(baseline("SELECT 1;")) is not None
    assert [path.read_bytes() for path in copy.parent.iterdir()] == [b"SELECT 1;"]


def test_what_a_killed_server_left_of_a_command_goes_after_a_week(tmp_path: Path) -> None:
    virtual_documents = VirtualDocuments(tmp_path)
    left = virtual_documents.run_folder()
    (left / "temporary" / "blocks").mkdir(parents=True)
    virtual_documents.tidy()
    assert left.exists()
    virtual_documents.tidy(time.time() + KEEP_SECONDS + 60)
    assert not left.exists()


def test_no_copy_where_none_can_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    virtual_documents = VirtualDocuments(tmp_path / "cache")
    assert (
        virtual_documents.baseline(baseline("x")) is None
        and virtual_documents.rule_page("r", "1", lambda: "page") is None
    )
    assert caplog.text.count("cannot keep copies") == 1


def test_a_rule_page_is_made_once_for_each_edition_of_the_rules(tmp_path: Path) -> None:
    made: list[str] = []

    def uri_of_page(edition: str) -> str | None:
        def make() -> str:
            made.append(edition)
            return f"# page of {edition}"

        return VirtualDocuments(tmp_path).rule_page("filter-changed", edition, make)

    uris = [uri_of_page(edition) for edition in ("1", "1", "2", "1")]
    assert made == ["1", "2"]
    assert uris[0] == uris[1] == uris[3] != uris[2]
    assert [path.read_text() for path in sorted(tmp_path.rglob("*.md"))] == ["# page of 1", "# page of 2"]


def test_an_empty_rule_page_is_made_again(tmp_path: Path) -> None:
    for page in ("", "# page"):
        VirtualDocuments(tmp_path).rule_page("filter-changed", "1", partial(str, page))
    assert [path.read_text() for path in tmp_path.rglob("*.md")] == ["# page"]
    assert VirtualDocuments(tmp_path).rule_page("no-such-rule", "1", lambda: None) is None


def test_an_edition_follows_the_files_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "pages" / "__pycache__").mkdir(parents=True)
    editions = [edition(tmp_path)]
    for path, text in (("page.md", "a"), ("pages/page.md", "a"), ("page.md", "ab")):
        (tmp_path / path).write_text(text)
        editions.append(edition(tmp_path))
    assert len(set(editions)) == len(editions)
    (tmp_path / "pages" / "__pycache__" / "code.pyc").write_text("x")
    assert edition(tmp_path) == editions[-1]
    (tmp_path / "pages" / "page.md").unlink()
    assert edition(tmp_path) not in editions


def test_baselines_in_memory(tmp_path: Path) -> None:
    virtual_documents = VirtualDocuments(tmp_path / "cache", in_memory=True)
    uri = virtual_documents.baseline(baseline("one", "jobs/späte.sql"))
    assert uri == "keepstate-baseline:///c0ffee000000/sp%C3%A4te.sql"
    assert (
        virtual_documents.text(uri) == "one"
        and virtual_documents.text("keepstate-baseline:/c0ffee000000/sp%C3%A4te.sql") == "one"
    )
    assert virtual_documents.text("keepstate-baseline:///x/y.sql") is None
    for number in range(300):
        virtual_documents.baseline(baseline(str(number), blob=None))
    assert virtual_documents.text(uri) is None
    assert not (tmp_path / "cache").exists()

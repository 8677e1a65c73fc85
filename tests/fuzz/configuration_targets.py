"""Configurations by people and clients: keepstate.toml, ledgers, settings of editors, baselines."""

from __future__ import annotations

import json
from pathlib import Path

from fuzz_target import Target, text_of
from keepstate.text import apply_edits
from keepstate_lsp.baselines import BaselineSpec, BaselineSpecError
from keepstate_lsp.baselines.decoding import decode
from keepstate_lsp.config.acceptance_file import AcceptanceFile, AcceptanceFileError, entry_spans, without_entry
from keepstate_lsp.config.client_settings import read_settings
from keepstate_lsp.config.file import Configuration, ConfigurationError, Fault
from keepstate_lsp.files.toml_places import toml_places

_PATH = Path("/somewhere/keepstate.toml")
_CONFIGURATION = """\
files = ["jobs/**/*.sql"]
baseline = "merge-base:origin/main"
engine = "vvr"
engine-version = "vvr-11.1-flink-1.20"
fail-on = "unknown"
preset = "strict"
severity = { incompatible = "error", 'filter-added' = "off" }

[parameters]
"table.exec.state.ttl" = "1 d"
table.exec.mini-batch.enabled = true

[[job]]
files = ["jobs/revenue.sql"]
baseline = "deployed:production"
[job.parameters]
"a" = \"\"\"multi
line\"\"\"
"""
_LEDGER = """\
[[accepted]]
rule = "window-size-changed"
key = "0123456789abcdef"
because = "it's agreed"
until = 2026-12-31

# said
[[accepted]]
rule = "filter-added"
key = "fedcba9876543210"
because = "😀"
"""
_SETTINGS = '{"keepstate": {"preset": "strict", "severity": {"partial": "off"}, "baseline": "HEAD", "engine": "flink"}}'
_WORDS = tuple(
    """[ ] [[ ]] { } = ' " \"\"\" \'\'\' # . - \\ \\u0000 job true 1e999 nan 2026-12-31 99999999999999999999
    severity parameters files * ** .. / file: tag: null""".split()
)


def read_a_configuration(data: bytes) -> None:
    """A configuration, or an error whose place lies in the text."""
    text = text_of(data)
    for path in (_PATH, _PATH.with_name("pyproject.toml")):
        try:
            configuration = Configuration.parse(path, text, path.name)
        except ConfigurationError as error:
            _check_fault(error.fault, text)
            continue
        if configuration is not None:
            configuration.job_config(path.parent / "jobs" / "revenue.sql")
            configuration.baseline_of(path.parent / "jobs" / "revenue.sql")
    for place in toml_places(text).values():
        assert 0 <= place.start <= place.end <= len(text)


def read_a_ledger(data: bytes) -> None:
    """Entries that can be taken out one by one, or an error whose place lies in the text."""
    text = text_of(data)
    try:
        ledger = AcceptanceFile.parse(_PATH, text)
    except AcceptanceFileError as error:
        _check_fault(error.fault, text)
        return
    spans = entry_spans(text)
    assert len(spans) == len(ledger.acceptances)
    for span in spans:
        left = AcceptanceFile.parse(_PATH, apply_edits(text, [without_entry(text, span)]))
        assert len(left.acceptances) == len(ledger.acceptances) - 1


def read_settings_of_a_client(data: bytes) -> None:
    """Valid settings of a client hold, and a sentence reports each invalid one."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = text_of(data)
    _, problems = read_settings(value)
    assert all(isinstance(problem, str) and problem for problem in problems)


def read_the_name_of_a_baseline(data: bytes) -> None:
    """A specification that says its text, or an error."""
    text = text_of(data)
    try:
        spec = BaselineSpec.parse(text, Path("/somewhere"))
    except BaselineSpecError:
        return
    assert str(spec)


def decode_a_file(data: bytes) -> None:
    """Any bytes are a text, or no text for a reason."""
    text = decode(data)
    assert isinstance(text, str) or text.fault


def _check_fault(fault: Fault | None, text: str) -> None:
    assert fault is None or fault.span.end <= len(text)


TARGETS = (
    Target("configurations", read_a_configuration, lambda: [_CONFIGURATION.encode()], _WORDS),
    Target("ledgers", read_a_ledger, lambda: [_LEDGER.encode()], _WORDS),
    Target("settings", read_settings_of_a_client, lambda: [_SETTINGS.encode()], _WORDS),
    Target(
        "baselines",
        read_the_name_of_a_baseline,
        lambda: [b"HEAD~2", b"merge-base:origin/main", b"tag:v*", b"deployed:x", b"file:../x.sql"],
        _WORDS,
    ),
    Target("files", decode_a_file, lambda: [b"SELECT 1", "SELECT '\u00e9'".encode("utf-16"), b"\xef\xbb\xbfx"], _WORDS),
)

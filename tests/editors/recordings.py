"""Recordings of an editor while the edits of ``keystrokes`` were typed into it, each into a file of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from keepstate import JobVersion, check
from keepstate_lsp.analysis.typing_hold import PAUSE
from keepstate_lsp.features.arrows import with_arrows
from keystrokes import EDITS, JOB, edited, keystrokes
from night import by_night
from repositories import GitRepository

TYPED = by_night(tuple(EDITS), tuple(EDITS)[::4])
"""The edits that an editor types: by day some, since ``lsp/test_typing.py`` types all of them to a server."""
_HICCUP = PAUSE / 2
"""Seconds between two keys for which a busy editor may make the server wait as long as ends an edit."""
RECORDER = Path(__file__).with_name("recorder.py")


def committed(repository: GitRepository) -> None:
    """A file with the job for each edit."""
    repository.commit({file_name(name): JOB for name in TYPED})


def file_name(name: str) -> str:
    return f"{''.join(letter if letter.isalpha() else '_' for letter in name)}.sql"


def plan(folder: Path) -> list[dict[str, Any]]:
    """The edits with the places of their keys, as editors count them, and the findings to wait for."""
    return [
        {
            "file": str(folder / file_name(name)),
            "keys": list(_keys(name)),
            "codes": sorted({code for code, _ in finished(name)}),
        }
        for name in TYPED
    ]


def _keys(name: str) -> Iterator[dict[str, Any]]:
    """The keys of an edit, each at its line and column in the text that the keys before it left, from 0."""
    text = JOB
    for key in keystrokes(name):
        before = text[: key.offset]
        column = len(before) - before.rfind("\n") - 1
        yield {"line": before.count("\n"), "column": column, "deleted": key.deleted, "typed": key.typed}
        text = key.applied(text)


def finished(name: str) -> set[tuple[str, str]]:
    """The rules and sentences of the finished edit."""
    report = check(JobVersion(edited(name)), JobVersion(JOB))
    return {(finding.rule, with_arrows(finding.message)) for finding in report.findings}


def assert_only_finished_findings(record: Path) -> None:
    """Each diagnostic that came while an edit was typed is of a rule that the finished edit has.

    A busy editor may pause between two keys for as long as ends an edit. Findings that come then may stay.
    """
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    for name in TYPED:
        answers = [line for line in lines if unquote(line["uri"]).endswith(f"/{file_name(name)}")]
        assert answers, name
        expected = finished(name)
        allowed = {code for code, _ in expected}
        for answer in answers:
            codes = {code for code, _ in answer["diagnostics"]}
            if answer["pause"] >= _HICCUP:
                allowed |= codes
            assert codes <= allowed, name
        assert {(code, message) for code, message in answers[-1]["diagnostics"]} == expected, name

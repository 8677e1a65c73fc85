"""Renames in words: the edits, and the price of the new name, before anything is applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate.report import Finding, Report, Verdict
from keepstate.text import Edit
from keepstate_lsp.analysis.labels import VERDICT_WORDS, count

if TYPE_CHECKING:
    from keepstate import Rename


@dataclass(frozen=True)
class Renaming:
    """A rename with its ``label`` for one line and a ``description`` of what becomes of the state; empty where nothing
    was compared.
    """

    edits: Mapping[str, tuple[Edit, ...]]
    """By the URI of their file."""
    label: str
    description: str = ""
    is_costly: bool = False
    """The verdict falls, there is a finding more, or a connector reads or writes another field."""


def renaming(
    renamed: Rename, edits: Mapping[str, tuple[Edit, ...]], before: Report | None, after: Report | None
) -> Renaming:
    """The words for a rename with its edits by file; ``before`` and ``after`` are the reports of the job without and
    with it.

    >>> from keepstate.api import JobVersion, check
    >>> from keepstate.names.renames import rename
    >>> from keepstate.syntax.script import parse_script
    >>> text = "CREATE TABLE t (a INT); SELECT a FROM t"
    >>> new = rename(parse_script(text), text.index("a INT"), "amount")
    >>> report = check(JobVersion(text), JobVersion(text))
    >>> renaming(new, {"file:///job.sql": new.edits}, report, report).label
    'Rename t.a to amount: compatible'
    """
    label = f"Rename {renamed.name.words} to {renamed.new_name}"
    if len(edits) > 1:
        label += f" in {len(edits)} files"
    sentences = [f"The connector then reads or writes the field {renamed.new_name}"] if renamed.is_field else []
    if before is None or after is None:
        return Renaming(edits, label, ". ".join(sentences))
    new_findings = _new_findings(before, after)
    if new_findings:
        sentences.insert(0, _first_of(new_findings))
    elif after.verdict.rank <= before.verdict.rank:
        sentences.insert(0, "No state is affected" if after.verdict is Verdict.COMPATIBLE else "As with the old name")
    is_costly = renamed.is_field or bool(new_findings) or after.verdict.rank > before.verdict.rank
    return Renaming(edits, f"{label}: {VERDICT_WORDS[after.verdict]}", ". ".join(sentences), is_costly)


def _first_of(findings: list[Finding]) -> str:
    more = f", and {count(len(findings) - 1, 'more finding')}" if len(findings) > 1 else ""
    return findings[0].message + more


def _new_findings(before: Report, after: Report) -> list[Finding]:
    """The findings that a rename brings: more of a rule and a verdict than there were, the worst first."""
    counts = Counter((finding.rule, finding.verdict) for finding in before.findings)
    new_findings: list[Finding] = []
    for finding in after.findings:
        counts[finding.rule, finding.verdict] -= 1
        if counts[finding.rule, finding.verdict] < 0 and finding.verdict is not Verdict.COMPATIBLE:
            new_findings.append(finding)
    return sorted(new_findings, key=lambda finding: -finding.verdict.rank)

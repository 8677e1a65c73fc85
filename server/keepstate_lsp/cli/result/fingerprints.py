"""Names of findings that stay the same while a file is reformatted and its clauses move."""

from __future__ import annotations

import hashlib
from collections import Counter

from keepstate_lsp.analyzer import finding_key
from keepstate_lsp.cli.result.file_result import FileResult


def fingerprints(comparison: FileResult) -> list[str]:
    """One for each finding, different within the file: the key of the change, and a number for one made twice."""
    if comparison.report is None:
        return []
    counts: Counter[str] = Counter()
    names = []
    for finding in comparison.report.findings:
        key = finding.key or finding_key(finding)
        counts[key] += 1
        names.append(f"{key}:{counts[key]}")
    return names


def digest(*parts: str) -> str:
    """One name for several parts that identify a finding only together."""
    return hashlib.blake2s("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

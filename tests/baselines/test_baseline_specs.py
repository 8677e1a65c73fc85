"""The syntax of baselines."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate_lsp.baselines import BaselineSpec, BaselineSpecError, SpecKind


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("HEAD", SpecKind.REVISION, "HEAD"),
        ("HEAD~3^2", SpecKind.REVISION, "HEAD~3^2"),
        ("feature/a-b", SpecKind.REVISION, "feature/a-b"),
        ("main@{2 days ago}", SpecKind.REVISION, "main@{2 days ago}"),
        ("main@{2024-01-01 12:00:00}", SpecKind.REVISION, "main@{2024-01-01 12:00:00}"),
        ("release-1.0.1", SpecKind.REVISION, "release-1.0.1"),
        ("HEAD^{/wait ... and see}", SpecKind.REVISION, "HEAD^{/wait ... and see}"),
        ("merge-base:origin/main", SpecKind.MERGE_BASE, "origin/main"),
        ("tag:v*", SpecKind.TAG, "v*"),
        ("deployed", SpecKind.DEPLOYED, "production"),
        ("deployed:eu-1.staging", SpecKind.DEPLOYED, "eu-1.staging"),
        ("file:a b.sql", SpecKind.FILE, str(Path("/jobs/a b.sql"))),
        ("plan:p.json", SpecKind.PLAN, str(Path("/jobs/p.json"))),
        ("file:c:d.sql", SpecKind.FILE, str(Path("/jobs/c:d.sql"))),
    ],
)
def test_kinds(written: str, kind: SpecKind, value: str) -> None:
    spec = BaselineSpec.parse(written, Path("/jobs"))
    assert (spec.kind, spec.value, str(spec)) == (kind, value, written)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("deployed:", "lacks"),
        ("deployed:a/b", "no environment"),
        ("deployed:-x", "no environment"),
        ("deployed:x..y", "no environment"),
        ("v1.0..HEAD", "a range and no revision. Did you mean v1.0?"),
        ("origin/main...", "a range and no revision. Did you mean merge-base:origin/main?"),
        ("merge-base:v1..v2", "a range and no revision. Did you mean v1?"),
        ("...HEAD", "a range and no revision."),
        ("tags:v*", "no known kind"),
        ("mergebase:main", "no known kind"),
        ("merge-base:", "lacks"),
        ("tag:", "lacks"),
        ("--output=x", "dash"),
        ("merge-base:--all", "dash"),
        ("tag:-x", "dash"),
        (":/message", "colon"),
        ("v1.0:jobs/a.sql", "colon"),
        ("HEAD\nHEAD", "control character"),
    ],
)
def test_what_is_none_says_why(written: str, says: str) -> None:
    with pytest.raises(BaselineSpecError, match=says):
        BaselineSpec.parse(written)

"""The hint at the commit at which a branch began."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.baselines import HEAD, BaselineReader, BaselineSpec, NoBaseline
from keepstate_lsp.cli.run.run_settings import RunSettings


def branch_hint(settings: RunSettings, reader: BaselineReader) -> str | None:
    """A hint for a person without changes since HEAD: the commit at which the branch began."""
    cwd = Path.cwd()
    if not settings.is_at_desk or settings.spec(cwd) != HEAD:
        return None
    repository = reader.repository(cwd, HEAD)
    branch = None if isinstance(repository, NoBaseline) else repository.default_branch()
    if isinstance(repository, NoBaseline) or branch is None:
        return None
    spec = BaselineSpec.parse(f"merge-base:{branch}")
    start, head = repository.commit(spec), repository.commit(HEAD)
    if isinstance(start, NoBaseline) or isinstance(head, NoBaseline) or start.id == head.id:
        return None
    return f"This branch left {branch} at {start.short}: keepstate check --against {spec} compares with that."

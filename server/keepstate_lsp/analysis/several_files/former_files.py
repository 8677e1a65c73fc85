"""The baseline of a document that is new, as a part of a job of several files that is not."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.analysis.several_files.repository_files import RepositoryFiles
from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline, SpecKind
from keepstate_lsp.baselines.baseline import KnownJob
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.links import own_path
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import WORK_TREE
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.jobs.former_scripts import former_last, with_pointer_of
from keepstate_lsp.jobs.named_files import folder_of


def former_of_new(
    path: Path, text: str, spec: BaselineSpec, config: JobConfig, baselines: BaselineReader, files: RepositoryFiles
) -> Baseline | None:
    """The former last file of the first job that has the new file at ``path``; ``None`` where there is none."""
    repository = baselines.repository(path.parent, spec)
    if isinstance(repository, NoBaseline) or config.source is None or not config.source.scripts:
        return None
    try:
        job = _known_job(path, spec, config, repository, files)
    except GitFailure:
        # What git says of the file itself stands.
        return None
    baseline = None if job is None else baselines.read(path, spec, current=text, known_job=job)
    return baseline if isinstance(baseline, Baseline) else None


def _known_job(
    path: Path, spec: BaselineSpec, config: JobConfig, repository: Repository, files: RepositoryFiles
) -> KnownJob | None:
    root = repository.folders.work_tree
    own = own_path(root, path)
    is_deployed = spec.kind is SpecKind.DEPLOYED
    commit = None if is_deployed else repository.commit(spec, WORK_TREE)
    if own is None or config.source is None or isinstance(commit, NoBaseline):
        return None
    files.load(repository, None if commit is None else commit.id)
    current = files.current(root)
    revision = None if commit is None else files.at_commit(root, commit.id)
    if current is None:
        return None
    names = current.names.with_paths([own])
    for several in config.source.scripts:
        if own in names.script_paths(several, folder_of(config, root)):
            former = None if revision is None else former_last(several, config.source, revision.names)
            if former is not None or is_deployed:
                return KnownJob(several.name, former, with_pointer_of(several, own) if is_deployed else None)
    return None

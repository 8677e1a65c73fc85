"""The folder of a cutover plan: pages and scripts that go into a merge request."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.cli.commands.cutover.cutover_document import plan_document
from keepstate_lsp.cli.commands.cutover.cutover_page import plan_page
from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan
from keepstate_lsp.cli.commands.cutover.timeline import timeline
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.formats.json import pretty
from keepstate_lsp.files.plan_folders import DOCUMENT, PAGE, TIMELINE
from keepstate_lsp.reporting.cutover_folder import FolderRefused, write_plan


def write_folder(folder: Path, cutover: NamedPlan) -> list[str]:
    """Write the plan into a folder, which is made, and return the names of its files.

    Raises:
        CommandError: the folder holds other things, or cannot be written.
    """
    files = {PAGE: plan_page(cutover).encode(), DOCUMENT: pretty(plan_document(cutover))}
    if cutover.needs_cutover and cutover.plan.exists:
        files[TIMELINE] = timeline(cutover).encode()
    files |= {script.name: script.text.encode() for script in cutover.plan.scripts}
    try:
        write_plan(folder, files)
    except FolderRefused as refused:
        raise CommandError(refused.sentence, refused.hint) from refused
    return list(files)

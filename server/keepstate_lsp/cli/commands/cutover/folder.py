"""The folder of a cutover plan: pages and scripts that go into a merge request."""

from __future__ import annotations

from pathlib import Path

from keepstate.cutover.plans import BOOTSTRAP, CLEAN, NEW, SHADOW
from keepstate_lsp.cli.commands.cutover.document import plan_document
from keepstate_lsp.cli.commands.cutover.made import MadePlan
from keepstate_lsp.cli.commands.cutover.page import PAGE, TIMELINE, plan_page
from keepstate_lsp.cli.commands.cutover.timeline import timeline
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.formats.json import pretty
from keepstate_lsp.files.atomic_files import write_whole

DOCUMENT = "plan.json"


def write_folder(folder: Path, made: MadePlan) -> list[str]:
    """Write the plan into a folder, which is made, and return the names of its files.

    Raises:
        CommandError: the folder holds other things, or cannot be written.
    """
    files = {PAGE: plan_page(made).encode(), DOCUMENT: pretty(plan_document(made))}
    if made.needs_cutover and made.plan.exists:
        files[TIMELINE] = timeline(made).encode()
    files |= {script.name: script.text.encode() for script in made.plan.scripts}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / DOCUMENT).is_file():
            raise CommandError(f"{folder} holds other files, and no plan.", "Name a folder that is empty or new.")
        for name, content in files.items():
            write_whole(folder / name, content)
        for name in _SCRIPTS - set(files):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
    return list(files)


_SCRIPTS = frozenset({NEW, CLEAN, SHADOW, BOOTSTRAP, TIMELINE})
"""Files of plans: those that a former plan left are taken away."""

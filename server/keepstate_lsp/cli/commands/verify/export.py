"""A pair for a report: both versions with names and words replaced, and what was measured and predicted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from keepstate_flink.cluster import is_followed
from keepstate_lsp.cli.commands.verify.measuring import ScriptPair
from keepstate_lsp.cli.commands.verify.predictions import prediction
from keepstate_lsp.cli.commands.verify.verify_document import Verification, job_object
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.formats.json import pretty
from keepstate_lsp.files.atomic_files import write_whole

BASELINE, CURRENT, MEASURED = "baseline.sql", "current.sql", "measured.json"
_OF_JOBS = ("measured", "predicted", "agrees")


def export(folder: Path, pair: ScriptPair, verification: Verification) -> None:
    """Write the pair and the outcomes of ``verification`` into a folder, which is made; rows and names of the job stay
    here.

    Raises:
        CommandError: the folder cannot be written.
    """
    import keepstate

    was, now = keepstate.anonymous([pair.baseline.text, pair.current.text])
    exported = ScriptPair(replace(pair.current, text=now), replace(pair.baseline, text=was))
    jobs = [{key: job_object(job)[key] for key in _OF_JOBS} for job in verification.jobs]
    # Others may be addresses and keys.
    parameters = {
        side: {key: value for key, value in version.parameters.items() if is_followed(key)}
        for side, version in (("current", pair.current), ("baseline", pair.baseline))
    }
    measured = {"flink": verification.flink, "rows": verification.rows or None, "jobs": jobs, "parameters": parameters}
    files = {BASELINE: was.encode(), CURRENT: now.encode(), MEASURED: pretty(measured)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
    tell(f"{folder} has the pair with other names: look at it before you show it to others.")
    if pair.current.functions:
        tell("The signatures of functions are not in it: add them if the report needs them.")
    predicted = [prediction(each.current, each.baseline, verification.flink).effect for each in (exported, pair)]
    if predicted[0] is not predicted[1]:
        tell("With the other names the prediction is another one: say so in the report.")

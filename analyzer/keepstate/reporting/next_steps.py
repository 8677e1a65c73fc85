"""Next steps after a report that is not all compatible: decisions, and settings for each platform.

The names of settings depend on the version of the engine: Flink 1.20 renamed those of the recovery, and still accepts
the former ones. An unknown version gets the names of today, with the former ones beside them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from keepstate.report import Effect, Verdict
from keepstate.reporting.accept_command import AcceptCommand

_FLINK = re.compile(r"(?:^|flink-)(?P<major>[12])\.(?P<minor>\d+)")
_TAME = re.compile(r"[\w@%+=:,./ -]+")
"""Paths that may stand in a command between backticks."""
_RENAMED = (1, 20)
_STOP_JOB = (1, 17)
_PLATFORMS = {
    "vvr": ("realtime-compute", "sql-client", "kubernetes-operator"),
    "flink": ("sql-client", "kubernetes-operator"),
}
"""By engine, the likeliest first. What judges by the vendor's rules may run elsewhere all the same."""


@dataclass(frozen=True)
class Guide:
    """The steps on one platform, or (``any``) whatever the platform. ``brief`` is all of it in one line; ``commands``
    are text in ``language`` (``sql`` or ``yaml``), to be filled in where ``<...>`` stands.
    """

    platform: str
    title: str
    brief: str
    steps: tuple[str, ...]
    commands: str = ""
    language: str = ""
    accept: tuple[str, ...] = ()
    """The words of the command that lets findings stand, or the comment, where that is one of the ways."""

    @property
    def json(self) -> dict[str, Any]:
        return {
            "platform": self.platform,
            "title": self.title,
            "steps": list(self.steps),
            "commands": self.commands or None,
            "language": self.language or None,
        }


def next_steps(
    engine: str,
    engine_version: str | None,
    verdict: Verdict,
    effects: Collection[Effect] = (),
    path: str | None = None,
    *,
    accepted: bool = False,
    command: AcceptCommand | None = None,
) -> tuple[Guide, ...]:
    """The next steps for a job with this verdict; none if it is compatible. ``effects`` are those of its findings,
    ``path`` is its file, and ``accepted`` says that every finding that costs state was accepted; ``command`` accepts
    them (default: the command for the file).

    >>> [guide.platform for guide in next_steps("vvr", None, Verdict.INCOMPATIBLE)]
    ['any', 'realtime-compute', 'sql-client', 'kubernetes-operator', 'any']
    >>> next_steps("vvr", None, Verdict.COMPATIBLE)
    ()
    """
    if verdict is Verdict.COMPATIBLE:
        return ()
    names = _Names.of(engine_version)
    platforms = {
        "realtime-compute": _REALTIME_COMPUTE[verdict],
        "sql-client": _sql_client(verdict, names),
        "kubernetes-operator": _KUBERNETES[verdict],
    }
    return (
        _decision(verdict, effects, path, None if accepted else command or AcceptCommand(path)),
        *(platforms[name] for name in _PLATFORMS.get(engine, _PLATFORMS["flink"])),
        _traps(names),
    )


@dataclass(frozen=True)
class _Names:
    """The names of settings in a version of Flink; ``note`` has former names, for versions that may be older."""

    path: str = "execution.state-recovery.path"
    ignore: str = "execution.state-recovery.ignore-unclaimed-state"
    claim: str = "execution.state-recovery.claim-mode"
    stops_jobs: bool = True
    note: str = ""

    @staticmethod
    def of(engine_version: str | None) -> _Names:
        match = _FLINK.search(engine_version or "")
        if match is None:
            return _Names(note="-- before Flink 1.20: execution.savepoint.path\n")
        version = (int(match["major"]), int(match["minor"]))
        if version >= _RENAMED:
            return _Names()
        return _Names(
            "execution.savepoint.path",
            "execution.savepoint.ignore-unclaimed-state",
            "execution.savepoint-restore-mode",
            version >= _STOP_JOB,
        )

    @property
    def stop(self) -> str:
        return "STOP JOB '<job id>' WITH SAVEPOINT;" if self.stops_jobs else "-- in a shell: bin/flink stop <job id>"


def _decision(verdict: Verdict, effects: Collection[Effect], path: str | None, command: AcceptCommand | None) -> Guide:
    file = shlex.quote(path) if path is not None and _TAME.fullmatch(path) else "FILE"
    accept = () if command is None else (command.sentence(),)
    acceptances = () if command is None else command.words() if command.has_ledger else (command.comment(),)
    mark = f"After the deployment: `keepstate deployed mark {file}`."
    plan = f"`keepstate cutover {file}`"
    if verdict is Verdict.PARTIAL:
        return Guide(
            "any",
            "Decide",
            "Take a savepoint, then restart from it: what is named above counts from the restart, the rest goes on.",
            (
                "Take a savepoint before the restart: it is the way back.",
                "Restart from it. What is named in the findings counts from the restart, the rest goes on.",
                "To keep the figures exact from the first row, let what is new run as a job of its own, or deploy as "
                f"{plan} says.",
                *accept,
                mark,
            ),
            accept=acceptances,
        )
    if verdict is Verdict.UNKNOWN:
        return Guide(
            "any",
            "Decide",
            "Try it on a copy first: the new SQL with other sinks, from a savepoint of the running job.",
            (
                "Try it on a copy: the new SQL with other sinks, started from a savepoint of the running job.",
                "Compare the figures of both. That the copy starts proves little.",
                *accept,
                mark,
            ),
            accept=acceptances,
        )
    quiet = {Effect.STATE_LOST, Effect.WRONG_RESULTS} & set(effects)
    warning = ("The restart may succeed all the same: that the job runs does not mean that its figures are right.",)
    return Guide(
        "any",
        "Decide",
        "Take the change back, plan a cutover (keepstate cutover), or start without state and accept it.",
        (
            *(warning if quiet else ()),
            "To keep the state: take the change back, or apply an offered fix.",
            f"To lose no result: {plan} plans how the new SQL takes over, at a boundary between windows or beside the "
            "running job.",
            "To do without the state: start fresh, as below.",
            *accept,
            mark,
        ),
        accept=acceptances,
    )


_CONSOLE = "Realtime Compute console"
_REALTIME_COMPUTE = {
    Verdict.INCOMPATIBLE: Guide(
        "realtime-compute",
        _CONSOLE,
        "start in Initial Mode; Resume Mode would hand the former state to the new SQL.",
        (
            "Create a savepoint of the running deployment, then cancel it: the savepoint is the way back.",
            "Deploy the new draft. In the Start Job panel choose Initial Mode, and the start time of the sources if "
            "they shall read the past again. Resume Mode would hand the former state to the new SQL.",
            "By API: `restoreStrategy.kind` is `NONE`, not `LATEST_STATE`.",
        ),
    ),
    Verdict.PARTIAL: Guide(
        "realtime-compute",
        _CONSOLE,
        "start in Resume Mode, and let it detect the State Compatibility before.",
        (
            "Create a savepoint of the running deployment, then cancel it.",
            "Deploy the new draft. In the Start Job panel choose Resume Mode, and let it detect the State "
            "Compatibility: it should say partially compatible.",
        ),
    ),
    Verdict.UNKNOWN: Guide(
        "realtime-compute",
        _CONSOLE,
        "in Resume Mode let it detect the State Compatibility, and start only what it calls compatible.",
        (
            "Create a savepoint of the running deployment: it is the way back.",
            "In the Start Job panel of the new draft choose Resume Mode and let it detect the State Compatibility. Go "
            "on only with what it calls compatible.",
        ),
    ),
}


def _sql_client(verdict: Verdict, names: _Names) -> Guide:
    title = "Flink SQL client or gateway"
    if verdict is Verdict.INCOMPATIBLE:
        return Guide(
            "sql-client",
            title,
            f"{names.stop} RESET '{names.path}'; and the new SQL.",
            (
                "Stop the job with a savepoint, which is the way back, and submit the new SQL with no path set: a path "
                "of an earlier statement still holds.",
            ),
            f"{names.stop}\n{names.note}RESET '{names.path}';\n-- the new SQL",
            "sql",
        )
    stop = names.stop
    brief = f"{stop} SET '{names.path}' = '<savepoint path>'; and the new SQL."
    steps: tuple[str, ...] = (
        "Stop the job with a savepoint; the answer is its path. RESET, or the next job would start from it too.",
    )
    if verdict is Verdict.UNKNOWN:
        stop = "-- in a shell, the job goes on: bin/flink savepoint <job id> <folder>"
        brief = f"bin/flink savepoint <job id> <folder>, then SET '{names.path}' = '<savepoint path>'; and the copy."
        steps = ("Take a savepoint while the job goes on, and start the copy from it, with other sinks.",)
    subject = "the copy" if verdict is Verdict.UNKNOWN else "the new SQL"
    commands = (
        f"{stop}\n{names.note}SET '{names.path}' = '<savepoint path>';\n"
        f"SET '{names.claim}' = 'NO_CLAIM';\n-- {subject}\nRESET '{names.path}';"
    )
    return Guide("sql-client", title, brief, steps, commands, "sql")


_OPERATOR = "Flink Kubernetes operator"
_BACK = (
    "The way back: the former SQL with `initialSavepointPath: <savepoint path>` and another `savepointRedeployNonce` "
    "below `spec.job`."
)
_KUBERNETES = {
    Verdict.INCOMPATIBLE: Guide(
        "kubernetes-operator",
        _OPERATOR,
        "after a savepoint, spec.job.upgradeMode: stateless, for this upgrade only.",
        (
            "Take a savepoint first, by another `spec.job.savepointTriggerNonce` or a FlinkStateSnapshot: `stateless` "
            "takes none.",
            "Upgrade with `stateless`, then set `upgradeMode` to what it was.",
            _BACK,
        ),
        "spec:\n  job:\n    upgradeMode: stateless  # for this upgrade only\n    allowNonRestoredState: false",
        "yaml",
    ),
    Verdict.PARTIAL: Guide(
        "kubernetes-operator",
        _OPERATOR,
        "spec.job.upgradeMode: savepoint, spec.job.allowNonRestoredState: false.",
        ("The operator takes the savepoint, and starts the new SQL from it.", _BACK),
        "spec:\n  job:\n    upgradeMode: savepoint\n    allowNonRestoredState: false",
        "yaml",
    ),
    Verdict.UNKNOWN: Guide(
        "kubernetes-operator",
        _OPERATOR,
        "a second FlinkDeployment with other sinks and spec.job.initialSavepointPath: <savepoint path>.",
        (
            "Take a savepoint by another `spec.job.savepointTriggerNonce` or a FlinkStateSnapshot. Create a second "
            "FlinkDeployment with other sinks that starts from it.",
        ),
        "metadata:\n  name: <another name>\nspec:\n  job:\n    initialSavepointPath: <savepoint path>\n"
        "    allowNonRestoredState: false",
        "yaml",
    ),
}


def _traps(names: _Names) -> Guide:
    return Guide(
        "any",
        "What makes it worse",
        f"allowNonRestoredState and {names.ignore} drop state silently: only for a query removed on purpose.",
        (
            f"`allowNonRestoredState: true`, `--allowNonRestoredState` (`-n`) and `{names.ignore}`: a start that would "
            "have failed succeeds, and drops without a word the state that finds no operator.",
            f"`{names.claim}: CLAIM`: Flink may delete the savepoint that is the way back.",
            "`upgradeMode: stateless` left in a deployment: every later upgrade starts empty.",
        ),
    )

"""Commands of platforms for the steps of a cutover, as their documentation has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """Lines for a terminal, or sentences for a console (``is_console``). ``{file}`` is the file to start."""

    title: str
    stop: tuple[str, ...]
    start: tuple[str, ...]
    back: tuple[str, ...]
    watch: str
    is_console: bool = False


PLATFORMS: Mapping[str, Platform] = {
    "sql-client": Platform(
        "Flink SQL client",
        ("SHOW JOBS;", "STOP JOB '<job id>' WITH SAVEPOINT;"),
        ("sql-client.sh -f {file}",),
        ("SET 'execution.state-recovery.path' = '<savepoint>';", "-- then the statements of the former version"),
        "Flink's web page shows it at each operator, below Watermarks.",
    ),
    "kubernetes": Platform(
        "Flink Kubernetes Operator",
        (
            "kubectl patch flinkdeployment <name> --type merge -p "
            '\'{{"spec": {{"job": {{"state": "suspended", "upgradeMode": "savepoint"}}}}}}\'',
            "kubectl get flinkdeployment <name> -o jsonpath='{{.status.jobStatus.upgradeSavepointPath}}'",
        ),
        (
            "# a FlinkDeployment of its own with {file}, and in spec.job: upgradeMode: stateless",
            "kubectl apply -f <new deployment>.yaml",
        ),
        ('kubectl patch flinkdeployment <name> --type merge -p \'{{"spec": {{"job": {{"state": "running"}}}}}}\'',),
        "Flink's web page shows it at each operator, below Watermarks.",
    ),
    "ververica": Platform(
        "Ververica Platform",
        ("Suspend the deployment: the platform takes a savepoint first.",),
        ("Make a deployment with the text of {file}, and set its restore strategy to NONE before it is started.",),
        ("Set the former deployment to RUNNING with the restore strategy LATEST_SAVEPOINT.",),
        "The Flink UI of the deployment shows it at each operator, below Watermarks.",
        is_console=True,
    ),
    "realtime-compute": Platform(
        "Realtime Compute for Apache Flink",
        ("Stop the deployment in the console, with a savepoint.",),
        ("Make a draft of the text of {file}, deploy it, and start it without states.",),
        ("Start the former deployment from that savepoint.",),
        "The page of the deployment shows it at each operator, below Watermarks.",
        is_console=True,
    ),
}
"""The platforms by the names of ``--platform``."""

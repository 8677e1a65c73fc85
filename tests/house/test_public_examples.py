"""Public functions with an example: each, but for those that need a process of their own."""

from __future__ import annotations

from collections import Counter

import pytest

from public_functions import modules, package_of, public_functions

BY_TESTS_ONLY = {
    "keepstate_flink.cluster.cluster": "starts a Flink: the tests of tests/flink do",
    "keepstate_flink.installation.install": "downloads Flink: test_installation.py has one",
    "keepstate_flink.jvm.require_flink": "gives nothing where py4j and a Java are installed",
    "keepstate_flink.plans.planner.planning": "starts a JVM: test_real_planner.py does",
    "keepstate_lsp.baselines.git.conversation.end_all_at_signals": "is for the rest of a process: test_endings.py",
    "keepstate_lsp.lsp.launch.main": "serves a client until it leaves: each test of tests/lsp has one",
    "keepstate_lsp.runtime.gc_policy.permanent": "changes the collector of a process for good: each start does",
    "keepstate_spark.audit.sessions.audit_session": "starts a JVM: the tests of the command audit do",
    "keepstate_spark.cutovers.results.computer": "starts a JVM: test_cutover_proofs_on_spark.py does",
    "keepstate_spark.java.find_java": "gives the Java of this machine: test_sessions.py gives it others",
    "keepstate_spark.replay.replaying.replay": "needs the rows of a job: test_reach.py has them",
    "keepstate_spark.replay.replaying.sweep_job": "needs the rows of a job: the tests of the command replay have them",
    "keepstate_spark.saving.require_format": "asks Spark for a package: test_written_files.py does",
    "keepstate_spark.session.require_spark": "gives nothing where Spark is installed",
    "keepstate_spark.session.spark_session": "starts a JVM: test_sessions.py does",
}
"""Public functions that no docstring can show, with the reason."""
FUNCTIONS = public_functions(modules())
PACKAGES = sorted({function.package for function in FUNCTIONS})


def test_the_public_functions_are_found() -> None:
    found = Counter(function.package for function in FUNCTIONS)
    assert found["keepstate.plan"] > 80 and found["keepstate_spark"] > 10
    without = {function.name for function in FUNCTIONS if not function.has_example}
    assert BY_TESTS_ONLY.keys() <= without, "these have an example, or are not public any more"


def test_another_package_makes_a_function_public() -> None:
    texts = {
        "keepstate.a": "",
        "keepstate.a.b": 'def shown() -> int:\n    """One.\n\n    >>> shown()\n    1\n    """\n\n\ndef own(): ...\n',
        "keepstate.a.c": "from keepstate.a.b import own\n\n\ndef by_module(\n    x: int,\n) -> int:\n    return x\n",
        "keepstate.d": "from keepstate.a import c as d\nfrom keepstate.a.b import (\n    shown,\n)\n\nd.by_module(1)\n",
    }
    found = {function.name: function.has_example for function in public_functions(texts)}
    assert found == {"keepstate.a.b.shown": True, "keepstate.a.c.by_module": False}
    assert package_of("keepstate.a.b") == "keepstate.a" and package_of("keepstate_spark.jobs") == "keepstate_spark"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_public_function_shows_an_example(package: str) -> None:
    without = [
        function.name
        for function in FUNCTIONS
        if function.package == package and not function.has_example and function.name not in BY_TESTS_ONLY
    ]
    assert not without, f"give these an example: {without}"

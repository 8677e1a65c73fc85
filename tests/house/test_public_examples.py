"""Public functions with an example: each of the plan, the differ and Spark; elsewhere as many as there are, or more."""

from __future__ import annotations

from collections import Counter

import pytest

from public_functions import modules, package_of, public_functions

WITHOUT = {
    "keepstate.cutover": 2,
    "keepstate.engines": 1,
    "keepstate.physical": 6,
    "keepstate.project": 5,
    "keepstate.reporting": 4,
    "keepstate.rules": 3,
    "keepstate.syntax": 1,
    "keepstate.validation": 2,
    "keepstate_flink": 7,
    "keepstate_lsp.analysis": 11,
    "keepstate_lsp.baselines": 8,
    "keepstate_lsp.config": 5,
    "keepstate_lsp.features": 10,
    "keepstate_lsp.files": 1,
    "keepstate_lsp.jobs": 13,
    "keepstate_lsp.lsp": 1,
    "keepstate_lsp.reporting": 3,
    "keepstate_lsp.runtime": 3,
}
"""The public functions of a package that show no example: these numbers only fall. Packages that are not here have one
for each.
"""
BY_TESTS_ONLY = {
    "keepstate_spark.audit.sessions.audit_session": "starts a JVM: the tests of the command audit do",
    "keepstate_spark.cutovers.results.computer": "starts a JVM: test_cutover_proofs_on_spark.py does",
    "keepstate_spark.java.find_java": "gives the Java of this machine: test_sessions.py gives it others",
    "keepstate_spark.jvm.disconnect": "needs a JVM that is gone: each end of a session has one",
    "keepstate_spark.replay.replaying.replay": "needs the rows of a job: test_reach.py has them",
    "keepstate_spark.replay.replaying.sweep_job": "needs the rows of a job: the tests of the command replay have them",
    "keepstate_spark.running.waits_in_words": "needs a cluster without workers: test_sessions.py has one",
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
    assert WITHOUT.keys() <= found.keys() and BY_TESTS_ONLY.keys() <= {function.name for function in FUNCTIONS}


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
    most = WITHOUT.get(package, 0)
    assert len(without) <= most, f"give one of these an example: {without}"
    assert len(without) == most, f"WITHOUT can say {len(without)} for {package}"

"""Examples in docstrings give what they show, and every function of the façade has one."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import keepstate
import spark_examples
from analyses_for_examples import NAMES as NAMES_OF_SERVER
from sql_for_examples import NAMES

SOURCES = ("analyzer", "pipeline", "server")
MODULES = sorted(
    path.relative_to(source).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for source in (Path(__file__).parents[2] / name for name in SOURCES)
    for path in source.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)
WITH_SQL = ("keepstate.plan", "keepstate.diff", "keepstate.physical")
"""Packages whose examples may use the names of ``sql_for_examples``; the server has those of
``analyses_for_examples``.
"""
PLAN_AND_DIFFER = (
    "keepstate.plan.job.Job.of",
    "keepstate.plan.planned.query_planning.plan_of",
    "keepstate.plan.planned.query_planning.written_plan",
    "keepstate.diff.job_differences.compare_jobs",
    "keepstate.diff.job_differences.table_renames",
    "keepstate.diff.operator_pairing.match_operators",
    "keepstate.diff.pipeline_pairing.PipelinePairs.of",
    "keepstate.diff.pipelines.compare_pipelines",
    "keepstate.diff.sequences.compare",
)
"""Public functions behind the façade that must have an example."""
PLAIN_VALUES = frozenset({"keepstate.acceptances.AcceptancePolicy", "keepstate.rules.explanations.RuleInfo"})
"""Classes without behaviour: functions that take or return them have the examples."""


def facade() -> Iterator[str]:
    """The functions and classes that ``keepstate`` exports, by the names of their definitions."""
    for name in keepstate.__all__:
        value: Any = getattr(keepstate, name)
        if callable(value):
            yield f"{value.__module__}.{value.__qualname__}"


def examples_of(module: ModuleType) -> dict[str, doctest.DocTest]:
    names: dict[str, Any] = {**NAMES} if module.__name__.startswith(WITH_SQL) else {}
    if module.__name__.startswith("keepstate_lsp."):
        names |= NAMES_OF_SERVER
    found = doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__, extraglobs=names)
    return {test.name: test for test in found if test.examples}


@pytest.mark.parametrize("name", [name for name in MODULES if name not in spark_examples.MODULES])
def test_examples_give_what_they_show(name: str) -> None:
    tests = examples_of(import_module(name))
    assert tests, f"{name} has examples that doctest does not find"
    for test in tests.values():
        words: list[str] = []
        failed = doctest.DocTestRunner(verbose=False).run(test, out=words.append).failed
        assert not failed, "".join(words)


@pytest.mark.parametrize("name", sorted({*facade(), *PLAN_AND_DIFFER} - PLAIN_VALUES))
def test_a_public_function_has_an_example(name: str) -> None:
    module = next(one for one in sorted(MODULES, key=len, reverse=True) if name.startswith(f"{one}."))
    assert name in examples_of(import_module(module))


def test_no_module_hides_a_name_of_the_facade() -> None:
    # The import of a submodule sets an attribute of its package, in place of a function of that name.
    modules = {path.stem for path in Path(keepstate.__file__).parent.iterdir()}
    assert modules.isdisjoint(keepstate.__all__)

"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import tiers
from night import IS_NIGHT, day_of_the_share
from repositories import GitRepository, forget_the_build, isolated

HERE = Path(__file__).parent
ON_UNIX = [
    "baselines/test_split_jobs.py",
    "spark/test_audit.py",
    "spark/test_audit_sandbox.py",
    "spark/test_audit_texts.py",
]
"""Modules that import the audit, which forks processes and locks folders as only Unix does."""
collect_ignore = ON_UNIX if sys.platform == "win32" else []

# The tests run in builds as well, and a build is what the product looks for: without this a test passes on a
# desk and fails there.
forget_the_build(os.environ)
# No test leaves a process behind, or finds one of a desk: those of warm sessions ask for them.
os.environ["KEEPSTATE_WARM"] = "0"

# The same examples every time, so that a change is blamed for what it broke; with KEEPSTATE_EXAMPLES new ones (see
# properties/budgets.py). How long one takes says more about the machine than about the code: times are for bench/.
SEARCHING = "KEEPSTATE_EXAMPLES" in os.environ
hypothesis.settings.register_profile("keepstate", deadline=None, derandomize=not SEARCHING)
hypothesis.settings.load_profile("keepstate")


def pytest_configure() -> None:
    """Choose the share of the day before there are workers, which all take the same one."""
    day_of_the_share()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module of which the tier that is asked for, or the share of the day, has no test."""
    tier = {"full": True, "not full": False}.get(config.option.markexpr)
    is_test = collection_path.is_relative_to(HERE) and (collection_path.is_dir() or collection_path.suffix == ".py")
    if tier is None or not is_test or collection_path == HERE:
        return None
    path = collection_path.relative_to(HERE).as_posix()
    has_rest = tier and not IS_NIGHT and not tiers.has_tests(path, False) and tiers.rests(path, day_of_the_share())
    return None if tiers.has_tests(path, tier) and not has_rest else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the second tier, leave out those of the night, and let long modules begin first where workers
    share them.
    """
    numbers = Counter[str]()
    counts = Counter(map(_function, items))
    day = day_of_the_share()
    by_day: list[pytest.Item] = []
    by_night: list[pytest.Item] = []
    for item in items:
        function, module = _function(item), _module(item)
        case, test = (numbers[function], counts[function]), numbers[module]
        numbers.update((function, module))
        name = f"{module}::{item.nodeid.partition('::')[2]}"
        if tiers.is_full(name, case[0]):
            item.add_marker(pytest.mark.full)
        (by_day if not tiers.is_listed(name) or tiers.runs_by_day(module, case, test, day) else by_night).append(item)
    # Tests that are named by path all run.
    if config.option.markexpr and not IS_NIGHT:
        config.hook.pytest_deselected(items=by_night)
        items[:] = by_day
    if "PYTEST_XDIST_WORKER" in os.environ:
        turns = {module: tiers.turn_of(module) for module in map(_module, items)}
        items.sort(key=lambda item: turns[_module(item)])


def pytest_collection_finish() -> None:
    """Keep the collector of garbage from reading tens of thousands of tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """End the Flink that modules share before a worker goes on with another one."""
    yield
    shared = sys.modules.get("shared_flink")
    if shared is not None and not (
        isinstance(nextitem, pytest.Function) and hasattr(nextitem.module, "shared_cluster")
    ):
        shared.end_the_cluster()


def pytest_report_header(config: pytest.Config) -> str:
    """Name the share of the tests that runs, so that it can be run again."""
    if IS_NIGHT or not config.option.markexpr:
        return "share of the tests: all"
    return f"share of the tests: that of the day KEEPSTATE_DAY={day_of_the_share()}"


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _module(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).as_posix()


@pytest.fixture
def isolated_git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """git in this test sees no settings but those of the repositories."""
    with isolated(tmp_path_factory.mktemp("home")):
        yield


@pytest.fixture
def repository(isolated_git: None, tmp_path: Path) -> GitRepository:
    """An empty repository."""
    return GitRepository(tmp_path / "repository")


@pytest.fixture
def default_signals() -> Iterator[None]:
    """Ctrl-C, ``kill`` and a closed terminal do here, and in what a test starts, what they do by default.

    A run in the background, or under ``nohup``, ignores some of them, and whatever it starts inherits that.
    """
    defaults = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    former = {
        number: signal.signal(number, handler)
        for name, handler in defaults.items()
        if (number := getattr(signal, name, None)) is not None
    }
    yield
    for number, handler in former.items():
        signal.signal(number, handler)

"""The contracts of import-linter in pyproject.toml: they hold, and each of them bites."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACTS = re.findall(
    r'^\[\[tool\.importlinter\.contracts\]\]\nname = "(.+)"$',
    (ROOT / "pyproject.toml").read_text("utf-8"),
    re.MULTILINE,
)
OFFENCES = {
    "analyzer/keepstate/text.py": "import keepstate.report",
    "analyzer/keepstate/plan/expressions.py": "import keepstate.plan.job",
    "analyzer/keepstate/diff/message_parts.py": "import keepstate_lsp, subprocess\nimport keepstate.diff.pipelines",
    "server/keepstate_lsp/cli/errors.py": "import keepstate_lsp.cli.main",
    "analyzer/keepstate/rules/catalogue.py": "import sqlglot",
    "server/keepstate_lsp/features/hover.py": "import keepstate.plan\nimport lsprotocol.types",
    "server/keepstate_lsp/lsp/session.py": "import git\nimport keepstate_lsp.cli.terminal.output\nimport pyspark.sql",
    "server/keepstate_lsp/baselines/head.py": "import keepstate.text",
    "server/keepstate_lsp/analysis/service.py": "import keepstate_spark\nimport keepstate_flink\nimport py4j",
    "pipeline/keepstate_flink/errors.py": "import keepstate_flink.jvm\nimport rich",
    "pipeline/keepstate_flink/compiled/plan_file.py": "import keepstate_flink.compiled.loading",
    "pipeline/keepstate_flink/plans/equality.py": "import keepstate_flink.plans.planner",
    "server/keepstate_lsp/restore_errors/reading.py": "import keepstate.text",
    "pipeline/keepstate_spark/audit/stored_columns.py": "import keepstate_spark.audit.published_tables",
    "pipeline/keepstate_spark/replay/scenarios.py": "import keepstate_spark.replay.replay_figures",
    "pipeline/keepstate_spark/java.py": "import keepstate_spark.windows\nimport rich",
}
"""For each contract at least one line that breaks it."""


def lint_imports(folder: Path) -> tuple[int, str]:
    """Exit status and words of import-linter about the packages below ``folder``, not the installed ones."""
    search = os.pathsep.join(str(folder / source) for source in ("analyzer", "server", "pipeline"))
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": search, "COLUMNS": "400", "NO_COLOR": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


def copied(folder: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in (
        "analyzer/keepstate",
        "server/keepstate_lsp",
        "pipeline/keepstate_flink",
        "pipeline/keepstate_spark",
    ):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.md"))
    return folder


def test_all_contracts_are_kept() -> None:
    status, words = lint_imports(ROOT)
    assert status == 0, words
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in words


def test_each_contract_bites(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for name, lines in OFFENCES.items():
        path = folder / name
        path.write_text(f"{path.read_text('utf-8')}\n{lines}\n", "utf-8")
    status, words = lint_imports(folder)
    assert status == 1, words
    assert f"Contracts: 0 kept, {len(CONTRACTS)} broken." in words
    for name in CONTRACTS:
        assert f"{name} BROKEN" in words


def test_a_new_part_of_the_analyzer_needs_a_layer(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "analyzer/keepstate/novelty.py").write_text('"""In no layer."""\n', "utf-8")
    status, words = lint_imports(folder)
    assert status == 1
    assert "novelty" in words

"""Keepstate: does a running Flink SQL job keep its state when its SQL changes?

This is the façade of the analyzer: text in, values out. The analyzer has no access to files, git, protocols or the
clock. Names are imported when they are first used, so that a program which only needs spans or reports does not wait
for the parser.

>>> import keepstate
>>> was = keepstate.JobVersion("SELECT b, SUM(a) FROM t GROUP BY b")
>>> now = keepstate.JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
>>> keepstate.check(now, was).verdict.value
'incompatible'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from keepstate.syntax.sqlglot_source import use_sqlglot_source

if TYPE_CHECKING:
    from keepstate.acceptances import AcceptancePolicy, comment_line
    from keepstate.analysis import RestartAnalysis
    from keepstate.api import (
        analyse,
        anonymous,
        check,
        draw_plan,
        draw_plans,
        file_fixes,
        fixes,
        names_in,
        plan_text,
        plans_text,
        read_tables,
        rename,
        renamed_place,
        state_hovers,
        state_outcome,
        validate,
        with_revert,
    )
    from keepstate.completion.completion_proposal import Completion, Proposal
    from keepstate.completion.signature_help import SignatureHelp
    from keepstate.draft import Draft
    from keepstate.engines import ENGINES
    from keepstate.extras import install_words
    from keepstate.job_version import JobVersion, job_unit
    from keepstate.names.renames import Rename, RenameRefused
    from keepstate.names.script_names import NamePlace, ScriptNames
    from keepstate.plan.types.declared_signatures import (
        FunctionSignature,
        SignatureFault,
        named_signature,
        read_functions,
    )
    from keepstate.quick_fixes.repairs import leading_to, restoring_from
    from keepstate.recognition import looks_like_flink, may_be_flink_job
    from keepstate.rules.explanations import RuleInfo, find_rules, rule_catalogue, rule_ids
    from keepstate.rules.measured_outcomes import finding_evidence, measured_versions, unmeasured_flink
    from keepstate.structure.folds import Fold
    from keepstate.structure.outline import OutlineEntry, Symbol
    from keepstate.structure.token_meanings import MeantToken
    from keepstate.syntax.script import parse_script
    from keepstate.tables import written_tables
    from keepstate.validation.validity import Validity
    from keepstate.workspace import Workspace

_HOMES = {
    "ENGINES": "keepstate.engines",
    "AcceptancePolicy": "keepstate.acceptances",
    "RestartAnalysis": "keepstate.analysis",
    "Draft": "keepstate.draft",
    "Completion": "keepstate.completion.completion_proposal",
    "Proposal": "keepstate.completion.completion_proposal",
    "SignatureHelp": "keepstate.completion.signature_help",
    "Fold": "keepstate.structure.folds",
    "OutlineEntry": "keepstate.structure.outline",
    "Symbol": "keepstate.structure.outline",
    "MeantToken": "keepstate.structure.token_meanings",
    "FunctionSignature": "keepstate.plan.types.declared_signatures",
    "JobVersion": "keepstate.job_version",
    "job_unit": "keepstate.job_version",
    "SignatureFault": "keepstate.plan.types.declared_signatures",
    "named_signature": "keepstate.plan.types.declared_signatures",
    "read_functions": "keepstate.plan.types.declared_signatures",
    "NamePlace": "keepstate.names.script_names",
    "Rename": "keepstate.names.renames",
    "RenameRefused": "keepstate.names.renames",
    "RuleInfo": "keepstate.rules.explanations",
    "ScriptNames": "keepstate.names.script_names",
    "Validity": "keepstate.validation.validity",
    "Workspace": "keepstate.workspace",
    "analyse": "keepstate.api",
    "anonymous": "keepstate.api",
    "check": "keepstate.api",
    "comment_line": "keepstate.acceptances",
    "install_words": "keepstate.extras",
    "draw_plan": "keepstate.api",
    "draw_plans": "keepstate.api",
    "file_fixes": "keepstate.api",
    "find_rules": "keepstate.rules.explanations",
    "finding_evidence": "keepstate.rules.measured_outcomes",
    "measured_versions": "keepstate.rules.measured_outcomes",
    "unmeasured_flink": "keepstate.rules.measured_outcomes",
    "fixes": "keepstate.api",
    "leading_to": "keepstate.quick_fixes.repairs",
    "looks_like_flink": "keepstate.recognition",
    "may_be_flink_job": "keepstate.recognition",
    "names_in": "keepstate.api",
    "parse_script": "keepstate.syntax.script",
    "plan_text": "keepstate.api",
    "plans_text": "keepstate.api",
    "read_tables": "keepstate.api",
    "rename": "keepstate.api",
    "renamed_place": "keepstate.api",
    "restoring_from": "keepstate.quick_fixes.repairs",
    "rule_catalogue": "keepstate.rules.explanations",
    "rule_ids": "keepstate.rules.explanations",
    "state_outcome": "keepstate.api",
    "state_hovers": "keepstate.api",
    "validate": "keepstate.api",
    "with_revert": "keepstate.api",
    "written_tables": "keepstate.tables",
}

# Before any module of this package imports sqlglot.
use_sqlglot_source()

__all__ = [
    "ENGINES",
    "AcceptancePolicy",
    "Completion",
    "Draft",
    "Fold",
    "FunctionSignature",
    "JobVersion",
    "MeantToken",
    "NamePlace",
    "OutlineEntry",
    "Proposal",
    "Rename",
    "RenameRefused",
    "RestartAnalysis",
    "RuleInfo",
    "ScriptNames",
    "SignatureFault",
    "SignatureHelp",
    "Symbol",
    "Validity",
    "Workspace",
    "analyse",
    "anonymous",
    "check",
    "comment_line",
    "draw_plan",
    "draw_plans",
    "file_fixes",
    "find_rules",
    "finding_evidence",
    "fixes",
    "install_words",
    "job_unit",
    "leading_to",
    "looks_like_flink",
    "may_be_flink_job",
    "measured_versions",
    "named_signature",
    "names_in",
    "parse_script",
    "plan_text",
    "plans_text",
    "read_functions",
    "read_tables",
    "rename",
    "renamed_place",
    "restoring_from",
    "rule_catalogue",
    "rule_ids",
    "state_hovers",
    "state_outcome",
    "unmeasured_flink",
    "validate",
    "with_revert",
    "written_tables",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'keepstate' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value

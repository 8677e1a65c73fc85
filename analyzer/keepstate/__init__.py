"""Keepstate: does a running Flink SQL job keep its state when its SQL changes?

This is the façade of the analyzer: text in, values out. The analyzer reads no files, asks no git, knows no protocol
and never looks at the clock. Names are imported when they are first used, so that a program which only needs spans
or reports does not wait for the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from keepstate.syntax.interpreted import use_sqlglot_source

if TYPE_CHECKING:
    from keepstate.acceptances import Accepting, comment_line
    from keepstate.analysis import JobVersion, check, working_set
    from keepstate.drawing.page import plan_text, plans_text
    from keepstate.drawing.plans import draw_plan, draw_plans
    from keepstate.fates import state_fate
    from keepstate.notes import state_notes
    from keepstate.profiles import ENGINES
    from keepstate.recognition import looks_like_flink, may_be_flink_job
    from keepstate.repairs import file_fixes, fixes, leading_to
    from keepstate.reverts import with_revert
    from keepstate.rules.evidence import finding_evidence
    from keepstate.rules.explanations import RuleInfo, find_rules, rule_catalogue
    from keepstate.syntax.script import parse_script
    from keepstate.tables import read_tables

_HOMES = {
    "ENGINES": "keepstate.profiles",
    "Accepting": "keepstate.acceptances",
    "JobVersion": "keepstate.analysis",
    "RuleInfo": "keepstate.rules.explanations",
    "check": "keepstate.analysis",
    "comment_line": "keepstate.acceptances",
    "draw_plan": "keepstate.drawing.plans",
    "draw_plans": "keepstate.drawing.plans",
    "file_fixes": "keepstate.repairs",
    "find_rules": "keepstate.rules.explanations",
    "finding_evidence": "keepstate.rules.evidence",
    "fixes": "keepstate.repairs",
    "leading_to": "keepstate.repairs",
    "looks_like_flink": "keepstate.recognition",
    "may_be_flink_job": "keepstate.recognition",
    "parse_script": "keepstate.syntax.script",
    "plan_text": "keepstate.drawing.page",
    "plans_text": "keepstate.drawing.page",
    "read_tables": "keepstate.tables",
    "rule_catalogue": "keepstate.rules.explanations",
    "state_fate": "keepstate.fates",
    "state_notes": "keepstate.notes",
    "with_revert": "keepstate.reverts",
    "working_set": "keepstate.analysis",
}

# Before any module of this package imports sqlglot.
use_sqlglot_source()

__all__ = [
    "ENGINES",
    "Accepting",
    "JobVersion",
    "RuleInfo",
    "check",
    "comment_line",
    "draw_plan",
    "draw_plans",
    "file_fixes",
    "find_rules",
    "finding_evidence",
    "fixes",
    "leading_to",
    "looks_like_flink",
    "may_be_flink_job",
    "parse_script",
    "plan_text",
    "plans_text",
    "read_tables",
    "rule_catalogue",
    "state_fate",
    "state_notes",
    "with_revert",
    "working_set",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'keepstate' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value

"""All targets."""

from __future__ import annotations

import analysis_targets
import command_targets
import configuration_targets
import edit_targets
import editor_targets
import message_targets
import repository_targets
import restart_targets
import rewrite_targets
import syntax_targets
import wire_targets
from fuzz_target import Target

TARGETS: tuple[Target, ...] = (
    *syntax_targets.TARGETS,
    *analysis_targets.TARGETS,
    *edit_targets.TARGETS,
    *rewrite_targets.TARGETS,
    *restart_targets.TARGETS,
    *editor_targets.TARGETS,
    *command_targets.TARGETS,
    *configuration_targets.TARGETS,
    *repository_targets.TARGETS,
    *message_targets.TARGETS,
    *wire_targets.TARGETS,
)


def target_named(name: str) -> Target:
    return next(target for target in TARGETS if target.name == name)

"""Answers for each statement of a script: valid, invalid with Flink's reason in our words, or cannot tell."""

from keepstate.validation.program import validate
from keepstate.validation.validity import Answer, Problem, Related, Validity

__all__ = ["Answer", "Problem", "Related", "Validity", "validate"]

"""Answers for each statement of a script: valid, invalid with Flink's reason in our words, or cannot tell."""

from keepstate.validation.script_validation import validate, validate_in
from keepstate.validation.validity import Answer, Validity, ValidityProblem

__all__ = ["Answer", "Validity", "ValidityProblem", "validate", "validate_in"]

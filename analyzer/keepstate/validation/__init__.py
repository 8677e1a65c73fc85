"""Answers for each statement of a script: valid, invalid with Flink's reason in our words, or cannot tell."""

from keepstate.validation.validity import Problem, Related, Validity

__all__ = ["Problem", "Related", "Validity"]

"""Messages of Flink about a job that does not start from a savepoint, in plain words.

The texts are those of Flink 1.20 and 2.3; Ververica Runtime passes them on. Nothing here knows SQL: a reading names the
kind of operator and the part of its state that a message is about, as far as the message contains them.
"""

from keepstate_lsp.restore_errors.causes import CAUSES, Cause, CausePart
from keepstate_lsp.restore_errors.operator_names import OperatorKind, operator_kinds
from keepstate_lsp.restore_errors.reading import RestoreError, read_error

__all__ = ["CAUSES", "Cause", "CausePart", "OperatorKind", "RestoreError", "operator_kinds", "read_error"]

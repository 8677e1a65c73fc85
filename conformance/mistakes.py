"""The pairs that the flink profile gets wrong without a reason, by cause.

Delete the pairs of a cause when it is mended: the tests fail for a pair of the list that agrees.
"""

from __future__ import annotations

_CAUSES = {
    "table.optimizer.multi-join.enabled makes another operator of a window join as well": "q01389",
    "a sort stores a column as often as it gives it": "q02400",
    "a ranking stores a computed sort key beside the columns": "n00897",
    "below a union, a Calc brings the group key to the front whatever columns the source has": "n00620",
}
TO_BE_MENDED = {id_: cause for cause, ids in _CAUSES.items() for id_ in ids.split()}

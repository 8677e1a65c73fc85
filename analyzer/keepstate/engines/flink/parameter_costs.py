"""Cost of changed parameters in open-source Flink, where no operator id shows it."""

from __future__ import annotations

from keepstate.diff.changes import Change, ChangeKind, LifetimeChange
from keepstate.engines.profile import Outcome
from keepstate.physical.graph_options import PhysicalOptions, shapes_graph
from keepstate.report import Effect

_READS_BOTH_FORMS = (2, 2)
"""From this version on state is read whether it was written with a time to live or without."""
_READ_AS_EVER = (LifetimeChange.LENGTHENED, LifetimeChange.SWITCHED_BESIDE_TIMERS)
_SPLITTING = "table.optimizer.distinct-agg.split.enabled"


def setting_outcome(change: Change, options: PhysicalOptions) -> Outcome:
    """Return the outcome of a changed parameter that explains no difference of the stored operators."""
    match change.kind:
        case ChangeKind.STATE_TTL_SHORTENED:
            return Outcome(Effect.STATE_DROPPED)
        case ChangeKind.MAX_PARALLELISM_CHANGED:
            return Outcome(Effect.DOES_NOT_START, "state is divided by the maximum parallelism for good")
        case ChangeKind.STATE_TTL_CHANGED if change.lifetime is LifetimeChange.SWITCHED:
            if options.flink >= _READS_BOTH_FORMS:
                return Outcome(Effect.EXACT)
            reason = "state with a time to live is stored in another form than state without one"
            return Outcome(Effect.DOES_NOT_START, reason)
        case ChangeKind.STATE_TTL_CHANGED if change.lifetime in _READ_AS_EVER:
            return Outcome(Effect.EXACT)
        case ChangeKind.SETTING_CHANGED if change.parameter == _SPLITTING:
            return Outcome(Effect.DOES_NOT_START, "the aggregation becomes two operators, or one of two")
        case ChangeKind.SETTING_CHANGED if shapes_graph(change.parameter):
            return Outcome(Effect.EXACT)
    return Outcome(Effect.UNDETERMINED, change.reason)

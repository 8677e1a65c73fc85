"""What stateful operators keep: one model for every engine, read by verdicts, hovers and drawings alike.

``stored`` is the model; ``logical`` fills it by what the meaning of a query needs, which is all that is known of an
engine with a format of its own. ``keepstate.physical`` fills it as open-source Flink does, state by state.
"""

"""State of stateful operators: one model for every engine, read by verdicts, hovers and drawings alike.

``stored`` is the model. ``logical`` derives it from the meaning of a query, the only source for an engine with a format
of its own. ``keepstate.physical`` derives it as open-source Flink lays it out, state by state.
"""

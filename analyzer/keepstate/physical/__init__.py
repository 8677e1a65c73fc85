"""Operators and state of a job in open-source Flink: the job graph with its operator ids, and the layout of each state.

The translation follows Flink's planner as far as a restart from a savepoint depends on it: the operators, their order,
and the fields and types that their serializers write.
"""

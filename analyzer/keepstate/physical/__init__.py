"""What open-source Flink runs and stores for a job: the job graph with its operator ids, and the layout of each state.

It follows Flink's planner as far as a restart from a savepoint feels it: which operators there are, in which order, and
which fields of which types their serializers write.
"""

"""Plans of a real Flink: two versions of a job planned, their operators opened and held together; nothing runs."""

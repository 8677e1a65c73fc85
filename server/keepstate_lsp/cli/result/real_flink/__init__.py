"""Measurements and plans of a real Flink beside the verdict of a job."""

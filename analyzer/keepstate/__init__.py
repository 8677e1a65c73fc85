"""Keepstate: does a running Flink SQL job keep its state when its SQL changes?"""

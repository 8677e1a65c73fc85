"""Flink SQL: text to statements, trees and spans."""

"""Flink SQL: text to statements, trees and spans."""

from keepstate.syntax.interpreted import use_sqlglot_source

use_sqlglot_source()

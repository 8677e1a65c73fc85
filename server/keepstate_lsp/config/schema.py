"""The JSON Schema of ``keepstate.toml``, for editors that check TOML files as they are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepstate_lsp.config.client_settings import ENGINES
from keepstate_lsp.config.effective_settings import BASELINE, ENGINE
from keepstate_lsp.config.file import DEFAULT_FAIL_ON, FAIL_ON
from keepstate_lsp.config.job_tables import UNITS
from keepstate_lsp.config.severity import DEFAULT_PRESET, INVALID_SQL, LEVELS, PRESETS, SEVERITIES

IDENTIFIER = "urn:keepstate:configuration"
"""The ``$id``: a name, which no editor looks up."""
SCHEMA_NAME = "keepstate.schema.json"
"""The file beside ``keepstate.toml`` that its first line leads to. No address on the web is this project's."""
DIRECTIVE = f"#:schema ./{SCHEMA_NAME}"
"""The first line of ``keepstate.toml``, by which editors of TOML (Taplo, Even Better TOML, Tombi) find the schema."""

_BASELINE = (
    "What jobs are compared with: a git revision such as HEAD, merge-base:REF, tag:GLOB, deployed, deployed:ENV, "
    "file:PATH, or plan:PATH for a compiled plan."
)


def schema_text() -> str:
    """The schema as a document.

    >>> json.loads(schema_text())["type"]
    'object'
    """
    return json.dumps(configuration_schema(), indent=2) + "\n"


def configuration_schema() -> dict[str, Any]:
    """The schema; every key that :mod:`keepstate_lsp.config.file` reads stands in it with its default, and no other."""
    import keepstate

    # Imported here: the list of rules needs the whole analyzer.
    return _schema(sorted({rule.id for rule in keepstate.rule_catalogue()}))


def default_values() -> dict[str, Any]:
    """The defaults of all keys, ``None`` for keys without one.

    >>> default_values()["engine"]
    'vvr'
    """
    return {key: entry.get("default") for key, entry in _schema(())["properties"].items()}


def _schema(rules: Sequence[str]) -> dict[str, Any]:
    """The schema with the names of rules."""
    globs = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    version = {"type": "string", "description": "The version of the engine, such as vvr-8.0.11-flink-1.17."}
    jobs = {
        "enum": list(UNITS),
        "description": "What of a script is one job: the whole script, or each INSERT outside of a statement set.",
    }
    parameters = {
        "type": "object",
        "description": "Job parameters that are set outside of the SQL.",
        "additionalProperties": {"type": ["string", "number", "boolean", "object"]},
    }
    context = {**globs, "description": "Files whose declarations the jobs may use, relative to this file."}
    job = {
        "type": "object",
        "description": "What holds for some jobs only; the last table that says it wins.",
        "anyOf": [{"required": ["files"]}, {"required": ["script"]}],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "description": "The name of a job with a script."},
            "files": {**globs, "description": "Paths or globs of the jobs, relative to this file."},
            "script": {**globs, "description": "The files of one job, in the order of execution."},
            "context": context,
            "baseline": {"type": "string", "description": _BASELINE},
            "engine-version": version,
            "jobs": jobs,
            "parameters": parameters,
        },
    }
    texts = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
    replay = {
        "type": "object",
        "description": "What a replay of a restart is told, on the command line and in the editor.",
        "additionalProperties": False,
        "properties": {
            "data": {
                **texts,
                "description": "Where the rows of tables are, by their names: files or folders, relative to this file.",
            },
            "arrival": {**texts, "description": "The columns that tell when the rows of tables came, by their names."},
            "restart-at": {
                "type": "string",
                "description": "The time of the restart, such as 2026-03-01 10:05:00.",
            },
        },
    }
    signature = {"type": "string", "pattern": "^\\s*\\("}
    functions = {
        "type": "object",
        "description": "Signatures of functions of the jobs, by their names, such as (STRING) RETURNS INT.",
        "additionalProperties": {"anyOf": [signature, {"type": "array", "items": signature, "minItems": 1}]},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": IDENTIFIER,
        "title": "Keepstate",
        "description": "Configuration of Keepstate: keepstate.toml, or [tool.keepstate] in pyproject.toml.",
        "definitions": {"level": {"enum": list(LEVELS)}},
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "files": {**globs, "description": "Globs of the job files, relative to this file."},
            "baseline": {"type": "string", "description": _BASELINE, "default": BASELINE},
            "engine": {"enum": list(ENGINES), "description": "The engine that runs the jobs.", "default": ENGINE},
            "engine-version": version,
            "jobs": jobs,
            "fail-on": {
                "enum": list(FAIL_ON),
                "description": "The mildest verdict at which check fails.",
                "default": DEFAULT_FAIL_ON,
            },
            "preset": {
                "enum": list(PRESETS),
                "description": "How loud each verdict is in the editor.",
                "default": DEFAULT_PRESET,
            },
            "severity": {
                "type": "object",
                "description": "How loud a verdict, an effect or a rule is in the editor.",
                "additionalProperties": False,
                "properties": {name: {"$ref": "#/definitions/level"} for name in (*SEVERITIES, INVALID_SQL, *rules)},
            },
            "parameters": parameters,
            "context": context,
            "job": {"type": "array", "items": job},
            "replay": replay,
            "functions": functions,
        },
    }

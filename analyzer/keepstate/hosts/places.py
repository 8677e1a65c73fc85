"""Answers of a host about places of one text: hovers, notes on kept state, completions; and what is said of it all."""

from __future__ import annotations

from keepstate.api import draw_plan, state_hovers
from keepstate.draft import Draft
from keepstate.hosts.request_versions import LocatedVersion, VersionComposer
from keepstate.hosts.requests import HostRequest
from keepstate.report import Finding, StateHover, StateOutcome
from keepstate.reporting.file_json import Json, text_range
from keepstate.reporting.plan_json import plan_document
from keepstate.reporting.validity_json import validity_json
from keepstate.rules.measured_outcomes import finding_evidence
from keepstate.text import Span
from keepstate.validation import validate_in


def hover(request: HostRequest, versions: VersionComposer) -> Json:
    """Everything that is to say at a position: findings, the narrowest first; without one, what the clause keeps."""
    path, position = request.place
    if request.baseline is None:
        return _notes_at(versions.one(request), path, request, versions)
    now, was = versions.two(request)
    analysis = versions.analysis(request, now, was)
    offset = now.offset(path, position)
    findings = analysis.report().findings
    touching = [index for index, each in enumerate(findings) if offset is not None and _is_at(each, offset)]
    if not touching:
        return _notes_at(now, path, request, versions)
    touching.sort(key=lambda index: len(findings[index].current.span))
    version = request.current.engine_version
    pages = [
        {
            **_finding(findings[index], now, analysis.state_outcome(index)),
            "finding": index,
            "measured": finding_evidence(findings[index], request.engine, version) or None,
        }
        for index in touching
    ]
    return {"range": pages[0]["range"], "findings": pages, "notes": []}


def notes(request: HostRequest, versions: VersionComposer) -> Json:
    """A note for every clause that keeps state, and the queries with their places."""
    now = versions.one(request)
    job = versions.workspace.job(now.version)
    return {
        "notes": [_note(each, now) for each in state_hovers(now.version, request.engine, versions.workspace)],
        "pipelines": [
            {"name": each.name, "file": now.file_of(span), "range": text_range(now.lines, span)}
            for each in job.pipelines
            for span in [job.statement_of(each).span]
        ],
    }


def plan(request: HostRequest, versions: VersionComposer, tool_version: str) -> Json:
    """The plan of a version, or of two with their differences, as ``keepstate plan --format json`` writes it."""
    if request.baseline is None:
        now = versions.one(request)
        return plan_document(draw_plan(now.version, request.engine, versions.workspace), tool_version, now)
    now, was = versions.two(request)
    drawing = versions.analysis(request, now, was).analysis.drawing()
    return plan_document(drawing, tool_version, now, was)


def validate(request: HostRequest, versions: VersionComposer) -> Json:
    """The statements that the engine refuses, or what leaves it open."""
    now = versions.one(request)
    script = versions.workspace.script(now.version.text)
    side = request.current
    validity = validate_in([], script, request.engine, side.engine_version, side.parameters)
    return validity_json(validity, now.lines, now.file_of)


def complete(request: HostRequest, versions: VersionComposer, draft: Draft) -> Json:
    """The proposals at a position."""
    path, position = request.place
    now = versions.one(request)
    offset = now.offset(path, position)
    if offset is None:
        return {"range": None, "proposals": []}
    completion = draft.complete(now.version.text, offset, request.engine, request.current.engine_version)
    return {
        "range": text_range(now.lines, completion.span),
        "proposals": [
            {
                "label": each.label,
                "kind": each.kind.value,
                "insert": each.insert,
                "detail": each.detail,
                "meaning": each.meaning,
            }
            for each in completion.proposals
        ],
    }


def _is_at(finding: Finding, offset: int) -> bool:
    return finding.current.span.touches(offset)


def _notes_at(now: LocatedVersion, path: str, request: HostRequest, versions: VersionComposer) -> Json:
    offset = now.offset(path, request.place[1])
    hovers = state_hovers(now.version, request.engine, versions.workspace)
    touching = [each for each in hovers if offset is not None and each.span.touches(offset)]
    # Clauses are nested, and only the innermost one is meant.
    least = min((len(each.span) for each in touching), default=0)
    innermost = [_note(each, now) for each in touching if len(each.span) == least]
    return {"range": innermost[0]["range"] if innermost else None, "findings": [], "notes": innermost}


def _finding(finding: Finding, now: LocatedVersion, fate: StateOutcome | None) -> Json:
    span = finding.current.span
    return {
        "rule": finding.rule,
        "verdict": finding.verdict.value,
        "effect": finding.effect.value,
        "message": finding.message,
        "recovery": finding.recovery or None,
        "advice": finding.advice or None,
        "baseline_text": None if finding.baseline is None else finding.baseline.text,
        "state": []
        if fate is None
        else [{"part": each.part, "before": each.before, "after": each.after} for each in fate.parts],
        **_place(now, span),
    }


def _note(note: StateHover, now: LocatedVersion) -> Json:
    return {
        "operator": note.operator,
        "title": note.title,
        "keeps": list(note.keeps),
        "keyed_by": list(note.keyed_by),
        "until": note.until or None,
        "migration": note.migration or None,
        "explanation": note.explanation or None,
        "example": list(note.example),
        **_place(now, note.span),
    }


def _place(now: LocatedVersion, span: Span) -> Json:
    return {"file": now.file_of(span), "range": text_range(now.lines, span)}

"""Sections of rule pages as people read them: what each engine profile says, and what real Flink was seen to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.plan.engine_version import EngineVersion
from keepstate.profiles import PROFILES, verdict_of
from keepstate.profiles.profile import Case, EngineProfile
from keepstate.report import Effect, Finding
from keepstate.rules.evidence import example_outcomes, in_words, outcomes_in_words, pairs_about, pairs_named

HEADING = re.compile(r"^## (?:`(?P<name>[a-z-]+)`: )?(?P<title>.+)$", re.MULTILINE)
VERDICT_LINE = re.compile(r"^Verdict: (?P<verdicts>.+)\. Spec: (?P<spec>.+)\.$", re.MULTILINE)
_BLOCK = re.compile(
    r"^```sql (?P<side>setup|baseline|current)(?: alone)?(?: parameters: (?P<parameters>.+?))?"
    r"(?: engine: (?P<engine>\S+))?(?: profile: (?P<profile>\w+))?(?: verdict: (?P<verdict>\w+))?\n"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_CAPTIONS = {"setup": "Tables", "baseline": "Baseline", "current": "Current"}
_MEASURED_PROFILE = "flink"
_NEVER = "never measured"
_DOCUMENTED = "not measured: as the vendor documents it"
_HEAD = "| engine profile | what happens | on real Flink |\n|---|---|---|"


@dataclass(frozen=True)
class Telling:
    """What readers want to be told: of one engine profile only, of one version of Flink only (two numbers)."""

    engine: str | None = None
    flink: str | None = None

    def wants(self, profile: str) -> bool:
        return self.engine in (None, profile)


EVERYTHING = Telling()


def with_profiles(text: str, query_kind: str, told: Telling) -> str:
    """A section with a table below its verdict: what the profiles say of the change, and the evidence."""
    heading, verdict = HEADING.search(text), VERDICT_LINE.search(text)
    kinds = {kind.value: kind for kind in ChangeKind}
    queries = {query.value: query for query in QueryKind}
    if heading is None or verdict is None or heading["name"] not in kinds or query_kind not in queries:
        return text
    query, kind = queries[query_kind], kinds[heading["name"]]
    rows = [
        row
        for profile in PROFILES.values()
        if told.wants(profile.name)
        for row in (_own_rows(profile, query, kind) if profile.decides_by_kind else _rows(profile, query, kind, told))
    ]
    if not rows:
        return text
    table = "\n".join((_HEAD, *rows))
    return f"{text[: verdict.end()]}\n\n{table}{text[verdict.end() :]}"


def finding_evidence(finding: Finding, engine: str, version: str | None = None) -> str:
    """Where real Flink was seen to do what a finding says, in words for behind a colon; empty for an engine of which
    nothing was measured. ``version`` is that of the engine, as people write it.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    if PROFILES[engine].decides_by_kind or finding.effect is Effect.UNDETERMINED:
        return ""
    numbers = EngineVersion.of(version).flink if version is not None else None
    about = pairs_about(finding.query_kind, finding.rule)
    asked = in_words(about, finding.effect, f"{numbers[0]}.{numbers[1]}") if numbers is not None else ""
    return asked or in_words(about, finding.effect) or "never for this kind of change; it follows from what is stored"


def _own_rows(profile: EngineProfile, query: QueryKind, kind: ChangeKind) -> Iterator[str]:
    effect = profile.effect(query, kind)
    if effect is not None:
        yield _row(profile, f"**{effect.value}** ({verdict_of(effect).value})", _DOCUMENTED)


def _rows(profile: EngineProfile, query: QueryKind, kind: ChangeKind, told: Telling) -> Iterator[str]:
    """Each case with the pair that shows it, or else with those about this rule that had its effect."""
    about = pairs_about(query.value, kind.value)
    own = {one.pair for one in about}
    cases = profile.cases(query, kind)
    for case in cases:
        pairs = pairs_named(case.measured) if case.measured else ()
        near = tuple(sorted(pairs, key=lambda one: one.pair not in own))
        named = in_words(near, case.effect, told.flink)
        # Another case may have the same effect: then nobody can tell which of them the others are about.
        alone = sum(other.effect is case.effect for other in cases) == 1
        found = named or (in_words(about, case.effect, told.flink) if alone else "")
        yield _row(profile, _words(case), found or _unmeasured(case))


def _words(case: Case) -> str:
    return f"**{case.effect.value}**{f' if {case.when}' if case.when else ''}"


def _unmeasured(case: Case) -> str:
    return "nothing to measure: it is not modelled" if case.effect is Effect.UNDETERMINED else _NEVER


def _row(profile: EngineProfile, words: str, evidence: str) -> str:
    return f"| `{profile.name}` | {words} | {evidence} |"


def captioned(text: str, told: Telling) -> str:
    """A section in which captions say what the examples say in their fences, and what became of them."""
    baseline = ""

    def caption(block: re.Match[str]) -> str:
        nonlocal baseline
        words = _CAPTIONS[block["side"]]
        if block["parameters"] is not None:
            words += f", with {', '.join(f'`{pair}`' for pair in block['parameters'].split(', '))}"
        if block["engine"] is not None:
            words += f", on `{block['engine']}`"
        if block["profile"] is not None:
            words += f", under the profile `{block['profile']}`"
        if block["verdict"] is not None:
            words += f" (all in all: {block['verdict']})"
        if block["side"] == "baseline":
            baseline = block["text"]
        elif block["side"] == "current" and told.wants(_MEASURED_PROFILE):
            words += _outcome(baseline, block["text"], told)
        return f"{words}:\n\n```sql\n{block['text']}```"

    return _BLOCK.sub(caption, text.replace("```\n```", "```\n\n```"))


def _outcome(baseline: str, current: str, told: Telling) -> str:
    outcomes = example_outcomes(baseline, current)
    if told.flink is not None:
        outcomes = {at: was for at, was in outcomes.items() if at.startswith(f"{told.flink}.")}
    return f" (restarted on {outcomes_in_words(outcomes)})" if outcomes else ""

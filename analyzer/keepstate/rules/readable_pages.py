"""Rule pages for readers: the effects in each engine profile, and the outcomes on real Flink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from keepstate.diff.changes import QueryKind
from keepstate.engines import PROFILES, verdict_of
from keepstate.engines.flink.parts import PART_CASES, TITLES
from keepstate.engines.lookup import loudest, page_cases, page_facts, touch
from keepstate.engines.profile import EngineProfile
from keepstate.engines.rule_facts import EffectCase
from keepstate.report import Effect, Verdict
from keepstate.rules.measured_outcomes import (
    example_outcomes,
    example_versions,
    in_words,
    listed_versions,
    outcomes_in_words,
    pairs_about,
    pairs_named,
)
from keepstate.rules.page_files import page_body
from keepstate.rules.page_format import Block, parts
from keepstate.rules.rule import Page
from keepstate.rules.specification import INFERRED
from keepstate.state.stored_operators import StatePart

_QUERIES = {query.value: query for query in QueryKind}
_CAPTIONS = {"setup": "Tables", "baseline": "Baseline", "current": "Current"}
_MEASURED_PROFILE = "flink"
_NEVER = "never measured"
_DOCUMENTED = "not measured: as the vendor documents it"
_INFERRED = "not measured: inferred from changes that the vendor documents"
_UNLISTED = "not measured: no page of the vendor lists this change"
_HEAD = "| engine profile | what happens | on real Flink |\n|---|---|---|"
_PARTS_HEAD = "| part of the stored state | what a difference there does |\n|---|---|"


@dataclass(frozen=True)
class View:
    """Selection of a page's content: one engine profile only, or one version of Flink only (two numbers)."""

    engine: str | None = None
    flink: str | None = None

    def shows(self, profile: str) -> bool:
        return self.engine in (None, profile)


EVERYTHING = View()


def readable(page: Page, view: View = EVERYTHING) -> str:
    """Return a page with its heading, the effects by profile, the evidence, and captions above the examples."""
    blocks = [
        f"## `{page.name}`: {page.title}",
        _verdict_line(page, view),
        _table(_HEAD, _profile_rows(page, view)),
        *_of_parts(page, view),
        captioned(page_body(page.query_kind, page.name), view, own_profile=_profile_of_prose(page)).strip(),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def verdicts(page: Page) -> dict[str, Verdict]:
    """Return the verdicts of a page by engine profile: of profiles that decide by the kind of change; without one, the
    worst of the others.
    """
    by_profile = {name: verdict_of(effect) for name, effect in _effects(page).items()}
    by_kind = {name: verdict for name, verdict in by_profile.items() if PROFILES[name].decides_by_kind}
    return by_kind or by_profile


def _effects(page: Page) -> dict[str, Effect]:
    """Return the effect by profile; the worst one where the stored state decides."""
    facts = page_facts(page.query_kind, page.name)
    effects = {}
    for profile in PROFILES.values():
        effect = facts.vvr
        if not profile.decides_by_kind:
            effect = loudest(page_cases(facts))
        if effect is not None:
            effects[profile.name] = effect
    return effects


def _verdict_line(page: Page, view: View) -> str:
    spec = ", ".join(page.spec) or "none"
    if view.engine is None or PROFILES[view.engine].decides_by_kind:
        words = ", ".join(
            f"**{verdict.value}** ({name})" for name, verdict in verdicts(page).items() if view.shows(name)
        )
        return f"Verdict: {words or f'none ({view.engine} does not report it)'}. Spec: {spec}."
    return f"Verdict: by what the job stores ({view.engine}). Spec: {spec}."


def _profile_of_prose(page: Page) -> str:
    """Return the profile that the prose and markers of a page are about: the one that decides by kind, if the page has
    an effect in it.
    """
    names = [name for name in _effects(page) if PROFILES[name].decides_by_kind]
    return names[0] if names else _MEASURED_PROFILE


# ---- profiles and evidence


def _profile_rows(page: Page, view: View) -> Iterator[str]:
    for profile in PROFILES.values():
        if view.shows(profile.name):
            yield from _own_row(profile, page) if profile.decides_by_kind else _case_rows(profile, page, view)


def _table(head: str, rows: Iterable[str]) -> str:
    """A table; empty where it has no rows."""
    lines = tuple(rows)
    return "\n".join((head, *lines)) if lines else ""


def _own_row(profile: EngineProfile, page: Page) -> Iterator[str]:
    effect = _effects(page).get(profile.name)
    if effect is not None:
        yield _row(profile, f"**{effect.value}** ({verdict_of(effect).value})", _source(page))


def _source(page: Page) -> str:
    """The source of an effect without a measurement: the vendor's documentation, or inference."""
    if not page.spec:
        return _UNLISTED
    return _INFERRED if INFERRED.issuperset(page.spec) else _DOCUMENTED


def _case_rows(profile: EngineProfile, page: Page, view: View) -> Iterator[str]:
    """Each case with the pair that shows it, or else with those about this rule that had its effect, or else with the
    examples of the page that had it.
    """
    about = pairs_about(page.query_kind, page.name)
    own = {one.pair for one in about}
    cases = page_cases(page_facts(page.query_kind, page.name))
    for case in cases:
        pairs = pairs_named(case.measured) if case.measured else ()
        near = tuple(sorted(pairs, key=lambda one: one.pair not in own))
        near_words = in_words(near, case.effect, view.flink)
        # Another case may have the same effect: then it is not known which of them the others are about.
        alone = sum(other.effect is case.effect for other in cases) == 1
        outcome = near_words or (in_words(about, case.effect, view.flink) if alone else "")
        outcome = outcome or (_by_examples(page, case.effect, view.flink) if alone else "")
        yield _row(profile, _words(case), outcome or _unmeasured(case))


def _by_examples(page: Page, effect: Effect, flink: str | None) -> str:
    """``on 2.3.0: examples below``, where one that is about this change had the effect; empty if none."""
    # A near miss of a rule is about another change.
    versions = example_versions(page.query_kind, page.name, effect, near_misses=page.words is None)
    releases = [version for version in versions if version.startswith("" if flink is None else f"{flink}.")]
    return f"on {listed_versions(releases)}: examples below" if releases else ""


def _words(case: EffectCase) -> str:
    return f"**{case.effect.value}**{f' if {case.when}' if case.when else ''}"


def _unmeasured(case: EffectCase) -> str:
    return "nothing to measure: it is not modelled" if case.effect is Effect.UNDETERMINED else _NEVER


def _row(profile: EngineProfile, words: str, evidence: str) -> str:
    return f"| `{profile.name}` | {words} | {evidence} |"


def _of_parts(page: Page, view: View) -> Iterator[str]:
    """Yield the effect of a change by part of the stored state, if the selected profile decides by parts."""
    if view.engine is None or PROFILES[view.engine].decides_by_kind or page.kind is None:
        return
    query = _QUERIES.get(page.query_kind)
    if query is None:
        return
    about = touch(query, page.kind)
    rows = [_part_row(part, "") for part in StatePart if part in about.parts]
    rows += [_part_row(part, ", where no other change brings it") for part in StatePart if part in about.also]
    yield _table(_PARTS_HEAD, rows)
    yield _otherwise(about.otherwise, bool(rows))


def _part_row(part: StatePart, condition: str) -> str:
    return f"| {TITLES.get(part, part.value)}{condition} | {'; '.join(map(_words, PART_CASES[part]))} |"


def _otherwise(effect: Effect | None, has_parts: bool) -> str:
    opening = "Where none of these parts differs" if has_parts else "No part of the stored state shows it"
    return f"{opening}: {f'**{effect.value}**' if effect is not None else 'the value of the parameter decides'}."


# ---- examples


def captioned(body: str, view: View = EVERYTHING, own_profile: str | None = None) -> str:
    """Return a body with captions that state the expectation in an example's fence, and its outcome.

    ``own_profile`` is the profile of the prose and the markers: for another profile they are left out.
    """
    is_own = own_profile is None or view.shows(own_profile)
    return "".join(_captioned(body, view, is_own))


def _captioned(body: str, view: View, is_own: bool) -> Iterator[str]:
    baseline: Block | None = None
    baseline_shown = False
    for part in parts(body):
        if isinstance(part, str):
            # Two blocks without prose between them.
            yield (part or "\n") if is_own else "\n"
            continue
        if part.side == "baseline":
            baseline, baseline_shown = part, is_own
            if not is_own:
                continue
        marked = is_own if part.profile is None else view.shows(part.profile)
        if part.profile is not None and view.engine is not None and not marked:
            continue
        if part.side == "current" and baseline is not None and not baseline_shown:
            yield _block(baseline, "", marked=True)
            yield "\n"
            baseline_shown = True
        outcome = _outcome(baseline, part, view) if part.side == "current" and baseline is not None else ""
        yield _block(part, outcome, marked)


def _block(block: Block, outcome: str, marked: bool) -> str:
    words = _CAPTIONS[block.side]
    if block.parameters:
        words += f", with {', '.join(f'`{key}={value}`' for key, value in block.parameters.items())}"
    if block.engine is not None:
        words += f", on `{block.engine}`"
    if block.profile is not None:
        words += f", under the profile `{block.profile}`"
    if block.verdict is not None and marked:
        words += f" (all in all: {block.verdict})"
    return f"{words}{outcome}:\n\n```sql\n{block.text if marked else block.unmarked}```\n"


def _outcome(baseline: Block, current: Block, view: View) -> str:
    if not view.shows(_MEASURED_PROFILE):
        return ""
    outcomes = example_outcomes(baseline.text, current.text)
    if view.flink is not None:
        outcomes = {at: was for at, was in outcomes.items() if at.startswith(f"{view.flink}.")}
    return f" (restarted on {outcomes_in_words(outcomes)})" if outcomes else ""

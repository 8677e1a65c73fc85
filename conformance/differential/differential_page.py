"""The section of docs/accuracy.md about generated pairs that Flink planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from equivalence_budgets import ENGINES
from scored_pairs import KindCounts, ScoredPair, by_kind

SECTION = "differential"
_INTRODUCTION = """\
## Held against Flink's plans

Here Flink {version} decides, and neither labels nor the specification. `make differential` makes rewrites, which keep
the meaning, and edits, which change one part, and lets Flink plan both sides. The generator
(`conformance/pair_generator`) shares nothing with `tests/properties` nor with the analyzer. It moves tokens of the
scripts of [measured pairs](../tests/truth/equivalence/README.md), and of scripts that a caller gives.

* An **alarm** is any verdict but *compatible*, although the optimized plan is the same, node by node, and so are the
  operator ids. Names of columns, aliases and descriptions do not count.
* An **alarm behind the state** is any verdict but *compatible*, if the plan differs, but the stored state, by types
  and by meaning, does not.
* A **silence** is *compatible*, although stored types, the meaning of the stored state, or ids differ.
* A silence is **dangerous** if types or ids differ: then Flink refuses the savepoint, or reads other state.

On `vvr`, rows of the specification call many such edits compatible. A source belongs to its table, so a renamed table
counts as another id.

**How state is compared.** Types are read from the fields of the translated operators. Meaning is traced: keys,
aggregates, stored rows, join conditions, windows, limits, TTL and filters, with each column as an expression over
columns of sources. If a rewrite changes the plan, the meaning counts as the same. An edit without a difference in
Flink's plan counts as equal.
"""


def section(scored: Sequence[ScoredPair], seed: str, version: str, given: bool) -> str:
    """The section, with a row for each kind."""
    kinds = by_kind(scored)
    planned = sum(counts.pairs - counts.refused for counts in kinds.values())
    command = f"make differential PAIRS={len(scored)} SEED={seed}"
    lines = [_INTRODUCTION.format(version=version)]
    where = "The scripts of a folder that is no part of this repository were among the contexts." if given else ""
    lines += [
        f"Made from {len(scored):,} pairs with `{command}`; Flink takes both sides of {planned:,}. {where}".rstrip()
    ]
    lines += ["", *_totals(kinds), ""]
    for group, title in (("rewrite:", "Rewrites"), ("edit:", "Edits")):
        lines += [f"### {title}, by kind", "", *_rows(kinds, group), ""]
    return "\n".join(lines).rstrip() + "\n"


def _totals(kinds: Mapping[str, KindCounts]) -> Iterator[str]:
    yield "| | pairs | " + " | ".join(ENGINES) + " |"
    yield "|---|---:|" + "---:|" * len(ENGINES)
    for words, measure, among in (
        ("alarms on equal plans", "alarms", "plan_equal"),
        ("alarms behind the state", "alarms behind the state", "state_equal"),
        ("silences", "silent", "state_differs"),
        ("dangerous silences", "dangerous", "state_differs"),
    ):
        for group in ("rewrite", "edit"):
            own = [counts for kind, counts in kinds.items() if kind.startswith(group)]
            number = sum(getattr(counts, among) for counts in own)
            cells = [_share(sum(counts.wrong[measure, engine] for counts in own), number) for engine in ENGINES]
            yield f"| {words}, {group}s | {number:,} | {' | '.join(cells)} |"


def _share(count: int, number: int) -> str:
    return f"{count} ({count / number:.1%})" if number else "0"


def _rows(kinds: Mapping[str, KindCounts], group: str) -> Iterator[str]:
    yield (
        "| kind | pairs | refused | plan equal | alarms | state equal only | alarms behind | state differs | silent |"
        " dangerous |"
    )
    yield "|---|" + "---:|" * 9
    yield f"| | | | | {'/'.join(ENGINES)} | | {'/'.join(ENGINES)} | | {'/'.join(ENGINES)} | {'/'.join(ENGINES)} |"
    for kind in sorted(kinds):
        if not kind.startswith(group):
            continue
        counts = kinds[kind]
        alarms, behind, silent, dangerous = (
            _both(counts, measure) for measure in ("alarms", "alarms behind the state", "silent", "dangerous")
        )
        yield (
            f"| {kind.removeprefix(group)} | {counts.pairs} | {counts.refused or ''} |"
            f" {counts.plan_equal or ''} | {alarms} | {counts.state_equal or ''} | {behind} |"
            f" {counts.state_differs or ''} | {silent} | {dangerous} |"
        )


def _both(counts: KindCounts, measure: str) -> str:
    numbers = [counts.wrong[measure, engine] for engine in ENGINES]
    return "/".join(map(str, numbers)) if any(numbers) else ""

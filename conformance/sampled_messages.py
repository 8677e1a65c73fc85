"""Ten findings without their SQL, to judge whether each gives verdict, cause and next step at one look.

    PYTHONPATH=tests/truth python conformance/sampled_messages.py [--seed N] [--number 10] [--answers]

Of the examples of the rules and the measured pairs, in both profiles, findings of different rules and kinds of query
are taken at random. What an editor shows of them is printed: the message, and the head of the hover. Judge first, then
look at the edits with ``--answers``. docs/style.md has how former samples were judged.
"""

from __future__ import annotations

import argparse
import difflib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from keepstate import ENGINES, JobVersion
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.report import Finding
from keepstate.rules.page_files import page_examples, setup
from keepstate.rules.page_format import Block
from keepstate.rules.rule_pages import PAGES
from keepstate_lsp.analysis.labels import VERDICT_WORDS, capital
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.reporting.effects import alarm, with_effect
from measured import given_pairs, sampled_pairs
from shared_analyses import check


@dataclass(frozen=True)
class Pair:
    """Two versions of a job, and the name under which they stand in the repository."""

    name: str
    kind: str
    baseline: JobVersion
    current: JobVersion


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=10)
    parser.add_argument("--answers", action="store_true", help="the edits, and the rules, as well")
    arguments = parser.parse_args()
    for number, (pair, engine, finding) in enumerate(sample(arguments.seed, arguments.number), 1):
        print("\n".join(shown(number, engine, finding)))
        if arguments.answers:
            print("\n".join(answers(pair, finding)))
        print()
    return 0


def sample(seed: int, number: int) -> list[tuple[Pair, str, Finding]]:
    """``number`` findings of different rules and kinds of query, an example and a measured pair in turn."""
    chance = random.Random(seed)
    sets = [list(_examples()), list(_measured())]
    taken: list[tuple[Pair, str, Finding]] = []
    rules: set[str] = set()
    kinds: set[str] = set()
    for pairs in sets:
        chance.shuffle(pairs)
    while any(sets) and len(taken) < number:
        pairs = sets[len(taken) % len(sets)]
        if not pairs:
            break
        pair = pairs.pop()
        if pair.kind in kinds:
            continue
        engine = chance.choice(ENGINES)
        found = [one for one in check(pair.current, pair.baseline, engine).findings if one.rule not in rules]
        if found:
            finding = chance.choice(found)
            taken.append((pair, engine, finding))
            rules.add(finding.rule)
            kinds.add(pair.kind)
    return taken


def _examples() -> Iterator[Pair]:
    for page in PAGES:
        before = setup(page.query_kind)

        def version(block: Block, before: str = before, name: str = page.name) -> JobVersion:
            text, _ = block.script(before, name)
            return JobVersion(text, block.parameters, block.engine, JobUnit(block.jobs))

        for example in page_examples(page.query_kind, page.name):
            name = f"{page.query_kind}:{example.current.line}:{page.name}"
            yield Pair(name, page.query_kind, version(example.baseline), version(example.current))


def _measured() -> Iterator[Pair]:
    for measured in (*given_pairs("pairs"), *given_pairs("pairs-2"), *sampled_pairs()):
        current, baseline = measured.versions
        yield Pair(measured.name, f"measured {measured.family}", baseline, current)


def shown(number: int, engine: str, finding: Finding) -> Iterator[str]:
    """The squiggle's message, and the head of the hover: verdict, results, advice."""
    title = alarm(finding.effect) + with_effect(VERDICT_WORDS[finding.verdict], finding.effect)
    yield f"{number}. ({engine}) {with_arrows(alarm(finding.effect) + finding.message)}"
    yield f"   {capital(title)}"
    yield from (
        f"   {label}: {with_arrows(words)}"
        for label, words in (("Results", finding.recovery), ("Advice", finding.advice))
        if words
    )


def answers(pair: Pair, finding: Finding) -> Iterator[str]:
    """The rule, and the lines that differ."""
    yield f"   = {finding.rule}, {pair.name}"
    lines = difflib.unified_diff(pair.baseline.text.splitlines(), pair.current.text.splitlines(), lineterm="", n=0)
    yield from (f"   {line}" for line in lines if not line.startswith(("---", "+++", "@@")))


if __name__ == "__main__":
    sys.exit(main())

"""Pairs of scripts by seed and number: a context, and a rewrite or an edit of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random

from aggregate_edits import AGGREGATE_EDITS
from declaration_edits import DECLARATION_EDITS
from expression_kinds import PREDICATE_EDITS, PREDICATE_REWRITES, VALUE_EDITS, VALUE_REWRITES
from expression_places import with_filter, with_predicates, with_values, without_filter
from layer_rewrites import LAYER_REWRITES
from query_edits import QUERY_EDITS
from spelling_rewrites import SPELLING_REWRITES
from sql_places import Made, Places

MEASURED = Path(__file__).parents[2] / "tests" / "truth" / "equivalence" / "pairs.jsonl.gz"
_LONGEST = 8_000
_TRIES = 40

Change = Callable[[Places, Random], Made]


@dataclass(frozen=True)
class Context:
    """A script that Flink is to plan, and where it comes from."""

    name: str
    script: str


@dataclass(frozen=True)
class GeneratedPair:
    """``kind`` begins with ``rewrite:`` or ``edit:``."""

    number: int
    kind: str
    context: str
    a: str
    b: str


def _expressions(templates: Mapping[str, tuple[str, str]], place: Callable[..., Made], name: str) -> dict[str, Change]:
    return {f"{name}-{kind}": partial(_placed, place, *both) for kind, both in templates.items()}


def _placed(place: Callable[..., Made], left: str, right: str, places: Places, random: Random) -> Made:
    return place(places, random, left, right)


def _filter_added(places: Places, random: Random) -> Made:
    return with_filter(places, random, "{P}")


def _filter_removed(places: Places, random: Random) -> Made:
    return without_filter(places, random)


def _filter_true(places: Places, random: Random) -> Made:
    return with_filter(places, random, random.choice(("TRUE", "1 = 1", "NOT FALSE")))


REWRITES: dict[str, Change] = {
    **_expressions(PREDICATE_REWRITES, with_predicates, "predicate"),
    **_expressions(VALUE_REWRITES, with_values, "value"),
    **{f"layer-{kind}": change for kind, change in LAYER_REWRITES.items()},
    **{f"spelling-{kind}": change for kind, change in SPELLING_REWRITES.items()},
    "filter-true": _filter_true,
}
EDITS: dict[str, Change] = {
    **_expressions(PREDICATE_EDITS, with_predicates, "predicate"),
    **_expressions(VALUE_EDITS, with_values, "value"),
    **{f"aggregate-{kind.removeprefix('aggregate-')}": change for kind, change in AGGREGATE_EDITS.items()},
    **{f"query-{kind}": change for kind, change in QUERY_EDITS.items()},
    **{f"declaration-{kind}": change for kind, change in DECLARATION_EDITS.items()},
    "filter-added": _filter_added,
    "filter-removed": _filter_removed,
}


@cache
def measured_contexts() -> tuple[Context, ...]:
    """The first scripts of the measured pairs, one for each context and text."""
    with gzip.open(MEASURED, "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    return tuple(dict.fromkeys(Context(pair["context"], pair["a"]) for pair in pairs))


def given_contexts(folder: Path) -> tuple[Context, ...]:
    """The scripts of a folder of ``*.sql`` and ``*.jsonl``, or of a file of JSON lines, that have a query."""
    found: list[Context] = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        if path.suffix == ".sql":
            found.append(Context(f"given/{path.stem}", path.read_text("utf-8", "replace")))
        elif path.suffix == ".jsonl":
            found += _of_lines(path)
    return tuple(context for context in found if len(context.script) < _LONGEST and "select" in context.script.lower())


def _of_lines(path: Path) -> Iterator[Context]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            for value in json.loads(line).values():
                if isinstance(value, str) and "create table" in value.lower():
                    yield Context(f"given/{path.stem}-{number}", value)
                    break


def pair_of(number: int, seed: str, given: Sequence[Context] = ()) -> GeneratedPair:
    """The pair of a number; the same one for the same seed and contexts. Every second pair is an edit.

    With given contexts, every third pair is in one of these.
    """
    random = Random(f"{seed}/{number}")
    kinds, group = (EDITS, "edit") if number % 2 else (REWRITES, "rewrite")
    # All kinds take turns, each in an order that the seed decides.
    order = sorted(kinds)
    Random(f"{seed}/{group}").shuffle(order)
    kind = order[number // 2 % len(order)]
    contexts = given if given and number % 3 == 0 else measured_contexts()
    by_name = _by_name(tuple(contexts))
    while True:
        for _ in range(_TRIES):
            context = random.choice(by_name[random.choice(sorted(by_name))])
            made = _made(kinds[kind], context.script, random)
            if made is not None:
                flip = group == "edit" and random.random() < 0.4
                a, b = made[::-1] if flip else made
                return GeneratedPair(number, f"{group}:{kind}", context.name, a, b)
        # No context has such a place, as with given ones that are all alike.
        if contexts is not measured_contexts():
            by_name = _by_name(measured_contexts())
        else:
            kind = random.choice(order)


def _made(change: Change, script: str, random: Random) -> Made:
    made = change(places_of(script), random)
    return made if made is not None and made[0] != made[1] else None


@cache
def _by_name(contexts: tuple[Context, ...]) -> dict[str, list[Context]]:
    found: dict[str, list[Context]] = {}
    for context in contexts:
        found.setdefault(context.name, []).append(context)
    return found


@cache
def places_of(script: str) -> Places:
    return Places(script)

"""Real statements: the share that parses, the share of their text in the tree, and constructs without a meaning."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import pairwise

from sqlglot import exp

import keepstate
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr, Opaque
from keepstate.plan.job import Job, Plan
from keepstate.plan.operators import Operator, Unsupported
from keepstate.syntax.script import ParsedStatement, Script, StatementKind
from keepstate.syntax.spans import keyword_span, span_of
from keepstate.syntax.tokens import TokenKind

Entry = Mapping[str, object]

_NOTED = frozenset({TokenKind.NAME, TokenKind.STRING, TokenKind.NUMBER, TokenKind.PLACEHOLDER})
"""Tokens that say something by themselves; words are keywords mostly, and belong to the clause around them."""


@dataclass
class Reading:
    """The results of reading the statements; ``accepted`` are those that Flink's parser takes."""

    statements: int = 0
    accepted: list[str] = field(default_factory=list)
    parsed: int = 0
    with_spans: int = 0
    templates: int = 0
    read_around_holes: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    causes_with_holes: Counter[str] = field(default_factory=Counter)
    spans_amiss: Counter[str] = field(default_factory=Counter)

    @property
    def share_with_spans(self) -> float:
        return self.with_spans / len(self.accepted)


def read_all(entries: Iterable[Entry]) -> Reading:
    """Read each statement by itself."""
    reading = Reading()
    for entry in entries:
        reading.statements += 1
        text = str(entry["sql"])
        script = keepstate.parse_script(text)
        if _is_taken_by_flink(entry):
            reading.accepted.append(text)
            reading.parsed += not script.problems
            amiss = Counter(fault for statement in script.statements for fault in faults(statement.parsed))
            reading.with_spans += not script.problems and not amiss
            reading.causes.update(_causes(script))
            reading.spans_amiss += amiss
        elif entry.get("template"):
            reading.templates += 1
            reading.read_around_holes += not script.problems
            reading.causes_with_holes.update(_causes(script))
    return reading


def _is_taken_by_flink(entry: Entry) -> bool:
    said = entry["flink_2_1"]
    return isinstance(said, dict) and said.get("parse") == "ok"


def _causes(script: Script) -> set[str]:
    return {re.sub(r"'[^']*'", "'…'", problem.message) for problem in script.problems}


def faults(parsed: ParsedStatement) -> Iterator[str]:
    """Faults in the spans of a statement's tree.

    Each node has a span that begins and ends with a token, lies in its parent's and beside its siblings'; names and
    literals have the text that they stand for; every name, literal and hole of the text is in a leaf of the tree.
    """
    if parsed.tree is None:
        return
    starts, ends = {token.start for token in parsed.tokens}, {token.end for token in parsed.tokens}
    quoted: set[tuple[int, int]] = set()
    for node in parsed.tree.walk():
        span = span_of(node)
        if span is None:
            yield f"{type(node).__name__} has no span"
            continue
        if span.start not in starts or span.end not in ends:
            yield f"{type(node).__name__} does not begin and end with a token"
        children = sorted((inner.start, inner.end) for inner in map(span_of, node.iter_expressions()) if inner)
        if children and (children[0][0] < span.start or max(end for _, end in children) > span.end):
            yield f"{type(node).__name__} does not hold its parts"
        if any(left[1] > right[0] for left, right in pairwise(children)):
            yield f"{type(node).__name__} has parts that overlap"
        if not _slices_to_itself(node, span.of(parsed.text)):
            yield f"{type(node).__name__} has the text of something else"
        if not children:
            quoted.add((span.start, span.end))
        elif (keyword := keyword_span(node)) is not None:
            quoted.add((keyword.start, keyword.end))
    for token in parsed.tokens:
        if token.kind in _NOTED and not any(start <= token.start and token.end <= end for start, end in quoted):
            yield f"a {token.kind.value} is in no part of the tree"


def _slices_to_itself(node: exp.Expr, text: str) -> bool:
    if isinstance(node, exp.Identifier):
        return text.strip("`").replace("``", "`") == node.name
    if isinstance(node, exp.Literal) and text.startswith("'"):
        return text[1:-1].replace("''", "'") == node.name
    return not isinstance(node, exp.Literal) or node.is_string or text == node.name


def constructs_of_files(entries: Iterable[Entry]) -> Counter[str]:
    """In how many files of the corpus each construct is that has no meaning in plans."""
    files: dict[tuple[object, object], list[str]] = defaultdict(list)
    for entry in entries:
        if _is_taken_by_flink(entry):
            files[entry["repo"], entry["path"]].append(str(entry["sql"]))
    counts: Counter[str] = Counter()
    for texts in files.values():
        counts.update(constructs(";\n".join(texts)))
    return counts


def constructs(text: str) -> set[str]:
    """The constructs of a script without a meaning in plans: compared token by token, or not at all."""
    views = Catalog.of(statement.parsed for statement in keepstate.parse_script(text).statements).views
    # A view is planned when something reads it.
    script = keepstate.parse_script(";\n".join([text, *(f"SELECT * FROM {_quoted(name)}" for name in views)]))
    found = {
        f"statement {statement.parsed.tokens[0].word}"
        for statement in script.statements
        if statement.kind is StatementKind.OTHER and statement.parsed.tokens[0].word in ("DELETE", "UPDATE", "MERGE")
    }
    for pipeline in Job.of(script, {}).pipelines:
        found.update(_of_plan(pipeline.plan))
    return found


def _quoted(name: str) -> str:
    return ".".join(f"`{part}`" for part in name.split("."))


def _of_plan(plan: Plan) -> Iterator[str]:
    for operator in plan.operators:
        if isinstance(operator, Unsupported):
            yield operator.construct
        yield from _of_value(operator)
    for expr in plan.output:
        yield from _of_value(expr)


def _of_value(value: object) -> Iterator[str]:
    if isinstance(value, Opaque):
        yield f"{value.kind} token by token"
    elif isinstance(value, Expr):
        for child in value.children():
            yield from _of_value(child)
    elif isinstance(value, tuple):
        for part in value:
            yield from _of_value(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for entry in fields(value):
            part = getattr(value, entry.name)
            if not isinstance(part, Operator):
                yield from _of_value(part)

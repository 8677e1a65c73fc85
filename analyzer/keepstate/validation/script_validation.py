"""The statements of a script, validated in their order against what stands above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from keepstate.plan.engine_version import EngineVersion
from keepstate.syntax.script import Script, Statement
from keepstate.validation.statement_context import NEWEST, Dialect
from keepstate.validation.statements.script_walk import ScriptWalk
from keepstate.validation.validity import Validity


def validate(
    script: Script,
    engine: str = "flink",
    engine_version: str | None = None,
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> Validity:
    """The answers for all statements of ``script``, as Flink of this version would take them one after the other.

    ``parameters`` are those that hold without a SET in the script. ``engine`` is ``flink`` for open-source Flink. Any
    other one knows more SQL: what Flink refuses there, but for names, groups and numbers of columns, is undecided.

    >>> from keepstate.syntax.script import parse_script
    >>> validate(parse_script("SELECT a FROM (VALUES (1)) AS t (b)")).problems[0].rule
    'unknown-column'
    """
    version = EngineVersion.of(engine_version) if engine_version else None
    dialect = Dialect(version.flink if version is not None and version.flink else NEWEST, engine == "flink")
    return ScriptWalk(script, dialect, parameters).validity()


def validate_in(
    context: Sequence[Script],
    script: Script,
    engine: str = "flink",
    engine_version: str | None = None,
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> Validity:
    """The answers for ``script`` behind the scripts of ``context``: their declarations and settings hold, and their
    problems do not count.
    """
    if not context:
        return validate(script, engine, engine_version, parameters)
    texts: list[str] = []
    statements: list[Statement] = []
    start = own = first = 0
    for each in (*context, script):
        own, first = start, len(statements)
        texts.append(f"{each.text}\n;\n")
        statements += (Statement(other.span.shift(start), other.parsed) for other in each.statements)
        start += len(texts[-1])
    whole = Script("".join(texts), tuple(statements), memo=script.memo)
    validity = validate(whole, engine, engine_version, parameters)
    return validity.behind(own, first)

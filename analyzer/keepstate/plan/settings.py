"""The parameters of a job: those given outside of the SQL, and SET and RESET in the script.

Flink takes SET and RESET for all that follows. A platform may collect them before it runs anything, so a SET behind a
query counts for it as well, unless the same parameter was set or reset before (spec section 17, step 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepstate.plan.catalog import Option
from keepstate.plan.parameters import known_parameter
from keepstate.plan.provenance import Place
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import ParsedStatement, Script, Statement, StatementKind
from keepstate.text import Span
from keepstate.value_class import value_class

Settings = Mapping[str, Option]
"""Parameters by key; one that is written under a synonym stands under its proper key."""


@value_class(frozen=True)
class ScriptSettings:
    """Settings of a script over its statements. ``final`` are those at its end."""

    final: Settings
    _before: Mapping[Statement, Settings]
    """Settings at statements behind the first SET or RESET, as far as they differ from those at the end."""
    resets: Mapping[str, Place]
    """The RESET statements by the proper keys that they touched."""

    @staticmethod
    def of(script: Script, parameters: Mapping[str, str]) -> ScriptSettings:
        """The settings of a script, over ``parameters`` that are set outside of it.

        >>> from keepstate.syntax.script import parse_script
        >>> script = parse_script("SET 'table.exec.state.ttl' = '1 d'; SELECT 1")
        >>> {key: option.value for key, option in ScriptSettings.of(script, {"parallelism.default": "4"}).final.items()}
        {'parallelism.default': '4', 'table.exec.state.ttl': '1 d'}
        """
        outside = {key: Option(key, value) for key, value in parameters.items()}
        options, touched = dict(outside), set[str]()
        resets: dict[str, Place] = {}
        # What holds, and which keys were touched: found out where a query asks for it, not at every SET of many.
        versions: list[tuple[Settings, frozenset[str]]] = []
        version_at: dict[Statement, int] = {}
        is_latest = False
        sets = script.of_kind(StatementKind.SET, StatementKind.RESET)
        statements: Sequence[Statement] = script.statements if sets else ()
        for statement in statements:
            tree = statement.parsed.tree
            if (
                isinstance(tree, syntax_nodes.SetOption)
                and tree.this is not None
                and tree.args.get("expression") is not None
            ):
                key = tree.this.name.strip()
                options[key] = Option(key, tree.args["expression"].name, whole(statement.parsed))
                touched.add(_proper(key))
            elif isinstance(tree, syntax_nodes.ResetOption):
                keys = _reset(options, outside, tree.this.name.strip() if tree.this is not None else None)
                resets.update(dict.fromkeys(keys, whole(statement.parsed)))
                touched |= keys
            else:
                if touched:
                    if not is_latest:
                        versions.append((_canonical(options), frozenset(touched)))
                        is_latest = True
                    version_at[statement] = len(versions) - 1
                continue
            is_latest = False
        last = _canonical(options)
        views = [_with_final_options(*version, last) for version in versions]
        other = {number for number, settings in enumerate(views) if settings != last}
        differing = {statement: views[number] for statement, number in version_at.items() if number in other}
        return ScriptSettings(last, differing, resets)

    @property
    def is_uniform(self) -> bool:
        """Return whether all queries have the settings at the end."""
        return not self._before

    def at(self, statement: Statement) -> Settings:
        """Return the settings for the query in ``statement``.

        >>> from keepstate.syntax.script import parse_script
        >>> script = parse_script("SELECT 1; SET 'pipeline.name' = 'x'; SELECT 2; SET 'pipeline.name' = 'y'; SELECT 3")
        >>> settings = ScriptSettings.of(script, {})
        >>> [settings.at(script.statements[number])["pipeline.name"].value for number in (2, 4)]
        ['x', 'y']
        """
        return self._before.get(statement, self.final) if self._before else self.final


def whole(statement: ParsedStatement) -> Place:
    """The place of a whole statement, for what no clause of it stands for.

    >>> whole(statement("SET 'table.exec.state.ttl' = '1 d'")).token_text
    "SET 'table.exec.state.ttl' = '1 d'"
    """
    return Place(statement, Span(0, len(statement.text)))


def _with_final_options(settings: Settings, touched: frozenset[str], final: Settings) -> Settings:
    """Return ``settings``, and the options of ``final`` that were neither set nor reset before."""
    untouched = {key: option for key, option in final.items() if key not in touched}
    return {**untouched, **{key: option for key, option in settings.items() if key in touched}}


def _reset(options: dict[str, Option], outside: Mapping[str, Option], key: str | None) -> set[str]:
    """Apply RESET: restore the value that is configured outside of the SQL, of ``key`` or of all keys. Return the keys
    that changed.
    """
    keys = {key} if key is not None else set(options)
    for name in keys:
        options.pop(name, None)
    options.update({name: option for name, option in outside.items() if name in keys})
    return {_proper(name) for name in keys}


def _proper(key: str) -> str:
    parameter = known_parameter(key)
    return parameter.key if parameter is not None else key


def _canonical(options: Mapping[str, Option]) -> Settings:
    # Flink looks for the proper key first and for synonyms only then.
    synonyms = {_proper(key): option for key, option in options.items() if _proper(key) != key}
    return {**synonyms, **{key: option for key, option in options.items() if _proper(key) == key}}

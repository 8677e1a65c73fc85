"""Renames: the edits that give a declared name another word everywhere, and the reasons why there are none."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from keepstate.names.declared_columns import declared_column
from keepstate.names.script_names import Name, NamePlace, ScriptNames, names_of
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.reserved import quoted
from keepstate.syntax.script import Script, Statement, parse_script
from keepstate.syntax.tokens import TokenKind
from keepstate.text import Edit, LineIndex, Span, apply_edits
from keepstate.validation import Validity, validate
from keepstate.validation.values.builtin_signatures import is_built_in
from keepstate.validation.values.declared_symbols import NameKind

_SEEN_BEYOND = frozenset({NameKind.TABLE, NameKind.VIEW, NameKind.FUNCTION, NameKind.COLUMN, NameKind.OUTPUT})
"""Kinds of names that other statements than that of the declaration may use."""
_NOT_FOLLOWED = frozenset({StatementKind.BROKEN, StatementKind.ALTER, StatementKind.OTHER})
"""Kinds of statements in which not every name is resolved."""


class RenameRefused(Exception):
    """A rename that cannot be; the message is a sentence for the user.

    >>> from keepstate.syntax.script import parse_script
    >>> rename(parse_script("CREATE TABLE t (a INT, b INT)"), 16, "b")
    Traceback (most recent call last):
    keepstate.names.renames.RenameRefused: b cannot be the name: Column b is declared twice.
    """


@dataclass(frozen=True)
class Rename:
    """A rename that keeps each name what it is; ``edits`` are in the order of the text.

    >>> from keepstate.syntax.script import parse_script
    >>> [edit.new_text for edit in rename(parse_script("CREATE TABLE t (a INT); SELECT a FROM t"), 16, "order").edits]
    ['`order`', '`order`']
    """

    name: Name
    new_name: str
    edits: tuple[Edit, ...]
    is_field: bool = False
    """It is a column that a connector reads or writes: by its name, if the format has names."""


@dataclass(frozen=True)
class Engine:
    """The engine for which the renamed script has to stay as valid as it was."""

    name: str = "flink"
    version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    def validity(self, script: Script) -> Validity:
        return validate(script, self.name, self.version, self.parameters)


def renamed_place(script: Script, offset: int) -> NamePlace:
    """The name at ``offset`` that a rename would change.

    >>> from keepstate.syntax.script import parse_script
    >>> renamed_place(parse_script("CREATE TABLE t (a INT); SELECT a FROM t;"), 31).name.words
    't.a'

    Raises:
        RenameRefused: there is none, or it cannot be renamed.
    """
    names = names_of(script)
    places = names.at(offset)
    if not places:
        raise RenameRefused("There is no name here that this file declares.")
    place = places[0]
    name = place.name
    if len({each.name for each in places}) > 1:
        words = " and ".join(each.name.words for each in places)
        raise RenameRefused(f"USING joins {words} because they have one name: rename them at their declarations.")
    if name.kind is NameKind.IMPLIED:
        raise RenameRefused(f"{name.name} is not declared in this file: give it a name with AS.")
    if name.kind is NameKind.FUNCTION and script.text[: name.span.start].rstrip().endswith("."):
        raise RenameRefused(f"{name.name} belongs to a database, and its calls are not followed.")
    for merge in names.merged:
        if name in merge.names and len(merge.names) > 1:
            other_names = ", ".join(sorted(each.words for each in merge.names if each != name))
            where = _line(script, merge.span)
            raise RenameRefused(f"Line {where} needs {name.words} and {other_names} to have one name.")
    _refuse_doubts(script, names, name)
    return place


def rename(script: Script, offset: int, new_name: str, engine: Engine = Engine()) -> Rename:
    """The edits that call the name at ``offset`` ``new_name`` at all its places; none where it is called so already.

    ``new_name`` may stand in backticks, and gets them where Flink needs them.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("CREATE TABLE t (a INT); SELECT a FROM t;")
    >>> [edit.span.start for edit in rename(script, 31, "b").edits]
    [16, 31]

    Raises:
        RenameRefused: there is no such name, or the new one is none, is taken, or changes the meaning of another name.
    """
    name = renamed_place(script, offset).name
    new = _plain(new_name)
    if not new:
        raise RenameRefused("A name has at least one character.")
    if any(char in new for char in "\r\n") or not new.isprintable():
        raise RenameRefused("A name stands on one line.")
    if name.kind in (NameKind.TABLE, NameKind.VIEW, NameKind.FUNCTION) and "." in new:
        raise RenameRefused(f"A {name.kind.value} stays in its database: {new} has a dot.")
    if name.kind is NameKind.FUNCTION and is_built_in(new.upper()):
        raise RenameRefused(f"{new.upper()} is a function of Flink already.")
    if new == name.name:
        return Rename(name, new, ())
    names = names_of(script)
    column = declared_column(script, name)
    all_edits = [Edit(place.span, _spelling(new, place.in_text)) for place in names.by_name[name]]
    if column is not None and column.key_goes_to is not None:
        # The name is the key of the metadata too, and the key stays.
        at = column.key_goes_to
        all_edits.append(Edit(Span(at, at), f" FROM '{_spelling(name.name, in_text=True)}'"))
    edits = tuple(sorted(all_edits, key=lambda edit: edit.span))
    renamed = parse_script(apply_edits(script.text, edits), script.memo)
    _refuse_invalid(engine.validity(script), engine.validity(renamed), new)
    _refuse_other_meaning(script, names, names_of(renamed), edits, new)
    return Rename(name, new, edits, column is not None and column.is_field)


def _plain(new_name: str) -> str:
    text = new_name.strip()
    if len(text) > 1 and text.startswith("`") and text.endswith("`"):
        return text[1:-1].replace("``", "`")
    return text


def _spelling(name: str, in_text: bool) -> str:
    """The name as it stands in the text: plain, in backticks, or between the quotes of a string."""
    if in_text:
        return name.replace("'", "''")
    return quoted(name)


def _line(script: Script, span: Span) -> int:
    return LineIndex(script.text).position(span.start).line + 1


# ---- names that may be meant, and are not known


def _refuse_doubts(script: Script, names: ScriptNames, name: Name) -> None:
    """Refuse a rename that would leave a place behind that may name the same thing.

    Raises:
        RenameRefused: there is such a place.
    """
    for span in _doubtful(script, names, name):
        raise RenameRefused(f"Line {_line(script, span)} may name {name.words} too, and is not understood for certain.")


def _doubtful(script: Script, names: ScriptNames, name: Name) -> Iterator[Span]:
    if name.kind not in _SEEN_BEYOND:
        return
    places = names.by_name[name]
    spans = {place.span for place in names.places}
    for statement in script.statements:
        if statement.parsed.kind in _NOT_FOLLOWED and name.span.end <= statement.span.start:
            yield from (span for span in _tokens_named(statement, name) if span not in spans)
    if name.kind not in (NameKind.COLUMN, NameKind.OUTPUT):
        return
    for span in names.unresolved:
        if span.of(script.text).strip("`") != name.name:
            continue
        at = bisect_left(script.statements, span.end, key=lambda statement: statement.span.end)
        if any(script.statements[at].span.contains(place.span) for place in places):
            yield span


def _tokens_named(statement: Statement, name: Name) -> Iterator[Span]:
    for token in statement.parsed.tokens:
        if token.kind in (TokenKind.WORD, TokenKind.NAME) and token.text.strip("`") == name.name:
            yield Span(token.start, token.end).shift(statement.span.start)


# ---- the renamed script


def _refuse_invalid(before: Validity, after: Validity, new: str) -> None:
    counts = Counter((problem.statement, problem.rule) for problem in before.problems)
    for problem in after.problems:
        counts[problem.statement, problem.rule] -= 1
        if counts[problem.statement, problem.rule] < 0:
            raise RenameRefused(f"{new} cannot be the name: {problem.message}")


def _refuse_other_meaning(
    script: Script, before: ScriptNames, after: ScriptNames, edits: tuple[Edit, ...], new: str
) -> None:
    """Refuse a rename after which any name of the script means something else.

    Raises:
        RenameRefused: a name does.
    """
    shift = _Moved(edits)
    expected = {(shift.span(place.span), shift.span(place.name.span)): place for place in before.places}
    pairs = {(place.span, place.name.span) for place in after.places}
    changed_places = [place for key, place in expected.items() if key not in pairs]
    if changed_places:
        line = _line(script, changed_places[0].span)
        raise RenameRefused(f"{new} is taken: {changed_places[0].name.words} in line {line} would mean something else.")
    merged = {
        (shift.span(each.span), frozenset(shift.span(name.span) for name in each.names)) for each in before.merged
    }
    if len(pairs) != len(expected) or merged != {
        (each.span, frozenset(name.span for name in each.names)) for each in after.merged
    }:
        raise RenameRefused(f"{new} is taken: another name in the script would mean it.")


class _Moved:
    """Places of a text after edits that do not overlap, in the order of the text."""

    def __init__(self, edits: tuple[Edit, ...]) -> None:
        self._starts = [edit.span.start for edit in edits]
        self._by = [0]
        for edit in edits:
            self._by.append(self._by[-1] + len(edit.new_text) - len(edit.span))

    def span(self, span: Span) -> Span:
        return Span(self._offset(span.start), self._offset(span.end))

    def _offset(self, offset: int) -> int:
        return offset + self._by[bisect_left(self._starts, offset)]

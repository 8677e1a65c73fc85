"""Signature help: the call around the cursor, and the argument at which it is."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.completion.completion_context import Context
from keepstate.completion.cursor_place import cursor_at
from keepstate.completion.facts.function_forms import FORMS, GROUP_WINDOWS, WINDOWS, Form
from keepstate.completion.operand_places import is_window_call
from keepstate.structure.levels import Level
from keepstate.syntax.memo import Memo
from keepstate.validation.statement_context import Dialect


@dataclass(frozen=True)
class SignatureHelp:
    """The forms of a call. ``active`` is the number of the form that the arguments fit, ``parameter`` that of the
    parameter at the cursor; ``None`` behind the last one.

    >>> from keepstate import Draft
    >>> found = Draft().signature_help("SELECT ROUND(a, ", 16)
    >>> found.forms[found.active].text, found.parameter
    ('ROUND(number[, digits])', 1)
    """

    forms: tuple[Form, ...]
    active: int
    parameter: int | None


def signature_help(text: str, offset: int, memo: Memo, dialect: Dialect) -> SignatureHelp | None:
    """The help for the innermost call around ``offset``; ``None`` outside of calls of known functions.

    >>> help = signature_help("SELECT ROUND(a, ", 16, Memo(), Dialect())
    >>> help.forms[help.active].text, help.parameter
    ('ROUND(number[, digits])', 1)
    """
    cursor = cursor_at(text, offset)
    if cursor is None:
        return None
    context = Context(cursor, memo, dialect)
    for level in context.levels.enclosing():
        if level.is_query:
            return None
        forms = _forms(level, context)
        if forms:
            return _help(forms, level, context)
    return None


def _forms(level: Level, context: Context) -> tuple[Form, ...]:
    name = level.owner
    if name in context.declarations.functions:
        return ()
    if name in WINDOWS:
        return (WINDOWS[name],) if is_window_call(level, context) else (GROUP_WINDOWS[name],)
    return FORMS.get(name, ())


def _help(forms: tuple[Form, ...], level: Level, context: Context) -> SignatureHelp:
    index = context.cursor.index
    before = [member for member in level.members if member < index]
    argument = sum(context.word(member) == "," for member in before)
    commas = [member for member in before if context.word(member) == ","]
    since = [member for member in before if not commas or member > commas[-1]]
    name = context.word(since[0]) if len(since) > 1 and context.word(since[1]) == "=>" else ""
    count = 1 + sum(context.word(member) == "," for member in level.members)
    fitting = (n for n, form in enumerate(forms) if form.parameter_at(count - 1) is not None)
    active = next(fitting, len(forms) - 1)
    form = forms[active]
    parameter = form.parameter_named(name) if name else form.parameter_at(argument)
    return SignatureHelp(forms, active, parameter)

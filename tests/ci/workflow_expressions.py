"""Expressions of GitHub Actions, as far as the definitions of this repository use them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\s*(?:(?P<text>'[^']*')|(?P<name>[A-Za-z_][\w.-]*(?:\(\))?)|(?P<sign>\|\||&&|==|!=|!|\(|\)))")
_HOLE = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
Value = str | bool


def interpolated(text: str, values: Mapping[str, Value]) -> str:
    """``text`` with the values of its expressions."""
    return _HOLE.sub(lambda hole: _written(evaluated(hole[1], values)), text)


def condition(written: object, values: Mapping[str, Value]) -> bool:
    """Return whether a step or job with this ``if`` runs. Without a function of the status, ``success()`` is meant."""
    text = _HOLE.sub(lambda hole: hole[1], str(written))
    if not re.search(r"\b(?:always|cancelled|failure|success)\(\)", text):
        text = f"success() && ({text})"
    return bool(evaluated(text, values))


def evaluated(text: str, values: Mapping[str, Value]) -> Value:
    """The value of an expression. A context without such a member gives an empty text, as GitHub has it.

    >>> evaluated("a.b == 'x' && !cancelled()", {"a.b": "x", "cancelled()": False})
    True
    """
    return _Expression(text, values).value()


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else value


class _Expression:
    def __init__(self, text: str, values: Mapping[str, Value]) -> None:
        self._values = values
        self._tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            assert found, f"not understood: {text[at:]}"
            self._tokens.append(found[0].strip())
            at = found.end()

    def value(self) -> Value:
        found = self._or()
        assert not self._tokens, f"not understood: {self._tokens}"
        return found

    def _or(self) -> Value:
        left = self._and()
        while self._take("||"):
            right = self._and()
            left = left or right
        return left

    def _and(self) -> Value:
        left = self._equals()
        while self._take("&&"):
            right = self._equals()
            left = left and right
        return left

    def _equals(self) -> Value:
        left = self._one()
        for sign in ("==", "!="):
            if self._take(sign):
                return (_written(left) == _written(self._one())) == (sign == "==")
        return left

    def _one(self) -> Value:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            found = self._or()
            assert self._take(")")
            return found
        token = self._tokens.pop(0)
        return token[1:-1] if token.startswith("'") else self._values.get(token, "")

    def _take(self, token: str) -> bool:
        if self._tokens and self._tokens[0] == token:
            self._tokens.pop(0)
            return True
        return False

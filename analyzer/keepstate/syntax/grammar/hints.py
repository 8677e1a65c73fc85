"""Hints of queries and of tables."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax.grammar.calls import CallGrammar
from keepstate.syntax.tokens import TokenKind


class HintGrammar(CallGrammar):
    """Hints between ``/*+`` and ``*/``."""

    def hint(self) -> exp.Hint:
        """``/*+ NAME(...), NAME */`` from real tokens."""
        start = self.token.start
        self.expect("/*+")
        items: list[exp.Expression] = []
        is_expected, is_open = True, False
        while self.token.word != "*/":
            if self.token.kind is TokenKind.END:
                self.fail("*/ at the end of the hint")
            if self.token.kind is TokenKind.PLACEHOLDER and self.peek().word != "(":
                self.pass_placeholder()
                is_open = True
            else:
                if not (is_expected or is_open):
                    self.tolerate("hint", "A comma stands between two hints.")
                items.append(self._hint_item())
                is_open = False
            is_expected = self.accept(",")
        if is_expected and not is_open:
            self.tolerate("hint", "The name of a hint is missing here.")
        self.expect("*/")
        return self.finish(start, exp.Hint(expressions=items))

    def _hint_item(self) -> exp.Expression:
        token = self.token
        name = self.name("the name of a hint", any_word=True)
        options: list[exp.Expression] = []
        if not self.accept("(", ")") and self.token.word == "(":
            opening = self.index
            options = self.in_parens(self._hint_option)
            self._tolerate_options(options, opening)
        return self.finish_clause(token.start, token.end, exp.Anonymous(this=name.this, expressions=options))

    def _tolerate_options(self, options: list[exp.Expression], opening: int) -> None:
        """Note an option of another form than the first one: all are pairs, or names, or values."""
        forms = [_form(option) for option in options]
        wrong = next((number for number, form in enumerate(forms) if not form or form != forms[0]), None)
        if wrong is not None:
            start = options[wrong].meta["span"][0]
            index = next(
                number for number, token in enumerate(self.tokens) if number > opening and token.start == start
            )
            self.tolerate("hint", "Options of a hint are all 'key' = 'value', or all names, or all values.", index)

    def _hint_option(self) -> exp.Expression:
        start = self.token.start
        if self.token.kind is TokenKind.STRING:
            key: exp.Expression = self.string()
        elif self.token.kind is TokenKind.NUMBER:
            key = self.number()
        elif self.token.word == "-" and self.peek().kind is TokenKind.NUMBER:
            self.advance()
            key = self.finish(start, exp.Neg(this=self.number()))
        else:
            key = self.make_column(start, [*self.path("an option")])
        if not self.accept("="):
            return key
        value = self.string() if self.token.kind is TokenKind.STRING else self.expression()
        return self.finish(start, exp.Property(this=key, value=value))


def _form(option: exp.Expression) -> str:
    """The form of an option of a hint; empty for one that Flink's parser does not read."""
    if isinstance(option, exp.Property):
        key, value = option.this, option.args["value"]
        is_text = isinstance(key, exp.Column) or (isinstance(key, exp.Literal) and key.is_string)
        return "pair" if is_text and isinstance(value, exp.Literal) and value.is_string else ""
    if isinstance(option, exp.Column):
        return "name" if len(option.parts) == 1 else ""
    return "value"

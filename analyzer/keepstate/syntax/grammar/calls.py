"""Calls of functions: arguments, the special forms of standard SQL, FILTER and OVER.

Every call is an ``exp.Anonymous`` with its name as written and its arguments in source order, aggregates and legacy
windows included; only CAST, EXTRACT and TRIM with words inside have nodes of their own. That keeps
user functions from being mistaken for functions of other dialects.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.grammar.call_arguments import JSON_AGGREGATES, tolerate_arguments
from keepstate.syntax.grammar.json_clauses import JsonCallGrammar
from keepstate.syntax.grammar.precedence import ADD
from keepstate.syntax.keywords import RESERVED, TIME_UNITS
from keepstate.syntax.reserved import CALLABLE, IN_SOME_VERSION
from keepstate.syntax.tokens import TokenKind

_RESERVED_FUNCTIONS = frozenset({"ANY", "ARRAY", "EXISTS", "GROUPING", "LEFT", "RIGHT", "ROW", "SOME"})


class CallGrammar(JsonCallGrammar):
    """Function calls and window specifications."""

    def call(self, start: int, name: exp.Expression | None) -> exp.Expression:
        """A call at ``name (`` or, with the name taken already, at ``(``."""
        if name is None:
            token = self.token
            special = _SPECIAL_CALLS.get(token.word)
            if special is not None:
                self.advance()
                self.advance()
                opening = self.index
                node = special(self, token.text)
                tolerate_arguments(self, token.word, node.expressions, opening)
                self.expect(")")
                node.meta["span"] = (start, self.end)
                node.meta["keyword"] = (token.start, token.end)
                return self._call_suffixes(start, node)
            if token.word in RESERVED and token.word not in _RESERVED_FUNCTIONS:
                self.fail("an expression")
            if token.word in IN_SOME_VERSION and token.word not in CALLABLE:
                self.reserve(token)
            self.advance()
            text, name_end = token.text, token.end
        else:
            text, name_end = name.this, name.meta["span"][1]
        self.expect("(")
        opening = self.index
        arguments = self._arguments()
        if name is None:
            tolerate_arguments(self, text.upper(), arguments, opening)
        self.expect(")")
        node = self.finish_clause(start, name_end, exp.Anonymous(this=text, expressions=arguments))
        return self._call_suffixes(start, node)

    def _arguments(self) -> list[exp.Expression]:
        token = self.token
        word = token.word
        if word == ")":
            return []
        if word == "*" and self.peek().word == ")":
            self.advance()
            return [self.finish(token.start, exp.Star())]
        if word == "DISTINCT":
            self.advance()
            items = self.list_of(self.argument)
            arguments: list[exp.Expression] = [
                self.finish_clause(token.start, token.end, exp.Distinct(expressions=items))
            ]
        else:
            if self.accept("ALL") and self.token.word == "*":
                self.tolerate("distinct-star", "COUNT(ALL *) is refused: write COUNT(*).")
            arguments = self.list_of(self.argument)
        while self.token.word != ")":
            arguments.append(self.argument_clause())
        return arguments

    def argument(self) -> exp.Expression:
        """One argument of a function or table function."""
        token = self.token
        word = token.word
        following = self.peek()
        if following.word == "=>" and token.kind in (TokenKind.WORD, TokenKind.NAME, TokenKind.PLACEHOLDER):
            name = self.name(any_word=True)
            self.advance()
            return self.finish(token.start, syntax_nodes.NamedArgument(this=name, expression=self.argument()))
        if word == "TABLE":
            return self._table_argument()
        if word == "MODEL" and self.at_name(following):
            self.advance()
            return self.finish(token.start, syntax_nodes.ModelArgument(this=self.table_name("the name of a model")))
        if word == "DEFAULT" and following.word in (",", ")"):
            self.advance()
            return self.finish(token.start, exp.Var(this="DEFAULT"))
        if word == "*" and following.word in (",", ")"):
            if self.tokens[self.index - 1].word == "DISTINCT":
                self.tolerate("distinct-star", "COUNT(DISTINCT *) is refused: name the columns.")
            elif following.word == ",":
                self.tolerate("argument-count", "Behind * there is no other argument.", self.index + 1)
            self.advance()
            return self.finish(token.start, exp.Star())
        if word in ("SELECT", "WITH", "VALUES"):
            if self.tokens[self.index - 1].word == ",":
                self.tolerate("parentheses", "A query behind a comma needs parentheses around it.")
            return self.query()
        if word in TIME_UNITS and following.word in (",", ")"):
            self.advance()
            return self.finish(token.start, exp.Var(this=word))
        value = self.expression()
        if isinstance(value, exp.Subquery) and self.token.word in ("PARTITION", "ORDER"):
            return self._table_argument_rest(token.start, value)
        return value

    def _table_argument(self) -> exp.Expression:
        start = self.token.start
        self.advance()
        relation: exp.Expression
        if self.token.word == "(":
            if self.peek().word not in ("SELECT", "WITH", "VALUES", "TABLE", "("):
                self.fail("the name of a table")
            self.tolerate("table-argument", "Behind TABLE stands the name of a table; a query stands alone.")
            inner = self.token.start
            self.advance()
            query = self.query()
            self.expect(")")
            relation = self.finish(inner, exp.Subquery(this=query))
        else:
            relation = self.table_name()
        return self._table_argument_rest(start, relation)

    def _table_argument_rest(self, start: int, relation: exp.Expression) -> exp.Expression:
        argument = syntax_nodes.TableArgument(this=relation)
        clause = self.token.start
        if self.accept("PARTITION", "BY"):
            keyword_end = self.end
            # A comma behind a key begins the next argument of the function: several keys need parentheses.
            keys = self.in_parens(self.expression) if self.token.word == "(" else [self.expression()]
            argument.set(
                "partition_by", self.finish_clause(clause, keyword_end, syntax_nodes.PartitionKeys(expressions=keys))
            )
        clause = self.token.start
        if self.accept("ORDER", "BY"):
            keyword_end = self.end
            items = self.in_parens(self.ordered) if self.token.word == "(" else [self.ordered()]
            argument.set("order_by", self.finish_clause(clause, keyword_end, exp.Order(expressions=items)))
        return self.finish(start, argument)

    # ---- behind the call

    def _call_suffixes(self, start: int, node: exp.Expression) -> exp.Expression:
        while True:
            token = self.token
            word = token.word
            aggregate = _aggregate_of(node)
            if word in ("FILTER", "OVER") and aggregate in JSON_AGGREGATES:
                self.tolerate("function-form", f"{aggregate} takes no {word}.")
            if word == "WITHIN" and aggregate == "JSON_OBJECTAGG":
                self.tolerate("function-form", f"{aggregate} takes no WITHIN GROUP.")
            if word == "WITHIN" and self.peek().word == "GROUP":
                self.advance()
                self.advance()
                self.expect("(")
                order = self.order_by()
                self.expect(")")
                node = self.finish(start, exp.WithinGroup(this=node, expression=order))
            elif word in ("IGNORE", "RESPECT") and self.peek().word == "NULLS":
                self.advance()
                self.advance()
                kind = exp.IgnoreNulls if word == "IGNORE" else exp.RespectNulls
                node = self.finish(start, kind(this=node))
            elif word == "FILTER":
                if isinstance(node, exp.Filter):
                    self.tolerate("function-form", "An aggregate has one FILTER.")
                self.expect("FILTER", "(")
                where = self.token
                self.expect("WHERE")
                condition = self.finish_clause(where.start, where.end, exp.Where(this=self.expression()))
                self.expect(")")
                node = self.finish(start, exp.Filter(this=node, expression=condition))
            elif word == "OVER":
                self.advance()
                if self.token.word == "(":
                    window = self.window_specification(node)
                else:
                    window = exp.Window(this=node, alias=self.name("the name of a window"))
                window.set("over", "OVER")
                window.meta["span"] = (start, self.end)
                window.meta["keyword"] = (token.start, token.end)
                node = window
            else:
                return node

    def window_specification(self, this: exp.Expression) -> exp.Window:
        """``([name] [PARTITION BY ...] [ORDER BY ...] [ROWS|RANGE ...])`` around ``this``."""
        self.expect("(")
        window = exp.Window(this=this)
        if self.at_name() and self.token.word not in ("PARTITION", "ORDER", "ROWS", "RANGE"):
            window.set("alias", self.name())
        if self.accept("PARTITION", "BY"):
            window.set("partition_by", self.list_of(self.expression))
        if self.token.word == "ORDER":
            window.set("order", self.order_by())
        if self.token.word in ("ROWS", "RANGE"):
            window.set("spec", self._frame())
        if self.accept_any("ALLOW", "DISALLOW"):
            self.expect("PARTIAL")
        self.expect(")")
        return window

    def _frame(self) -> exp.WindowSpec:
        token = self.advance()
        spec = exp.WindowSpec(kind=token.word)
        if self.accept("BETWEEN"):
            self._bound(spec, "start")
            self.expect("AND")
            self._bound(spec, "end")
        else:
            self._bound(spec, "start")
        if self.token.word == "EXCLUDE":
            self.tolerate("over-frame", "Frames of Flink have no EXCLUDE.")
            self.advance()
            words = [self.advance().word]
            if words[0] in ("CURRENT", "NO"):
                words.append(self.advance().word)
            spec.set("exclude", " ".join(words))
        return self.finish_clause(token.start, token.end, spec)

    def _bound(self, spec: exp.WindowSpec, which: str) -> None:
        if self.accept("CURRENT", "ROW"):
            spec.set(which, "CURRENT ROW")
            return
        spec.set(which, "UNBOUNDED" if self.accept("UNBOUNDED") else self.expression(ADD))
        side = self.accept_any("PRECEDING", "FOLLOWING")
        if not side:
            self.fail("PRECEDING or FOLLOWING")
        spec.set(f"{which}_side", side)

    # ---- calls with words inside of the parentheses

    def _cast(self, name: str) -> exp.Expression:
        value = self.expression()
        self.expect("AS")
        before = self.index
        kind = self.nested_type()
        if kind.args.get("nullable") is not None:
            words = [self.tokens[at].word for at in range(before, self.index)]
            self.tolerate("cast", "CAST names a type without NOT NULL.", before + _last(words, "NOT", "NULL"))
        if self.token.word == "FORMAT":
            self.tolerate("cast", "CAST of Flink has no FORMAT.")
            self.advance()
            self.expression()
        return exp.Cast(this=value, to=kind)

    def _try_cast(self, name: str) -> exp.Expression:
        cast = self._cast(name)
        return exp.TryCast(this=cast.this, to=cast.args["to"])

    def _extract(self, name: str) -> exp.Expression:
        token = self.token
        if token.kind not in (TokenKind.WORD, TokenKind.NAME, TokenKind.PLACEHOLDER):
            self.fail("a unit of time, as HOUR")
        self.advance()
        unit = self.finish(token.start, exp.Var(this=token.word or token.text))
        self.expect("FROM")
        return exp.Extract(this=unit, expression=self.expression())

    def _trim(self, name: str) -> exp.Expression:
        position = self.accept_any("BOTH", "LEADING", "TRAILING")
        if position and self.accept("FROM"):
            return exp.Trim(this=self.expression(), position=position)
        first = self.expression()
        if self.accept("FROM"):
            return exp.Trim(this=self.expression(), expression=first, position=position or None)
        items = [first]
        while self.token.word == ",":
            self.refuse_comma("TRIM writes FROM in front of the text: TRIM(BOTH 'x' FROM a).")
            items.append(self.expression())
        return exp.Anonymous(this=name, expressions=items)

    def refuse_comma(self, message: str) -> None:
        """Take a comma where Flink writes a word."""
        self.tolerate("function-form", message)
        self.expect(",")

    def _substring(self, name: str) -> exp.Expression:
        return self._with_separators(name, ("FROM", "FOR"))

    def _overlay(self, name: str) -> exp.Expression:
        items = [self.argument()]
        while self.token.word in ("PLACING", "FROM", "FOR", ","):
            if self.token.word == ",":
                self.tolerate("function-form", "OVERLAY writes PLACING and FROM: OVERLAY(a PLACING b FROM 1).")
            self.advance()
            items.append(self.argument())
        return exp.Anonymous(this=name, expressions=items)

    def _position(self, name: str) -> exp.Expression:
        # Above the level of IN, which is a separator here.
        items = [self.expression(ADD)]
        while self.token.word in ("IN", "FROM", ","):
            if self.token.word == ",":
                self.tolerate("function-form", "POSITION writes IN: POSITION('x' IN a).")
            self.advance()
            items.append(self.expression(ADD))
        return exp.Anonymous(this=name, expressions=items)

    def _with_separators(self, name: str, words: tuple[str, ...]) -> exp.Expression:
        """``SUBSTRING(a FROM 1 FOR 2)`` is the same call as ``SUBSTRING(a, 1, 2)``."""
        items = [self.argument()]
        while self.accept(",") or self.accept_any(*words):
            items.append(self.argument())
        return exp.Anonymous(this=name, expressions=items)

    def _floor(self, name: str) -> exp.Expression:
        items: list[exp.Expression] = [self.expression()]
        if self.accept("TO"):
            unit = self.token
            if unit.kind not in (TokenKind.WORD, TokenKind.PLACEHOLDER):
                self.fail("a unit of time, as DAY")
            self.advance()
            items.append(self.finish(unit.start, exp.Var(this=unit.word or unit.text)))
        while self.token.word == ",":
            self.refuse_comma(f"{name.upper()} takes one value, and TO with a unit of time.")
            items.append(self.argument())
        return exp.Anonymous(this=name, expressions=items)

    def _using(self, name: str) -> exp.Expression:
        items: list[exp.Expression] = [self.argument()]
        if self.accept("USING"):
            items.append(self.name("the name of a character set"))
        while self.accept(","):
            items.append(self.argument())
        return exp.Anonymous(this=name, expressions=items)

    def _descriptor(self, name: str) -> exp.Expression:
        columns = [] if self.token.word == ")" else self.list_of(self._descriptor_column)
        return syntax_nodes.Descriptor(expressions=columns)

    def _descriptor_column(self) -> exp.Expression:
        start = self.token.start
        column = self.make_column(start, [*self.path("the name of a column")])
        if self.token.word in (",", ")"):
            return column
        self.tolerate("descriptor", "DESCRIPTOR takes names of columns, without types.")
        return self.finish(start, exp.ColumnDef(this=column, kind=self.nested_type()))

    # ---- provided by Queries

    def ordered(self) -> exp.Ordered:
        raise NotImplementedError


def _aggregate_of(node: exp.Expression) -> str:
    """The name of the call in front of FILTER or OVER, in upper case."""
    call = node.this if isinstance(node, exp.WithinGroup) else node
    return str(call.this).upper() if isinstance(call, exp.Anonymous) else ""


def _last(words: list[str], *targets: str) -> int:
    """Position of the first of the last words of a type, which say whether it takes NULL."""
    at = len(words) - 1
    while at > 0 and words[at - 1] in targets:
        at -= 1
    return at


_SPECIAL_CALLS: dict[str, Callable[[CallGrammar, str], exp.Expression]] = {
    "CAST": CallGrammar._cast,
    "TRY_CAST": CallGrammar._try_cast,
    "SAFE_CAST": CallGrammar._try_cast,
    "EXTRACT": CallGrammar._extract,
    "TRIM": CallGrammar._trim,
    "SUBSTRING": CallGrammar._substring,
    "OVERLAY": CallGrammar._overlay,
    "POSITION": CallGrammar._position,
    "FLOOR": CallGrammar._floor,
    "CEIL": CallGrammar._floor,
    "CEILING": CallGrammar._floor,
    "CONVERT": CallGrammar._using,
    "TRANSLATE": CallGrammar._using,
    "JSON_OBJECT": CallGrammar.json_object,
    "JSON_OBJECTAGG": CallGrammar.json_object,
    "DESCRIPTOR": CallGrammar._descriptor,
}

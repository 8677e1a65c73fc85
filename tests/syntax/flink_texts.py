"""Random Flink SQL for property tests: tokens first, then layout, so that one meaning can be written in many ways."""

from __future__ import annotations

import random

_NAMES = ["a", "b", "amount", "`order`", "`数量`", "user_id", "$rowtime", "_x1", "`a``b`", "timestamp_col", "ts"]
_TABLES = [["orders"], ["db", ".", "orders"], ["`cat`", ".", "db", ".", "`t😀`"], ["clicks"]]
_UNITS = ["SECOND", "SECONDS", "minute", "HOURS", "DAY", "DAY ( 3 ) TO SECOND ( 2 )", "year to month"]
_TYPES = ["INT", "STRING", "DECIMAL ( 10 , 2 )", "ROW < a INT , b ARRAY < STRING NOT NULL > >", "MAP < INT , DATE >"]
_OPERATORS = ["+", "-", "*", "/", "%", "||", "=", "<>", "<", ">=", "AND", "or", "IS DISTINCT FROM", "LIKE"]
_WINDOWS = [
    "TUMBLE ( TABLE db . orders , DESCRIPTOR ( ts ) , INTERVAL '10' MINUTES )",
    "HOP ( DATA => TABLE o , TIMECOL => DESCRIPTOR ( ts ) , SLIDE => INTERVAL '1' DAY , `SIZE` => INTERVAL '2' DAY )",
    "SESSION ( TABLE orders PARTITION BY ( a , b ) , DESCRIPTOR ( ts ) , INTERVAL '5' SECOND )",
    "CUMULATE ( TABLE orders , DESCRIPTOR ( ts ) , INTERVAL '1' HOUR , INTERVAL '1' DAY , INTERVAL '2' HOUR )",
]
_SPACES = [" ", " ", " ", " ", "\n", "\r\n", "\t", "  ", "\n\n  "]
_COMMENTS = ["/* ; ' ` */", "/**/", "-- it's ; `x\n", '// "😀" ;\n', "/* 注释\n */", "--\n", "-- x\r\n"]


class TokenWriter:
    """Writes random statements as lists of tokens."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def _pick(self, options: list[str]) -> str:
        return self._chance.choice(options)

    def _maybe(self, tokens: list[str], likelihood: float = 0.5) -> list[str]:
        return tokens if self._chance.random() < likelihood else []

    def _listed(self, item: str, depth: int, most: int = 3) -> list[str]:
        tokens: list[str] = []
        for index in range(self._chance.randint(1, most)):
            tokens += [","] if index else []
            tokens += getattr(self, item)(depth)
        return tokens

    # ---- expressions

    def column(self, depth: int = 0) -> list[str]:
        return self._chance.choice([[self._pick(_NAMES)], ["t", ".", self._pick(_NAMES)], ["t", ".", "r", ".", "f"]])

    def literal(self, depth: int = 0) -> list[str]:
        return self._chance.choice(
            [
                ["1"], ["0.5"], ["1e-3"], ["'it''s; -- no'"], ["'两\n行😀'"], ["NULL"], ["TRUE"], ["false"],
                ["DATE", "'2024-01-01'"], ["TIMESTAMP", "'2024-01-01 00:00:00'"], ["X'0aF'"],
                self.interval(), ["CURRENT_TIMESTAMP"], ["''"],
            ]
        )  # fmt: skip

    def interval(self, depth: int = 0) -> list[str]:
        return ["INTERVAL", *self._maybe(["-"], 0.1), self._pick(["'5'", "'1'", "'0.5'"]), *self._pick(_UNITS).split()]

    def call(self, depth: int) -> list[str]:
        name = self._pick(["SUM", "count", "my_udf", "COALESCE", "`Fn`", "UPPER", "HOP_START", "IF"])
        some = self._listed("expression", depth - 1)
        arguments = self._chance.choice([["*"], some, ["DISTINCT", *self.column()], []])
        tokens = [name, "(", *arguments, ")"]
        if name in ("SUM", "count"):
            tokens += self._maybe(["FILTER", "(", "WHERE", *self.expression(depth - 1), ")"], 0.2)
            tokens += self._maybe(["OVER", *self.window(depth - 1)], 0.2)
        return tokens

    def window(self, depth: int) -> list[str]:
        if self._chance.random() < 0.3:
            return ["w"]
        frame = self._chance.choice(
            [
                [],
                "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW".split(),
                "RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND UNBOUNDED FOLLOWING".split(),
            ]
        )
        return [
            "(", *self._maybe(["PARTITION", "BY", *self._listed("column", depth)]),
            *self._maybe(["ORDER", "BY", *self._listed("ordered", depth, 2)]), *frame, ")",
        ]  # fmt: skip

    def ordered(self, depth: int) -> list[str]:
        direction = self._maybe([self._pick(["ASC", "desc"])])
        return [*self.expression(depth - 1), *direction, *self._maybe(["NULLS", "LAST"], 0.2)]

    def expression(self, depth: int) -> list[str]:
        if depth <= 0:
            return self._chance.choice([self.column(), self.literal()])
        deeper = depth - 1
        operator = self._pick(_OPERATORS)
        forms = [
            self.column, self.literal, self.call, self.call,
            lambda d: [*self.operand(d), *operator.split(), *self.operand(d)],
            lambda d: [*self.operand(d), *operator.split(), *self.operand(d)],
            lambda d: ["(", *self.expression(d), ")"],
            lambda d: ["NOT", *self.operand(d)],
            lambda d: ["-", *self.operand(d)],
            lambda d: [*self.operand(d), *self._pick(["IS NULL", "IS NOT NULL", "is not true"]).split()],
            lambda d: [*self.operand(d), *self._maybe(["NOT"]), "BETWEEN", *self.operand(d), "AND", *self.operand(d)],
            lambda d: [*self.operand(d), *self._maybe(["NOT"]), "IN", "(", *self._listed("expression", d), ")"],
            lambda d: [*self.operand(d), "IN", "(", *self.query(d), ")"],
            lambda d: ["CASE", "WHEN", *self.expression(d), "THEN", "1", *self._maybe(["ELSE", *self.column()]), "END"],
            lambda d: ["CAST", "(", *self.expression(d), "AS", *self._pick(_TYPES).split(), ")"],
            lambda d: ["EXISTS", "(", *self.query(d), ")"],
            lambda d: ["(", *self.query(d), ")"],
            lambda d: ["(", *self.expression(d), ",", *self.expression(d), ")"],
            lambda d: ["ARRAY", "[", *self._listed("expression", d), "]", "[", "1", "]"],
            lambda d: ["FLOOR", "(", *self.expression(d), "TO", "DAY", ")"],
            lambda d: ["EXTRACT", "(", "HOUR", "FROM", *self.operand(d), ")"],
        ]  # fmt: skip
        return list(self._chance.choice(forms)(deeper))

    def operand(self, depth: int) -> list[str]:
        if depth <= 0 or self._chance.random() < 0.4:
            return self.expression(0)
        return ["(", *self.expression(depth - 1), ")"]

    # ---- queries

    def select_item(self, depth: int) -> list[str]:
        if self._chance.random() < 0.1:
            return self._chance.choice([["*"], ["t", ".", "*"]])
        return [*self.expression(depth), *self._maybe([*self._maybe(["AS"]), self._pick(_NAMES)], 0.4)]

    def relation(self, depth: int) -> list[str]:
        window = self._pick(_WINDOWS).split()
        forms = [
            [*self._chance.choice(_TABLES), *self._maybe(["/*+", "OPTIONS", "(", "'a'", "=", "'b'", ")", "*/"], 0.1)],
            ["TABLE", "(", *window, ")"],
            window,
            ["LATERAL", "TABLE", "(", "f", "(", *self.column(), ")", ")"],
            ["UNNEST", "(", *self.column(), ")"],
            ["dim", "FOR", "SYSTEM_TIME", "AS", "OF", "o", ".", "proc"],
        ]
        if depth > 0:
            forms.append(["(", *self.query(depth - 1), ")"])
        alias = [*self._maybe(["AS"]), "t", *self._maybe(["(", "a", ",", "b", ")"], 0.2)]
        return [*self._chance.choice(forms), *self._maybe(alias, 0.6)]

    def join(self, depth: int) -> list[str]:
        if self._chance.random() < 0.3:
            return [",", *self.relation(depth)]
        kind = self._pick(["JOIN", "INNER JOIN", "LEFT JOIN", "left outer join", "FULL OUTER JOIN"])
        return [*kind.split(), *self.relation(depth), "ON", *self.expression(depth)]

    def select(self, depth: int) -> list[str]:
        deeper = depth - 1
        grouping = self._chance.choice(
            [
                self._listed("expression", 1),
                ["CUBE", "(", *self._listed("column", 1), ")"],
                ["GROUPING", "SETS", "(", "(", "a", ",", "b", ")", ",", "a", ",", "(", ")", ")"],
            ]
        )
        return [
            "SELECT", *self._maybe(["DISTINCT"], 0.1), *self._listed("select_item", depth),
            "FROM", *self.relation(deeper),
            *(token for _ in range(self._chance.choice([0, 0, 0, 1, 2])) for token in self.join(deeper)),
            *self._maybe(["WHERE", *self.expression(depth)]),
            *self._maybe(["GROUP", "BY", *grouping, *self._maybe(["HAVING", *self.expression(1)], 0.3)], 0.4),
            *self._maybe(["WINDOW", "w", "AS", *self.window_definition(deeper)], 0.1),
        ]  # fmt: skip

    def window_definition(self, depth: int) -> list[str]:
        return ["(", "PARTITION", "BY", *self.column(), "ORDER", "BY", "ts", ")"]

    def query(self, depth: int) -> list[str]:
        tokens = self.select(depth)
        for _ in range(self._chance.choice([0, 0, 0, 1, 2])):
            operation = self._pick(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]).split()
            operand = self.select(0)
            tokens += [*operation, *self._chance.choice([operand, ["(", *operand, ")"]])]
        if self._chance.random() < 0.15:
            tokens = ["WITH", "c", "AS", "(", *self.select(0), ")", *tokens]
        order = ["ORDER", "BY", *self._listed("ordered", 1, 2)]
        return [*tokens, *self._maybe(order, 0.2), *self._maybe(["LIMIT", "10"], 0.2)]

    def statement(self, depth: int = 2) -> list[str]:
        query = self.query(depth)
        view = ["CREATE", "TEMPORARY", "VIEW", "v", "AS", *query]
        columns = [
            "id", "BIGINT", "NOT", "NULL", ",", "x", *self._pick(_TYPES).split(), "COMMENT", "'c;'", ",",
            "p", "AS", *self.expression(1), ",", "m", "STRING", "METADATA", "FROM", "'k'", "VIRTUAL", ",",
            "WATERMARK", "FOR", "ts", "AS", "ts", "-", *self.interval(), ",",
            "PRIMARY", "KEY", "(", "id", ")", "NOT", "ENFORCED",
        ]  # fmt: skip
        table = ["CREATE", "TABLE", "t", "(", *columns, ")", "WITH", "(", "'connector'", "=", "'x'", ")"]
        insert = ["INSERT", "INTO", *self._chance.choice(_TABLES), *self._maybe(["(", "a", ",", "b", ")"], 0.3), *query]
        return self._chance.choice([query, query, view, insert, insert, table, ["SET", "'a.b'", "=", "'c;d'"]])


def write(tokens: list[str], chance: random.Random, comments: float = 0.1) -> str:
    """The tokens as text with random layout: spaces, line breaks of all kinds, comments."""
    pieces: list[str] = []
    for index, token in enumerate(tokens):
        if index and (_glued(tokens[index - 1], token) or chance.random() < 0.6):
            pieces.append(chance.choice(_SPACES))
        if chance.random() < comments and index:
            pieces += [" ", chance.choice(_COMMENTS), " "]
        pieces.append(token)
    return "".join(pieces)


def _glued(left: str, right: str) -> bool:
    """Return whether two tokens would become others without a space between them."""
    return left[-1].isalnum() or left[-1] in "_$'`" or right[0] in "'" or left[-1] in "-/*+<>=|.%"

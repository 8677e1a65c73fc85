"""The figures of a benchmark, each with its budget and its reference, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_WIDTH = 66


@dataclass(frozen=True)
class Reference:
    """The reference of a figure: a well-known program, measured in the same run and in the same unit."""

    what: str
    value: float


@dataclass(frozen=True)
class Figure:
    """One line of the table. Without a budget it is for information; one that belongs to the line above begins with
    spaces.
    """

    what: str
    value: float
    unit: str = ""
    budget: float | None = None
    """The most that it may be."""
    beside: Reference | None = None
    most: float | None = None
    """The most that it may be in terms of the reference."""

    @property
    def ratio(self) -> float | None:
        """The value in terms of its reference."""
        return self.value / self.beside.value if self.beside is not None else None

    @property
    def has_budget(self) -> bool:
        return self.budget is not None or self.most is not None

    @property
    def missed(self) -> bool:
        ratio = self.ratio
        return (self.budget is not None and self.value > self.budget) or (
            self.most is not None and ratio is not None and ratio > self.most
        )

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """Value, budget, verdict, ratio to the reference, reference."""
        verdict = "" if not self.has_budget else "OVER" if self.missed else "ok"
        value = _number(self.value, self.unit)
        if self.beside is None or self.ratio is None:
            return value, _at_most(self.budget, self.unit), verdict, "", ""
        budget = _at_most(self.budget, self.unit) or _at_most(self.most, "x")
        return value, budget, verdict, _number(self.ratio, "x"), f"{self.beside.what} {self._reference}"

    @property
    def _reference(self) -> str:
        assert self.beside is not None
        return _number(self.beside.value, self.unit)

    def __str__(self) -> str:
        value, budget, verdict, ratio, beside = self.cells
        line = f"{self.what:<{_WIDTH}} {value:>12} {budget:>10} {verdict:<4} {ratio:>8}  {beside}"
        return line.rstrip()


HEADER = f"{'':<{_WIDTH}} {'value':>12} {'at most':>10} {'':<4} {'ratio':>8}  to"


def markdown(figures: Iterable[Figure]) -> Iterator[str]:
    """The same as lines of a table in Markdown; what was missed is bold."""
    yield "| | value | at most | | ratio | to |"
    yield "|---|---:|---:|---|---:|---|"
    for figure in figures:
        value, budget, verdict, ratio, beside = figure.cells
        what = figure.what.lstrip()
        indent = "&nbsp;" * (len(figure.what) - len(what))
        verdict = "**over**" if figure.missed else verdict
        yield f"| {indent}{what} | {value} | {budget} | {verdict} | {ratio} | {beside} |"


def _at_most(number: float | None, unit: str) -> str:
    return "" if number is None else _number(number, unit)


def _number(number: float, unit: str) -> str:
    shown = f"{number:,.0f}" if abs(number) >= 100 else f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"
    return f"{shown} {unit}".rstrip()

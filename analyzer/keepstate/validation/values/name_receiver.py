"""Names of a statement as the validation meets them: what it declares and what it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind
from keepstate.validation.values.scopes import RelationColumns, ResolvedColumn, StatementRefused, ValidationScope


@dataclass(frozen=True)
class RefusalContext:
    """A context for one check. A refusal leaves it, or with ``ends`` goes no further."""

    ends: bool = False

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        return self.ends and isinstance(error, StatementRefused)


class NameReceiver:
    """Receiver of declarations and uses, with spans of the statement's text. This one keeps nothing, and each refusal
    ends the statement.
    """

    _guard = RefusalContext()

    def guard(self) -> RefusalContext:
        """A context for one check: here a refusal leaves it, in a receiver that keeps names it ends there."""
        return self._guard

    def declare(
        self, kind: NameKind, node: exp.Expr, owner: str = "", source: DeclaredSymbol | None = None
    ) -> DeclaredSymbol | None:
        """The symbol that the identifier ``node`` declares."""
        return None

    def columns(
        self, kind: NameKind, nodes: list[exp.Expr], rows: RelationColumns, owner: str
    ) -> tuple[DeclaredSymbol | None, ...]:
        """The symbols of a list of column names for ``rows``."""
        return ()

    def use(self, node: exp.Expr, symbol: DeclaredSymbol | None, *, writes: bool = False) -> None:
        """Note that the identifier ``node`` names ``symbol``."""

    def column(self, resolution: ResolvedColumn, spans: tuple[Span, ...]) -> None:
        """Note a name of one or more parts that was resolved."""

    def function(self, span: Span | None, name: str) -> None:
        """Note a call of the function that is called ``name`` in upper case."""

    def hints(self, node: exp.Expr, scope: ValidationScope) -> None:
        """Note the relations that the hints of a query name."""

    def variables(self, pattern: exp.Expression) -> Mapping[str, DeclaredSymbol]:
        """The symbols of the variables of a row pattern."""
        return {}

    def options(self, entries: Iterable[exp.Expr], rows: RelationColumns) -> None:
        """Note the columns of ``rows`` that options of their table name, in WITH or in a hint."""

    def implied(self, node: exp.Expr) -> DeclaredSymbol | None:
        """The symbol of the output column that a select item without an alias gives."""
        return None

    def merged(self, span: Span, symbols: tuple[DeclaredSymbol | None, ...]) -> None:
        """Note columns that a join makes one, because they have the same name."""

    def query(self, node: exp.Expr) -> None:
        """Note that a query was met."""

    def rest(self, node: exp.Expr | None, scope: ValidationScope) -> None:
        """Note the names in ``node`` that nothing resolved so far."""


SILENT = NameReceiver()

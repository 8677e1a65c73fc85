"""The part that stand-ins for functions take in a restart or in plans, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class StandIn:
    """A stand-in that a plan calls; ``implementation`` is the class that it stands for."""

    name: str
    implementation: str


@dataclass(frozen=True)
class StandInPart:
    """The part that stand-ins take in a restart: their names, and those whose class is another one afterwards."""

    names: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    @staticmethod
    def of(was: Iterable[StandIn], now: Iterable[StandIn]) -> StandInPart:
        """The part of the stand-ins of both versions."""
        former = {each.name.upper(): each for each in was}
        current = {each.name.upper(): each for each in now}
        names = {key: each.name for key, each in (former | current).items()}
        replaced = [
            name
            for key, name in names.items()
            if key in former and key in current and former[key].implementation != current[key].implementation
        ]
        return StandInPart(tuple(sorted(names.values())), tuple(sorted(replaced)))

    def sentences(self, has_rows: bool = False) -> str:
        """The part in words; empty without stand-ins. ``has_rows``: results were compared.

        >>> StandInPart(("norm",)).sentences(has_rows=True)
        'norm is a stand-in of its declared signature. Results hold for its values, not for those of the function.'
        """
        if not self.names:
            return ""
        one = len(self.names) == 1
        words = "a stand-in of its declared signature" if one else "stand-ins of their declared signatures"
        sentence = f"{_list_words(self.names)} {'is' if one else 'are'} {words}."
        if has_rows:
            own, noun = ("its", "the function") if one else ("their", "the functions")
            sentence += f" Results hold for {own} values, not for those of {noun}."
        return sentence if not self.replaced else f"{sentence} {self.unseen}"

    @property
    def unseen(self) -> str:
        """A sentence on the functions whose class changed; empty without one."""
        if not self.replaced:
            return ""
        one = len(self.replaced) == 1
        values = "its values before and after are" if one else "their values before and after are"
        return f"{_list_words(self.replaced)} {'has' if one else 'have'} another class now: {values} not compared."


NO_PART = StandInPart()


def _list_words(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

"""Indexes of declarations for many lookups: of files that are read when a name is asked for, and of files of which some
have other texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from keepstate.project.file_declarations import Declaration, DeclarationIndex, FileDeclarations


@dataclass(frozen=True, eq=False)
class IndexOnDemand(DeclarationIndex):
    """An index of many files, of which those are read that may declare a name, when the name is asked for."""

    read: Callable[[str], Iterable[FileDeclarations]] = lambda _: ()
    """The files that may declare a name."""
    _declarations: dict[str, tuple[Declaration, ...]] = field(default_factory=dict)
    _met: dict[str, FileDeclarations] = field(default_factory=dict)

    def of(self, name: str) -> tuple[Declaration, ...]:
        if name not in self._declarations:
            # Reading may ask again, in a circle of views.
            self._declarations[name] = ()
            self._declarations[name] = self._read_for(name).of(name)
        return self._declarations[name]

    def of_bare_name(self, name: str) -> tuple[Declaration, ...]:
        return self._read_for(name).of_bare_name(name)

    def catalogs(self, name: str) -> tuple[Declaration, ...]:
        return self._read_for(name).catalogs(name)

    @property
    def all_files(self) -> tuple[FileDeclarations, ...]:
        """The files that were read so far: among them are those of all declarations found."""
        return tuple(self._met.values())

    def _read_for(self, name: str) -> DeclarationIndex:
        contents = tuple(self.read(name))
        self._met.update((content.file.path, content) for content in contents)
        return DeclarationIndex(contents)


@dataclass(frozen=True, eq=False)
class ReplacedIndex(DeclarationIndex):
    """The index ``base`` with other texts of some files: ``files`` are these texts, ``paths`` the replaced files."""

    base: DeclarationIndex = field(default_factory=lambda: DeclarationIndex(()))
    paths: frozenset[str] = frozenset()

    def of(self, name: str) -> tuple[Declaration, ...]:
        base = [each for each in self.base.of(name) if each.file.path not in self.paths]
        return tuple(sorted((*base, *super().of(name)), key=lambda each: each.file.path))

    def of_bare_name(self, name: str) -> tuple[Declaration, ...]:
        base = [each for each in self.base.of_bare_name(name) if each.file.path not in self.paths]
        return (*base, *super().of_bare_name(name))

    def catalogs(self, name: str) -> tuple[Declaration, ...]:
        base = [each for each in self.base.catalogs(name) if each.file.path not in self.paths]
        return tuple(sorted((*base, *super().catalogs(name)), key=lambda each: each.file.path))

    @property
    def all_files(self) -> tuple[FileDeclarations, ...]:
        """All files, with the other texts of those that have them."""
        base = [each for each in self.base.all_files if each.file.path not in self.paths]
        return tuple(sorted((*base, *self.files), key=lambda each: each.file.path))

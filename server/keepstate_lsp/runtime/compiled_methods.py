"""Methods that attrs and dataclasses compile for their classes, kept from one start to the next.

The protocol has some 550 classes of attrs, and Keepstate a few hundred dataclasses. For each of these classes methods
are written as source text and compiled, at every start anew, since that text is no source file with a byte code file
beside it: close to half of the time until the server answers, and a third of the time that loading the analyzer takes.

So the code objects lie in Keepstate's cache folder, as Python's own byte code lies in ``__pycache__``: by the text that
they were compiled from, in a file per magic number. A program that can write there can run programs as this user
anyway.
"""

from __future__ import annotations

import builtins
import marshal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any
from zlib import crc32

_Key = tuple[str, str]
"""Source text and the name that tracebacks show."""


@contextmanager
def remembered_methods(folder: Path, name: str, *, with_attrs: bool = True) -> Iterator[None]:
    """Classes that are defined within take their code from the file ``name`` in ``folder``, and leave there what it
    lacked. Programs that do not import attrs go ``with_attrs`` false.

    >>> import tempfile
    >>> from dataclasses import dataclass
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with remembered_methods(Path(folder), "example"):
    ...         Point = dataclass(type("Point", (), {"__annotations__": {"x": int}}))
    ...     (Point(1), len(list(Path(folder).iterdir())))
    (Point(x=1), 1)
    """
    import dataclasses

    memory = _Memory(folder / f"{name}-{MAGIC_NUMBER.hex()}.methods")
    # Both call built-in functions by their names, which names of their modules hide. Should they compile in another way
    # one day, nothing is remembered, and all else is as it was.
    hidden: list[tuple[dict[str, Any], str, Any]] = [(vars(dataclasses), "exec", memory.execute)]
    if with_attrs:
        import attr._make

        hidden.append((vars(attr._make), "compile", memory.compile))
    for module, function, replacement in hidden:
        module[function] = replacement
    try:
        yield
    finally:
        for module, function, _ in hidden:
            module.pop(function, None)
    memory.save()


_DIGEST_BYTES = 4
_SHARE_OF_FORMER = 4
"""So many times the methods of one start lie in a file: commands differ by their options, and versions replace all."""


def _digest(body: bytes) -> bytes:
    return crc32(body).to_bytes(_DIGEST_BYTES, "big")


class _Memory:
    """The code of one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _read(path)
        self._used: dict[_Key, bytes] = {}
        """Each method as marshal writes it: a start that needs few of many reads only these."""

    def compile(self, source: Any, filename: Any, mode: str, *more: Any, **options: Any) -> Any:
        """In the place of the built-in function."""
        if not isinstance(source, str) or mode != "exec" or more or options:
            return builtins.compile(source, filename, mode, *more, **options)
        key = (source, filename)
        stored_code = self._known.get(key)
        if stored_code is not None:
            self._used[key] = stored_code
            return marshal.loads(stored_code)
        code = builtins.compile(source, filename, mode)
        self._used[key] = marshal.dumps(code)
        return code

    def execute(self, source: Any, *places: Any) -> None:
        """A replacement of the built-in ``exec``, whose callers name the namespaces."""
        builtins.exec(self.compile(source, "<string>", "exec") if isinstance(source, str) else source, *places)

    @property
    def _methods_to_save(self) -> dict[_Key, bytes]:
        """The methods that were used, and those of other starts, unless most of these belong to a former version."""
        both = self._known | self._used
        return both if len(both) <= _SHARE_OF_FORMER * len(self._used) else self._used

    def save(self) -> None:
        """Keep the methods that were used, unless all of them are stored already."""
        if self._used.keys() <= self._known.keys():
            return
        # Most starts write nothing, and need none of its imports.
        from keepstate_lsp.files.atomic_files import write_whole

        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            body = marshal.dumps(self._methods_to_save)
            write_whole(self._path, _digest(body) + body, 0o600, durable=False)
        except OSError as error:
            _tell("the next start cannot be made quicker: %s", error)


def _read(path: Path) -> dict[_Key, bytes]:
    try:
        content = path.read_bytes()
        digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        # Marshal trusts what it reads: one flipped bit on a disk could end the interpreter, at every start.
        methods = marshal.loads(body) if digest == _digest(body) else None
    except FileNotFoundError:
        return {}
    except (OSError, EOFError, ValueError, TypeError) as error:
        _tell("%s is made again: %s", path, error)
        return {}
    return methods if isinstance(methods, dict) else {}


def _tell(words: str, *values: object) -> None:
    # Most starts have nothing to log, and wait for no logging.
    import logging

    logging.getLogger(__name__).info(words, *values)

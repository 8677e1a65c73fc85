"""Makes the archives of the playground in the Python that will run them: the build calls this in Pyodide."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib import import_module
from importlib.util import source_hash
from typing import Any

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of each file: other times would make other bytes of the same source."""
UNUSED = frozenset(
    "_pydatetime.py _pyio.py _pyrepl bdb.py cProfile.py compileall.py configparser.py ctypes curses dbm doctest.py "
    "filecmp.py fileinput.py ftplib.py html http idlelib imaplib.py mailbox.py modulefinder.py multiprocessing "
    "optparse.py pdb.py pickletools.py plistlib.py poplib.py profile.py pstats.py pydoc.py pydoc_data shelve.py "
    "smtplib.py socketserver.py sqlite3 statistics.py symtable.py tabnanny.py timeit.py trace.py turtle.py unittest "
    "uuid.py venv wave.py webbrowser.py wsgiref xml xmlrpc zipapp.py".split()
)
"""Parts of Python's library that neither Pyodide nor Keepstate imports: an import of one would fail."""
UNUSED_LATER = frozenset(
    "_markupbase.py antigravity.py argparse.py cmd.py code.py colorsys.py csv.py email getpass.py gettext.py gzip.py "
    "hmac.py ipaddress.py mimetypes.py netrc.py nturl2path.py pty.py py_compile.py pyclbr.py queue.py quopri.py "
    "rlcompleter.py runpy.py sched.py secrets.py tarfile.py this.py tty.py urllib".split()
)
"""More such parts: a start from files imports some of them, and nothing does after it."""
NEEDS_DOCSTRINGS = frozenset(("_pyodide", "pyodide"))
"""Packages that were not made for `python -OO`."""
CODECS = frozenset(
    "__init__ aliases ascii charmap cp437 idna latin_1 punycode raw_unicode_escape unicode_escape utf_8 utf_8_sig "
    "utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le".split()
)


def archive_of(names: Sequence[str]) -> bytes:
    """The archive of the files of Keepstate, which lie in /sources."""
    return _archive(((name, name, _read(f"/sources/{name}")) for name in names), _without_types)


def library_of(path: str, without: Sequence[str]) -> bytes:
    """The archive of Python's library at a path, without what is unused, and without some files of byte code."""
    left_out = frozenset(name.removesuffix("c") for name in without)
    unused = UNUSED | UNUSED_LATER if left_out else UNUSED
    with zipfile.ZipFile(path) as source:
        entries = [entry.filename for entry in source.infolist() if not entry.is_dir()]
        names = [name for name in entries if stays(name, unused) and name not in left_out]
        return _archive(((name, f"/lib/python314.zip/{name}", source.read(name)) for name in names), _parsed)


def stays(name: str, unused: Collection[str] = UNUSED) -> bool:
    """Return whether a file of the library is used."""
    first, _, rest = name.partition("/")
    return rest.removesuffix(".py") in CODECS if first == "encodings" and rest else first not in unused


def _parsed(source: bytes) -> ast.Module:
    return ast.parse(source)


def _without_types(source: bytes) -> ast.Module:
    """The tree of a module without the types of functions, which are read by no program, but take memory.

    Those in the body of a class stay: they make the fields of data classes.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return tree


def _archive(files: Iterable[tuple[str, str, bytes]], read: Callable[[bytes], ast.Module]) -> bytes:
    """An archive with byte code in the place of source. Files have a name, a path for tracebacks, and a content."""
    to_pyc: Any = import_module("importlib._bootstrap_external").__dict__["_code_to_hash_pyc"]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for file, shown, source in files:
            name, content = file, source
            if file.endswith(".py"):
                # Without docstrings and assertions, which are a fourth of the byte code, as `python -OO` makes it.
                kept = file.partition("/")[0] in NEEDS_DOCSTRINGS
                code = compile(read(source), shown, "exec", dont_inherit=True, optimize=0 if kept else 2)
                name, content = f"{file}c", bytes(to_pyc(code, source_hash(source), checked=False))
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content, compresslevel=9)
    return buffer.getvalue()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()

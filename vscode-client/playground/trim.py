"""Leaves out of Python's library what nothing here imports, and compiles the rest: /library.zip becomes ``trimmed``.

The build runs this in Pyodide. Pyodide and Keepstate import none of these packages; an import of one would fail, and a
test asks every question.
"""

import io
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash

UNUSED = frozenset(
    "_pydatetime.py _pyio.py _pyrepl bdb.py configparser.py ctypes doctest.py html http idlelib imaplib.py mailbox.py "
    "multiprocessing optparse.py pdb.py pickletools.py pydoc.py smtplib.py statistics.py unittest wsgiref xml "
    "xmlrpc".split()
)
CODECS = frozenset(
    "__init__ aliases ascii charmap cp437 idna latin_1 punycode raw_unicode_escape unicode_escape utf_8 utf_8_sig "
    "utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le".split()
)


def stays(name: str) -> bool:
    first, _, rest = name.partition("/")
    return rest.removesuffix(".py") in CODECS if first == "encodings" and rest else first not in UNUSED


buffer = io.BytesIO()
with zipfile.ZipFile("/library.zip") as source, zipfile.ZipFile(buffer, "w") as target:
    for entry in source.infolist():
        if stays(entry.filename):
            name, content = entry.filename, source.read(entry)
            if name.endswith(".py"):
                code = compile(content, f"/lib/python314.zip/{name}", "exec", dont_inherit=True)
                name, content = f"{name}c", bytes(_code_to_hash_pyc(code, source_hash(content), checked=False))
            kept = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            kept.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(kept, content, compresslevel=9)
trimmed = buffer.getvalue()

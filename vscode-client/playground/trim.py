"""Leaves out of Python's library what nothing here imports: of /library.zip, ``trimmed`` is what stays.

The build runs this in Pyodide. Pyodide and Keepstate import none of these packages; an import of one would fail, and a
test asks every question.
"""

import io
import zipfile

UNUSED = frozenset(
    "_pyrepl doctest.py http idlelib imaplib.py mailbox.py multiprocessing optparse.py pdb.py pickletools.py "
    "pydoc.py smtplib.py unittest wsgiref xml xmlrpc".split()
)
CODECS = frozenset(
    "__init__ aliases ascii charmap cp437 idna latin_1 punycode raw_unicode_escape unicode_escape utf_16 utf_16_be utf_16_le "
    "utf_32 utf_32_be utf_32_le utf_8 utf_8_sig".split()
)


def stays(name: str) -> bool:
    first, _, rest = name.partition("/")
    return rest.removesuffix(".py") in CODECS if first == "encodings" and rest else first not in UNUSED


buffer = io.BytesIO()
with zipfile.ZipFile("/library.zip") as source, zipfile.ZipFile(buffer, "w") as target:
    for entry in source.infolist():
        if stays(entry.filename):
            kept = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            kept.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(kept, source.read(entry), compresslevel=9)
trimmed = buffer.getvalue()

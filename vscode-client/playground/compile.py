"""Makes the archive of byte code, in the Python that will run it: sources in /sources, their paths in ``names``.

The build runs this in Pyodide, and takes ``archive``.
"""

import io
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
    for name in names:  # noqa: F821 - set by the build
        with open(f"/sources/{name}", "rb") as file:
            source = file.read()
        content = source
        if name.endswith(".py"):
            # Without docstrings, assertions and columns of tracebacks, which are two fifths of the byte code.
            code = compile(source, name, "exec", dont_inherit=True, optimize=2)
            content = bytes(_code_to_hash_pyc(code, source_hash(source), checked=False))
            name += "c"
        # Times would make other bytes of the same source.
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        target.writestr(entry, content)
archive = buffer.getvalue()

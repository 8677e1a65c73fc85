"""Runs the language server that came with the extension: ``python -I -S bundled``, where this is ``__main__.py``."""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - here it runs with whatever a machine has
    sys.exit(f"Keepstate needs Python 3.10 or newer, and {sys.executable} is {sys.version.split()[0]}.")

from keepstate_lsp.lsp.launch import main

sys.exit(main())

"""``python -m keepstate_lsp``: the language server on standard input and output."""

import sys

from keepstate_lsp.lsp.launch import main

sys.exit(main())

"""Folders of results that appear when they are complete."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keepstate_lsp.cli.errors import CommandError


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """A folder to write to; what is in it at the end goes to ``folder``, in the place of what has the same name there.
    Nothing does if the block fails. Raises ``CommandError`` for a folder that cannot be written.
    """
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    try:
        try:
            draft.mkdir(parents=True)
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
        yield draft
        try:
            folder.mkdir(exist_ok=True)
            for path in draft.iterdir():
                target = folder / path.name
                if target.is_dir():
                    shutil.rmtree(target)
                path.replace(target)
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)

"""Documents that the server makes for the client to open: baseline texts, rule pages, plans, reports.

Related information and links need a place that the client can open, and ``file:`` is the one scheme that all of them
can. So these are files in a private cache folder, named by their content, or by what they are made from, and never
changed. A client that reads ``keepstate-baseline:`` URIs gets baselines from memory instead.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from keepstate_lsp.analysis.documents import parts_of, uri_of
from keepstate_lsp.baselines.baseline import Baseline
from keepstate_lsp.files.atomic_files import remove, write_whole
from keepstate_lsp.runtime.cache_folder import CODE

SCHEME = "keepstate-baseline"
RUNS = "runs"
"""The part in which commands work beside the server, each in a folder of its own."""
KEEP_SECONDS = 7 * 24 * 3600
_MOST_IN_MEMORY = 200

log = logging.getLogger(__name__)


class VirtualDocuments:
    """Puts texts where the client can open them. Used in the worker thread, but for ``text`` and ``holds``."""

    def __init__(self, folder: Path, in_memory: bool = False) -> None:
        self._folder = folder
        self._in_memory = in_memory
        self._texts: dict[str, str] = {}
        self._written: set[Path] = set()
        self._has_failed = False

    @property
    def code(self) -> Path:
        return self._folder / CODE

    def baseline(self, baseline: Baseline) -> str | None:
        """The URI of a baseline's text; ``None`` if no place accepts the text."""
        identity = (baseline.blob or _digest(baseline.text))[:12]
        name = baseline.path.replace("\\", "/").rpartition("/")[2]
        if self._in_memory:
            uri = f"{SCHEME}:///{identity}/{quote(name)}"
            # Newest last, and only so many: a session may see thousands of commits.
            self._texts.pop(uri, None)
            self._texts[uri] = baseline.text
            while len(self._texts) > _MOST_IN_MEMORY:
                del self._texts[next(iter(self._texts))]
            return uri
        stem, _, suffix = _plain(name).partition(".")
        return self._file(Path("baselines") / f"{stem}.{identity}.{suffix or 'sql'}", baseline.text)

    def rule_page(self, rule: str, edition: str, make: Callable[[], str | None]) -> str | None:
        """The URI of the page of a rule, which is made once for each ``edition`` of the rules: a page is slow to make,
        and the first finding needs it. ``None`` if there is no page, or no place for it.
        """
        name = Path("rules") / edition / f"{_plain(rule)}.md"
        if not self._is_there(name):
            page = make()
            return None if page is None else self._file(name, page)
        return uri_of(self._folder / name)

    def plan(self, name: str, text: str) -> str | None:
        return self._file(Path("plans") / f"{_plain(name)}.{_digest(text)[:12]}.plan.txt", text)

    def report(self, page: str, suffix: str) -> str | None:
        return self._file(Path("reports") / f"keepstate-{_digest(page)[:12]}.{suffix}", page)

    def comparison(self, name: str, text: str) -> str | None:
        return self._file(Path("comparisons") / f"{_plain(name)}.{_digest(text)[:12]}.diff", text)

    def run_folder(self) -> Path:
        """A folder for a command, not yet made."""
        return self._folder / RUNS / secrets.token_hex(8)

    def text(self, uri: str) -> str | None:
        """The text of a ``keepstate-baseline:`` URI given out earlier."""
        # Clients write the same URI in several ways (`keepstate-baseline:/...`), so only its path counts.
        path = parts_of(uri).path
        return next((text for known_uri, text in self._texts.items() if parts_of(known_uri).path == path), None)

    def holds(self, path: str | None) -> bool:
        """Return whether a file is one of these documents: an opened copy is not a job of its own."""
        return path is not None and self._folder in Path(path).parents

    def tidy(self, now: float | None = None) -> None:
        """Remove files that are a week old. Runs at the start, since clients kill servers at the end."""
        limit = (time.time() if now is None else now) - KEEP_SECONDS
        for path in self._folder.glob("*/**/*"):
            try:
                if path.is_file() and path.stat().st_mtime < limit:
                    remove(path)
            except OSError as error:
                log.debug("cannot remove %s: %s", path, error)
        for folder in self._folder.glob(f"{RUNS}/*"):
            # The folder of a command of a killed server. Another server may remove the folder at the same time.
            with suppress(OSError):
                if folder.stat().st_mtime < limit:
                    shutil.rmtree(folder)

    def _is_there(self, name: Path) -> bool:
        """Return whether a file was written, by this server or by a former one; then it stays for another week."""
        path = self._folder / name
        try:
            # A power cut may have left a file of this name with nothing in it.
            if path not in self._written and path.stat().st_size:
                os.utime(path)
                self._written.add(path)
        except OSError as error:
            log.debug("no %s: %s", path, error)
        return path in self._written

    def _file(self, name: Path, text: str) -> str | None:
        path = self._folder / name
        if path in self._written:
            return uri_of(path)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = text.encode("utf-8", "surrogateescape")
            # Looked into, since a power cut may have left a file of this name with nothing in it.
            if _content(path) == data:
                os.utime(path)
            else:
                if sys.platform == "win32":
                    # A copy is read-only, and what is read-only is not replaced there.
                    with suppress(FileNotFoundError):
                        remove(path)
                write_whole(path, data, 0o400, durable=False)
        except (OSError, UnicodeError) as error:
            if not self._has_failed:
                log.warning("cannot keep copies for the editor in %s: %s", self._folder, error)
            self._has_failed = True
            return None
        self._written.add(path)
        return uri_of(path)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _plain(name: str) -> str:
    """``name`` with only what every file system takes."""
    return re.sub(r"[^\w.-]", "_", name)[:100].strip(".") or "baseline"


def _digest(text: str) -> str:
    return hashlib.blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

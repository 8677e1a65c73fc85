"""What the client at the other end can do, as far as the server behaves differently."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.text import Encoding


@dataclass(frozen=True)
class ClientProfile:
    """Facts about a client; the defaults describe one that announces nothing."""

    name: str = ""
    encoding: Encoding = Encoding.UTF16
    pulls_diagnostics: bool = False
    """It asks for diagnostics and can be told to ask again. Being told matters: a commit changes findings while nobody
    types. A client that only asks is served by pushing."""
    reads_markdown: bool = False
    resolves_edits: bool = False
    """Code actions may come without their edit, which it asks for when one is chosen."""
    takes_versioned_edits: bool = False
    creates_files: bool = False
    """An edit may make new files."""
    knows_preferred_actions: bool = False
    shows_documents: bool = False
    shows_related: bool = False
    links_codes: bool = False
    refreshes_lenses: bool = False
    reads_baseline_scheme: bool = False
    """It asks the server for the text of ``keepstate-baseline:`` URIs."""
    compares: bool = False
    """It has the command ``keepstate.compare``."""
    follows_command_links: bool = False
    """A link ``command:NAME?ARGUMENTS`` in a hover runs a command of the client."""
    shows_lenses: bool = False
    watches_files: bool = False
    sends_configuration: bool = False
    """It answers ``workspace/configuration``."""
    registers_configuration: bool = False
    """It wants ``workspace/didChangeConfiguration`` to be registered before it sends it."""
    shows_progress: bool = False
    """It takes ``window/workDoneProgress/create``."""
    refreshes_inlays: bool = False
    shows_status: bool = False
    """It takes ``keepstate/status`` notifications, for its status bar."""

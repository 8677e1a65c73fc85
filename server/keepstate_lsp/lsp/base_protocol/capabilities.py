"""Capabilities of the client that change the behaviour of the server."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.text import Encoding


@dataclass(frozen=True)
class ClientProfile:
    """Facts about a client; the defaults describe one that announces nothing."""

    name: str = ""
    encoding: Encoding = Encoding.UTF16
    pulls_diagnostics: bool = False
    """The client asks for diagnostics and accepts a request to ask again. The request matters: a commit changes
    findings without a keystroke. The server pushes to a client that only asks.
    """
    reads_markdown: bool = False
    resolves_edits: bool = False
    """Code actions may come without their edit, which it asks for when one is chosen."""
    takes_versioned_edits: bool = False
    annotates_changes: bool = False
    """The client shows the words of an edit, and asks for consent where an edit wants it."""
    prepares_renames: bool = False
    links_definitions: bool = False
    """A definition may come with the range of the name that was asked for."""
    creates_files: bool = False
    """An edit may make new files."""
    knows_preferred_actions: bool = False
    shows_documents: bool = False
    shows_related: bool = False
    links_codes: bool = False
    refreshes_lenses: bool = False
    reads_baseline_scheme: bool = False
    """The client asks the server for the text of ``keepstate-baseline:`` URIs."""
    compares: bool = False
    """The client has the command ``keepstate.compare``."""
    plans_cutovers: bool = False
    """The client has the command ``keepstate.planCutover``."""
    follows_command_links: bool = False
    """A link ``command:NAME?ARGUMENTS`` in a hover runs a command of the client."""
    shows_lenses: bool = False
    watches_files: bool = False
    sends_configuration: bool = False
    """The client answers ``workspace/configuration``."""
    registers_configuration: bool = False
    """The client sends ``workspace/didChangeConfiguration`` only after its registration."""
    shows_progress: bool = False
    """The client accepts ``window/workDoneProgress/create``."""
    refreshes_inlays: bool = False
    takes_snippets: bool = False
    """A proposal may have places to fill in."""
    shows_label_details: bool = False
    """Proposals show a type beside their name."""
    names_parameter_places: bool = False
    """Signatures may name a parameter by its place in them."""
    nests_symbols: bool = False
    """The outline may have levels."""
    refreshes_tokens: bool = False
    is_untrusted: bool = False
    """The user does not trust the files of the workspace: nothing is run over them."""
    shows_status: bool = False
    """The client accepts ``keepstate/status`` notifications, for its status bar."""

"""Handlers of the server: from the protocol, one call, to the protocol."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.analysis.unused_acceptances import unused_spans
from keepstate_lsp.baselines import BaselineSpec, BaselineSpecError
from keepstate_lsp.baselines.deployments import PRODUCTION, DeploymentError, is_environment
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.features import lens
from keepstate_lsp.features.comparison_text import comparison_text
from keepstate_lsp.features.document_json import document_report
from keepstate_lsp.lsp import actions, convert, diagnostics, navigation, writing
from keepstate_lsp.lsp.channel import PullChannel
from keepstate_lsp.lsp.command_arguments import (
    options_argument,
    position_argument,
    show,
    target_analysis,
    target_uri,
    text_argument,
)
from keepstate_lsp.lsp.commands.cutover import CUTOVER_COMMANDS
from keepstate_lsp.lsp.commands.replay import REPLAY_COMMANDS
from keepstate_lsp.lsp.commands.verify import VERIFY_COMMANDS

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer

log = logging.getLogger(__name__)


def register(server: KeepstateServer) -> None:
    """Make the handlers of this module those of ``server``."""
    for method, handler in _FEATURES.items():
        server.feature(method, _OPTIONS.get(method))(handler)
    writing.register(server)
    for command, handler in _COMMANDS.items():
        server.command(command)(_command(handler))
    navigation.register(server)


def _command(handler: Callable[..., Any]) -> Callable[..., Any]:
    # pygls resolves the annotations of a command at run time, where the server's class is not imported. pygls finds the
    # server by the name `ls`; without that name it examines the first annotation, and Python 3.10 fails on `Any`.
    async def run(ls: Any, *arguments: Any) -> Any:
        return await handler(ls, *arguments)

    return run


# ------------------------------------------------------------------------------------------------ life


def initialize(ls: KeepstateServer, params: types.InitializeParams) -> None:
    ls.begin(params)


async def initialized(ls: KeepstateServer, params: types.InitializedParams) -> None:
    await ls.ready()


def shutdown(ls: KeepstateServer, params: None) -> None:
    ls.end()


# ------------------------------------------------------------------------------------------------ documents


def did_open(ls: KeepstateServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    if path := path_of(document.uri):
        ls.file_diagnostics.opened(Path(path))
    ls.session.open(document.uri, str(document.language_id), document.version, document.text)


def did_change(ls: KeepstateServer, params: types.DidChangeTextDocumentParams) -> None:
    ls.session.change(params.text_document.uri, params.text_document.version, convert.changes(params))


async def did_save(ls: KeepstateServer, params: types.DidSaveTextDocumentParams) -> None:
    # Renames are found by the files on disk, and the saved file may be a configuration.
    await ls.session.recheck([params.text_document.uri])
    await ls.session.files_changed()


def did_close(ls: KeepstateServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)


# ------------------------------------------------------------------------------------------------ workspace


async def did_change_configuration(ls: KeepstateServer, params: types.DidChangeConfigurationParams) -> None:
    settings = convert.plain(params.settings)
    section = settings.get("keepstate", settings) if isinstance(settings, dict) else None
    if await ls.read_settings(section):
        await _recheck(ls)


async def did_change_folders(ls: KeepstateServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.set_folders([folder.uri for folder in ls.workspace.folders.values()])
    if await ls.read_settings():
        await _recheck(ls)
    elif ls.session.workspace is not None:
        await ls.session.workspace.rescan()
    else:
        ls.watch_workspace()


async def _recheck(ls: KeepstateServer) -> None:
    """Check everything again, open or not."""
    ls.watch_workspace()
    if ls.session.workspace is not None:
        await ls.session.workspace.rescan()
        ls.session.workspace.recheck()
    await ls.session.recheck()


async def did_change_files(ls: KeepstateServer, params: types.DidChangeWatchedFilesParams) -> None:
    await ls.session.look()
    await ls.session.files_changed()
    if ls.session.workspace is not None:
        await ls.session.workspace.rescan()


def text_document_content(
    ls: KeepstateServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    text = ls.virtual_documents.text(params.uri)
    if text is None:
        raise JsonRpcInvalidParams(f"{params.uri} is no baseline of this session: open it again from its file")
    return types.TextDocumentContentResult(text)


# ------------------------------------------------------------------------------------------------ answers


async def diagnostic(
    ls: KeepstateServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    if isinstance(ls.channel, PullChannel):
        ls.channel.asked_for(params.text_document.uri)
    analysis = await target_analysis(ls, params.text_document.uri)
    if not isinstance(ls.channel, PullChannel):
        # Such a client is served by pushing, and would show everything twice.
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    result_id, items = ls.channel.report(analysis, params.previous_result_id)
    if items is None:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id)
    return types.RelatedFullDocumentDiagnosticReport(list(items), result_id=result_id)  # type: ignore[arg-type]


async def workspace_diagnostic(
    ls: KeepstateServer, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    if not isinstance(ls.channel, PullChannel):
        return types.WorkspaceDiagnosticReport([])
    previous = {former.uri: former.value for former in params.previous_result_ids}
    return diagnostics.workspace_report(await ls.channel.survey(previous))


async def hover(ls: KeepstateServer, params: types.HoverParams) -> types.Hover | None:
    async def comparison(analysis: Analysis) -> str | None:
        return await _comparison_link(ls, analysis)

    analysis = await ls.session.analysis(params.text_document.uri)
    if analysis is None:
        return None
    text = await ls.session.answers.hover(analysis, convert.position_of(params), comparison)
    # The document may have changed meanwhile: places are those of the text that was looked at.
    return convert.hover(text, analysis.document, ls.session.profile) if text is not None else None


async def code_action(ls: KeepstateServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    profile = ls.session.profile
    analysis = await ls.session.analysis(params.text_document.uri)
    if analysis is None:
        return []
    only = params.context.only
    kinds = None if only is None else tuple(str(getattr(kind, "value", kind)) for kind in only)
    span = convert.span_of(params.range, analysis.document, profile.encoding)
    document = analysis.document
    if document.is_toml:
        config_diagnostics = ls.file_diagnostics.config.of(Path(document.path)) if document.path is not None else []
        offers = actions.ledger_offers(
            document, unused_spans(document, config_diagnostics, profile.encoding), span, kinds
        )
    else:
        offers = await actions.offers(ls.session, analysis, span, kinds)
    return [convert.code_action(offer, analysis, profile, with_edit=not profile.resolves_edits) for offer in offers]


async def code_action_resolve(ls: KeepstateServer, action: types.CodeAction) -> types.CodeAction:
    data = convert.plain(action.data)
    if not isinstance(data, dict) or "uri" not in data:
        return action
    uri, version, finding, fix = (data.get(name) for name in ("uri", "version", "finding", "fix"))
    if not (isinstance(uri, str) and isinstance(finding, (int, type(None))) and isinstance(fix, int)):
        raise JsonRpcInvalidParams("this code action was not offered here")
    analysis = await ls.session.analysis(uri)
    if analysis is None or analysis.document.version != version:
        raise JsonRpcException("the text changed since this was offered", types.LSPErrorCodes.ContentModified)
    offer = await actions.offer_at(ls.session, analysis, finding, fix)
    if offer is None:
        raise JsonRpcInvalidParams("there is no such fix")
    action.edit = convert.workspace_edit(offer, analysis.document, ls.session.profile)
    return action


async def code_lens(ls: KeepstateServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    analysis = await ls.session.analysis(params.text_document.uri)
    if analysis is None or not analysis.is_flink:
        return []
    lenses = lens.lenses(analysis, ls.session.run_lines)
    if analysis.place is not None and ls.session.knows_readers:
        document = analysis.document
        names = await ls.session.ask(lambda checks: checks.names(document, analysis.workspace))
        lenses += lens.declaration_lenses(analysis, names, ls.session.known_overviews())
    return [convert.code_lens(one, analysis, ls.session.profile) for one in lenses]


async def inlay_hint(ls: KeepstateServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    profile = ls.session.profile
    analysis = await ls.session.analysis(params.text_document.uri)
    if analysis is None:
        return []
    document = analysis.document
    hints = ls.session.answers.inlays(analysis, convert.span_of(params.range, document, profile.encoding))
    return [convert.inlay_hint(one, document, profile) for one in hints]


# ------------------------------------------------------------------------------------------------ commands


async def show_baseline(ls: KeepstateServer, *args: Any) -> dict[str, str] | None:
    analysis = await target_analysis(ls, target_uri(ls, args))
    target = convert.baseline_target(analysis)
    if target is None:
        reason = f"No baseline: {analysis.without}" if analysis.without is not None else "There is no baseline."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"{analysis.document.name}: {reason}"))
        return None
    await show(ls, target["baselineUri"])
    return target


async def recheck_all(ls: KeepstateServer, *args: Any) -> None:
    await _recheck(ls)


async def show_plan(ls: KeepstateServer, *args: Any) -> dict[str, str]:
    analysis = await target_analysis(ls, target_uri(ls, args))
    text, uri = await ls.session.ask(lambda checks: checks.plan(analysis))
    if uri is not None:
        await show(ls, uri)
    return {"text": text}


async def draw_plan(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """The plan as values, for a client that draws it."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    drawing = await ls.session.ask(lambda checks: checks.drawing(analysis))
    return convert.drawn_plan(drawing, analysis, ls.session.profile)


async def select(ls: KeepstateServer, *args: Any) -> None:
    """Show a place of a document, selected: the command of a code action, behind its edit."""
    uri = text_argument(args, 0, "the URI of a document")
    if uri is None:
        raise JsonRpcInvalidParams("argument 1 is the URI of a document")
    selection = types.Range(position_argument(args, 1), position_argument(args, 2))
    await show(ls, uri, selection=selection)


async def compare(ls: KeepstateServer, *args: Any) -> dict[str, Any] | None:
    """For clients that cannot show two documents side by side: one document with the lines of both."""
    line_asked = (args[1] if len(args) > 1 else None) or 0
    if isinstance(line_asked, bool) or not isinstance(line_asked, int) or line_asked < 0:
        raise JsonRpcInvalidParams("argument 2 is the number of a line")
    analysis = await target_analysis(ls, target_uri(ls, args))
    comparison = comparison_text(analysis)
    if comparison is None:
        return await show_baseline(ls, *args)
    uri = await ls.session.ask(lambda _: ls.virtual_documents.comparison(analysis.document.name, comparison.text))
    line = comparison.line_for(line_asked)
    if uri is not None:
        await show(ls, uri, selection=convert.line_start(line))
    return {"text": comparison.text, "uri": uri, "line": line}


async def _comparison_link(ls: KeepstateServer, analysis: Analysis) -> str | None:
    """The link of a hover: to the client's own comparison, else to one document with the lines of both."""
    target = convert.baseline_target(analysis)
    if target is not None and ls.session.profile.compares and ls.session.profile.follows_command_links:
        return convert.command_link("keepstate.compare", target)

    def shelved() -> str | None:
        comparison = comparison_text(analysis)
        return None if comparison is None else ls.virtual_documents.comparison(analysis.document.name, comparison.text)

    return await ls.session.ask(lambda _: shelved())


async def report(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """One page about all jobs that are known, as soon as the check of the workspace is done."""
    # Few sessions show the page.
    from keepstate_lsp.features import workspace_page

    options = options_argument(args, 0)
    style = options.get("format", "markdown")
    if not isinstance(style, str) or style not in workspace_page.FORMATS:
        raise JsonRpcInvalidParams(f"there is no format {style!r}")
    jobs = [each for overview in await ls.session.overviews() for each in overview.every]
    page = workspace_page.report_page(jobs, style)
    uri = await ls.session.ask(lambda _: ls.virtual_documents.report(page, "html" if style == "html" else "md"))
    if uri is not None and options.get("show", True):
        await show(ls, uri, external=style == "html")
    return {"text": page, "summary": workspace_page.summary(jobs), "uri": uri}


async def report_document(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """One document as ``keepstate check --format json`` would report it in its workspace folder."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    path = analysis.document.path
    folder = ls.session.settings_for(Path(path))[1] if path is not None else None
    fixes = await ls.session.ask(lambda checks: checks.all_fixes(analysis))
    return document_report(await ls.session.ask(lambda checks: checks.with_revert(analysis)), fixes, folder)


async def list_baselines(ls: KeepstateServer, *args: Any) -> list[dict[str, str]]:
    """The baselines that a document can be compared with."""
    path = path_of(target_uri(ls, args))
    if path is None:
        return []
    choices = await ls.session.ask_beside(Path(path), lambda checks: checks.choices(Path(path)))
    return [{"spec": choice.spec, "words": choice.words, "found": choice.commit} for choice in choices]


async def choose_baseline(ls: KeepstateServer, *args: Any) -> None:
    """Compare with another baseline until the session ends; without a spec, with the configured one."""
    spec = text_argument(args, 0, "what to compare with")
    if spec is not None:
        try:
            BaselineSpec.parse(spec)
        except BaselineSpecError as error:
            raise JsonRpcInvalidParams(str(error)) from error
    await ls.session.choose_baseline(spec)


async def mark_deployed(ls: KeepstateServer, *args: Any) -> str:
    """Record the file of a document, as it is on disk, as deployed in an environment."""
    path = path_of(target_uri(ls, args))
    environment = text_argument(args, 1, "the name of an environment") or PRODUCTION
    if path is None or not is_environment(environment):
        raise JsonRpcInvalidParams("needs the URI of a file and the name of an environment")
    try:
        sentence = await ls.session.ask_beside(Path(path), lambda checks: checks.mark_deployed(Path(path), environment))
    except (DeploymentError, GitFailure) as error:
        raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from error
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
    await ls.session.look()
    return sentence


async def open_rule(ls: KeepstateServer, *args: Any) -> None:
    rule = text_argument(args, 0, "the id of a rule") or ""
    page = await ls.session.ask(lambda checks: checks.rule_page(rule, ls.session.settings()))
    if page is None:
        raise JsonRpcInvalidParams(f"there is no rule {rule!r}")
    await show(ls, page, external=not page.startswith("file:"))


_FEATURES: dict[str, Callable[..., Any]] = {
    types.INITIALIZE: initialize,
    types.INITIALIZED: initialized,
    types.SHUTDOWN: shutdown,
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_SAVE: did_save,
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_folders,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_files,
    types.WORKSPACE_TEXT_DOCUMENT_CONTENT: text_document_content,
    types.TEXT_DOCUMENT_DIAGNOSTIC: diagnostic,
    types.WORKSPACE_DIAGNOSTIC: workspace_diagnostic,
    types.TEXT_DOCUMENT_HOVER: hover,
    types.TEXT_DOCUMENT_CODE_ACTION: code_action,
    types.CODE_ACTION_RESOLVE: code_action_resolve,
    types.TEXT_DOCUMENT_CODE_LENS: code_lens,
    types.TEXT_DOCUMENT_INLAY_HINT: inlay_hint,
}
_OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[actions.QUICKFIX, actions.FIX_ALL], resolve_provider=True
    ),
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        identifier="keepstate", inter_file_dependencies=False, workspace_diagnostics=True
    ),
}
_COMMANDS: dict[str, Callable[..., Any]] = {
    "keepstate.showBaseline": show_baseline,
    "keepstate.recheckAll": recheck_all,
    "keepstate.compareText": compare,
    "keepstate.report": report,
    "keepstate.reportDocument": report_document,
    "keepstate.showPlan": show_plan,
    "keepstate.drawing": draw_plan,
    "keepstate.select": select,
    "keepstate.listBaselines": list_baselines,
    "keepstate.chooseBaseline": choose_baseline,
    "keepstate.markDeployed": mark_deployed,
    "keepstate.openRule": open_rule,
    **REPLAY_COMMANDS,
    **VERIFY_COMMANDS,
    **CUTOVER_COMMANDS,
}

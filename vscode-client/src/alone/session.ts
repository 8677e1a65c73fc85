/** Keepstate in a window without a server: a worker with Python in it, and what is shown of its answers. */
import * as vscode from "vscode";
import { pickOrType } from "../choices";
import { documentSelector, isMade } from "../documents";
import type { Status } from "../status";
import { Baselines } from "./baselines";
import { Checks } from "./checks";
import { nameOf } from "./files";
import { Git } from "./git";
import { JobFiles } from "./jobFiles";
import { BASELINE_SCHEME, baselineUri, documentOf, foundIn, Providers } from "./providers";
import { Published } from "./published";
import { Requests, type Channel } from "./requests";
import { OPENED } from "./specs";

export interface Listener {
  /** How a document stands. */
  reported(status: Status): void;
  /** The worker ended, and why. */
  failed(reason: string): void;
}

const CONFIGURATIONS = "**/{keepstate,pyproject}.toml";

export class Session implements vscode.Disposable {
  private readonly requests: Requests;
  private readonly git = new Git();
  private readonly baselines = new Baselines(this.git);
  private readonly files = new JobFiles();
  private readonly checks: Checks;
  private readonly diagnostics = vscode.languages.createDiagnosticCollection("keepstate");
  private readonly published = new Published(this.diagnostics);
  private readonly disposables: vscode.Disposable[];

  constructor(
    channel: Channel,
    private readonly listener: Listener,
    log: (words: string) => void,
  ) {
    this.requests = new Requests(channel, (reason) => listener.failed(reason));
    this.checks = new Checks(this.requests, this.baselines, this.files, log);
    const providers = new Providers(this.requests, this.checks);
    const selector = documentSelector();
    const { languages, workspace } = vscode;
    const watcher = workspace.createFileSystemWatcher(CONFIGURATIONS);
    const recheck = (): void => {
      this.files.forget();
      this.recheck();
    };
    this.disposables = [
      this.git,
      this.files,
      this.checks,
      this.diagnostics,
      providers,
      watcher,
      languages.registerHoverProvider(selector, providers),
      languages.registerCodeActionsProvider(selector, providers, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
      languages.registerCodeLensProvider(selector, providers),
      languages.registerCompletionItemProvider(selector, providers, "."),
      workspace.registerTextDocumentContentProvider(BASELINE_SCHEME, { provideTextDocumentContent: (uri) => this.textOf(uri) }),
      workspace.onDidOpenTextDocument((document) => this.take(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.edited(document)),
      workspace.onDidCloseTextDocument((document) => this.drop(document)),
      workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("keepstate") ? this.recheck() : undefined)),
      watcher.onDidChange(recheck),
      watcher.onDidCreate(recheck),
      watcher.onDidDelete(recheck),
      this.git.onDidMove(recheck),
      this.files.onDidMove(recheck),
      this.checks.onDidCheck((document) => this.show(document)),
    ];
    this.recheck();
  }

  /** Current and baseline beside each other, of a document or of the one that is being edited. */
  async compare(asked?: vscode.Uri): Promise<void> {
    const uri = asked ?? vscode.window.activeTextEditor?.document.uri;
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri?.toString());
    const compared = document && (await this.checks.comparison(document));
    if (document === undefined || compared === undefined) {
      const reason = document && this.checks.outcome(document)?.without;
      void vscode.window.showInformationMessage(
        reason === undefined ? "Open a Flink SQL file first: it is what is compared." : `Nothing to compare with: ${reason}`,
      );
      return;
    }
    const { words } = compared.baseline;
    const title = `${nameOf(document.uri)}: ${words} and now`;
    await vscode.commands.executeCommand("vscode.diff", baselineUri(document.uri, words), document.uri, title);
  }

  /** Asks what to compare with, for this session. */
  async chooseBaseline(): Promise<void> {
    const spec = await pickOrType({
      title: "Compare with which baseline?",
      placeholder: "Pick one, or type a revision, merge-base:BRANCH or file:PATH",
      typed: "as typed",
      items: [
        { label: "HEAD", description: "the last commit" },
        { label: OPENED, description: "the text of each file when it was opened" },
        ...(this.checks.chosen === undefined ? [] : [{ label: AS_SET, description: "no choice for this session" }]),
      ],
    });
    if (spec !== undefined) {
      this.checks.chosen = spec === AS_SET ? undefined : spec;
      this.recheck();
    }
  }

  dispose(): void {
    this.requests.close();
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private recheck(): void {
    for (const document of vscode.workspace.textDocuments) {
      this.take(document, 0);
    }
  }

  private take(document: vscode.TextDocument, pause?: number): void {
    if (vscode.languages.match(documentSelector(), document) > 0 && !isMade(document.uri)) {
      this.baselines.remember(document);
      this.checks.soon(document, pause);
    }
  }

  private edited(document: vscode.TextDocument): void {
    this.take(document);
    this.checks.touched(document);
  }

  private drop(document: vscode.TextDocument): void {
    this.checks.forget(document);
    this.published.delete(document.uri);
  }

  private show(document: vscode.TextDocument): void {
    const outcome = this.checks.outcome(document);
    if (outcome !== undefined) {
      this.published.set(document.uri, outcome.compared === undefined ? [] : foundIn(outcome.compared, document.uri));
      this.listener.reported(outcome.status);
    }
  }

  private textOf(uri: vscode.Uri): string {
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === documentOf(uri));
    return (document && this.checks.outcome(document)?.compared?.baseline.text) ?? "";
  }
}

const AS_SET = "As the settings say";

/** The item in the status bar: how the document that is being edited stands. */
import * as vscode from "vscode";
import { shown, type Status } from "./status";

export const MENU = "keepstate.menu";

/** Where statuses come from. */
export interface Source {
  readonly onDidTell: vscode.Event<Status>;
  readonly onDidEnd: vscode.Event<void>;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("keepstate.status", vscode.StatusBarAlignment.Left, -1);
  /** By URI, of the documents that are open. */
  private readonly statuses = new Map<string, Status>();
  private readonly disposables: vscode.Disposable[];

  constructor(server: Source) {
    this.item.name = "Keepstate";
    this.item.command = MENU;
    this.disposables = [
      this.item,
      server.onDidTell((status) => this.take(status)),
      server.onDidEnd(() => this.forget()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.statuses.delete(uri.toString())),
    ];
    this.refresh();
  }

  /** How the document that is being edited stands; undefined where that is no Flink SQL, or nobody said so yet. */
  get active(): Status | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    return uri === undefined ? undefined : this.statuses.get(uri);
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private take(status: Status): void {
    if (status.verdict === null) {
      this.statuses.delete(status.uri);
    } else {
      this.statuses.set(status.uri, status);
    }
    this.refresh();
  }

  private forget(): void {
    this.statuses.clear();
    this.refresh();
  }

  private refresh(): void {
    const face = this.active && shown(this.active);
    void vscode.commands.executeCommand("setContext", "keepstate.isFlinkSql", face !== undefined);
    if (face === undefined) {
      return this.item.hide();
    }
    const tooltip = new vscode.MarkdownString("**Keepstate** \n\n");
    tooltip.appendText(face.sentence).appendMarkdown("\n\nClick for the report, other baselines and more.");
    this.item.text = face.text;
    this.item.backgroundColor = face.alarming ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Keepstate: ${face.sentence}` };
    this.item.show();
  }
}

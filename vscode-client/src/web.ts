/**
 * The extension in a browser alone (vscode.dev), where no program can be started: Flink SQL is coloured, and whoever asks
 * for more is told where it is to be had.
 */
import * as vscode from "vscode";

const REASON =
  "Keepstate needs a place where Python and git run: VS Code on the desktop, or a remote window (SSH, WSL, a container, Codespaces).";

/** The commands of the palette that do not depend on a server that runs. */
const COMMANDS = ["keepstate.restartServer", "keepstate.showOutput"];

export function activate(context: vscode.ExtensionContext): void {
  const status = vscode.languages.createLanguageStatusItem("keepstate.server", [{ language: "flink-sql" }]);
  status.name = "Keepstate";
  status.text = "Keepstate does not run in a browser";
  status.detail = REASON;
  status.severity = vscode.LanguageStatusSeverity.Warning;
  const explain = (): unknown => vscode.window.showInformationMessage(REASON);
  context.subscriptions.push(status, ...COMMANDS.map((name) => vscode.commands.registerCommand(name, explain)));
}

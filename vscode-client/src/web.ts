/**
 * The extension in a browser alone (vscode.dev), where no program can be started: Keepstate runs in a worker of the
 * browser, and what needs a machine is said in the menu.
 */
import * as vscode from "vscode";
import { Session } from "./alone/session";
import { webChannel } from "./alone/webChannel";
import { MISSING } from "./alone/words";
import { COMPARE } from "./announcement";
import { showMenuOfFew } from "./menu";
import { shown, type Status } from "./status";
import { MENU, StatusBar } from "./statusBar";

const MORE = `In a browser alone there is no server. VS Code on the desktop, or a remote window (SSH, WSL, a container, Codespaces), also has ${MISSING}.`;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Keepstate", { log: true });
  const languageStatus = vscode.languages.createLanguageStatusItem("keepstate.server", [{ language: "sql" }, { language: "flink-sql" }]);
  languageStatus.name = "Keepstate";
  languageStatus.command = { command: "keepstate.showOutput", title: "Show Output" };
  const reported = new vscode.EventEmitter<Status>();
  const ended = new vscode.EventEmitter<void>();
  const statusBar = new StatusBar({ onDidTell: reported.event, onDidEnd: ended.event });
  const { version } = context.extension.packageJSON as { version: string };
  let session: Session | undefined;

  const say = (severity: vscode.LanguageStatusSeverity, text: string, detail: string): void => {
    [languageStatus.severity, languageStatus.text, languageStatus.detail] = [severity, text, detail];
  };
  const failed = (reason: string): void => {
    output.error(reason);
    say(vscode.LanguageStatusSeverity.Error, "Keepstate does not run", reason);
    ended.fire();
  };
  const start = async (): Promise<void> => {
    session?.dispose();
    ended.fire();
    try {
      session = new Session(await webChannel(context.extensionUri), { reported: (status) => reported.fire(status), failed }, (words) => output.error(words));
      say(vscode.LanguageStatusSeverity.Information, `Keepstate ${version} in this browser`, MORE);
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
    }
  };
  const command = vscode.commands.registerCommand;
  void vscode.commands.executeCommand("setContext", "keepstate.alone", true);
  context.subscriptions.push(
    output,
    languageStatus,
    reported,
    ended,
    statusBar,
    { dispose: () => session?.dispose() },
    command(COMPARE, (asked?: unknown) => session?.compare(asked instanceof vscode.Uri ? asked : undefined)),
    command("keepstate.pickBaseline", () => session?.chooseBaseline()),
    command("keepstate.showOutput", () => output.show()),
    command("keepstate.restartServer", start),
    command(MENU, () => {
      const more = { label: "$(lightbulb) More on a Desktop...", explain: () => vscode.window.showInformationMessage(MORE) };
      return showMenuOfFew((statusBar.active && shown(statusBar.active)?.sentence) ?? "", more);
    }),
  );
  await start();
}

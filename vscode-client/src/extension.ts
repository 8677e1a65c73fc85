/** The extension has no opinion of its own: it finds and starts the server, and opens what the server points to. */
import * as vscode from "vscode";
import { COMPARE, compare } from "./baseline";
import { Server } from "./server";
import { changesServer } from "./settings";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Keepstate", { log: true });
  const running = new Server(output, context.extension);
  server = running;
  context.subscriptions.push(
    output,
    running,
    // All other commands of the palette are the server's; the language client registers them while it runs.
    vscode.commands.registerCommand(COMPARE, (asked?: Parameters<typeof compare>[1]) => compare(running, asked)),
    vscode.commands.registerCommand("keepstate.restartServer", () => running.restart()),
    vscode.commands.registerCommand("keepstate.showOutput", () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => (changesServer(event) ? running.restart() : undefined)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  await running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

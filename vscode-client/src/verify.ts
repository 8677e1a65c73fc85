/** A restart on a real Flink: asked for, watched, and said. Hovers and lines above queries are the server's. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { ROWS, sentenceOf, type Verified } from "./verifyRows";

export async function verify(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined) {
    return;
  }
  if (!vscode.workspace.isTrusted) {
    return void vscode.window.showWarningMessage("This workspace is not trusted, so nothing is run over its files.");
  }
  const chosen = await vscode.window.showQuickPick(ROWS, { title: "Verify on Real Flink", placeHolder: "What shall the restart be tried on?" });
  if (chosen === undefined) {
    return;
  }
  const title = "Restarting on a real Flink";
  const answer = await server.triedInSight<Verified>(title, "keepstate.verify", document.uri.toString(), chosen.options);
  const sentence = answer && sentenceOf(answer);
  if (sentence !== undefined) {
    void vscode.window.showInformationMessage(sentence);
  }
}

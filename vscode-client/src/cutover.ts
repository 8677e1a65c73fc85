/** A plan that brings a change into production: asked for, watched, and opened as a page. */
import * as vscode from "vscode";
import { optionsFor, pageOf, PLATFORMS, sentenceOf, targetOf, type Planned } from "./cutoverPlan";
import type { Server } from "./server";

/** `asked` is the argument of the server's code action: the address of the document. */
export async function planCutover(server: Server, asked?: unknown): Promise<void> {
  const uri = targetOf(asked, vscode.window.activeTextEditor?.document.uri.toString());
  if (uri === undefined) {
    return void vscode.window.showInformationMessage("Open a Flink SQL file first: its cutover is what is planned.");
  }
  if (!vscode.workspace.isTrusted) {
    return void vscode.window.showWarningMessage("This workspace is not trusted, so nothing is run over its files.");
  }
  const chosen = await vscode.window.showQuickPick(PLATFORMS, { title: "Plan a Cutover", placeHolder: "Where does the job run?" });
  if (chosen === undefined) {
    return;
  }
  const answer = await server.triedInSight<Planned>("Planning a cutover", "keepstate.cutover", uri, optionsFor(chosen));
  if (answer === undefined) {
    return;
  }
  const page = pageOf(answer);
  if (page !== undefined) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(page));
  }
  const sentence = sentenceOf(answer);
  if (sentence !== undefined) {
    void vscode.window.showInformationMessage(sentence);
  }
}

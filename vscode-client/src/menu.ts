/** What a click on the status bar item offers. */
import * as vscode from "vscode";
import { COMPARE, PLAN_CUTOVER } from "./announcement";
import { DRAW_PLAN } from "./plan/panels";
import { isAllowed } from "./trust";

interface Entry extends vscode.QuickPickItem {
  readonly command: string;
}

/** All of them are commands of the palette as well. */
const ENTRIES: readonly Entry[] = [
  { label: "$(output) Show Report", description: "all jobs of the workspace", command: "keepstate.showReport" },
  { label: "$(diff) Compare with Baseline", command: COMPARE },
  { label: "$(git-commit) Choose Baseline...", command: "keepstate.pickBaseline" },
  { label: "$(rocket) Mark as Deployed...", command: "keepstate.recordDeployed" },
  { label: "$(list-tree) Show Plan", description: "operators and their state", command: DRAW_PLAN },
  { label: "$(debug-restart) Replay a Restart...", description: "what it does to results", command: "keepstate.replayRestart" },
  { label: "$(beaker) Verify on Real Flink...", description: "whether the changed job starts", command: "keepstate.verifyRestart" },
  { label: "$(git-pull-request) Plan a Cutover...", description: "how the change goes into production", command: PLAN_CUTOVER },
  { label: "$(info) Show Output", description: "the log of Keepstate", command: "keepstate.showOutput" },
];

export async function showMenu(sentence: string): Promise<void> {
  const entries = ENTRIES.filter(({ command }) => isAllowed(command, vscode.workspace.isTrusted));
  const chosen = await vscode.window.showQuickPick(entries, { title: "Keepstate", placeHolder: sentence });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

/** The extension has no opinion of its own: it finds and starts the server, and opens what the server points to. */
import * as vscode from "vscode";
import { StandIn } from "./alone/standIn";
import { COMPARE, PLAN_CUTOVER } from "./announcement";
import { Baselines } from "./baselines";
import { compare, type Comparison } from "./comparison";
import { planCutover } from "./cutover";
import { Machine } from "./machine";
import { showMenu, showMenuOfFew } from "./menu";
import { DRAW_PLAN, PlanPanels } from "./plan/panels";
import { Replays } from "./replay";
import { ReportPage } from "./report";
import { Server } from "./server";
import { changesServer } from "./settings";
import { shown } from "./status";
import { MENU, StatusBar } from "./statusBar";
import { verify } from "./verify";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Keepstate", { log: true });
  const machine = new Machine(context);
  const standIn = new StandIn(context, output);
  const running = new Server(output, machine, context.extension, standIn);
  const statusBar = new StatusBar(running);
  const baselines = new Baselines(running, statusBar);
  const report = new ReportPage(running, context);
  const replays = new Replays(running, context.workspaceState);
  const plans = new PlanPanels(running, context.extensionUri);
  server = running;

  const command = vscode.commands.registerCommand;
  const listen = (): void => {
    machine.chosenPython.listen().catch((error: unknown) => output.debug(`The Python extension does not answer: ${error}`));
  };
  context.subscriptions.push(
    output,
    machine,
    running,
    standIn,
    statusBar,
    baselines,
    replays,
    plans,
    // The other commands of the palette are the server's; the language client registers them while it runs.
    command(COMPARE, (asked?: Comparison | vscode.Uri) =>
      standIn.running === undefined ? compare(running, asked) : standIn.running.compare(asked instanceof vscode.Uri ? asked : undefined),
    ),
    command(MENU, () => {
      const sentence = (statusBar.active && shown(statusBar.active)?.sentence) ?? "";
      return standIn.running === undefined ? showMenu(sentence) : showMenuOfFew(sentence, { label: "$(lightbulb) More with Python...", explain: () => standIn.explain() });
    }),
    command("keepstate.showReport", () => report.show()),
    command("keepstate.pickBaseline", () => standIn.running?.chooseBaseline() ?? baselines.choose()),
    command("keepstate.recordDeployed", () => baselines.markDeployed()),
    command(DRAW_PLAN, () => plans.show()),
    command("keepstate.replayRestart", () => replays.replay()),
    command("keepstate.verifyRestart", () => verify(running)),
    command(PLAN_CUTOVER, (uri?: unknown) => planCutover(running, uri)),
    command("keepstate.restartServer", () => running.restart()),
    command("keepstate.showOutput", () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => (changesServer(event) ? running.restart() : undefined)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      listen();
      return running.restart();
    }),
    machine.chosenPython.onDidChange(() => running.reconsider()),
  );
  await running.restart();
  if (vscode.workspace.isTrusted) {
    listen();
  }
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

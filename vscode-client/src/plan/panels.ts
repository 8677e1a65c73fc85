/** The tabs with drawn plans: one for each document, drawn anew when its findings change. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Server } from "../server";
import { placeAsked, type Drawing } from "./drawing";
import { pageOf } from "./page";

/** The client's command that shows the plan. */
export const DRAW_PLAN = "keepstate.drawPlan";

interface Panel {
  readonly panel: vscode.WebviewPanel;
  drawing: Drawing;
}

export class PlanPanels implements vscode.Disposable {
  private readonly panels = new Map<string, Panel>();
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
  ) {
    this.listening = server.onDidTell(({ uri }) => void this.renew(uri));
  }

  dispose(): void {
    this.listening.dispose();
    for (const { panel } of this.panels.values()) {
      panel.dispose();
    }
  }

  /** Shows the plan of the file that is being edited, beside it. */
  async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) {
      return void vscode.window.showInformationMessage("Open a Flink SQL file first: its plan is what is drawn.");
    }
    const drawing = await this.server.command<Drawing>("keepstate.drawing", document.uri.toString());
    const known = this.panels.get(drawing.uri);
    if (known !== undefined) {
      known.panel.reveal();
      return this.draw(known, drawing);
    }
    const roots = [vscode.Uri.joinPath(this.extension, "dist")];
    const options = { enableScripts: true, enableCommandUris: false, localResourceRoots: roots, retainContextWhenHidden: true };
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false };
    const panel = vscode.window.createWebviewPanel("keepstate.plan", `Plan: ${drawing.name}`, where, options);
    const entry: Panel = { panel, drawing };
    this.panels.set(drawing.uri, entry);
    panel.onDidDispose(() => this.panels.delete(drawing.uri));
    panel.webview.onDidReceiveMessage((message: unknown) => void this.heard(entry, message));
    const at = (name: string): string =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(this.extension, "dist", name)).toString();
    const nonce = randomBytes(16).toString("hex");
    panel.webview.html = pageOf({ nonce, source: panel.webview.cspSource, script: at("plan.js"), style: at("plan.css") });
  }

  private async renew(uri: string): Promise<void> {
    const entry = [...this.panels.values()].find(({ drawing }) => drawing.uri === uri);
    if (entry !== undefined) {
      // A document that was closed in between has no plan: the last one stays.
      const drawing = await this.server.command<Drawing>("keepstate.drawing", uri).catch(() => undefined);
      if (drawing !== undefined) {
        await this.draw(entry, drawing);
      }
    }
  }

  private async draw(entry: Panel, drawing: Drawing): Promise<void> {
    entry.drawing = drawing;
    await entry.panel.webview.postMessage(drawing);
  }

  private async heard(entry: Panel, message: unknown): Promise<void> {
    if ((message as { isReady?: unknown } | null)?.isReady === true) {
      return this.draw(entry, entry.drawing);
    }
    const asked = placeAsked(entry.drawing, message);
    if (asked !== undefined) {
      const { start, end } = asked.place;
      const selection = new vscode.Range(start.line, start.character, end.line, end.character);
      await vscode.window.showTextDocument(vscode.Uri.parse(asked.uri), { selection, viewColumn: vscode.ViewColumn.One });
    }
  }
}

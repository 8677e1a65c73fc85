/** A restart replayed over rows: what a person is asked for, and the page that shows what was found. */
import * as vscode from "vscode";
import { sealed, timeNow } from "./replayPage";
import type { Server } from "./server";

/** The answer to `keepstate.replaySettings`. */
interface Settings {
  readonly restartAt: string | null;
  readonly missing: readonly string[];
  /** Why nothing can be replayed at all. */
  readonly refused: string | null;
}

/** The answer to `keepstate.replay`, once it is done. */
interface Outcome {
  readonly cancelled: boolean;
  readonly sentence: string;
  readonly page: string | null;
  readonly restartAt: string;
}

const OPEN = "Open Report";
const REMEMBERED = "replayedAt";
const PATHS = "replayedData";

export class Replays implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {}

  dispose(): void {
    this.panel?.dispose();
  }

  /** Asks for the time and for what else is not known, and replays the file that is being edited. */
  async replay(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !vscode.workspace.isTrusted) {
      return;
    }
    const uri = document.uri.toString();
    const settings = await this.server.command<Settings>("keepstate.replaySettings", uri);
    if (settings.refused !== null) {
      return void vscode.window.showWarningMessage(settings.refused);
    }
    const data = await this.dataOf(uri, settings.missing);
    const restartAt = data && (await this.timeOf(uri, settings.restartAt));
    if (restartAt === undefined) {
      return;
    }
    const options = { restartAt, data, wait: true };
    const outcome = await this.server.triedInSight<Outcome>(`Replaying a restart at ${restartAt}`, "keepstate.replay", uri, options);
    if (outcome !== undefined && !outcome.cancelled) {
      await this.remember(REMEMBERED, uri, outcome.restartAt);
      await this.tell(outcome);
    }
  }

  private timeOf(uri: string, proposed: string | null): Thenable<string | undefined> {
    const value = proposed ?? this.recalled<string>(REMEMBERED, uri) ?? timeNow(new Date());
    const title = "When is the restart?";
    const prompt = "In the time zone of the job, or with an offset of its own: 2026-03-01 10:05:00";
    return vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
  }

  /** Where the rows of tables are of which nobody says it; undefined if the person left. */
  private async dataOf(uri: string, tables: readonly string[]): Promise<Record<string, string> | undefined> {
    const known = this.recalled<Record<string, string>>(PATHS, uri) ?? {};
    const data: Record<string, string> = {};
    for (const table of tables) {
      const path = await pathOf(table, known[table]);
      if (path === undefined) {
        return undefined;
      }
      data[table] = path;
    }
    await this.remember(PATHS, uri, { ...known, ...data });
    return data;
  }

  private async tell({ sentence, page }: Outcome): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(sentence, ...(page === null ? [] : [OPEN]));
    if (chosen === OPEN && page !== null) {
      await this.show(vscode.Uri.parse(page));
    }
  }

  /** Shows the page without its being able to run or to load anything. */
  private async show(page: vscode.Uri): Promise<void> {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(page));
    if (this.panel === undefined) {
      const options = { enableScripts: false, enableCommandUris: false, localResourceRoots: [] };
      this.panel = vscode.window.createWebviewPanel("keepstate.replay", "Replay", vscode.ViewColumn.Beside, options);
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.panel.webview.html = sealed(text);
    this.panel.reveal();
  }

  private recalled<T>(what: string, uri: string): T | undefined {
    return this.memory.get<Record<string, T>>(what)?.[uri];
  }

  private async remember<T>(what: string, uri: string, value: T): Promise<void> {
    await this.memory.update(what, { ...this.memory.get<Record<string, T>>(what), [uri]: value });
  }
}

/** A file or folder with the rows of a table: the one of the last time, or one that is looked for. */
async function pathOf(table: string, last: string | undefined): Promise<string | undefined> {
  const pick = { label: "$(folder-opened) Look for a file or folder..." };
  const again = last === undefined ? [] : [{ label: last, description: "as the last time" }];
  const title = `Where are the rows of ${table}?`;
  const placeHolder = `CSV, JSON lines, Parquet or Delta. For good: [replay] data = { ${table} = "..." } in keepstate.toml`;
  const chosen = await vscode.window.showQuickPick([...again, pick], { title, placeHolder, ignoreFocusOut: true });
  if (chosen !== pick) {
    return chosen?.label;
  }
  const found = await vscode.window.showOpenDialog({ canSelectFiles: true, canSelectFolders: true, title, openLabel: "Take" });
  return found?.[0]?.fsPath;
}

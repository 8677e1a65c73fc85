/** The checks of open documents: each text is compared once nothing is typed, and its last answer is kept. */
import * as vscode from "vscode";
import type { Status } from "../status";
import { settingsForServer } from "../settings";
import type { Baseline, Baselines } from "./baselines";
import type { Configured, Report, Settings, Version } from "./contract";
import { configurationOf, nameOf } from "./files";
import type { Requests } from "./requests";
import { statusOf, statusWithout, wordsOf } from "./words";

/** How long nothing is typed before a text is compared, in milliseconds. */
const PAUSE = 150;
const DEFAULT = "HEAD";

/** The sides of a comparison, for further questions about it. */
export interface Compared {
  readonly version: number;
  readonly settings: Settings;
  readonly baseline: Baseline;
  readonly report: Report;
  readonly question: { readonly engine: string; readonly current: Version; readonly baseline: Version };
}

/** What was found out about a document. */
export interface Outcome {
  readonly status: Status;
  readonly compared?: Compared;
  /** Why it is not compared. */
  readonly without?: string;
}

export class Checks implements vscode.Disposable {
  private readonly outcomes = new Map<string, Outcome>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly busy = new Set<string>();
  private readonly waiting = new Set<string>();
  private readonly found = new vscode.EventEmitter<vscode.TextDocument>();
  readonly onDidCheck = this.found.event;
  /** Chosen for this session. */
  chosen: string | undefined;

  constructor(
    private readonly requests: Requests,
    private readonly baselines: Baselines,
    private readonly log: (words: string) => void,
  ) {}

  outcome(document: vscode.TextDocument): Outcome | undefined {
    return this.outcomes.get(document.uri.toString());
  }

  /** The comparison of the text that a document has now, which is waited for. */
  async comparison(document: vscode.TextDocument): Promise<Compared | undefined> {
    const isCurrent = (): boolean => this.outcome(document)?.compared?.version === document.version;
    if (!isCurrent() && this.waits(document)) {
      await new Promise<void>((resolve) => {
        const listener = this.onDidCheck((checked) => {
          if (checked === document) {
            listener.dispose();
            resolve();
          }
        });
      });
    }
    return isCurrent() ? this.outcome(document)?.compared : undefined;
  }

  /** Compares a document once nothing is typed. */
  soon(document: vscode.TextDocument, pause = PAUSE): void {
    const key = document.uri.toString();
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        void this.check(document);
      }, pause),
    );
  }

  forget({ uri }: vscode.TextDocument): void {
    const key = uri.toString();
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
    this.outcomes.delete(key);
  }

  dispose(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    this.found.dispose();
  }

  private waits({ uri }: vscode.TextDocument): boolean {
    const key = uri.toString();
    return this.timers.has(key) || this.busy.has(key);
  }

  private async check(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (this.busy.has(key)) {
      this.waiting.add(key);
      return;
    }
    this.busy.add(key);
    const version = document.version;
    try {
      const outcome = await this.outcomeOf(document, version);
      if (!document.isClosed && document.version === version) {
        this.outcomes.set(key, outcome);
      }
    } catch (error) {
      const words = wordsOf(error);
      this.log(`${key}: ${words}`);
      this.outcomes.set(key, { status: statusWithout(key, words, true), without: words });
    } finally {
      this.busy.delete(key);
    }
    if (document.isClosed) {
      this.forget(document);
    } else if (this.waiting.delete(key)) {
      return this.check(document);
    } else if (document.version === version) {
      this.found.fire(document);
    }
  }

  private async outcomeOf(document: vscode.TextDocument, version: number): Promise<Outcome> {
    const uri = document.uri.toString();
    const text = document.getText();
    const configuration = await configurationOf(document);
    const path = configuration?.path ?? (nameOf(document.uri) || "untitled.sql");
    const { preset, ...others } = settingsForServer(document.uri);
    // The setting has a default, which must not hide what the configuration says.
    const isPresetSet = isSet(vscode.workspace.getConfiguration("keepstate", document.uri).inspect("preset"));
    const asked = {
      do: "settings",
      path,
      text,
      name: configuration?.name ?? null,
      configuration: configuration?.text ?? null,
      former: null as string | null,
      client: { ...others, ...(isPresetSet && { preset }) },
    };
    let settings = await this.requests.ask<Settings>(asked);
    if (!settings.is_flink && document.languageId !== "flink-sql") {
      return { status: { uri, verdict: null, words: "", baseline: null, findings: 0 } };
    }
    const nothing = (reason: string, isAmiss: boolean): Outcome => ({ status: statusWithout(uri, reason, isAmiss), without: reason });
    if (settings.error !== null) {
      return nothing(settings.error, true);
    }
    if (settings.several) {
      return nothing("Other files are a part of this job: that needs the server of Keepstate, and so Python.", true);
    }
    const spec = this.chosen ?? settings.baseline;
    const baseline = await this.baselines.find(document, spec, configuration, spec !== DEFAULT);
    if ("reason" in baseline) {
      return nothing(baseline.reason, baseline.isAmiss);
    }
    if (baseline.configuration !== undefined) {
      settings = await this.requests.ask<Settings>({ ...asked, former: baseline.configuration });
      if (settings.error !== null) {
        return nothing(settings.error, true);
      }
    }
    const side = (content: string, configured: Configured): Version => ({ files: { [path]: content }, job: path, ...configured });
    const question = { engine: settings.engine, current: side(text, settings.current), baseline: side(baseline.text, settings.former) };
    const report = await this.requests.ask<Report>({ do: "check", today: today(), ...question });
    return {
      status: statusOf(uri, report, baseline.spec, baseline.words),
      compared: { version, settings, baseline, report, question },
    };
  }
}

function isSet(inspected: object | undefined): boolean {
  const set = (inspected ?? {}) as Record<string, unknown>;
  return ["globalValue", "workspaceValue", "workspaceFolderValue"].some((level) => set[level] !== undefined);
}

/** The day on which acceptances are judged, as the person's clock has it. */
function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0")).join("-");
}

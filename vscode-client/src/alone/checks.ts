/** The checks of open documents: each text is compared once nothing is typed, and its last answer is kept. */
import * as vscode from "vscode";
import type { Status } from "../status";
import { settingsForServer } from "../settings";
import type { Baseline, Baselines } from "./baselines";
import type { Pipeline, Report, Settings, Version } from "./contract";
import { configurationOf, nameOf, parentOf } from "./files";
import { type JobFiles, type Reading, versionOf } from "./jobFiles";
import type { Requests } from "./requests";
import { statusOf, statusWithout, wordsOf } from "./words";

/** How long nothing is typed before a text is compared, in milliseconds. */
const PAUSE = 150;
const DEFAULT = "HEAD";
const BEYOND = "The configuration names SQL inside of other files, or this file for several jobs: that needs the server of Keepstate, and so Python.";

/** The sides of a comparison, for further questions about it. */
export interface Compared {
  readonly version: number;
  readonly settings: Settings;
  readonly baseline: Baseline;
  readonly report: Report;
  /** The path of the document in the question, and the folder that it is relative to; undefined without a configuration. */
  readonly path: string;
  readonly folder: vscode.Uri | undefined;
  /** The queries of the document, where other files of the job have some as well. */
  readonly own?: readonly Pipeline[];
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
    private readonly files: JobFiles,
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

  /** Compares the documents whose jobs read another one. */
  touched(other: vscode.TextDocument): void {
    for (const document of vscode.workspace.textDocuments) {
      const compared = this.outcome(document)?.compared;
      if (document !== other && compared !== undefined && pathsOf(compared).some((path) => uriIn(compared, path, document.uri).toString() === other.uri.toString())) {
        this.soon(document);
      }
    }
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
      client: { ...others, ...(isPresetSet && { preset }) },
    };
    const folder = configuration && parentOf(configuration.uri);
    let paths: readonly string[] | null = null;
    let baseline: Baseline | undefined;
    const settled = async (): Promise<Settings> => {
      const former_paths = paths && folder && baseline ? await this.files.formerPaths(folder, paths, baseline.commit) : paths;
      const found = await this.requests.ask<Settings>({ ...asked, former: baseline?.configuration ?? null, paths, former_paths });
      if (!found.several || paths !== null || folder === undefined) {
        return found;
      }
      paths = await this.files.paths(folder);
      return settled();
    };
    let settings = await settled();
    if (!settings.is_flink && document.languageId !== "flink-sql") {
      return { status: { uri, verdict: null, words: "", baseline: null, findings: 0 } };
    }
    const nothing = (reason: string, isAmiss: boolean): Outcome => ({ status: statusWithout(uri, reason, isAmiss), without: reason });
    if (settings.error !== null) {
      return nothing(settings.error, true);
    }
    if (settings.several) {
      return nothing(BEYOND, true);
    }
    const spec = this.chosen ?? settings.baseline;
    const found = await this.baselines.find(document, spec, configuration, spec !== DEFAULT);
    if ("reason" in found) {
      return nothing(found.reason, found.isAmiss);
    }
    baseline = found;
    if (found.configuration !== undefined || paths !== null) {
      settings = await settled();
      if (settings.error !== null || settings.several) {
        return nothing(settings.error ?? BEYOND, true);
      }
    }
    const beside = (path: string): vscode.Uri => (folder === undefined ? document.uri : vscode.Uri.joinPath(folder, path));
    const now: Reading = async (other) => (other === path ? text : this.files.text(beside(other)));
    const { commit } = found;
    const then: Reading = async (other) =>
      other === path ? found.text
      : commit === undefined ? this.files.text(beside(other))
      : this.files.formerText(commit, beside(other));
    const question = {
      engine: settings.engine,
      current: await versionOf(settings.current, now),
      baseline: await versionOf(settings.former, then),
    };
    const report = await this.requests.ask<Report>({ do: "check", today: today(), ...question });
    const compared = { version, settings, baseline: found, report, path, folder, question };
    const several = typeof question.current.job !== "string";
    const own = several ? { own: await this.queriesOf(path, question) } : {};
    return { status: statusOf(uri, report, found.spec, found.words), compared: { ...compared, ...own } };
  }

  /** The queries of one file of a job. */
  private async queriesOf(path: string, { engine, current }: Compared["question"]): Promise<Pipeline[]> {
    const { pipelines } = await this.requests.ask<{ pipelines: (Pipeline & { file: string })[] }>({ do: "notes", engine, current });
    return pipelines.filter(({ file }) => file === path);
  }
}

/** The paths of the files of a job today. */
export function pathsOf({ question }: Compared): string[] {
  return Object.keys(question.current.files);
}

/** The address of a file of a job. */
export function uriIn({ path, folder }: Compared, file: string, document: vscode.Uri): vscode.Uri {
  return file === path || folder === undefined ? document : vscode.Uri.joinPath(folder, file);
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

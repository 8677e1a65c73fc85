/** The answers of the contract, as far as the page reads them; and the worker that gives them. */
import type { Example, Side } from "./example.js";

export interface Position {
  line: number;
  character: number;
}
export interface Range {
  start: Position;
  end: Position;
}
export interface Edit {
  file: string;
  range: Range;
  new_text: string;
}
export interface Fix {
  title: string;
  edits: Edit[];
  new_files: unknown[];
}
export interface Finding {
  rule: string;
  verdict: string;
  effect: string;
  message: string;
  file: string;
  range: Range;
  baseline_range: Range | null;
  fixes: Fix[];
}
export interface Problem {
  path: string;
  message: string;
  range: Range | null;
  side: string;
}
export interface Report {
  tool: { version: string };
  engine: string;
  verdict: string;
  files: { status: string; reason: string | null; effect: string | null; findings: Finding[] }[];
  problems: Problem[];
}
export interface Hover {
  range: Range | null;
  findings: {
    rule: string;
    message: string;
    recovery: string | null;
    advice: string | null;
    measured: string | null;
    state: { part: string; before: string; after: string }[];
  }[];
  notes: { title: string; keeps: string[]; keyed_by: string[]; until: string | null; explanation: string | null }[];
}
export interface Completion {
  range: Range | null;
  proposals: { label: string; kind: string; insert: string; detail: string; meaning: string }[];
}
export interface PlanOperator {
  id: string;
  operator: string;
  facts: Record<string, string[]>;
  state: { title: string; keyed_by: string[]; keeps: string[] } | null;
  inputs: PlanOperator[];
}
export interface Plans {
  baseline: { pipelines: { name: string; root: PlanOperator }[] };
  current: { pipelines: { name: string; root: PlanOperator }[] };
  pipelines: {
    name: string;
    verdict: string | null;
    baseline: string | null;
    current: string | null;
    differences: { kind: string; baseline: string | null; current: string | null }[];
  }[];
}

export const JOB = "job.sql";
export const TABLES = "tables.sql";

function sideOf(side: Side, tables: string): unknown {
  const files = tables.trim() === "" ? { [JOB]: side.text } : { [TABLES]: tables, [JOB]: side.text };
  return { files, job: JOB, parameters: side.parameters, engine_version: side.engineVersion };
}

/** Requests to the worker, which answers them in their order. */
export class Host {
  private readonly worker = new Worker("worker.js", { type: "module" });
  private readonly waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  private last = 0;

  constructor() {
    this.worker.onmessage = (event: MessageEvent<string>) => {
      const { id, answer, error } = JSON.parse(event.data) as { id: number | null; answer?: unknown; error?: string };
      for (const [asked, { resolve, reject }] of this.waiting) {
        // Without an id, nothing was started, and nothing will be answered.
        if (asked === id || id === null) {
          this.waiting.delete(asked);
          error === undefined ? resolve(answer) : reject(new Error(error));
        }
      }
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error(`The worker failed: ${event.message || "it could not be loaded"}`));
      }
      this.waiting.clear();
    };
  }

  ask<Answer>(what: string, example: Example, members: object = {}, alone = false): Promise<Answer> {
    const id = ++this.last;
    const baseline = alone ? {} : { baseline: sideOf(example.baseline, example.tables) };
    const request = { do: what, id, engine: example.engine, current: sideOf(example.current, example.tables), ...baseline, ...members };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject });
      this.worker.postMessage(JSON.stringify(request));
    });
  }
}

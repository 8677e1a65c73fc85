/** The questions of the page, and the worker that answers them. */
import type { Version } from "../../src/alone/contract.js";
import { type Channel, Requests } from "../../src/alone/requests.js";
import type { Example, Side } from "./example.js";

export type * from "../../src/alone/contract.js";

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

function sideOf(side: Side, tables: string): Version {
  const files: Record<string, string> = tables.trim() === "" ? { [JOB]: side.text } : { [TABLES]: tables, [JOB]: side.text };
  return { files, job: JOB, parameters: side.parameters, engine_version: side.engineVersion };
}

/** The worker beside the page. */
export class Host {
  private readonly requests = new Requests(channelTo(new Worker("worker.js", { type: "module" })));

  ask<Answer>(what: string, example: Example, members: object = {}, alone = false): Promise<Answer> {
    const baseline = alone ? {} : { baseline: sideOf(example.baseline, example.tables) };
    return this.requests.ask({ do: what, engine: example.engine, current: sideOf(example.current, example.tables), ...baseline, ...members });
  }
}

function channelTo(worker: Worker): Channel {
  return {
    post: (request) => worker.postMessage(request),
    listen(answered, failed) {
      worker.onmessage = (event: MessageEvent<string>) => answered(event.data);
      worker.onerror = (event) => failed(event.message || "it could not be loaded");
    },
    close: () => worker.terminate(),
  };
}

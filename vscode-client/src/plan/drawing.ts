/** The answer to `keepstate.drawing` (docs/language-server.md): a plan as values, beside that of the baseline. */

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Place {
  readonly start: Position;
  readonly end: Position;
}

export interface Finding {
  readonly rule: string;
  readonly verdict: string;
  readonly message: string;
}

/** A property of an operator on both sides; null where a side has none. */
export interface Row {
  readonly name: string;
  readonly baseline: string | null;
  readonly current: string | null;
}

/** An operator and its counterpart; null where a side has none. */
export interface PlanNode {
  readonly baseline: string | null;
  readonly current: string | null;
  readonly mark: string;
  readonly isStateful: boolean;
  /** What becomes of the state: `kept`, `partly`, `empty`, `dropped`, `lost`, `refused`, `wrong` or `unknown`. */
  readonly fate: { readonly kind: string; readonly words: string } | null;
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  /** Numbers of the operators that it reads. */
  readonly inputs: readonly number[];
  readonly place: Place | null;
  readonly baselinePlace: Place | null;
}

export interface Pipeline {
  readonly name: string;
  readonly verdict: string | null;
  /** The words for the verdict. */
  readonly words: string | null;
  readonly mark: string;
  readonly findings: readonly Finding[];
  readonly roots: readonly number[];
  readonly nodes: readonly PlanNode[];
}

export interface Drawing {
  readonly uri: string;
  readonly name: string;
  /** The words for the baseline; null for a plan alone. */
  readonly baseline: string | null;
  readonly baselineUri: string | null;
  readonly engine: string;
  readonly verdict: string | null;
  readonly words: string | null;
  readonly findings: readonly Finding[];
  readonly problems: readonly string[];
  readonly pipelines: readonly Pipeline[];
}

export type Side = "baseline" | "current";

/** What the page asks for: the clause of an operator. Numbers only, so that a page can name no document. */
export interface Asked {
  readonly pipeline: number;
  readonly node: number;
  readonly side: Side;
}

/** What is at a place that the page asked for; undefined for anything that the drawing does not have. */
export function placeAsked(drawing: Drawing, message: unknown): { uri: string; place: Place } | undefined {
  const { pipeline, node, side } = (message ?? {}) as Partial<Asked>;
  if (!Number.isInteger(pipeline) || !Number.isInteger(node)) {
    return undefined;
  }
  const found = drawing.pipelines[pipeline as number]?.nodes[node as number];
  const uri = side === "baseline" ? drawing.baselineUri : drawing.uri;
  const place = side === "baseline" ? found?.baselinePlace : found?.place;
  return uri === null || place === null || place === undefined ? undefined : { uri, place };
}

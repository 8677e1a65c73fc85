/** What a cutover plan is asked for with, and what is shown of it. Free of `vscode`, so that it can be tested. */

/** A platform, as `keepstate cutover --platform` names it. */
export interface Platform {
  readonly label: string;
  readonly detail: string;
  readonly platform: string;
}

export const PLATFORMS: readonly Platform[] = [
  { label: "SQL Client or Gateway", detail: "The steps are statements and commands of Flink.", platform: "sql-client" },
  { label: "Kubernetes Operator", detail: "The steps are patches of the resource of the job.", platform: "kubernetes" },
  { label: "Ververica Platform", detail: "The steps are those of its console.", platform: "ververica" },
  { label: "Realtime Compute", detail: "The steps are those of its console.", platform: "realtime-compute" },
];

/** Options of the command `keepstate.cutover`. */
export interface CutoverOptions {
  readonly platform: string;
  readonly wait: true;
}

/** The answer to `keepstate.cutover`, once it is done. */
export interface Planned {
  readonly cancelled: boolean;
  readonly sentence?: string;
  readonly page?: string | null;
}

export function optionsFor({ platform }: Platform): CutoverOptions {
  return { platform, wait: true };
}

/** The document to plan for: the one that an action names, else the one that is looked at. */
export function targetOf(asked: unknown, active: string | undefined): string | undefined {
  return typeof asked === "string" ? asked : active;
}

/** The page to open; undefined after a cancellation, and where the job keeps its state. */
export function pageOf(answer: Planned): string | undefined {
  return answer.cancelled ? undefined : (answer.page ?? undefined);
}

/** The message to show; undefined after a cancellation. */
export function sentenceOf(answer: Planned): string | undefined {
  return answer.cancelled ? undefined : answer.sentence;
}

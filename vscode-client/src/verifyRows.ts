/** What a restart on a real Flink is tried on, and what is said of it. Free of `vscode`, so that it can be tested. */

/** Options of the command `keepstate.verify`. */
export interface VerifyOptions {
  readonly generate: boolean;
  readonly wait: true;
}

export interface Rows {
  readonly label: string;
  readonly detail: string;
  readonly options: VerifyOptions;
}

/** The quicker one first. */
export const ROWS: readonly Rows[] = [
  {
    label: "Before the First Row",
    detail: "Does it start? Some 15 seconds; the first use downloads Flink, about 330 MB.",
    options: { generate: false, wait: true },
  },
  {
    label: "With Generated Rows",
    detail: "Are the results exact, lost or wrong? Up to a minute more.",
    options: { generate: true, wait: true },
  },
];

/** The answer to `keepstate.verify`, once it is done. */
export interface Verified {
  readonly cancelled: boolean;
  readonly sentence?: string;
}

/** The message to show; undefined after a cancellation. */
export function sentenceOf(answer: Verified): string | undefined {
  return answer.cancelled ? undefined : answer.sentence;
}

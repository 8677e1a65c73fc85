/** What a restart on a real Flink is tried on, and what is said of it. Free of `vscode`, so that it can be tested. */

/** What the server is told. */
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
    detail: "Does it start? Takes a quarter of a minute; the first use of a version of Flink downloads about 330 MB.",
    options: { generate: false, wait: true },
  },
  {
    label: "With Generated Rows",
    detail: "Are the results exact, lost or wrong? Takes up to a minute more, and the hover has the few rows that show it.",
    options: { generate: true, wait: true },
  },
];

/** The answer to `keepstate.verify`, once it is done. */
export interface Verified {
  readonly cancelled: boolean;
  readonly sentence?: string;
}

/** What a person is told; undefined after a cancellation, which they know of. */
export function sentenceOf(answer: Verified): string | undefined {
  return answer.cancelled ? undefined : answer.sentence;
}

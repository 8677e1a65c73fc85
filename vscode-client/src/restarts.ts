/** When a server that ended by itself is started again. Free of `vscode` and of clocks. */

const FIRST_WAIT = 1_000;
const MOST_ENDS = 5;
const WITHIN = 3 * 60_000;

export const GIVING_UP = "The server ended five times within three minutes.";

/** Each wait is twice as long as the one before; a server that keeps ending is left alone. */
export class Restarts {
  private ends: readonly number[] = [];

  /** How many milliseconds to wait for the next start after an end; undefined: it is not started again. */
  waitAfterEnd(now: number): number | undefined {
    this.ends = [...this.ends.filter((end) => now - end < WITHIN), now];
    return this.ends.length < MOST_ENDS ? FIRST_WAIT * 2 ** (this.ends.length - 1) : undefined;
  }

  /** A person started it: what was before no longer counts. */
  forget(): void {
    this.ends = [];
  }
}

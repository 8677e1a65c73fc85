/** Interpreters: which versions will do, and what was found out about them before. Free of `vscode`. */

export type Version = readonly [major: number, minor: number, patch: number];

/** Of the server and of all packages that are bundled with it. */
export const OLDEST: Version = [3, 10, 0];

/** The names under which an interpreter may be on PATH: the one that a person means, then those that may lie beside it. */
export const NAMES = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

export interface Python {
  /** The interpreter itself, where what was asked may have been a script or a launcher that starts it. */
  readonly executable: string;
  readonly version: Version;
}

export function isRecentEnough({ version }: Python): boolean {
  const differing = version.findIndex((number, index) => number !== OLDEST[index]);
  return differing < 0 || (version[differing] ?? 0) > (OLDEST[differing] ?? 0);
}

/** What to run in an interpreter to learn about it; any Python 3 can answer. */
export const QUESTION = ["-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable)"];

export function pythonOf(answer: string): Python | undefined {
  const [version = "", executable = ""] = answer.split(/\r?\n/);
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(version.trim())?.slice(1).map(Number);
  const [major, minor, patch] = numbers ?? [];
  if (major === undefined || minor === undefined || patch === undefined || executable === "") {
    return undefined;
  }
  return { executable, version: [major, minor, patch] };
}

/** Where values outlive the session: a `vscode.Memento`. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

type Ask = (program: string, args: readonly string[]) => Promise<Python | undefined>;

interface Remembered extends Python {
  readonly stamps: readonly string[];
}

/**
 * Interpreters that were asked once are not asked again: starting one costs a tenth of a second, and behind a version
 * manager much more. Those that are too old are asked each time, since they are what a person is about to replace.
 */
export class KnownPythons {
  constructor(
    private readonly memory: Memory,
    /** A text that changes when the file does; undefined where there is none. */
    private readonly stampOf: (file: string) => string | undefined,
    private readonly ask: Ask,
  ) {}

  async describe(program: string, args: readonly string[] = []): Promise<Python | undefined> {
    const key = ["python", program, ...args].join(" ");
    const remembered = this.memory.get(key) as Remembered | undefined;
    if (remembered !== undefined && this.holds(remembered, program)) {
      return { executable: remembered.executable, version: remembered.version };
    }
    const found = await this.ask(program, args);
    const stamps = found && this.stampsOf(program, found.executable);
    await this.memory.update(key, found && stamps && isRecentEnough(found) ? { ...found, stamps } : undefined);
    return found;
  }

  private holds(remembered: Remembered, program: string): boolean {
    const stamps = this.stampsOf(program, remembered.executable);
    return stamps !== undefined && stamps.every((stamp, index) => stamp === remembered.stamps[index]);
  }

  private stampsOf(program: string, executable: string): readonly string[] | undefined {
    const [first, second] = [this.stampOf(program), this.stampOf(executable)];
    return first === undefined || second === undefined ? undefined : [first, second];
  }
}

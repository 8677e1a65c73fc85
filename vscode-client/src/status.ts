/** What the status bar says of a document. Free of `vscode`: the wording is tested without an editor. */

/** The notification with which the server says how a document stands (docs/language-server.md). */
export const STATUS = "keepstate/status";

export type Verdict = "compatible" | "partial" | "unknown" | "incompatible";

export interface Status {
  readonly uri: string;
  /** "none": nothing was compared, and `words` say why; null: the document is no Flink SQL. */
  readonly verdict: Verdict | "none" | null;
  /** What the engine does to the state of the job; null where there is no verdict. */
  readonly effect?: string | null;
  readonly words: string;
  /** In words: "HEAD (a1b2c3d)". */
  readonly baseline: string | null;
  /** As somebody wrote it: "merge-base:origin/main". */
  readonly spec?: string;
  readonly findings: number;
  /** Something that should have been compared was not. */
  readonly failed?: boolean;
}

/** A status bar item: short, and what it means in a sentence. */
export interface Shown {
  readonly text: string;
  readonly sentence: string;
  /** Whether it is to be seen from afar: the job would run and give wrong numbers. */
  readonly alarming: boolean;
}

const FACES: Readonly<Record<Verdict, readonly [icon: string, words: string]>> = {
  compatible: ["pass", "Compatible"],
  partial: ["warning", "Partly compatible"],
  unknown: ["question", "Cannot tell"],
  incompatible: ["error", "Incompatible"],
};

/** Louder than any verdict: nobody else will say so. */
const WRONG_NUMBERS = ["flame", "Wrong numbers"] as const;
const ALARM = "Restores without complaint and gives wrong numbers. ";

const LONGEST = 24;

/** Undefined for a document of which there is nothing to say. */
export function shown(status: Status): Shown | undefined {
  const { verdict, words, findings, failed = false } = status;
  if (verdict === null) {
    return undefined;
  }
  if (verdict === "none") {
    const text = failed ? "$(alert) Not compared" : "$(circle-slash) No baseline";
    return { text, sentence: sentenceOf(words), alarming: false };
  }
  if (words === "not valid") {
    return { text: "$(error) Not valid", sentence: "Not valid: Flink refuses a statement.", alarming: false };
  }
  const isUnchanged = words === "unchanged";
  const alarming = status.effect === "wrong-results";
  const [icon, face] = isUnchanged ? ["pass", "Unchanged"] : alarming ? WRONG_NUMBERS : FACES[verdict];
  const against = status.baseline ?? "the baseline";
  const counted = findings === 0 ? "" : findings === 1 ? ", 1 finding" : `, ${findings} findings`;
  const verdictWords = isUnchanged ? `same meaning as ${against}` : `${words} with ${against}`;
  const unread = failed ? " A part could not be read or compared: see the problems of the file." : "";
  const short = shortened(status.spec ?? "");
  return {
    text: `$(${icon}) ${face}${short && ` · ${short}`}`,
    sentence: `${alarming ? ALARM : ""}${sentenceOf(`${verdictWords}${counted}`)}${unread}`,
    alarming,
  };
}

/** The end of a long spec tells more than its beginning. */
function shortened(spec: string): string {
  return spec.length <= LONGEST ? spec : `…${spec.slice(1 - LONGEST)}`;
}

function sentenceOf(words: string): string {
  const sentence = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

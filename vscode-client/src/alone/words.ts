/** Answers of the contract in the words of an editor. Free of `vscode`: tested without an editor. */
import type { Status, Verdict } from "../status";
import type { Finding, Hover, HoverFinding, Pipeline, Problem, Report, Settings } from "./contract";

export type Level = "error" | "warning" | "information" | "hint" | "off";

/** What only the server does, said once in the menu and in the message about it. */
export const MISSING =
  "the report on all jobs, declarations in files that no configuration names, drawn plans, records of deployments, tags as baselines, the ledger of acceptances, replays, restarts on a real Flink, and cutover plans";

const VERDICT_WORDS: Readonly<Record<string, string>> = {
  compatible: "compatible",
  partial: "partly compatible",
  unknown: "cannot tell whether compatible",
  incompatible: "incompatible",
};
const EFFECT_WORDS: Readonly<Record<string, string>> = { "does-not-start": "does not start", "wrong-results": "wrong numbers" };
const ALARM = "‼ ";
const INVALID_SQL = "invalid-sql";

/** How loud a finding is: its rule wins over its effect, that over its verdict, and settings over the preset. */
export function levelOf({ rule, effect, verdict, accepted }: Finding, { severity, preset }: Settings): Level {
  const set = [rule, effect, verdict].map((key) => severity[key]).find((level) => level !== undefined);
  const level = (set ?? preset[effect] ?? preset[verdict] ?? "warning") as Level;
  // An accepted finding stays visible, but calls for no action.
  return accepted !== null && level !== "off" ? "hint" : level;
}

/** Flink's refusals have a level of their own; what could not be read is a gap in the comparison. */
export function levelOfProblem({ check }: Problem, { severity }: Settings): Level {
  return check === undefined ? "warning" : ((severity[INVALID_SQL] ?? "error") as Level);
}

export function messageOf({ effect, message, accepted }: Finding): string {
  const until = accepted?.until ? ` until ${accepted.until}` : "";
  const note = accepted === null ? "" : ` (accepted${until}: ${accepted.because})`;
  return `${alarm(effect)}${withArrows(message)}${note}`;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Markdown that shows `text` as it is. Not `MarkdownString.appendText`: its blanks do not break, so long lines do not wrap. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!~<>&|.:]/g, "\\$&");
}

/** `→` between what was and what is. Quoted text is the user's, and stays. */
export function withArrows(message: string): string {
  return message.replace(/(?<!\w)'[^'\n]*'|`[^`\n]*`|"[^"\n]*"|(?<= )->(?= )/g, (found) => (found === "->" ? "→" : found));
}

/** The line above a query. */
export function lensOf(pipeline: Pipeline, report: Report, baseline: string): string {
  const [file] = report.files;
  if (file?.status === "unchanged") {
    return `Same meaning as ${baseline}`;
  }
  const refused = report.problems.find(({ check, side }) => check !== undefined && side === "current");
  if (refused !== undefined && file?.status === "not-valid") {
    return `Not valid: Flink refuses line ${(refused.range?.start.line ?? 0) + 1}`;
  }
  const number = (file?.findings ?? []).length;
  const counted = file?.pipelines.length === 1 && number > 0 ? `, ${number} ${number === 1 ? "finding" : "findings"}` : "";
  const effect = EFFECT_WORDS[pipeline.effect];
  const words = `${VERDICT_WORDS[pipeline.verdict] ?? pipeline.verdict} with ${baseline}${effect === undefined ? "" : `: ${effect}`}`;
  return `${alarm(pipeline.effect)}${capital(words)}${counted}`;
}

/** What the status bar says of a document that was compared. */
export function statusOf(uri: string, report: Report, spec: string, baseline: string): Status {
  const [file] = report.files;
  const effect = file?.effect ?? null;
  const verdict = report.verdict as Verdict;
  const words =
    file?.status === "unchanged" ? "unchanged"
    : file?.status === "not-valid" ? "not valid"
    : [VERDICT_WORDS[verdict], ...(effect !== null && effect in EFFECT_WORDS ? [EFFECT_WORDS[effect]] : [])].join(", ");
  const failed = file?.status === "not-compared" || file?.status === "not-valid";
  return { uri, verdict, effect, words, baseline, spec, findings: file?.findings.length ?? 0, failed };
}

/** What the status bar says of a document without a comparison. */
export function statusWithout(uri: string, reason: string, failed: boolean): Status {
  return { uri, verdict: "none", words: reason, baseline: null, findings: 0, failed };
}

/** A paragraph: plain text behind a label, or SQL. */
export interface Block {
  readonly label: string;
  readonly text: string;
  readonly isCode?: boolean;
}
/** A part of a hover: a heading with a tag, and blocks below it. */
export interface Page {
  readonly title: string;
  readonly tag: string;
  readonly blocks: readonly Block[];
}

/** What a hover says, one page for each finding, or for what the clause keeps. `baseline` is in words. */
export function pagesOf({ findings, notes }: Hover, baseline: string): Page[] {
  return [
    ...findings.map((finding) => pageOfFinding(finding, baseline)),
    ...notes.map(({ title, keeps, keyed_by, until, explanation }) => ({
      title: capital(title),
      tag: "",
      blocks: present([
        ["", explanation],
        ["Keeps", keeps.join("; ")],
        ["Keyed by", keyed_by.join(", ")],
        ["Kept until", until],
      ]),
    })),
  ];
}

function pageOfFinding(finding: HoverFinding, baseline: string): Page {
  const effect = EFFECT_WORDS[finding.effect];
  const verdict = capital(VERDICT_WORDS[finding.verdict] ?? finding.verdict);
  const before: Block[] = finding.baseline_text === null ? [] : [{ label: `In ${baseline}`, text: finding.baseline_text, isCode: true }];
  return {
    title: `${alarm(finding.effect)}${verdict}${effect === undefined ? "" : `, ${effect}`}`,
    tag: finding.rule,
    blocks: [
      ...present([
        ["", sentence(capital(finding.message))],
        ["Results", finding.recovery],
        ["Advice", finding.advice],
        ["Measured", finding.measured],
        ["State", stateWords(finding.state)],
      ]),
      ...before,
    ],
  };
}

/** What becomes of each part of the state: `lost: SUM(amount); kept: shop`. */
export function stateWords(state: HoverFinding["state"]): string {
  const outcomes = new Map<string, Set<string>>();
  for (const { part, before, after } of state) {
    const [first = part, ...rest] = part.split(": ");
    const name = first.includes("(") || rest.length === 0 ? first : rest.join(": ");
    const words = before === "-" || before === "kept" ? name : `${name} (was ${before})`;
    outcomes.set(after, (outcomes.get(after) ?? new Set()).add(words));
  }
  return [...outcomes].map(([outcome, names]) => `${outcome}: ${[...names].join(", ")}`).join("; ");
}

function present(lines: readonly (readonly [label: string, text: string | null])[]): Block[] {
  return lines.flatMap(([label, text]) => (text ? [{ label, text: withArrows(text) }] : []));
}

function alarm(effect: string): string {
  return effect === "wrong-results" ? ALARM : "";
}

function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}

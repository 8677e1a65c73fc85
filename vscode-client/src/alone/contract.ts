/** The answers of the contract for hosts without a server, as far as an editor and the playground read them. */

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
  verdict_after: string;
  edits: Edit[];
  new_files: { name: string; text: string }[];
}
export interface Finding {
  rule: string;
  verdict: string;
  effect: string;
  message: string;
  file: string;
  range: Range;
  baseline_range: Range | null;
  baseline_text: string | null;
  accepted: { because: string; until: string | null } | null;
  fixes: Fix[];
}
export interface Problem {
  path: string;
  message: string;
  range: Range | null;
  side: string;
  /** The check of Flink that refuses the statement; absent for what could not be read. */
  check?: string;
}
export interface Pipeline {
  name: string;
  range: Range;
  verdict: string;
  effect: string;
}
export interface Report {
  tool: { version: string };
  engine: string;
  verdict: string;
  files: { status: string; reason: string | null; effect: string | null; pipelines: Pipeline[]; findings: Finding[] }[];
  problems: Problem[];
}
export interface HoverFinding {
  rule: string;
  verdict: string;
  effect: string;
  message: string;
  recovery: string | null;
  advice: string | null;
  measured: string | null;
  baseline_text: string | null;
  state: { part: string; before: string; after: string }[];
}
export interface Note {
  title: string;
  keeps: string[];
  keyed_by: string[];
  until: string | null;
  explanation: string | null;
}
export interface Hover {
  range: Range | null;
  findings: HoverFinding[];
  notes: Note[];
}
export interface Completion {
  range: Range | null;
  proposals: { label: string; kind: string; insert: string; detail: string; meaning: string }[];
}

/** One version of a job. */
export interface Version {
  files: Record<string, string>;
  /** The path of its script, or the paths in the order of execution. */
  job: string | string[];
  parameters?: Record<string, string>;
  engine_version?: string | null;
  jobs?: string | null;
}

/** A configuration of a job outside of its SQL. */
export interface Configured extends Pick<Version, "parameters" | "engine_version" | "jobs"> {
  /** Paths of the files that run. */
  script: string[];
  /** Paths of files whose declarations the job may read. */
  context: string[];
}

/** The settings of a document: those of the editor, over those of its configuration file. */
export interface Settings {
  is_flink: boolean;
  /** The configuration is wrong, so nothing can be compared: a sentence. The members below are missing then. */
  error: string | null;
  problems: string[];
  engine: string;
  baseline: string;
  current: Configured;
  former: Configured;
  /** Other files are a part of the job: they are to be listed, or a server is needed if they were. */
  several: boolean;
  /** A level by rule, effect or verdict; these win over the preset. */
  severity: Record<string, string>;
  preset: Record<string, string>;
}

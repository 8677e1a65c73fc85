import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import type { Channel } from "../src/alone/requests";
import { Session } from "../src/alone/session";
import type { Status } from "../src/status";
import { type Diagnostic, Document, EventEmitter, Position, Range, stage, Uri, type WorkspaceEdit } from "./vscode";

const WAS = "SELECT b, SUM(a) FROM t GROUP BY b";
const NOW = "SELECT b, MAX(a) FROM t GROUP BY b";
const JOB = Uri.parse("file:///repo/jobs/a.sql");
const PLACE = { start: { line: 0, character: 10 }, end: { line: 0, character: 13 } };

interface Request {
  readonly id: number;
  readonly do: string;
  readonly [member: string]: unknown;
}

/** A worker that finds each MAX, and keeps what it is asked. */
class Worker implements Channel {
  readonly asked: Request[] = [];
  several: "alone" | "job" | "beyond" = "alone";
  error: string | null = null;
  broken = false;
  private answered: (answer: string) => void = () => undefined;

  post(text: string): void {
    const request = JSON.parse(text) as Request;
    this.asked.push(request);
    const given = this.broken && request.do === "check" ? { error: "too deep" } : { answer: this.answer(request) };
    setImmediate(() => this.answered(JSON.stringify({ id: request.id, ...given })));
  }
  listen(answered: (answer: string) => void): void {
    this.answered = answered;
  }
  close(): void {}

  of(what: string): Request[] {
    return this.asked.filter((each) => each.do === what);
  }

  /** All files that are listed, but for the document, are its context. */
  private files(request: Request, list: "paths" | "former_paths"): { script: string[]; context: string[] } {
    const path = String(request["path"]);
    const context = ((request[list] ?? []) as string[]).filter((each) => each !== path && each.endsWith(".sql"));
    return { script: [path], context };
  }

  private answer(request: Request): unknown {
    switch (request.do) {
      case "settings":
        return {
          is_flink: !String(request["text"]).includes("SELECT 1"),
          error: this.error,
          problems: [],
          engine: "flink",
          baseline: (request["client"] as { baseline?: string }).baseline ?? "HEAD",
          current: { parameters: { now: "1" }, engine_version: "2.0", jobs: null, ...this.files(request, "paths") },
          former: {
            parameters: request["former"] === null ? {} : { was: String(request["former"]) },
            engine_version: null,
            jobs: null,
            ...this.files(request, "former_paths"),
          },
          several: this.several === "beyond" || (this.several === "job" && request["paths"] === null),
          severity: {},
          preset: { incompatible: "error", compatible: "information" },
        };
      case "check": {
        const { files } = request["current"] as { files: Record<string, string> };
        const [path = "", text = ""] = Object.entries(files).find(([, each]) => each.includes("MAX")) ?? Object.entries(files)[0] ?? [];
        const finding = {
          ...{ rule: "all-aggregates-replaced", verdict: "incompatible", effect: "state-lost", message: "SUM -> MAX: lost" },
          ...{ file: path, range: PLACE, baseline_range: PLACE, baseline_text: "SUM", accepted: null, fixes: [] },
        };
        const isChanged = text.includes("MAX");
        const verdict = isChanged ? "incompatible" : "compatible";
        const status = isChanged ? "compared" : "unchanged";
        const pipelines = [{ name: "SELECT #1", range: { start: { line: 0, character: 0 }, end: PLACE.end }, verdict, effect: "exact" }];
        const file = { status, reason: null, effect: null, pipelines, findings: isChanged ? [finding] : [] };
        return { tool: { version: "0" }, engine: "flink", verdict, files: [file], problems: [] };
      }
      case "hover": {
        const state = [{ part: "SUM(a)", before: "kept", after: "lost" }];
        const finding = { rule: "all-aggregates-replaced", verdict: "incompatible", effect: "state-lost", message: "*SUM* -> [x](y)" };
        const texts = { recovery: null, advice: "keep it", measured: null, baseline_text: "SUM(a)" };
        return { range: PLACE, findings: [{ ...finding, ...texts, state }], notes: [] };
      }
      case "fixes": {
        const edit = { file: request["file"] ?? "jobs/a.sql", range: PLACE, new_text: "SUM" };
        const created = { name: "a_max.sql", text: "SELECT" };
        return { fixes: [{ title: "Restore `SUM`", verdict_after: "compatible", edits: [edit], new_files: [created] }] };
      }
      default:
        return { range: null, proposals: [{ label: "a", kind: "column", insert: "a", detail: "INT", meaning: "" }] };
    }
  }
}

interface Commit {
  hash: string;
  isDamaged?: boolean;
  /** The texts by their paths; null for one that git cannot read. */
  files: Record<string, string | null>;
}

/** The Git extension with one repository; `head` is its last commit. */
function git(head: Commit | undefined, others: Record<string, Commit> = {}): { head: Commit | undefined; moved: EventEmitter<void> } {
  const moved = new EventEmitter<void>();
  const repository = { head, moved };
  const commits = (): Record<string, Commit | undefined> => ({ ...others, HEAD: repository.head });
  const rootUri = Uri.parse("file:///repo");
  const found = {
    rootUri,
    state: { get HEAD() { return { commit: repository.head?.hash }; }, onDidChange: moved.event },
    getCommit: async (ref: string) => {
      const commit = present(commits()[ref]);
      return { hash: present(commit.isDamaged === true ? undefined : commit.hash) };
    },
    diffWith: async (hash: string) => {
      const commit = present(Object.values(commits()).find((each) => each?.hash === hash));
      return Object.keys(commit.files).map((path) => ({ originalUri: Uri.parse(`file://${path}`) }));
    },
    getMergeBase: async () => others["base"]?.hash,
    show: async (hash: string, path: string) => {
      const commit = present(Object.values(commits()).find((each) => each?.hash === hash));
      return present(commit.files[path] ?? undefined);
    },
    getObjectDetails: async (hash: string, path: string) => {
      const commit = present(Object.values(commits()).find((each) => each?.hash === hash));
      if (commit.files[path] === undefined) {
        throw Object.assign(new Error("no path"), { gitErrorCode: "UnknownPath" });
      }
    },
  };
  stage.git = {
    repositories: [found],
    state: "initialized",
    onDidOpenRepository: () => ({ dispose: () => undefined }),
    getRepository: (uri: Uri) => (uri.path.startsWith("/repo/") ? found : null),
  };
  return repository;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("fatal: there is no such thing");
  }
  return value;
}

let worker: Worker;
let statuses: Status[];
let heard: EventEmitter<Status>;
let session: Session | undefined;

beforeEach(() => {
  session?.dispose();
  [worker, statuses, heard] = [new Worker(), [], new EventEmitter<Status>()];
  Object.assign(stage, { settings: {}, documents: [], git: undefined, commands: [], said: [] });
  stage.files.clear();
});

/** A document that is open when the session begins, and its first status. */
async function opened(text: string, uri = JOB, isUntitled = false): Promise<{ document: Document; status: Status }> {
  const document = new Document(uri, text, "sql", isUntitled);
  stage.documents = [document];
  const status = next();
  const reported = (each: Status): void => {
    statuses.push(each);
    heard.fire(each);
  };
  session = new Session(worker, { reported, failed: () => undefined }, () => undefined);
  return { document, status: await status };
}

/** The next reported status that fits. */
function next(fits: (status: Status) => boolean = () => true): Promise<Status> {
  return new Promise((resolve) => {
    const listener = heard.event((status) => {
      if (fits(status)) {
        listener.dispose();
        resolve(status);
      }
    });
  });
}

const seen = (): Diagnostic[] => stage.diagnostics.get(JOB.toString()) ?? [];
const provider = <T>(kind: string): T => stage.providers[kind] as T;
const real = (document: Document): vscode.TextDocument => document as unknown as vscode.TextDocument;
const FILE = { "/repo/jobs/a.sql": WAS };

test("a document is compared with its last commit, and its configuration with that of the commit", async () => {
  git({ hash: "a1b2c3d4e5", files: { ...FILE, "/repo/keepstate.toml": "old" } });
  stage.files.set("file:///repo/keepstate.toml", "new");
  const { status } = await opened(NOW);
  assert.equal(status.verdict, "incompatible");
  assert.equal(status.baseline, "HEAD (a1b2c3d)");
  const [diagnostic] = seen();
  assert.deepEqual([diagnostic?.message, diagnostic?.severity, diagnostic?.code], ["SUM → MAX: lost", 0, "all-aggregates-replaced"]);
  const [check] = worker.of("check");
  assert.deepEqual(check?.["current"], { files: { "jobs/a.sql": NOW }, job: "jobs/a.sql", parameters: { now: "1" }, engine_version: "2.0", jobs: null });
  assert.deepEqual((check?.["baseline"] as { files: unknown; parameters: unknown }).files, { "jobs/a.sql": WAS });
  assert.deepEqual((check?.["baseline"] as { parameters: unknown }).parameters, { was: "old" });
});

test("what is typed is compared, and findings go with their reason", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  const { document, status } = await opened(WAS);
  assert.equal(status.words, "unchanged");
  let change = next();
  document.type(NOW);
  assert.equal((await change).verdict, "incompatible");
  assert.equal(seen().length, 1);
  change = next();
  document.type(WAS);
  await change;
  assert.equal(seen().length, 0);
});

test("letters that are typed meanwhile cost no check of their own", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  const { document } = await opened(WAS);
  const change = next((status) => status.verdict === "incompatible");
  for (let end = 1; end <= NOW.length; end += 1) {
    document.type(NOW.slice(0, end));
  }
  await change;
  assert.equal(worker.of("check").length, 2);
});

test("a new commit is a new baseline", async () => {
  const repository = git({ hash: "a1b2c3d4e5", files: FILE });
  await opened(NOW);
  const change = next();
  repository.head = { hash: "ffff0000", files: { "/repo/jobs/a.sql": NOW } };
  repository.moved.fire();
  assert.equal((await change).baseline, "HEAD (ffff000)");
});

for (const [spec, words] of [
  ["v1", "v1 (1111111)"],
  ["merge-base:main", "merge-base:main (2222222)"],
  ["file:../old.sql", "../old.sql"],
  ["as opened", "the file as it was opened"],
] as const) {
  test(`the baseline may be ${spec}`, async () => {
    const base = { hash: "22222222", files: FILE };
    git({ hash: "a1b2c3d4e5", files: {} }, { v1: { hash: "11111111", files: FILE }, base, "22222222": base });
    stage.files.set("file:///repo/old.sql", WAS);
    stage.files.set(JOB.toString(), WAS);
    stage.settings = { baseline: spec };
    const { status } = await opened(NOW);
    assert.equal(status.baseline, words);
  });
}

for (const [words, prepare, reason, failed] of [
  [
    "a file that git cannot read",
    () => git({ hash: "a1b2c3d4e5", files: { "/repo/jobs/a.sql": null } }),
    "git cannot read a.sql in a1b2c3d: fatal: there is no such thing",
    true,
  ],
  ["a file that the commit has not", () => git({ hash: "a1b2c3d4e5", files: {} }), "a.sql is not in HEAD (a1b2c3d)", false],
  ["a HEAD that git cannot read", () => git({ hash: "a1b2", files: FILE, isDamaged: true }), "HEAD: git finds no such commit", true],
  ["a repository without a commit", () => git(undefined), "HEAD: there is no commit yet", false],
  ["a revision that is not there", () => ((stage.settings = { baseline: "v9" }), git({ hash: "a1b2", files: FILE })), "v9: git finds no such commit", true],
  ["a chosen revision without git", () => (stage.settings = { baseline: "v9" }), "v9: this window has no git", true],
  ["a baseline of the server", () => (stage.settings = { baseline: "tag:v*" }), "tag:v*: tag: needs the server of Keepstate, and so Python", true],
  ["a wrong configuration", () => (worker.error = "keepstate.toml is not TOML."), "keepstate.toml is not TOML.", true],
  ["a job that needs a server", () => (worker.several = "beyond"), "The configuration names SQL inside of other files, or this file for several jobs: that needs the server of Keepstate, and so Python.", true],
] as const) {
  test(`without a comparison it says why: ${words}`, async () => {
    prepare();
    const { document, status } = await opened(NOW);
    assert.deepEqual([status.verdict, status.words, status.failed], ["none", reason, failed]);
    const [lens] = provider<vscode.CodeLensProvider>("lenses").provideCodeLenses(real(document), null!) as vscode.CodeLens[];
    assert.equal(lens?.command?.title, `No baseline: ${reason}`);
    assert.equal(worker.of("check").length, 0);
  });
}

test("without git, what was opened stays the baseline when it is saved", async () => {
  stage.files.set(JOB.toString(), WAS);
  const { document } = await opened(WAS);
  const change = next();
  document.type(NOW);
  stage.files.set(JOB.toString(), NOW);
  const status = await change;
  assert.deepEqual([status.verdict, status.baseline, status.spec], ["incompatible", "the file as it was opened", "as opened"]);
});

test("a document that was never saved has no baseline, and other SQL no status", async () => {
  const { status } = await opened(NOW, Uri.parse("untitled:Untitled-1"), true);
  assert.deepEqual([status.verdict, status.words], ["none", "the document was never saved"]);
  session?.dispose();
  assert.equal((await opened("SELECT 1")).status.verdict, null);
});

test("a text at which the worker fails loses nothing", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  worker.broken = true;
  const { document, status } = await opened(NOW);
  assert.deepEqual([status.words, status.failed], ["too deep", true]);
  worker.broken = false;
  const change = next();
  document.type(`${NOW} `);
  assert.equal((await change).verdict, "incompatible");
});

test("hovers are text and no markup; fixes have their edits and files", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  const { document } = await opened(NOW);
  const hover = await provider<vscode.HoverProvider>("hover").provideHover(real(document), new Position(0, 11) as vscode.Position, null!);
  const text = (hover as unknown as { contents: { value: string }[] }).contents[0]?.value ?? "";
  assert.match(text, /^\*\*Incompatible\*\* · `all-aggregates-replaced`/);
  assert.match(text, /\\\*SUM\\\* → \\\[x\\\]\\\(y\\\)\\\.\n\n/);
  assert.match(text, /\*\*State:\*\* lost\\: SUM\\\(a\\\)/);
  const at = new Range(0, 11, 0, 11) as unknown as vscode.Range;
  const [action] = (await provider<vscode.CodeActionProvider>("actions").provideCodeActions(real(document), at, null!, null!)) as vscode.CodeAction[];
  assert.equal(action?.title, "Restore `SUM`");
  assert.equal(action?.diagnostics?.length, 1);
  const edit = action?.edit as unknown as WorkspaceEdit;
  assert.deepEqual(edit.replaced, [[JOB.toString(), new Range(0, 10, 0, 13), "SUM"]]);
  assert.deepEqual(edit.created, [["file:///repo/jobs/a_max.sql", "SELECT"]]);
  const away = new Range(0, 0, 0, 2) as unknown as vscode.Range;
  assert.deepEqual(await provider<vscode.CodeActionProvider>("actions").provideCodeActions(real(document), away, null!, null!), []);
});

test("the comparison opens both texts", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  await opened(NOW);
  await session?.compare(JOB as unknown as vscode.Uri);
  const [[name, baseline, current, title] = []] = stage.commands.slice(-1);
  assert.deepEqual([name, String(current), title], ["vscode.diff", JOB.toString(), "a.sql: HEAD (a1b2c3d) and now"]);
  const served = provider<vscode.TextDocumentContentProvider>("baseline").provideTextDocumentContent(baseline as vscode.Uri, null!);
  assert.equal(served, WAS);
  await session?.compare(Uri.parse("file:///elsewhere.sql") as unknown as vscode.Uri);
  assert.deepEqual(stage.said, ["Open a Flink SQL file first: it is what is compared."]);
});

test("a document that is closed has no findings", async () => {
  git({ hash: "a1b2c3d4e5", files: FILE });
  const { document } = await opened(NOW);
  document.isClosed = true;
  stage.closed.fire(document);
  assert.equal(stage.diagnostics.has(JOB.toString()), false);
});

test("a job has its files of today, and those of its baseline", async () => {
  const former = { ...FILE, "/repo/ddl/gone.sql": "GONE", "/repo/ddl/t.sql": "OLD", "/repo/keepstate.toml": "old" };
  git({ hash: "a1b2c3d4e5", files: former });
  stage.files.set("file:///repo/keepstate.toml", "new");
  for (const [name, text] of [["ddl/t.sql", "DISK"], ["ddl/new.sql", "NEW"], ["jobs/a.sql", WAS], [".git/x.sql", "X"], ["node_modules/x.sql", "X"]]) {
    stage.files.set(`file:///repo/${name}`, text ?? "");
  }
  worker.several = "job";
  const { document } = await opened(NOW);
  const files = (side: string): unknown => (worker.of("check").at(-1)?.[side] as { files: unknown }).files;
  assert.deepEqual(files("current"), { "jobs/a.sql": NOW, "ddl/new.sql": "NEW", "ddl/t.sql": "DISK" });
  assert.deepEqual(files("baseline"), { "jobs/a.sql": WAS, "ddl/t.sql": "OLD", "ddl/gone.sql": "GONE" });
  // A declaration that is edited counts before it is saved, and has the finding.
  const table = new Document(Uri.parse("file:///repo/ddl/t.sql"), "DISK", "plaintext");
  stage.documents = [document, table];
  let change = next((status) => status.uri === JOB.toString());
  document.type(WAS);
  await change;
  assert.equal(stage.diagnostics.has(table.uri.toString()), false);
  change = next((status) => status.uri === JOB.toString());
  table.type("MAX");
  await change;
  assert.deepEqual([seen().length, stage.diagnostics.get(table.uri.toString())?.length], [0, 1]);
  document.isClosed = true;
  stage.closed.fire(document);
  assert.equal(stage.diagnostics.get(table.uri.toString())?.length ?? 0, 0);
});

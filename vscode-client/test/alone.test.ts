import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Hover, Report, Settings } from "../src/alone/contract";
import { Requests, type Channel } from "../src/alone/requests";
import { OPENED, specOf } from "../src/alone/specs";
import { lensOf, levelOf, levelOfProblem, messageOf, pagesOf, stateWords, statusOf, withArrows } from "../src/alone/words";
import { shown } from "../src/status";

const PLACE = { start: { line: 3, character: 0 }, end: { line: 3, character: 5 } };
const FINDING: Finding = {
  rule: "group-key-added",
  verdict: "incompatible",
  effect: "state-lost",
  message: "key 'a -> b' -> c: all state is lost",
  file: "a.sql",
  range: PLACE,
  baseline_range: null,
  baseline_text: null,
  accepted: null,
  fixes: [],
};
const SETTINGS = {
  severity: { "invalid-sql": "error" } as Record<string, string>,
  preset: { incompatible: "error", partial: "warning", "wrong-results": "error" },
} as unknown as Settings;

/** A worker that keeps what it is asked. */
class Silent implements Channel {
  readonly asked: { id: number }[] = [];
  answered: (answer: string) => void = () => undefined;
  failed: (reason: string) => void = () => undefined;
  closed = false;
  post(request: string): void {
    this.asked.push(JSON.parse(request) as { id: number });
  }
  listen(answered: (answer: string) => void, failed: (reason: string) => void): void {
    [this.answered, this.failed] = [answered, failed];
  }
  close(): void {
    this.closed = true;
  }
}

test("answers find their questions, in whatever order they come", async () => {
  const worker = new Silent();
  const requests = new Requests(worker);
  const both = [requests.ask({ do: "check" }), requests.ask({ do: "hover" })];
  for (const { id } of [...worker.asked].reverse()) {
    worker.answered(JSON.stringify({ id, answer: id * 10 }));
  }
  assert.deepEqual(await Promise.all(both), worker.asked.map(({ id }) => id * 10));
});

test("a refused question fails alone", async () => {
  const worker = new Silent();
  const requests = new Requests(worker);
  const [refused, other] = [requests.ask({}), requests.ask({})];
  worker.answered(JSON.stringify({ id: worker.asked[0]?.id, error: "no such thing" }));
  await assert.rejects(refused, /no such thing/);
  worker.answered(JSON.stringify({ id: worker.asked[1]?.id, answer: "yes" }));
  assert.equal(await other, "yes");
});

test("a worker that ends is reported once, and fails what waits and what comes", async () => {
  const worker = new Silent();
  const reasons: string[] = [];
  const requests = new Requests(worker, (reason) => reasons.push(reason));
  const waiting = requests.ask({});
  worker.failed("out of memory");
  worker.failed("it ended with 1");
  await assert.rejects(waiting, /out of memory/);
  await assert.rejects(requests.ask({}), /out of memory/);
  assert.deepEqual(reasons, ["The worker failed: out of memory"]);
});

test("a worker that cannot start says so without an id", async () => {
  const worker = new Silent();
  const reasons: string[] = [];
  const requests = new Requests(worker, (reason) => reasons.push(reason));
  const waiting = requests.ask({});
  worker.answered(JSON.stringify({ id: null, error: "no WebAssembly" }));
  await assert.rejects(waiting, /no WebAssembly/);
  assert.deepEqual(reasons, ["no WebAssembly"]);
});

test("a worker that is closed has not failed", async () => {
  const worker = new Silent();
  const reasons: string[] = [];
  const requests = new Requests(worker, (reason) => reasons.push(reason));
  const waiting = requests.ask({});
  requests.close();
  await assert.rejects(waiting, /was stopped/);
  assert.equal(worker.closed, true);
  assert.deepEqual(reasons, []);
});

for (const [words, severity, expected] of [
  ["the preset", {}, "error"],
  ["the verdict over the preset", { incompatible: "hint" }, "hint"],
  ["the effect over the verdict", { incompatible: "hint", "state-lost": "warning" }, "warning"],
  ["the rule over the effect", { "state-lost": "warning", "group-key-added": "off" }, "off"],
] as const) {
  test(`how loud a finding is: ${words}`, () => {
    assert.equal(levelOf(FINDING, { ...SETTINGS, severity }), expected);
  });
}

test("an accepted finding is quiet, and one that is off stays off", () => {
  const accepted = { ...FINDING, accepted: { because: "it may go", until: "2027-01-31" } };
  assert.equal(levelOf(accepted, SETTINGS), "hint");
  assert.equal(levelOf(accepted, { ...SETTINGS, severity: { incompatible: "off" } }), "off");
  assert.equal(messageOf(accepted), "key 'a -> b' → c: all state is lost (accepted until 2027-01-31: it may go)");
});

test("what Flink refuses has a level of its own, and what cannot be read is a warning", () => {
  const problem = { path: "a.sql", message: "", range: null, side: "current" };
  assert.equal(levelOfProblem(problem, SETTINGS), "warning");
  assert.equal(levelOfProblem({ ...problem, check: "names" }, { ...SETTINGS, severity: { "invalid-sql": "off" } }), "off");
});

test("arrows stand between what was and what is, and not in quotes", () => {
  assert.equal(withArrows("option 'a -> b': `x -> y` -> \"u -> v\""), "option 'a -> b': `x -> y` → \"u -> v\"");
  assert.equal(withArrows("it's 5 min -> 10 min"), "it's 5 min → 10 min");
});

function report(status: string, verdict: string, effect: string | null, members: object = {}): Report {
  const pipelines = [{ name: "INSERT INTO a", range: PLACE, verdict, effect: effect ?? "exact" }];
  const file = { status, reason: null, effect, pipelines, findings: [FINDING] };
  return { tool: { version: "0.1.0" }, engine: "vvr", verdict, files: [file], problems: [], ...members } as Report;
}

for (const [given, lens, text] of [
  [report("compared", "incompatible", "state-lost"), "Incompatible with HEAD (a1b2c3d), 1 finding", "$(error) Incompatible · HEAD"],
  [report("compared", "incompatible", "wrong-results"), "‼ Incompatible with HEAD (a1b2c3d): wrong numbers, 1 finding", "$(flame) Wrong numbers · HEAD"],
  [report("unchanged", "compatible", "exact"), "Same meaning as HEAD (a1b2c3d)", "$(pass) Unchanged · HEAD"],
  [
    report("not-valid", "unknown", null, { problems: [{ path: "a.sql", message: "", range: PLACE, side: "current", check: "names" }] }),
    "Not valid: Flink refuses line 4",
    "$(error) Not valid",
  ],
] as const) {
  test(`a query and a document in words: ${text}`, () => {
    const [pipeline] = given.files[0]?.pipelines ?? [];
    assert.equal(pipeline && lensOf(pipeline, given, "HEAD (a1b2c3d)"), lens);
    assert.equal(shown(statusOf("file:///a.sql", given, "HEAD", "HEAD (a1b2c3d)"))?.text, text);
  });
}

test("a hover has a page for each finding, with what was before", () => {
  const hover: Hover = {
    range: PLACE,
    findings: [
      {
        ...FINDING,
        recovery: "counts restart",
        advice: null,
        measured: null,
        baseline_text: "GROUP BY a",
        state: [
          { part: "accState: SUM(x) BIGINT", before: "kept", after: "lost" },
          { part: "SUM(y): a sum", before: "SUM(z)", after: "lost" },
          { part: "key a", before: "-", after: "kept" },
        ],
      },
    ],
    notes: [],
  };
  const [page, ...others] = pagesOf(hover, "HEAD");
  assert.equal(others.length, 0);
  assert.deepEqual([page?.title, page?.tag], ["Incompatible", "group-key-added"]);
  assert.deepEqual(page?.blocks, [
    { label: "", text: "Key 'a -> b' → c: all state is lost." },
    { label: "Results", text: "counts restart" },
    { label: "State", text: "lost: SUM(x) BIGINT, SUM(y) (was SUM(z)); kept: key a" },
    { label: "In HEAD", text: "GROUP BY a", isCode: true },
  ]);
  assert.equal(stateWords([]), "");
});

for (const [written, kind] of [
  ["HEAD", "revision"],
  ["HEAD~2", "revision"],
  ["v1.0", "revision"],
  ["feature/x", "revision"],
  ["merge-base:origin/main", "merge-base"],
  ["file:old/a.sql", "file"],
  [OPENED, "opened"],
  ["deployed:production", "unknown"],
  ["tag:v*", "unknown"],
  ["--output=/tmp/x", "unknown"],
  ["merge-base:--upload-pack", "unknown"],
  ["file:", "unknown"],
  ["", "unknown"],
] as const) {
  test(`the baseline ${JSON.stringify(written)} is ${kind}`, () => {
    assert.equal(specOf(written).kind, kind);
  });
}

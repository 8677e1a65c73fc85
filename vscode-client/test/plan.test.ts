import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeAsked, type Drawing, type PlanNode } from "../src/plan/drawing";
import { Elements, type Page } from "../src/plan/elements";
import { cellsOf, edgesOf, topsOf, widthOf } from "../src/plan/layout";
import { pageOf } from "../src/plan/page";

const PLACE = { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } };
const HOSTILE = `</script><img src=x onerror=alert(1)>"'&{{7*7}}`;

function node(more: Partial<PlanNode> = {}): PlanNode {
  const none = { mark: "same", isStateful: false, fate: null, rows: [], findings: [], inputs: [] };
  return { baseline: "Calc", current: "Calc", ...none, place: PLACE, baselinePlace: PLACE, ...more };
}

function drawing(nodes: readonly PlanNode[], more: Partial<Drawing> = {}): Drawing {
  const pipeline = { name: "INSERT INTO s", verdict: "incompatible", words: "incompatible", mark: "changed", findings: [], roots: [0], nodes };
  const head = { uri: "file:///a.sql", name: "a.sql", baseline: "HEAD (a1b2c3d)", baselineUri: "keepstate-baseline:/a.sql" };
  return { ...head, engine: "vvr", verdict: "incompatible", words: "Incompatible", findings: [], problems: [], pipelines: [pipeline], ...more };
}

/** An element that has text, attributes and children, and nothing that reads markup. */
class Made {
  readonly children: (Made | string)[] = [];
  readonly attributes = new Map<string, string>();
  readonly styles: Record<string, string> = {};
  readonly style = { setProperty: (name: string, value: string) => (this.styles[name] = value) };
  readonly listeners: (() => void)[] = [];
  offsetHeight = 40;
  clientWidth = 400;
  constructor(readonly tag: string) {}
  append(...children: (Made | string)[]): void {
    this.children.push(...children);
  }
  replaceChildren(...children: (Made | string)[]): void {
    this.children.splice(0, Infinity, ...children);
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  addEventListener(_: string, listener: () => void): void {
    this.listeners.push(listener);
  }
  get text(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.text)).join("");
  }
  *all(): Generator<Made> {
    yield this;
    for (const child of this.children) {
      if (typeof child !== "string") {
        yield* child.all();
      }
    }
  }
}

const page = {
  createElement: (tag: string) => new Made(tag),
  createElementNS: (_: string, tag: string) => new Made(tag),
  createTextNode: (text: string) => text,
} as unknown as Page;

function drawn(what: Drawing): { all: Made[]; asked: unknown[]; place: () => void } {
  const asked: unknown[] = [];
  const { parts, place } = new Elements(page, (...place) => asked.push(place)).drawing(what);
  return { all: (parts as unknown as Made[]).flatMap((part) => [...part.all()]), asked, place };
}

const withClass = (all: readonly Made[], name: string): Made[] =>
  all.filter(({ attributes }) => (attributes.get("class") ?? "").split(" ").includes(name));

describe("the layout of a plan", () => {
  const join = { roots: [0], inputs: [[1], [2, 3], [], [4], []] };

  it("has the sink above what it reads, and a join between its inputs", () => {
    assert.deepEqual(cellsOf(join), [
      { row: 0, column: 0.5 },
      { row: 1, column: 0.5 },
      { row: 2, column: 0 },
      { row: 2, column: 1 },
      { row: 3, column: 1 },
    ]);
  });

  it("never puts two operators at one place, however deep or wide the plan is", () => {
    const deep = { roots: [0], inputs: Array.from({ length: 20_000 }, (_, n) => (n < 19_999 ? [n + 1] : [])) };
    assert.equal(cellsOf(deep).at(-1)?.row, 19_999);
    const wide = { roots: [0, 1], inputs: [[2, 3, 4], [5], [], [], [], []] };
    const places = cellsOf(wide).map(({ row, column }) => `${row}/${column}`);
    assert.equal(new Set(places).size, places.length);
  });

  it("passes over an operator that a side does not have", () => {
    assert.deepEqual(edgesOf(join, (one) => one !== 1), [
      { from: 3, to: 0 },
      { from: 4, to: 3 },
      { from: 2, to: 0 },
    ]);
    assert.deepEqual(edgesOf(join, (one) => one > 1), [{ from: 4, to: 3 }]);
  });

  it("fills half a window, and is scrolled where boxes would be too narrow", () => {
    assert.equal(widthOf(424, 2, 1), 200);
    assert.equal(widthOf(424, 2, 3), 180);
    assert.equal(widthOf(4_000, 1, 1), 260);
  });

  it("gives each row the height of its highest box", () => {
    const cells = cellsOf({ roots: [0], inputs: [[1, 2], [], []] });
    assert.deepEqual(topsOf(cells, [10, 20, 50], 5), [0, 15, 70]);
  });
});

describe("the page of a plan", () => {
  const html = pageOf({ nonce: "abc", source: "https://host", script: "https://host/plan.js", style: "https://host/plan.css" });

  it("runs its own script alone, and allows no inline styles and no request", () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    assert.equal(policy, "default-src 'none'; script-src 'nonce-abc'; style-src https://host");
    assert.equal((html.match(/<script/g) ?? []).length, 1);
    assert.ok(!/ style=|<style|unsafe| on\w+=/.test(html));
  });
});

describe("the drawing", () => {
  const lost = node({
    baseline: "Rank",
    current: "Rank",
    mark: "changed",
    isStateful: true,
    fate: { kind: "lost", words: "state lost" },
    rows: [
      { name: "range", baseline: "1..3", current: "1..10" },
      { name: "partitionBy", baseline: "k", current: "k" },
    ],
    findings: [{ rule: "rank-range-changed", verdict: "incompatible", message: "ranks 1 to 3 → ranks 1 to 10" }],
    inputs: [1, 2],
  });
  const scan = node({ baseline: "TableSourceScan", current: "TableSourceScan" });
  const added = node({ baseline: null, current: "Calc", mark: "added", baselinePlace: null });

  it("has both versions beside each other, with what becomes of the state", () => {
    const { all, place } = drawn(drawing([lost, scan, added]));
    const [was, now] = withClass(all, "side");
    assert.deepEqual([...(was?.all() ?? [])].filter(({ tag }) => tag === "h3").map(({ text }) => text), ["HEAD (a1b2c3d)"]);
    assert.equal(withClass([...(was?.all() ?? [])], "box").length, 2);
    assert.equal(withClass([...(now?.all() ?? [])], "box").length, 3);
    assert.deepEqual(withClass(all, "lost").map(({ text }) => text), ["state lost"]);
    assert.deepEqual(withClass(all, "differs").map(({ text }) => text), ["range: 1..3", "range: 1..10"]);
    place();
    const tops = [was, now].map((side) => withClass([...(side?.all() ?? [])], "box").slice(0, 2).map(({ styles }) => styles["top"]));
    assert.deepEqual(tops[0], tops[1]);
  });

  it("is of buttons that lead to the clause, and says so to who hears it", () => {
    const { all, asked } = drawn(drawing([lost, scan, added]));
    const boxes = withClass(all, "box");
    assert.ok(boxes.every(({ tag }) => tag === "button"));
    boxes.forEach(({ listeners }) => listeners.forEach((listener) => listener()));
    assert.deepEqual(asked, [[0, 0, "baseline"], [0, 1, "baseline"], [0, 0, "current"], [0, 1, "current"], [0, 2, "current"]]);
    assert.match(boxes[0]?.text ?? "", /Go to the clause$/);
  });

  it("shows names as text, whatever is in them", () => {
    const evil = node({
      current: HOSTILE,
      mark: HOSTILE.includes(" ") ? "changed" : "same",
      rows: [{ name: "table", baseline: "a", current: HOSTILE }],
      findings: [{ rule: HOSTILE, verdict: "partial", message: HOSTILE }],
    });
    const { all } = drawn(drawing([evil], { name: HOSTILE, problems: [HOSTILE], words: HOSTILE, baseline: HOSTILE }));
    const tags = new Set(all.map(({ tag }) => tag));
    assert.deepEqual([...tags].sort(), ["button", "div", "h1", "h2", "h3", "header", "p", "section", "span", "svg"]);
    assert.ok(all.filter(({ text }) => text.includes(HOSTILE)).length > 5);
    assert.ok(all.every(({ attributes }) => ![...attributes.values()].some((value) => value.includes("<"))));
  });

  it("is of one side without a baseline", () => {
    const alone = drawing([node({ baseline: null })], { baseline: null, baselineUri: null, verdict: null, words: null });
    assert.equal(withClass(drawn(alone).all, "side").length, 1);
    assert.match(drawn(drawing([], { pipelines: [] })).all.map(({ text }) => text).join(), /There is no query/);
  });
});

describe("a clause that the page asks for", () => {
  const what = drawing([node(), node({ place: null })]);

  it("is one of the drawing", () => {
    assert.deepEqual(placeAsked(what, { pipeline: 0, node: 0, side: "current" }), { uri: "file:///a.sql", place: PLACE });
    assert.equal(placeAsked(what, { pipeline: 0, node: 0, side: "baseline" })?.uri, "keepstate-baseline:/a.sql");
  });

  for (const message of [null, undefined, "x", {}, { pipeline: 0, node: 1, side: "current" }, { pipeline: 9, node: 0 }, { pipeline: "0", node: 0 }, { pipeline: 0, node: -1 }, { pipeline: 0, node: 0.5 }]) {
    it(`is none for ${JSON.stringify(message)}`, () => assert.equal(placeAsked(what, message), undefined));
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { optionsFor, pageOf, PLATFORMS, sentenceOf, targetOf } from "../src/cutoverPlan";

describe("a cutover plan", () => {
  it("is for one of the platforms of the command line", () => {
    const source = readFileSync("../server/keepstate_lsp/cli/commands/cutover/platforms.py", "utf8");
    const known = [...source.matchAll(/^ {4}"([a-z-]+)": Platform\(/gm)].map(([, name]) => name);
    assert.deepEqual(
      PLATFORMS.map(({ platform }) => platform),
      known,
    );
    assert.deepEqual(optionsFor(PLATFORMS[1]!), { platform: "kubernetes", wait: true });
  });

  it("is about the document of the action, else about the one that is looked at", () => {
    assert.equal(targetOf("file:///a.sql", "file:///b.sql"), "file:///a.sql");
    assert.equal(targetOf(undefined, "file:///b.sql"), "file:///b.sql");
    assert.equal(targetOf({ path: "/a.sql" }, undefined), undefined);
  });

  it("opens its page, where there is one", () => {
    assert.equal(pageOf({ cancelled: false, sentence: "Exact.", page: "file:///PLAN.md" }), "file:///PLAN.md");
    assert.equal(pageOf({ cancelled: false, sentence: "No cutover is needed.", page: null }), undefined);
    assert.equal(pageOf({ cancelled: true }), undefined);
  });

  it("is said in a sentence, unless it was cancelled", () => {
    assert.equal(sentenceOf({ cancelled: false, sentence: "Exact.", page: null }), "Exact.");
    assert.equal(sentenceOf({ cancelled: true }), undefined);
  });
});

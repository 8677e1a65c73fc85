import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shown, type Status } from "../src/status";

function status(told: Partial<Status>): Status {
  const words = told.verdict === "partial" ? "partly compatible" : "incompatible";
  return { uri: "file:///a.sql", verdict: "incompatible", words, baseline: "HEAD (a1b2c3d)", spec: "HEAD", findings: 2, ...told };
}

describe("the status bar", () => {
  it("shows verdict and baseline", () => {
    assert.deepEqual(shown(status({})), {
      text: "$(error) Incompatible · HEAD",
      sentence: "Incompatible with HEAD (a1b2c3d), 2 findings.",
      alarming: false,
    });
    assert.equal(shown(status({ verdict: "partial" }))?.text, "$(warning) Partly compatible · HEAD");
    assert.equal(shown(status({ verdict: "unknown" }))?.text, "$(question) Cannot tell · HEAD");
  });

  it("is loudest about wrong numbers", () => {
    assert.deepEqual(shown(status({ effect: "wrong-results" })), {
      text: "$(flame) Wrong numbers · HEAD",
      sentence: "Restores without complaint and gives wrong numbers. Incompatible with HEAD (a1b2c3d), 2 findings.",
      alarming: true,
    });
    assert.equal(shown(status({ effect: "does-not-start" }))?.alarming, false);
  });

  it("says when nothing changed", () => {
    assert.deepEqual(shown(status({ verdict: "compatible", words: "unchanged", findings: 0 })), {
      text: "$(pass) Unchanged · HEAD",
      sentence: "Same meaning as HEAD (a1b2c3d).",
      alarming: false,
    });
  });

  it("tells a file without a baseline from one that could not be compared", () => {
    const without = { verdict: "none", words: "No baseline: this document is not a file yet.", baseline: null } as const;
    assert.deepEqual(shown(status(without)), {
      text: "$(circle-slash) No baseline",
      sentence: "No baseline: this document is not a file yet.",
      alarming: false,
    });
    assert.equal(shown(status({ ...without, failed: true }))?.text, "$(alert) Not compared");
  });

  it("says that a part was not read", () => {
    assert.match(shown(status({ failed: true }))?.sentence ?? "", /could not be read/);
  });

  it("keeps the end of a long baseline", () => {
    const { text } = shown(status({ spec: "merge-base:origin/release-2026-10" })) ?? { text: "" };
    assert.equal(text, "$(error) Incompatible · …:origin/release-2026-10");
  });

  it("has nothing to say of what is no Flink SQL", () => {
    assert.equal(shown(status({ verdict: null })), undefined);
  });
});

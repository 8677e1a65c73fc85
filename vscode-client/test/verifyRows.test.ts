import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ROWS, sentenceOf } from "../src/verifyRows";

describe("a restart on a real Flink", () => {
  it("is tried before the first row, or with generated rows, and waited for", () => {
    assert.deepEqual(
      ROWS.map(({ options }) => options),
      [
        { generate: false, wait: true },
        { generate: true, wait: true },
      ],
    );
  });

  it("says what a first use downloads", () => {
    assert.match(ROWS[0]?.detail ?? "", /330 MB/);
  });

  it("says what was measured", () => {
    assert.equal(sentenceOf({ cancelled: false, sentence: "It starts." }), "It starts.");
  });

  it("says nothing of what was cancelled", () => {
    assert.equal(sentenceOf({ cancelled: true }), undefined);
  });
});

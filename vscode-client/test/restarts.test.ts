import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Restarts } from "../src/restarts";

const MINUTE = 60_000;

describe("a server that ends by itself", () => {
  it("is started again after waits that grow, until it ended five times", () => {
    const restarts = new Restarts();
    const waits = [0, 2, 5, 10, 20].map((second) => restarts.waitAfterEnd(second * 1_000));
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, undefined]);
  });

  it("is started at once again when the last end is long ago", () => {
    const restarts = new Restarts();
    const waits = [0, 1, 5, 9, 13, 17].map((minute) => restarts.waitAfterEnd(minute * MINUTE));
    assert.deepEqual(waits, [1_000, 2_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it("is given all its chances again by a person who restarts it", () => {
    const restarts = new Restarts();
    for (let end = 0; end < 5; end++) {
      restarts.waitAfterEnd(end);
    }
    restarts.forget();
    assert.equal(restarts.waitAfterEnd(10), 1_000);
  });
});

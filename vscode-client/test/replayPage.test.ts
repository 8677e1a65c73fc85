import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sealed, timeNow } from "../src/replayPage";

const NOTHING = /^<!doctype html><html><head lang="en"><meta http-equiv="Content-Security-Policy" content="default-src 'none';/;

describe("the page of a replay", () => {
  it("may load and run nothing, said before anything else in it", () => {
    assert.match(sealed('<!doctype html><html><head lang="en"><script src="x"></script></head></html>'), NOTHING);
  });

  it("is sealed without a head, too", () => {
    assert.match(sealed("<header>a</header>"), /^<meta http-equiv="Content-Security-Policy"/);
  });
});

describe("the time that is offered", () => {
  it("is of this clock, to the minute", () => {
    assert.equal(timeNow(new Date(2026, 2, 1, 9, 5, 59)), "2026-03-01 09:05");
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isAllowed } from "../src/trust";

const RUNNING = [
  "keepstate.verifyRestart",
  "keepstate.verify",
  "keepstate.replayRestart",
  "keepstate.replay",
  "keepstate.planCutover",
  "keepstate.cutover",
];

describe("a workspace that is not trusted", () => {
  for (const command of RUNNING) {
    it(`does not run ${command}`, () => {
      assert.equal(isAllowed(command, false), false);
      assert.equal(isAllowed(command, true), true);
    });
  }

  it("shows what is only looked at", () => {
    assert.equal(isAllowed("keepstate.showReport", false), true);
    assert.equal(isAllowed("keepstate.cancelVerify", false), true);
    assert.equal(isAllowed("keepstate.cancelCutover", false), true);
  });

  it("has the same commands disabled in the palette", () => {
    const { commands } = JSON.parse(readFileSync("package.json", "utf8")).contributes;
    for (const { command, enablement } of commands as { command: string; enablement?: string }[]) {
      assert.equal(isAllowed(command, false), !(enablement ?? "").includes("isWorkspaceTrusted"), command);
    }
  });
});

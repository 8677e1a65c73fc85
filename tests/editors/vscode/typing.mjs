/**
 * Edits typed letter by letter in VS Code. The findings are taken down by the server that stands between; this session
 * waits until each finished edit shows as many squiggles as it has findings.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { openFile, play } from "./editor.mjs";

/** Milliseconds in which a person types a letter. */
const PACE = 90;

/** The rules of the last diagnostics of a file in the record. */
async function rules(record, file) {
  const lines = (await fs.readFile(record, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const of = lines.map((line) => JSON.parse(line)).filter(({ uri }) => decodeURIComponent(uri).endsWith(`/${file}`));
  return of.length === 0 ? undefined : [...new Set(of.at(-1).diagnostics.map(([code]) => code))].sort().join();
}

/** Returns as soon as the last diagnostics of a file are of these rules. */
async function waitForRules(page, record, file, wanted) {
  for (let tries = 0; (await rules(record, file)) !== wanted; tries++) {
    if (tries > 300) {
      throw new Error(`${file}: ${await rules(record, file)} instead of ${wanted}`);
    }
    await page.waitForTimeout(100);
  }
}

await play(async ({ page, plan, mark }) => {
  for (const edit of plan.edits) {
    const file = path.basename(edit.file);
    await openFile(page, file);
    await waitForRules(page, plan.record, file, "");
    const [first] = edit.keys;
    await page.keyboard.press("Control+G");
    await page.locator(".quick-input-widget input").fill(`:${first.line + 1}:${first.column + first.deleted + 1}`);
    await page.keyboard.press("Enter");
    for (const key of edit.keys) {
      if (key.typed === "") {
        await page.keyboard.press("Backspace");
      } else if (key.typed === "\n") {
        await page.keyboard.press("Enter");
      } else {
        await page.keyboard.type(key.typed);
      }
      await page.waitForTimeout(PACE);
    }
    await waitForRules(page, plan.record, file, edit.codes.join());
    mark(file);
  }
});

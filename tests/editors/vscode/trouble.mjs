/**
 * What becomes of an editor whose server dies, and of one that finds none; described by a JSON file like session.mjs.
 * `serverPid` is a file into which the server that is started writes its process id; without it, no server is expected.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { openEditor, openFile, squiggles } from "./editor.mjs";

const plan = JSON.parse(await fs.readFile(process.argv[2], "utf8"));
const seen = {};
const { page, close } = await openEditor(plan);
page.setDefaultTimeout(20_000);
const drawn = page.locator(".editor-instance .view-overlays [class*='squiggly-']");
try {
  await openFile(page, path.basename(plan.file));
  if (plan.serverPid === undefined) {
    const message = page.locator(".notification-toast", { hasText: "Keepstate" });
    seen.message = await message.locator(".notification-list-item-message").innerText();
    seen.buttons = await message.locator(".notification-list-item-buttons-container a").allInnerTexts();
    await page.locator("#status\\.languageStatus").hover();
    seen.status = await page.locator(".hover-language-status").first().innerText();
  } else {
    await drawn.first().waitFor();
    seen.squiggles = await squiggles(page);
    seen.language = await page.locator("#status\\.editor\\.mode").innerText();
    const killed = Number(await fs.readFile(plan.serverPid, "utf8"));
    process.kill(killed, "SIGKILL");
    // The squiggles of the dead server go, those of the next one come: on the text as it is by then.
    await page.waitForFunction(() => document.querySelector(".editor-instance [class*='squiggly-']") === null);
    await drawn.first().waitFor();
    seen.squigglesOfNextServer = await squiggles(page);
    seen.isRestarted = Number(await fs.readFile(plan.serverPid, "utf8")) !== killed;
  }
} catch (error) {
  seen.failure = String(error?.stack ?? error);
  await page.screenshot({ path: path.join(plan.scratch, "failure.png") });
} finally {
  await close();
}
process.stdout.write(JSON.stringify(seen));

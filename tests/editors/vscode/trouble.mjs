/**
 * What becomes of an editor whose server dies, and of one that finds none; described by a JSON file like session.mjs.
 * `serverPid` is a file into which the server that is started writes its process id; without it, no server is expected.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { openFile, play, serverStatus, squiggles } from "./editor.mjs";

const DEATHS = 5;

await play(async ({ page, plan, seen, mark, picture }) => {
  const drawn = page.locator(".editor-instance .view-overlays [class*='squiggly-']");
  const message = page.locator(".notification-toast", { hasText: "Keepstate" });
  const readMessage = async () => {
    seen.message = await message.locator(".notification-list-item-message").innerText();
    const buttons = message.locator(".notification-list-item-buttons-container a");
    await buttons.nth(plan.buttons - 1).waitFor();
    seen.buttons = await buttons.allInnerTexts();
    seen.status = await serverStatus(page, seen.message.replace("Keepstate does not run. ", ""));
    await picture("message");
    // Away from the hover, which lies over the message.
    await page.mouse.move(640, 10);
    await page.locator(".hover-language-status").first().waitFor({ state: "detached" });
  };
  await openFile(page, path.basename(plan.file));
  if (plan.serverPid === undefined) {
    return readMessage();
  }
  const all = drawn.nth(plan.squiggles - 1);
  await all.waitFor();
  seen.squiggles = await squiggles(page);
  seen.language = await page.locator("#status\\.editor\\.mode").innerText();
  seen.waits = [];
  const pids = new Set();
  for (let death = 1; death <= DEATHS; death++) {
    const killed = Number(await fs.readFile(plan.serverPid, "utf8"));
    pids.add(killed);
    // With something it has not read the connection is reset, without it is closed: editors are told in other ways.
    process.kill(killed, "SIGSTOP");
    if (death % 2 === 1) {
      await page.keyboard.type(" ");
    }
    process.kill(killed, "SIGKILL");
    const died = performance.now();
    // The squiggles of the dead server go, those of the next one come: on the text as it is by then.
    await page.waitForFunction(() => document.querySelector(".editor-instance [class*='squiggly-']") === null);
    if (death < DEATHS) {
      await all.waitFor();
      seen.waits.push(Math.round(performance.now() - died) / 1_000);
      seen.squigglesOfNextServer = await squiggles(page);
    }
    mark(`server has died ${death} times`);
  }
  seen.servers = pids.size;
  await readMessage();
  await message.locator("a", { hasText: "Restart Server" }).click();
  await drawn.first().waitFor();
  mark("server is started again by hand");
});

/**
 * The walkthrough, which is what a newcomer sees; described by a JSON file like session.mjs.
 */
import path from "node:path";
import { openFile, play, runCommand } from "./editor.mjs";

await play(async ({ page, plan, seen, picture }) => {
  await openFile(page, path.basename(plan.file));
  // In a narrow editor the walkthrough leaves its pictures out.
  await runCommand(page, "View: Toggle Primary Side Bar Visibility");
  await runCommand(page, "Welcome: Open Walkthrough...");
  await page.locator(".quick-input-widget input.input").fill("Keep the state");
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "Keep the state" }).waitFor();
  await page.keyboard.press("Enter");
  const steps = page.locator(".gettingStartedContainer .step-list-container .getting-started-step");
  await steps.nth(3).waitFor();
  seen.steps = await steps.locator(".step-title").allInnerTexts();
  seen.media = [];
  for (let index = 0; index < seen.steps.length; index++) {
    await steps.nth(index).locator(".step-title").click();
    const media = page.frameLocator(".getting-started-media .webview.ready").frameLocator("#active-frame").locator("body");
    // The page of the step before stays until that of this one is there.
    const heading = media.locator("h3").first();
    const next = index === 0 ? heading : heading.filter({ hasNotText: seen.media[index - 1] });
    seen.media.push(await next.innerText());
    await picture(`walkthrough-${index + 1}`);
  }
});

/**
 * The playground in a real Chromium: a breaking change is typed, and what the page then says is written to standard
 * output as JSON. Arguments: the folder of playwright-core and Chromium, the built playground, a folder for pictures.
 */
import fs from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const [cache, folder, pictures] = process.argv.slice(2);
const PATIENCE = 120_000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
/** The policy of the page, as a header: so it holds for the worker as well. */
const policy = (await fs.readFile(path.join(folder, "index.html"), "utf8")).match(/Content-Security-Policy" content="([^"]+)"/)[1];

const server = http.createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const file = path.join(folder, pathname === "/" ? "index.html" : path.basename(pathname));
  const content = await fs.readFile(file).catch(() => null);
  response.writeHead(content === null ? 404 : 200, {
    "content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
    "content-security-policy": policy,
  });
  response.end(content);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const { chromium } = createRequire(path.join(cache, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: path.join(cache, "chromium"), args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);
const seen = { messages: [], foreign: [], milliseconds: {} };
page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.messages.push(message.text()));
page.on("pageerror", (error) => seen.messages.push(String(error)));
page.on("request", (request) => !request.url().startsWith(url) && !request.url().startsWith("data:") && seen.foreign.push(request.url()));

const verdict = (name) => page.locator(`#verdict[data-verdict="${name}"]`).waitFor();
const started = performance.now();
const mark = (step) => (seen.milliseconds[step] = Math.round(performance.now() - started));
const current = page.getByRole("textbox", { name: "Current: what shall run" });

try {
  await page.goto(`${url}#example=${encodeURIComponent("group-aggregate/aggregate-added/1")}`);
  await page.locator("#verdict[data-verdict]").waitFor();
  mark("first verdict");
  page.setDefaultTimeout(30_000);
  seen.example = await current.innerText();

  // The same text as the baseline, then one more group key, typed letter by letter.
  await page.locator("#take").click();
  await verdict("compatible");
  await current.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(", reader_id");
  await verdict("incompatible");
  mark("verdict of the edit");
  seen.verdict = await page.locator("#verdict").innerText();
  seen.typed = await current.innerText();
  const squiggle = current.locator(".cm-lintRange-error").first();
  seen.squiggle = await squiggle.innerText();
  await page.locator("#findings .fix").first().waitFor();
  await page.locator("#findings button").first().focus();
  await page.keyboard.press("Escape");
  await squiggle.hover();
  const tooltip = page.locator(".cm-tooltip .cm-diagnostic").first();
  await tooltip.waitFor();
  await page.locator(".cm-tooltip .hover").waitFor();
  seen.hover = await page.locator(".cm-tooltip-hover").innerText();
  seen.plan = await page.locator("#plan svg").last().getAttribute("aria-label");
  await page.screenshot({ caret: "initial", path: path.join(pictures, "playground.png") });
  seen.fix = await tooltip.locator("button").first().innerText();
  await tooltip.locator("button").first().click();
  await verdict("compatible");
  seen.fixed = await current.innerText();
  mark("fixed");

  // Markup in SQL stays text, also in a link that holds it.
  await current.click();
  await page.keyboard.press("Control+a");
  // Chromium gives text that takes the place of coloured text a style of its own, and the policy refuses it.
  await page.keyboard.press("Delete");
  await page.keyboard.insertText("SELECT '<img src=x onerror=alert(1)>' AS `<b>`, COUNT(*) FROM loans GROUP BY `<i>x</i>`");
  await page.locator("#findings li", { hasText: "<i>x</i>" }).first().waitFor();
  seen.markup = await page.locator("img, #playground b, #playground i").count();
  await page.locator("#link").click();
  await page.waitForFunction(() => location.hash.startsWith("#1."));
  seen.link = page.url();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

  // Without a network, from what was kept.
  await context.setOffline(true);
  server.closeAllConnections();
  server.close();
  const again = await context.newPage();
  again.setDefaultTimeout(PATIENCE);
  const visited = performance.now();
  await again.goto(seen.link);
  await again.locator("#verdict[data-verdict]").waitFor();
  seen.milliseconds["verdict without a network"] = Math.round(performance.now() - visited);
  seen.offline = await again.getByRole("textbox", { name: "Current: what shall run" }).innerText();
  await again.setViewportSize({ width: 390, height: 800 });
  seen.phone = await again.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await again.screenshot({ caret: "initial", path: path.join(pictures, "playground-phone.png") });
} catch (error) {
  seen.failure = String(error?.stack ?? error);
  await page.screenshot({ caret: "initial", path: path.join(pictures, "failure.png") });
} finally {
  await browser.close();
  server.close();
}
process.stdout.write(JSON.stringify(seen));
